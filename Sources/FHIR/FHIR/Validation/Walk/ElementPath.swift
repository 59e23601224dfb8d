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

    /// The name of the type that the path starts at.
    var root = ""
    private var steps: [Step] = []

    mutating func push(_ element: ElementPlan, type: Int, index: Int?) {
        steps.append(Step(element: .passUnretained(element), type: type, index: index))
    }

    mutating func pop() { steps.removeLast() }

    /// What the last element says of its type; `nil` for a resource.
    var use: ElementTypePlan? { steps.last?.use }

    /// Whether the last element is inside an extension.
    var isInExtension: Bool { steps.count > 1 && steps[steps.count - 2].use.code == "Extension" }

    /// In FHIRPath: `Observation.component[1].value.ofType(Quantity)`.
    var expression: String {
        var text = root
        for step in steps {
            let element = step.element.takeUnretainedValue()
            text += "." + Self.escaped(element.name)
            if element.isChoice { text += ".ofType(\(step.use.code))" }
            if let index = step.index { text += "[\(index)]" }
        }
        return text
    }

    /// Names that are words of FHIRPath stand between backticks.
    private static func escaped(_ name: String) -> String {
        name == "div" || name == "contains" ? "`\(name)`" : name
    }
}
