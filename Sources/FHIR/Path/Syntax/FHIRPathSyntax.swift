/// A parsed expression: nodes in one array that name each other by index, so that neither reading, evaluating nor
/// releasing a long expression recurses deeper than ``FHIRPathParser/deepest``.
struct FHIRPathSyntax: Sendable {
    typealias Reference = Int32

    struct Node: Sendable {
        let kind: Kind
        /// Where the node's own word is in the text, in UTF-8 bytes.
        let offset: Int32
    }

    enum Kind: Sendable {
        case empty
        case boolean(Bool)
        case string(String)
        /// Digits as written.
        case integer(String)
        case long(String)
        case decimal(String)
        case date(String)
        /// A number with a unit: a UCUM code in quotes, or a calendar word such as `days`.
        case quantity(String, unit: String, isCalendar: Bool)
        /// `$this`
        case this
        /// `$index`
        case index
        /// `$total`
        case total
        /// `%name`
        case variable(String)
        /// `base.name`; without a base, of the focus.
        case member(Reference?, String)
        /// `base.name(arguments)`; without a base, of the focus.
        case function(Reference?, PathFunction, [Reference])
        /// `base[index]`
        case indexer(Reference, Reference)
        /// `-operand` or `+operand`
        case sign(isNegative: Bool, Reference)
        case operation(Operator, Reference, Reference)
        /// `operand is Type`, `operand as Type`, and the functions of the names.
        case type(TypeOperator, Reference?, TypeSpecifier)
    }

    enum Operator: String, Sendable {
        case multiply = "*", divide = "/", integerDivide = "div", modulo = "mod"
        case add = "+", subtract = "-", concatenate = "&"
        case union = "|"
        case lessThan = "<", lessOrEqual = "<=", greaterThan = ">", greaterOrEqual = ">="
        case equal = "=", notEqual = "!=", equivalent = "~", notEquivalent = "!~"
        case `in`, contains
        case and, or, xor, implies
    }

    enum TypeOperator: Sendable {
        case `is`, `as`, ofType
    }

    /// A type's name with its namespace, if given: `System.Boolean`, `Patient`.
    struct TypeSpecifier: Sendable, Hashable {
        let namespace: String?
        let name: String
    }

    private(set) var nodes: [Node] = []
    private(set) var root: Reference = 0

    subscript(reference: Reference) -> Node { nodes[Int(reference)] }

    mutating func append(_ kind: Kind, at offset: Int) -> Reference {
        nodes.append(Node(kind: kind, offset: Int32(truncatingIfNeeded: offset)))
        return Reference(nodes.count - 1)
    }

    mutating func finish(at root: Reference) { self.root = root }
}
