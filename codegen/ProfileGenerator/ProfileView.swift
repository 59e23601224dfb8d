import FHIRGenerator
import OrderedJSON

/// A Swift type that is a view on what a profile constrains; every decision about it is made. Types of the
/// module FHIR have its name before theirs.
struct ProfileView {
    /// An accessor.
    struct Property {
        enum Shape {
            case one, list, choice, choices
        }

        let name: String
        /// The type of one value.
        let type: String
        let shape: Shape
        let member: Member
        let documentation: String
    }

    /// Where JSON has it.
    enum Member {
        case element(String, isList: Bool)
        case slice(String, JSONValue)
        case extensions(url: String, suffix: String?, isModifier: Bool)
        case primitiveExtensions(of: String, url: String, suffix: String?)
    }

    /// What the initialiser takes, and sets the property of the same name to.
    struct Parameter {
        let name: String
        /// The type of one value.
        let type: String
        let isList: Bool
        let isRequired: Bool
        /// Whether the list has values already.
        let isAdded: Bool
    }

    let name: String
    var documentation: [String]
    let conformances: [String]
    /// R4's own view.
    let base: String?
    /// The name in FHIR; of a nested type the path.
    let typeName: String
    /// The canonical URL of a profile.
    let url: String?
    /// What every new one has.
    var start: JSONValue = [:]
    var parameters: [Parameter] = []
    var properties: [Property] = []
    var choices: [ChoiceView] = []
    var nested: [ProfileView] = []
}
