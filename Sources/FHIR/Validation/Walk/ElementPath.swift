/// The way from the root to an element. It becomes text only where an issue is.
struct ElementPath {
    enum Step {
        case root(String)
        case element(ElementPlan, type: Int, index: Int?)
    }

    private(set) var steps: [Step] = []

    mutating func push(_ step: Step) { steps.append(step) }
    mutating func pop() { steps.removeLast() }

    /// What the last element says of its type; `nil` for a resource.
    var use: ElementTypePlan? {
        guard case .element(let element, let type, _)? = steps.last else { return nil }
        return element.types[type]
    }

    /// Whether the last element is inside an extension.
    var isInExtension: Bool {
        guard steps.count > 1, case .element(let element, let type, _) = steps[steps.count - 2] else { return false }
        return element.types[type].code == "Extension"
    }

    /// In FHIRPath: `Observation.component[1].value.ofType(Quantity)`.
    var expression: String {
        var text = ""
        for step in steps {
            let position: Int?
            switch step {
            case .root(let name):
                text += name
                position = nil
            case .element(let element, let type, let index):
                text += "." + Self.escaped(element.name)
                if element.isChoice { text += ".ofType(\(element.types[type].code))" }
                position = index
            }
            if let position { text += "[\(position)]" }
        }
        return text
    }

    /// Names that are words of FHIRPath stand between backticks.
    private static func escaped(_ name: String) -> String { name == "div" || name == "contains" ? "`\(name)`" : name }
}
