import FHIR
import IndivoBase
import OrderedJSON

/// One evaluation of an expression.
struct FHIRPathEvaluation {
    typealias Node = FHIRPathSyntax.Node
    typealias Operator = FHIRPathSyntax.Operator
    typealias Reference = FHIRPathSyntax.Reference
    typealias TypeSpecifier = FHIRPathSyntax.TypeSpecifier
    typealias Items = [FHIRPathItem]

    /// The meaning of names without a base, of `$this`, `$index` and `$total`.
    struct Focus {
        /// The collection that a name without a base is a member of.
        var items: Items
        /// `$this`; at the outermost the items.
        var this: Items
        var index: Int?
        var total: Items?

        init(_ items: Items) {
            self.items = items
            this = items
        }
    }

    let syntax: FHIRPathSyntax
    let input: Items
    let context: FHIRPathContext
    private(set) lazy var now = context.time
    var variables: [String: Items]
    private(set) var steps = 0
    private var madeBytes = 0
    /// Resources of the root Bundle by full URL and by type and id; made when the first reference is
    /// resolved.
    var bundleIndex: [String: JSONValue]?

    init(_ syntax: FHIRPathSyntax, on input: Items, in context: FHIRPathContext) {
        self.syntax = syntax
        self.input = input
        self.context = context
        variables = context.variables
    }

    mutating func result() throws(FHIRPathError) -> Items {
        try evaluate(syntax.root, in: Focus(input))
    }

    // MARK: Bounds

    /// About how many bytes a value takes in a collection, besides its text.
    private static let bytesOfCollected = 64

    /// Counts what was done.
    mutating func spend(_ count: Int = 1, at node: Node) throws(FHIRPathError) {
        steps += count
        guard steps <= context.limits.steps else {
            throw failure("The evaluation takes more than \(context.limits.steps) steps.", .limit, at: node)
        }
    }

    /// An item of a value that was made; the bytes of its text count.
    mutating func make(_ value: SystemValue, at node: Node) throws(FHIRPathError)
        -> FHIRPathItem
    {
        if case .string(let text) = value { try countMade(text.utf8.count, at: node) }
        return FHIRPathItem(value)
    }

    /// - Parameters:
    ///   - bytes: The bytes of texts.
    ///   - collected: The number of values that a collection keeps.
    mutating func countMade(
        _ bytes: Int,
        collected: Int = 0,
        at node: Node
    ) throws(FHIRPathError) {
        madeBytes += bytes + collected * Self.bytesOfCollected
        guard madeBytes <= context.limits.madeBytes else {
            throw failure(
                "The evaluation makes more than \(context.limits.madeBytes) bytes of texts and other values.",
                .limit,
                at: node
            )
        }
    }

    func checked(_ items: Items, at node: Node) throws(FHIRPathError) -> Items {
        try checkCount(items.count, at: node)
        return items
    }

    func checkCount(_ count: Int, at node: Node) throws(FHIRPathError) {
        guard count <= context.limits.items else {
            throw failure("The collection has more than \(context.limits.items) items.", .limit, at: node)
        }
    }

    func failure(
        _ reason: String,
        _ kind: FHIRPathError.Kind = .execution,
        at node: Node
    ) -> FHIRPathError {
        FHIRPathError(kind, reason, at: Int(node.offset))
    }

    // MARK: Nodes

    /// Evaluates an operand or an argument. A variable that is defined in it applies to the rest of its own
    /// chain, and not outside.
    mutating func evaluateApart(_ reference: Reference, in focus: Focus) throws(FHIRPathError) -> Items {
        guard syntax.definesVariables else { return try evaluate(reference, in: focus) }
        let outer = variables
        defer { variables = outer }
        return try evaluate(reference, in: focus)
    }

    mutating func evaluate(_ reference: Reference, in focus: Focus) throws(FHIRPathError) -> Items {
        let node = syntax[reference]
        switch node.kind {
        case .member, .function:
            if let nodes = try navigated(reference, in: focus) {
                return nodes.map { FHIRPathItem(PathNode($0)) }
            }
        default: break
        }
        try spend(at: node)
        switch node.kind {
        case .empty: return []
        case .boolean(let value): return [FHIRPathItem(.boolean(value))]
        case .string(let text): return [FHIRPathItem(.string(text))]
        case .integer(let digits): return [try integer(digits, at: node)]
        case .long(let digits):
            guard let value = Int64(digits) else {
                throw failure("\(digits) is not a 64-bit integer.", at: node)
            }
            return [FHIRPathItem(.long(value))]
        case .decimal(let digits):
            guard let value = PathDecimal(digits) else {
                throw failure("\(digits) has too many digits.", at: node)
            }
            return [FHIRPathItem(.decimal(value))]
        case .date(let text):
            guard let value = CivilDateTime(text: text) else {
                throw failure("@\(text) is not a date or time.", .semantic, at: node)
            }
            return [FHIRPathItem(.temporal(value))]
        case .quantity(let digits, let unit, let isCalendar):
            guard let value = PathDecimal(digits) else {
                throw failure("\(digits) has too many digits.", at: node)
            }
            let word = isCalendar ? CalendarUnit(word: unit) : nil
            return [
                FHIRPathItem(
                    .quantity(PathQuantity(value: value, unit: word.map { .calendar($0) } ?? .ucum(unit)))
                )
            ]
        case .this: return focus.this
        case .index:
            guard let index = focus.index else { throw failure("$index has no meaning here.", at: node) }
            return [FHIRPathItem(index)]
        case .total:
            guard let total = focus.total else { throw failure("$total has no meaning here.", at: node) }
            return total
        case .variable(let name): return try variable(name, at: node)
        case .member(let base, let name):
            let items = try base.map { reference throws(FHIRPathError) in try evaluate(reference, in: focus) }
            return try members(name, of: items ?? focus.items, isRoot: base == nil, node)
        case .function(let base, let function, let arguments):
            if function == .where, let base,
                let items = try filteredRepeat(base, arguments, in: focus, at: node)
            {
                return items
            }
            let items = try base.map { reference throws(FHIRPathError) in try evaluate(reference, in: focus) }
            return try call(
                Call(
                    function: function,
                    arguments: arguments,
                    node: node,
                    input: items ?? focus.items,
                    focus: focus
                )
            )
        case .indexer(let base, let index):
            let items = try evaluate(base, in: focus)
            let indices = try evaluateApart(index, in: focus)
            guard let position = try single(indices, at: node)?.integer else { return [] }
            return items.indices.contains(position) ? [items[position]] : []
        case .sign(let isNegative, let operand):
            let items = try evaluateApart(operand, in: focus)
            return try sign(isNegative, items, at: node)
        case .operation(let operation, let left, let right):
            return try apply(operation, left, right, in: focus, at: node)
        case .type(let operation, let operand, let type):
            let items = try operand.map { reference throws(FHIRPathError) in
                try evaluate(reference, in: focus)
            }
            try spend((items ?? focus.items).count, at: node)
            return try apply(operation, to: items ?? focus.items, type, at: node)
        }
    }

    private func integer(_ digits: String, at node: Node) throws(FHIRPathError) -> FHIRPathItem {
        if let value = Int32(digits) { return FHIRPathItem(.integer(value)) }
        guard let value = Int64(digits) else { throw failure("\(digits) is not a 64-bit integer.", at: node) }
        return FHIRPathItem(.long(value))
    }

    /// The value of `%name` (FHIRPath section 9; FHIR, environment variables).
    private func variable(_ name: String, at node: Node) throws(FHIRPathError) -> Items {
        if let items = variables[name] { return items }
        switch name {
        case "context": return input
        case "resource": return resource.map { [FHIRPathItem($0)] } ?? input
        case "rootResource": return rootResource.map { [FHIRPathItem($0)] } ?? input
        case "ucum": return [FHIRPathItem("http://unitsofmeasure.org")]
        case "sct": return [FHIRPathItem("http://snomed.info/sct")]
        case "loinc": return [FHIRPathItem("http://loinc.org")]
        default:
            if name.hasPrefix("vs-") {
                return [FHIRPathItem("http://hl7.org/fhir/ValueSet/" + name.dropFirst(3))]
            }
            if name.hasPrefix("ext-") {
                return [FHIRPathItem("http://hl7.org/fhir/StructureDefinition/" + name.dropFirst(4))]
            }
            throw failure("There is no variable %\(name).", .semantic, at: node)
        }
    }

    var resource: JSONValue? { context.resource ?? inputResource }
    var rootResource: JSONValue? { context.rootResource ?? resource }

    private var inputResource: JSONValue? {
        if case .node(let node)? = input.first?.storage { return node.json }
        return nil
    }

    // MARK: Collections of one

    /// The only item; nil for none.
    func single(_ items: Items, at node: Node) throws(FHIRPathError) -> FHIRPathItem? {
        guard items.count <= 1 else {
            throw failure("One item is needed, and there are \(items.count).", at: node)
        }
        return items.first
    }

    /// The only item that has a value: a primitive with nothing but extensions does not count.
    func singleValue(_ items: Items, at node: Node) throws(FHIRPathError) -> FHIRPathItem? {
        guard let item = try single(items, at: node) else { return nil }
        if case .node(let element) = item.storage, element.json == nil { return nil }
        return item
    }

    /// A collection where a boolean is expected (FHIRPath section 4.5): `nil` if it is empty, and true for a
    /// single item that is not a boolean.
    func boolean(_ items: Items, at node: Node) throws(FHIRPathError) -> Bool? {
        try single(items, at: node).map { $0.boolean ?? true }
    }

    /// The only item as a string; nil for none.
    func string(_ items: Items, at node: Node) throws(FHIRPathError) -> String? {
        guard let item = try single(items, at: node) else { return nil }
        guard let string = item.string else {
            if case .node(let element) = item.storage, element.json == nil { return nil }
            throw failure("A string is needed, not \(item.typeName).", at: node)
        }
        return string
    }
}
