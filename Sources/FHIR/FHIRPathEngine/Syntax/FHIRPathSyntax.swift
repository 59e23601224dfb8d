import FHIR

/// A parsed expression: nodes in one array that name each other by index, so that neither reading, evaluating
/// nor releasing a long expression recurses deeper than `FHIRPathParser.maximumDepth`.
package struct FHIRPathSyntax: Sendable {
    package typealias Reference = Int32

    package struct Node: Sendable {
        package let kind: Kind
        /// Where the node's own word is in the text, in UTF-8 bytes.
        package let offset: Int32
    }

    package enum Kind: Sendable {
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

    package enum Operator: String, Sendable {
        case multiply = "*", divide = "/", integerDivide = "div", modulo = "mod"
        case add = "+", subtract = "-", concatenate = "&"
        case union = "|"
        case lessThan = "<", lessOrEqual = "<=", greaterThan = ">", greaterOrEqual = ">="
        case equal = "=", notEqual = "!=", equivalent = "~", notEquivalent = "!~"
        case `in`, contains
        case and, or, xor, implies
    }

    package enum TypeOperator: Sendable {
        case `is`, `as`, ofType
    }

    /// A type's name with its namespace, if given: `System.Boolean`, `Patient`.
    package struct TypeSpecifier: Sendable {
        package let namespace: String?
        package let name: String
        /// The type of FHIR; nil for one of FHIRPath's own.
        let fhirType: PathType?

        init(namespace: String?, name: String) {
            self.namespace = namespace
            self.name = name
            fhirType = namespace == "System" ? nil : PathType(named: name)
        }

        /// Whether there is such a type.
        var isKnown: Bool {
            fhirType != nil || namespace == "System"
                || (namespace != "FHIR" && Self.systemTypes.contains(name))
        }

        private static let systemTypes: Set<String> = [
            "Any", "Boolean", "Integer", "Long", "Decimal", "String", "Date", "DateTime", "Time", "Quantity",
        ]
    }

    package private(set) var nodes: [Node] = []
    package private(set) var root: Reference = 0
    /// Whether there is a `defineVariable` in it, so that what is defined must be kept to its scope.
    package private(set) var definesVariables = false
    /// Of each node whether it only goes from what the expression is evaluated on to parts: see
    /// ``isNavigation(_:)``.
    private var navigations: [Bool] = []

    package subscript(reference: Reference) -> Node { nodes[Int(reference)] }

    /// Whether a node is a path of names from the focus or from `$this`, with nothing but `where` by type
    /// between them.
    func isNavigation(_ reference: Reference) -> Bool { navigations[Int(reference)] }

    /// The type that a criterion asks of the item it is evaluated on, where it asks nothing else: `$this is
    /// Observation`.
    func typeOfItem(asked criterion: Reference) -> TypeSpecifier? {
        guard case .type(.is, let operand, let specifier) = self[criterion].kind else { return nil }
        if let operand {
            guard case .this = self[operand].kind else { return nil }
        }
        return specifier
    }

    mutating func append(_ kind: Kind, at offset: Int) -> Reference {
        let isNavigation =
            switch kind {
            case .this, .member(nil, _): true
            case .member(let base?, _): navigations[Int(base)]
            case .function(let base?, .where, let arguments):
                navigations[Int(base)] && arguments.first.flatMap { typeOfItem(asked: $0) } != nil
            default: false
            }
        navigations.append(isNavigation)
        if case .function(_, .defineVariable, _) = kind { definesVariables = true }
        nodes.append(Node(kind: kind, offset: Int32(truncatingIfNeeded: offset)))
        return Reference(nodes.count - 1)
    }

    mutating func finish(at root: Reference) { self.root = root }
}
