import FHIR
import FHIRTables

/// The way from the root to an element. It becomes text only where an issue is.
struct ElementPath {
    /// A step to an element. It holds no reference: counting them took more time than the checks of most
    /// values.
    private struct Step {
        let element: Unmanaged<ElementPlan>
        let type: Int
        let index: Int?

        /// The plan, which the elements are of, is kept as long as the program runs.
        var use: ElementTypePlan { element._withUnsafeGuaranteedRef { $0.types[type] } }
    }

    /// A step that a profile makes beyond the elements that are being walked through.
    private struct ProfileStep {
        let name: String
        let type: String?
        let index: Int?
    }

    /// The name of the type that the path starts at.
    var root = ""
    private var steps: [Step] = []
    private var profileSteps: [ProfileStep] = []

    /// How many elements there are, without the steps of profiles.
    var count: Int { steps.count }

    mutating func push(_ element: ElementPlan, type: Int, index: Int?) {
        steps.append(Step(element: .passUnretained(element), type: type, index: index))
    }

    mutating func pop() { steps.removeLast() }

    mutating func pushProfile(_ name: String, _ focus: ProfileFocus) {
        let type = focus.suffix == nil ? nil : focus.code
        profileSteps.append(ProfileStep(name: name, type: type, index: focus.index))
    }

    mutating func popProfile() { profileSteps.removeLast() }

    /// Whether the last element is a `modifierExtension`.
    var isModifierExtension: Bool {
        steps.last?.element._withUnsafeGuaranteedRef { $0.name == "modifierExtension" } ?? false
    }

    /// What definitions call the element that the last one, an extension, stands in: by its path from the
    /// resource, from each datatype on the way, and the names of its type.
    func owners(of scope: ValidationScope) -> Set<String> {
        let own = steps.dropLast().dropFirst(min(scope.depth, max(0, steps.count - 1)))
        var type = Definitions.r4.type(named: scope.name)
        var bases = type?.lineage.map { Definitions.r4.type(id: $0).name } ?? []
        for step in own {
            let element = step.element.takeUnretainedValue()
            let use = step.use
            var names = [element.name]
            if element.isChoice { names = [element.name + "[x]", element.name, element.name + use.suffix] }
            bases = bases.flatMap { base in names.map { "\(base).\($0)" } }
            type = use.definition
            bases.append(use.definition.name)
        }
        var owners = Set(bases)
        for base in type?.lineage ?? [] { owners.insert(Definitions.r4.type(id: base).name) }
        return owners
    }

    /// What the last element says of its type; `nil` for a resource.
    var use: ElementTypePlan? { steps.last?.use }

    /// Whether the last element is inside an extension.
    var isInExtension: Bool { steps.count > 1 && steps[steps.count - 2].use.code == "Extension" }

    /// In FHIRPath: `Observation.component[1].value.ofType(Quantity)`.
    var expression: String {
        // As bytes, since a bundle may have thousands of issues.
        var text = Array(root.utf8)
        text.reserveCapacity(96)
        for step in steps {
            text += step.element._withUnsafeGuaranteedRef { $0.types[step.type].step }
            if let index = step.index { Self.append(index, to: &text) }
        }
        for step in profileSteps {
            text += ".\(Self.escaped(step.name))".utf8
            if let type = step.type { text += ".ofType(\(type))".utf8 }
            if let index = step.index { Self.append(index, to: &text) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ index: Int, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "["))
        text += String(index).utf8
        text.append(UInt8(ascii: "]"))
    }

    /// Names that are words of FHIRPath stand between backticks.
    static func escaped(_ name: String) -> String {
        name == "div" || name == "contains" ? "`\(name)`" : name
    }
}
