import OrderedJSON

/// An expression in FHIRPath (release 2.0, with the functions of FHIR R4 and of Structured Data Capture),
/// ready to be evaluated any number of times.
///
/// ```swift
/// let scores = try FHIRPath("item.answer.value.ordinal().sum()")
/// for item in try scores.evaluate(on: response.tree) { print(item.decimal ?? "?") }
/// ```
public struct FHIRPath: Sendable {
    /// The expression as it was given.
    public let expression: String
    package let syntax: FHIRPathSyntax

    /// Reads an expression.
    ///
    /// - Throws: a ``FHIRPathError`` of the kind `syntax`, or `semantic` for a function that does not exist.
    public init(_ expression: String) throws(FHIRPathError) {
        self.expression = expression
        syntax = try FHIRPathParser.parse(expression)
    }

    /// Evaluates the expression.
    ///
    /// - Parameters:
    ///   - json: a resource or an element.
    ///   - type: the element's type, such as `HumanName`; not needed for a resource.
    ///   - context: what else the expression can refer to.
    /// - Throws: a ``FHIRPathError`` of the kind `semantic`, `execution` or `limit`.
    public func evaluate(
        on json: JSONValue,
        type: String? = nil,
        in context: FHIRPathContext = FHIRPathContext()
    ) throws(FHIRPathError) -> [FHIRPathItem] {
        try evaluate(on: [FHIRPathItem(json, type: type)], in: context)
    }

    /// Evaluates the expression on a collection.
    ///
    /// - Throws: a ``FHIRPathError`` of the kind `semantic`, `execution` or `limit`.
    public func evaluate(
        on items: [FHIRPathItem],
        in context: FHIRPathContext = FHIRPathContext()
    ) throws(FHIRPathError) -> [FHIRPathItem] {
        var evaluation = FHIRPathEvaluation(syntax, on: items, in: context)
        return try evaluation.result()
    }

    /// Evaluates the expression, and subtracts the steps that it took from a budget that several evaluations
    /// share.
    ///
    /// - Throws: a ``FHIRPathError`` of the kind `semantic`, `execution` or `limit`.
    package func evaluate(
        on items: [FHIRPathItem],
        in context: FHIRPathContext,
        spending steps: inout Int
    ) throws(FHIRPathError) -> [FHIRPathItem] {
        var context = context
        context.limits.steps = min(context.limits.steps, steps)
        var evaluation = FHIRPathEvaluation(syntax, on: items, in: context)
        defer { steps = max(0, steps - evaluation.steps) }
        return try evaluation.result()
    }

    /// Evaluates the expression on one item, and adds the steps that it took.
    ///
    /// - Throws: a ``FHIRPathError`` of the kind `semantic`, `execution` or `limit`.
    package func evaluate(
        on item: FHIRPathItem,
        in context: FHIRPathContext,
        counting steps: inout Int
    ) throws(FHIRPathError) -> [FHIRPathItem] {
        var evaluation = FHIRPathEvaluation(syntax, on: [item], in: context)
        defer { steps += evaluation.steps }
        return try evaluation.result()
    }

    /// Whether the expression holds: its result is one item that is not `false`. An empty result does not
    /// hold.
    ///
    /// - Throws: a ``FHIRPathError``, also for a result of several items.
    public func holds(
        for json: JSONValue,
        type: String? = nil,
        in context: FHIRPathContext = FHIRPathContext()
    ) throws(FHIRPathError) -> Bool {
        let items = try evaluate(on: json, type: type, in: context)
        guard items.count <= 1 else {
            throw FHIRPathError(
                .execution,
                "The result is \(items.count) items, and one boolean is needed.",
                at: 0
            )
        }
        return items.first.map { $0.boolean ?? true } ?? false
    }
}
