import FHIR
import FHIRTables

/// A type as validation needs it: elements that are found by index, and what holds for all of them.
///
/// The definitions are structs with many arrays and texts, which cost more to copy than a value takes to
/// validate.
final class TypePlan: Sendable {
    /// Which elements an object has: a bit for each, at its index.
    typealias Elements = UInt128

    /// Types that have more to check than their elements and rules.
    enum Special: Sendable {
        case none, `extension`, reference, coding, bundleEntry, attachment
    }

    let definition: DefinedType
    let name: String
    let elements: [ElementPlan]
    /// The same, not retained where they are used: plans are kept as long as the program runs.
    private let unretained: [Unmanaged<ElementPlan>]
    /// The elements that must be there.
    let required: Elements
    /// The element `id`, which alone is no content.
    let id: Elements
    /// The rules of the type.
    let rules: [ValidationRule]
    let special: Special
    /// Whether it has a resource's members, `resourceType` among them.
    let isResource: Bool

    init(_ definition: DefinedType, plan: PlanBuilder) {
        self.definition = definition
        name = definition.name
        isResource = definition.kind == .resource
        elements = definition.elements.map { ElementPlan($0, plan: plan) }
        unretained = elements.map { .passUnretained($0) }
        var required: Elements = 0
        for (index, element) in definition.elements.enumerated() where element.minimum > 0 {
            required |= 1 << index
        }
        self.required = required
        id = Self.bit(of: "id", in: definition)
        rules = plan.rules(definition.rules, of: definition)
        special =
            switch definition.name {
            case "Extension": .extension
            case "Reference": .reference
            case "Coding": .coding
            case "Bundle.entry": .bundleEntry
            case "Attachment": .attachment
            default: .none
            }
    }

    @inline(__always)
    func withElement<Result>(_ index: Int, _ body: (ElementPlan) -> Result) -> Result {
        unretained[index]._withUnsafeGuaranteedRef(body)
    }

    /// The bit of an element; 0 when the type has none of the name.
    static func bit(of name: String, in type: DefinedType) -> Elements {
        type.elements.firstIndex { $0.name == name }.map { 1 << $0 } ?? 0
    }
}

/// An element as validation needs it.
final class ElementPlan: Sendable {
    /// The name; of a choice without the type.
    let name: String
    let isList: Bool
    let isChoice: Bool
    /// Of a contained resource, which is validated together with what contains it.
    let isContained: Bool
    let types: [ElementTypePlan]
    private let unretained: [Unmanaged<ElementTypePlan>]

    fileprivate init(_ element: DefinedElement, plan: PlanBuilder) {
        name = element.name
        isList = element.isList
        isChoice = element.isChoice
        isContained = element.name == "contained"
        types = element.types.map { ElementTypePlan($0, of: element, plan: plan) }
        unretained = types.map { .passUnretained($0) }
    }

    @inline(__always)
    func withType<Result>(_ index: Int, _ body: (ElementTypePlan) -> Result) -> Result {
        unretained[index]._withUnsafeGuaranteedRef(body)
    }
}

/// One of the types that an element's value may have.
final class ElementTypePlan: Sendable {
    enum Content: Sendable {
        case primitive(PrimitiveFormat)
        /// An object whose type has this index in the plan.
        case object(Int)
        case resource
    }

    /// Codes that a binding requires.
    enum RequiredCodes: Sendable {
        /// Of an element of the type `code`.
        case codes(CodeSet, valueSet: String)
        /// Of a CodeableConcept: one of the codings must be of the value set.
        case concept(DefinedValueSet)
    }

    let content: Content
    let codes: RequiredCodes?
    /// The names of resources that a reference may be to; empty for any.
    let targets: CodeSet?
    let targetNames: [String]
    /// The rules of the element, and of the profile that the type has here; the type's own are the type's.
    let rules: [ValidationRule]
    /// The name of the type in FHIRPath.
    let code: String
    /// The step to it in FHIRPath, in UTF-8: `.value.ofType(Quantity)`.
    let step: [UInt8]
    /// The end of a choice's name in JSON.
    let suffix: String
    /// The type of R4.
    let definition: DefinedType

    var isPrimitive: Bool {
        if case .primitive = content { return true }
        return false
    }

    var isObject: Bool {
        if case .object = content { return true }
        return false
    }

    fileprivate init(_ type: ElementType, of element: DefinedElement, plan: PlanBuilder) {
        code = type.code
        let ofType = element.isChoice ? ".ofType(\(type.code))" : ""
        step = Array(".\(ElementPath.escaped(element.name))\(ofType)".utf8)
        suffix = type.suffix
        definition = plan.definitions.type(id: type.id)
        content =
            switch definition.kind {
            case .resource: .resource
            case .primitive: .primitive(PrimitiveFormat(definition, element: element))
            default: .object(type.id)
            }
        codes = plan.requiredCodes(of: element, type: type)
        targetNames = type.code == "Reference" && !type.targets.contains("Resource") ? type.targets : []
        targets = targetNames.isEmpty ? nil : CodeSet(targetNames)
        let profile = type.profile.flatMap { plan.definitions.type(named: $0)?.rules } ?? []
        rules = plan.rules(element.rules + profile, of: definition)
    }
}
