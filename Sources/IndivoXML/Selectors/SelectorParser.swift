/// Turns the text of a selector into its parts.
struct SelectorParser {
    var scanner: SelectorScanner
    private let namespaces: [UTF8Key: String]
    private(set) var nameTests: [NameTest] = []
    private(set) var cacheCount = 0
    private var nesting = 0

    /// Selectors inside selectors, as in `:not(:not(…))`.
    private static let nestingLimit = 32
    private static let lengthLimit = 65_536

    init(_ text: String, namespaces: [String: String]) {
        scanner = SelectorScanner(text)
        self.namespaces = Dictionary(namespaces.map { (UTF8Key($0), $1) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func parse() throws -> [ComplexSelector] {
        if scanner.text.utf8.count > SelectorParser.lengthLimit {
            throw scanner.error(expected: "a selector of at most \(SelectorParser.lengthLimit) bytes")
        }
        let list = try selectorList(mayLead: true)
        guard scanner.isAtEnd else { throw scanner.error(expected: "a combinator, \",\" or the end") }
        return list
    }

    // MARK: Structure

    /// Selectors separated by commas.
    mutating func selectorList(mayLead: Bool) throws -> [ComplexSelector] {
        nesting += 1
        defer { nesting -= 1 }
        if nesting > SelectorParser.nestingLimit {
            throw scanner.error(expected: "selectors at most \(SelectorParser.nestingLimit) inside each other")
        }
        var list: [ComplexSelector] = []
        repeat { list.append(try complex(mayLead: mayLead)) } while scanner.take(",")
        return list
    }

    private mutating func complex(mayLead: Bool) throws -> ComplexSelector {
        var selector = ComplexSelector()
        try scanner.skipSpace()
        if mayLead, let combinator = combinatorSign() {
            selector.leading = combinator
            try scanner.skipSpace()
        }
        selector.compounds.append(try compound())
        while true {
            let hasSpace = try scanner.skipSpace()
            if let combinator = combinatorSign() {
                try scanner.skipSpace()
                selector.combinators.append(combinator)
            } else if hasSpace, let next = scanner.peek(), next != ",", next != ")" {
                selector.combinators.append(.descendant)
            } else {
                return selector
            }
            selector.compounds.append(try compound())
        }
    }

    private mutating func combinatorSign() -> Combinator? {
        let combinator: Combinator
        switch scanner.peek() {
        case ">": combinator = .child
        case "+": combinator = .nextSibling
        case "~": combinator = .subsequentSibling
        default: return nil
        }
        scanner.advance()
        return combinator
    }

    private mutating func compound() throws -> CompoundSelector {
        var compound = CompoundSelector()
        let start = scanner.position
        if scanner.isAtName || scanner.peek() == "*" || scanner.peek() == "|" {
            compound.name = try elementName()
        } else if nesting == 1, let uri = namespaces[UTF8Key("")], !uri.isEmpty {
            // Where no name is written `*` is meant, in the default namespace; not so inside :is() and its like.
            compound.name = register(NameTest(namespace: .uri(UTF8Key(uri)), local: nil))
        }
        while let sign = scanner.peek() {
            switch sign {
            case "#":
                scanner.advance()
                compound.conditions.append(.id(UTF8Key(try scanner.hashName())))
            case ".":
                scanner.advance()
                compound.conditions.append(.className(UTF8Key(try scanner.name(expected: "a class name after \".\""))))
            case "[":
                scanner.advance()
                compound.conditions.append(try attribute())
            case ":":
                scanner.advance()
                if scanner.peek() == ":" { throw scanner.error(expected: "a pseudo-class; XML has no pseudo-elements") }
                compound.conditions.append(try pseudoClass())
            default:
                if scanner.position == start { throw scanner.error(expected: SelectorParser.anything) }
                return compound
            }
            // A comment separates nothing.
            let place = scanner.position
            if try scanner.skipSpace() { scanner.back(to: place) }
        }
        if scanner.position == start { throw scanner.error(expected: SelectorParser.anything) }
        return compound
    }

    private static let anything = "a name, \"*\", \"#\", \".\", \"[\" or \":\""

    // MARK: Names

    private mutating func elementName() throws -> Int? {
        let (namespace, local) = try qualifiedName()
        let test = NameTest(
            namespace: try namespace.map { try self.namespace($0.text, at: $0.place) }
                ?? namespaces[UTF8Key("")].map { $0.isEmpty ? .none : .uri(UTF8Key($0)) } ?? .any,
            local: local.map { UTF8Key($0) })
        // `*` in any namespace is no test at all.
        return test.local == nil && test.namespace == .any ? nil : register(test)
    }

    private mutating func register(_ test: NameTest) -> Int {
        if let known = nameTests.firstIndex(of: test) { return known }
        nameTests.append(test)
        return nameTests.count - 1
    }

    /// A prefix, if there is a `|`, and a local name, nil for `*`.
    private mutating func qualifiedName() throws -> (prefix: (text: String, place: Int)?, local: String?) {
        let start = scanner.position
        var first: String? = ""
        if scanner.peek() != "|" { first = try nameOrStar() }
        guard scanner.peek() == "|", scanner.peek(1) != "=" else { return (nil, first) }
        scanner.advance()
        return ((first ?? "*", start), try nameOrStar())
    }

    private mutating func nameOrStar() throws -> String? {
        scanner.take("*") ? nil : try scanner.name(expected: "a name or \"*\"")
    }

    private func namespace(_ prefix: String, at place: Int) throws -> NameTest.Namespace {
        switch prefix {
        case "*": return .any
        case "": return .none
        default:
            if let uri = namespaces[UTF8Key(prefix)] { return uri.isEmpty ? .none : .uri(UTF8Key(uri)) }
            if prefix == "xml" { return .uri(UTF8Key(NamespaceScope.xml)) }
            throw scanner.error(expected: "a prefix of the table of namespaces, not \"\(prefix)\"", at: place)
        }
    }

    mutating func newCache() -> Int {
        cacheCount += 1
        return cacheCount - 1
    }

    // MARK: Attributes

    private mutating func attribute() throws -> Condition {
        try scanner.skipSpace()
        guard scanner.isAtName || scanner.peek() == "*" || scanner.peek() == "|" else {
            throw scanner.error(expected: "an attribute's name")
        }
        let start = scanner.position
        let (prefix, local) = try qualifiedName()
        guard let local else { throw scanner.error(expected: "an attribute's name, not \"*\"", at: start) }
        let namespace = try prefix.map { try self.namespace($0.text, at: $0.place) } ?? .none
        let name = register(NameTest(namespace: namespace, local: UTF8Key(local)))
        try scanner.skipSpace()
        if scanner.take("]") { return .attribute(name: name, .present) }
        let relation = try self.relation()
        try scanner.skipSpace()
        let value: String
        if scanner.peek() == "\"" || scanner.peek() == "'" {
            value = try scanner.string()
        } else {
            value = try scanner.name(expected: "a value: a name or a string in quotes")
        }
        let hadSpace = try scanner.skipSpace()
        var ignoringCase = false
        if let flag = scanner.peek(), flag != "]" {
            guard ["i", "I", "s", "S"].contains(flag), hadSpace || scanner.peek(-1) == "\"" || scanner.peek(-1) == "'"
            else { throw scanner.error(expected: "\"]\", or the flag i or s") }
            ignoringCase = flag == "i" || flag == "I"
            scanner.advance()
            try scanner.skipSpace()
        }
        guard scanner.take("]") else { throw scanner.error(expected: "\"]\"") }
        return .attribute(name: name, .value(relation, Array(value.utf8), ignoringCase: ignoringCase))
    }

    private mutating func relation() throws -> AttributeCondition.Relation {
        if scanner.take("=") { return .equal }
        let relation: AttributeCondition.Relation
        switch scanner.peek() {
        case "~": relation = .word
        case "|": relation = .dash
        case "^": relation = .prefix
        case "$": relation = .suffix
        case "*": relation = .substring
        case "!": relation = .unequal
        default: throw scanner.error(expected: "\"]\" or an operator: = ~= |= ^= $= *= !=")
        }
        scanner.advance()
        guard scanner.take("=") else { throw scanner.error(expected: "\"=\"") }
        return relation
    }
}

extension SelectorParser {
    /// A pseudo-class; its colon was read.
    mutating func pseudoClass() throws -> Condition {
        let place = scanner.position
        let name = try scanner.name(expected: "the name of a pseudo-class").lowercased()
        if let plain = plainPseudoClass(name) {
            if scanner.peek() == "(" { throw scanner.error(expected: "no argument: :\(name) takes none") }
            return plain
        }
        guard SelectorParser.functions.contains(name) else {
            throw scanner.error(expected: "a pseudo-class that is known, not \":\(name)\"", at: place)
        }
        guard scanner.take("(") else { throw scanner.error(expected: "\"(\" after :\(name)") }
        let condition = try function(name)
        try scanner.skipSpace()
        guard scanner.take(")") else { throw scanner.error(expected: "\")\"") }
        return condition
    }

    private mutating func plainPseudoClass(_ name: String) -> Condition? {
        switch name {
        case "root": .root
        case "scope": .scope
        case "empty": .empty
        case "first-child": .nth(NthFormula(step: 0, offset: 1), cache: newCache(), fromEnd: false, of: nil)
        case "last-child": .nth(NthFormula(step: 0, offset: 1), cache: newCache(), fromEnd: true, of: nil)
        case "only-child": .onlyChild
        case "first-of-type": .nthOfType(NthFormula(step: 0, offset: 1), cache: newCache(), fromEnd: false)
        case "last-of-type": .nthOfType(NthFormula(step: 0, offset: 1), cache: newCache(), fromEnd: true)
        case "only-of-type": .onlyOfType
        case "first": .position(.first)
        case "last": .position(.last)
        case "even": .position(.even)
        case "odd": .position(.odd)
        default: nil
        }
    }

    private static let functions: Set<String> = [
        "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type", "not", "is", "where", "has", "contains", "eq",
        "gt", "lt",
    ]

    private mutating func function(_ name: String) throws -> Condition {
        switch name {
        case "nth-child", "nth-last-child":
            let formula = try nthFormula()
            let cache = newCache()
            return .nth(formula, cache: cache, fromEnd: name == "nth-last-child", of: try ofList())
        case "nth-of-type", "nth-last-of-type":
            return .nthOfType(try nthFormula(), cache: newCache(), fromEnd: name == "nth-last-of-type")
        case "not": return .not(try selectorList(mayLead: false))
        case "is", "where": return .any(try selectorList(mayLead: false))
        case "has": return .has(try selectorList(mayLead: true))
        case "contains": return .contains(try texts())
        case "eq": return .position(.equal(try integer()))
        case "gt": return .position(.greater(try integer()))
        default: return .position(.less(try integer()))
        }
    }

    /// `of S` behind a formula.
    private mutating func ofList() throws -> [ComplexSelector]? {
        let hadSpace = try scanner.skipSpace()
        guard scanner.peek() == "o" || scanner.peek() == "O" else { return nil }
        let place = scanner.position
        guard hadSpace, try scanner.name(expected: "\"of\"").lowercased() == "of" else {
            throw scanner.error(expected: "\"of\" or \")\"", at: place)
        }
        let list = try selectorList(mayLead: false)
        if list.contains(where: \.isPositional) {
            throw scanner.error(expected: "a selector without positions after \"of\"", at: place)
        }
        return list
    }

    /// `even`, `odd`, or `an+b` in any of its spellings.
    private mutating func nthFormula() throws -> NthFormula {
        try scanner.skipSpace()
        let start = scanner.position
        if scanner.isAtName {
            switch try scanner.name(expected: "a formula").lowercased() {
            case "even": return NthFormula(step: 2, offset: 0)
            case "odd": return NthFormula(step: 2, offset: 1)
            default: scanner.back(to: start)
            }
        }
        let isNegative = scanner.peek() == "-"
        if isNegative || scanner.peek() == "+" { scanner.advance() }
        let number = try scanner.digits()
        guard scanner.peek() == "n" || scanner.peek() == "N" else {
            guard let number else { throw scanner.error(expected: "even, odd, or a formula such as 2n+1", at: start) }
            return NthFormula(step: 0, offset: isNegative ? -number : number)
        }
        scanner.advance()
        let step = (number ?? 1) * (isNegative ? -1 : 1)
        let end = scanner.position
        try scanner.skipSpace()
        guard let sign = scanner.peek(), sign == "+" || sign == "-" else {
            scanner.back(to: end)
            return NthFormula(step: step, offset: 0)
        }
        scanner.advance()
        try scanner.skipSpace()
        guard let offset = try scanner.digits() else { throw scanner.error(expected: "a number") }
        return NthFormula(step: step, offset: sign == "-" ? -offset : offset)
    }

    private mutating func integer() throws -> Int {
        try scanner.skipSpace()
        let isNegative = scanner.peek() == "-"
        if isNegative || scanner.peek() == "+" { scanner.advance() }
        guard let number = try scanner.digits() else { throw scanner.error(expected: "a whole number") }
        return isNegative ? -number : number
    }

    /// The texts of `:contains()`: one of them is enough.
    private mutating func texts() throws -> [UTF8Key] {
        var texts: [UTF8Key] = []
        repeat {
            try scanner.skipSpace()
            if scanner.peek() == "\"" || scanner.peek() == "'" {
                texts.append(UTF8Key(try scanner.string()))
            } else {
                texts.append(UTF8Key(try scanner.name(expected: "a text in quotes")))
            }
            try scanner.skipSpace()
        } while scanner.take(",")
        return texts
    }
}
