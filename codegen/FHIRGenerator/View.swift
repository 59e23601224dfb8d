/// A Swift type that is a view on a resource, datatype or backbone element, with every decision about it
/// made.
struct View {
    enum Conformance: String {
        case element = "FHIRElement"
        case backboneElement = "FHIRBackboneElement"
        case resource = "FHIRResource"
        case domainResource = "FHIRDomainResource"
    }

    let name: String
    /// The name in FHIR; of a nested type the path.
    let typeName: String
    let documentation: String
    let conformance: Conformance
    var properties: [ViewProperty] = []
    var choices: [ChoiceView] = []
    var nested: [View] = []

    /// What an initialiser must be given.
    var required: [ViewProperty] { properties.filter(\.isRequired) }
}

/// An accessor.
struct ViewProperty {
    enum Shape {
        case one, list, choice
    }

    /// The element's name in FHIR.
    let name: String
    /// The type of one value.
    let type: String
    let shape: Shape
    let isRequired: Bool
    let documentation: String
}

/// An enumeration of the types that a choice element may have.
package struct ChoiceView {
    package struct Case {
        let name: String
        let type: String
        /// The end of the member's name in JSON.
        let suffix: String

        package init(name: String, type: String, suffix: String) {
            self.name = name
            self.type = type
            self.suffix = suffix
        }
    }

    package let name: String
    /// The element's name, before the suffix.
    let element: String
    let documentation: String
    let cases: [Case]

    package init(name: String, element: String, documentation: String, cases: [Case]) {
        self.name = name
        self.element = element
        self.documentation = documentation
        self.cases = cases
    }
}

/// An enumeration of the codes of a value set.
struct CodeView {
    struct Case {
        let name: String
        let code: String
        let display: String
    }

    let name: String
    let documentation: String
    let cases: [Case]
}
