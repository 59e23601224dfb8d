/// Turns the text of a selector into its parts.
struct SelectorParser {
    var scanner: SelectorScanner
    private let namespaces: [UTF8Key: NameTest.Namespace]
    private(set) var nameTests: [NameTest] = []
    private(set) var cacheCount = 0
    private var nesting = 0

    /// Selectors inside selectors, as in `:not(:not(…))`.
    private static let nestingLimit = 32
    private static let lengthLimit = 65_536

    init(_ text: String, namespaces: [String: String]) {
        scanner = SelectorScanner(text)
        let xml = [("xml", NamespaceScope.xml)]
        self.namespaces = Dictionary(
            firstOf: (Array(namespaces) + xml).map {
                (UTF8Key($0), $1.isEmpty ? NameTest.Namespace.none : .uri(UTF8Key($1)))
            }
        )
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
            throw scanner.error(
                expected: "selectors at most \(SelectorParser.nestingLimit) inside each other"
            )
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

    private static let combinators: [Unicode.Scalar: Combinator] = [
        ">": .child, "+": .nextSibling, "~": .subsequentSibling,
    ]

    private mutating func combinatorSign() -> Combinator? {
        guard let sign = scanner.peek(), let combinator = SelectorParser.combinators[sign] else { return nil }
        scanner.advance()
        return combinator
    }

    private mutating func compound() throws -> CompoundSelector {
        var compound = CompoundSelector()
        let start = scanner.position
        if scanner.isAtQualifiedName {
            compound.name = try elementName()
        } else if nesting == 1, let namespace = namespaces[UTF8Key("")], namespace != .none {
            // Without a name, `*` in the default namespace is meant, except inside :is() and the like.
            compound.name = register(NameTest(namespace: namespace, local: nil))
        }
        while let sign = scanner.peek(), "#.[:".unicodeScalars.contains(sign) {
            scanner.advance()
            switch sign {
            case "#": compound.conditions.append(test(.noneOrXML, "id", .equal, try scanner.hashName()))
            case ".":
                let name = try scanner.name(expected: "a class name after \".\"")
                compound.conditions.append(test(.none, "class", .word, name))
            case "[": compound.conditions.append(try attribute())
            default:
                if scanner.peek() == ":" {
                    throw scanner.error(expected: "a pseudo-class; XML has no pseudo-elements")
                }
                compound.conditions += try pseudoClass()
            }
            // A comment separates nothing.
            let place = scanner.position
            if try scanner.skipSpace() { scanner.position = place }
        }
        if scanner.position == start {
            throw scanner.error(expected: "a name, \"*\", \"#\", \".\", \"[\" or \":\"")
        }
        return compound
    }

    // MARK: Names

    private mutating func elementName() throws -> Int? {
        let (namespace, local) = try qualifiedName()
        let test = NameTest(
            namespace: namespace ?? namespaces[UTF8Key("")] ?? .any,
            local: local.map { UTF8Key($0) }
        )
        // `*` in any namespace matches everything, and needs no test.
        return test.local == nil && test.namespace == .any ? nil : register(test)
    }

    private mutating func register(_ test: NameTest) -> Int {
        if let known = nameTests.firstIndex(of: test) { return known }
        nameTests.append(test)
        return nameTests.count - 1
    }

    /// What a prefix stands for, if there is a `|`, and a local name, nil for `*`.
    private mutating func qualifiedName() throws -> (namespace: NameTest.Namespace?, local: String?) {
        let start = scanner.position
        var first: String? = ""
        if scanner.peek() != "|" { first = try nameOrStar() }
        guard scanner.peek() == "|", scanner.peek(1) != "=" else { return (nil, first) }
        scanner.advance()
        let local = try nameOrStar()
        guard let prefix = first else { return (.any, local) }
        if prefix.isEmpty { return (NameTest.Namespace.none, local) }
        guard let namespace = namespaces[UTF8Key(prefix)] else {
            throw scanner.error(expected: "a prefix of the table of namespaces, not \"\(prefix)\"", at: start)
        }
        return (namespace, local)
    }

    private mutating func nameOrStar() throws -> String? {
        scanner.take("*") ? nil : try scanner.name(expected: "a name or \"*\"")
    }

    // MARK: Attributes

    private mutating func attribute() throws -> SelectorCondition {
        try scanner.skipSpace()
        guard scanner.isAtQualifiedName else { throw scanner.error(expected: "an attribute's name") }
        let start = scanner.position
        let (prefixed, name) = try qualifiedName()
        guard let local = name else {
            throw scanner.error(expected: "an attribute's name, not \"*\"", at: start)
        }
        let namespace = prefixed ?? NameTest.Namespace.none
        try scanner.skipSpace()
        if scanner.take("]") { return test(namespace, local, .present, "") }
        let (relation, isNegated) = try relation()
        try scanner.skipSpace()
        let value = try scanner.stringOrName(expected: "a value: a name or a string in quotes")
        let hadSpace = try scanner.skipSpace()
        var ignoringCase = false
        if let flag = scanner.peek(), flag != "]" {
            guard ["i", "I", "s", "S"].contains(flag),
                hadSpace || scanner.peek(-1) == "\"" || scanner.peek(-1) == "'"
            else { throw scanner.error(expected: "\"]\", or the flag i or s") }
            ignoringCase = flag == "i" || flag == "I"
            scanner.advance()
            try scanner.skipSpace()
        }
        try scanner.expect("]")
        let condition = test(namespace, local, relation, value, ignoringCase: ignoringCase)
        guard isNegated else { return condition }
        return .any(
            [ComplexSelector(compounds: [CompoundSelector(conditions: [condition])])],
            isNegated: true
        )
    }

    private mutating func test(
        _ namespace: NameTest.Namespace,
        _ local: String,
        _ relation: SelectorCondition.Relation,
        _ value: String,
        ignoringCase: Bool = false
    ) -> SelectorCondition {
        let name = register(NameTest(namespace: namespace, local: UTF8Key(local)))
        return .attribute(name: name, relation, Array(value.utf8), ignoringCase: ignoringCase)
    }

    private static let relations: [Unicode.Scalar: SelectorCondition.Relation] = [
        "=": .equal, "~": .word, "|": .dash, "^": .prefix, "$": .suffix, "*": .substring, "!": .equal,
    ]

    private mutating func relation() throws -> (SelectorCondition.Relation, isNegated: Bool) {
        guard let sign = scanner.peek(), let relation = SelectorParser.relations[sign] else {
            throw scanner.error(expected: "\"]\" or an operator: = ~= |= ^= $= *= !=")
        }
        scanner.advance()
        if sign != "=" { try scanner.expect("=") }
        return (relation, sign == "!")
    }

    /// A pseudo-class; its colon was read.
    mutating func pseudoClass() throws -> [SelectorCondition] {
        let place = scanner.position
        let name = try scanner.name(expected: "the name of a pseudo-class").lowercased()
        if let plain = plainPseudoClass(name) {
            if scanner.peek() == "(" { throw scanner.error(expected: "no argument: :\(name) takes none") }
            return plain
        }
        guard let function = SelectorParser.functions[name] else {
            throw scanner.error(expected: "a pseudo-class that is known, not \":\(name)\"", at: place)
        }
        try scanner.expect("(", "\"(\" after :\(name)")
        let condition = try function(&self)
        try scanner.skipSpace()
        try scanner.expect(")")
        return [condition]
    }

    private mutating func plainPseudoClass(_ name: String) -> [SelectorCondition]? {
        let first = NthFormula(step: 0, offset: 1)
        return switch name {
        case "root": [.root]
        case "scope": [.scope]
        case "empty": [.empty]
        case "first-child": [nth(first, .all)]
        case "last-child": [nth(first, fromEnd: true, .all)]
        case "only-child": [nth(first, .all), nth(first, fromEnd: true, .all)]
        case "first-of-type": [nth(first, .ofType)]
        case "last-of-type": [nth(first, fromEnd: true, .ofType)]
        case "only-of-type": [nth(first, .ofType), nth(first, fromEnd: true, .ofType)]
        case "first": [.position(.equal(0))]
        case "last": [.position(.equal(-1))]
        case "even": [.position(.even)]
        case "odd": [.position(.odd)]
        default: nil
        }
    }

    private static let functions: [String: @Sendable (inout SelectorParser) throws -> SelectorCondition] = [
        "nth-child": { $0.nth(try $0.nthFormula(), try $0.ofList()) },
        "nth-last-child": { $0.nth(try $0.nthFormula(), fromEnd: true, try $0.ofList()) },
        "nth-of-type": { $0.nth(try $0.nthFormula(), .ofType) },
        "nth-last-of-type": { $0.nth(try $0.nthFormula(), fromEnd: true, .ofType) },
        "not": { .any(try $0.selectorList(mayLead: false), isNegated: true) },
        "is": { .any(try $0.selectorList(mayLead: false), isNegated: false) },
        "where": { .any(try $0.selectorList(mayLead: false), isNegated: false) },
        "has": { .has(try $0.selectorList(mayLead: true)) }, "contains": { .contains(try $0.texts()) },
        "eq": { .position(.equal(try $0.integer())) }, "gt": { .position(.greater(try $0.integer())) },
        "lt": { .position(.less(try $0.integer())) },
    ]

    private mutating func nth(
        _ formula: NthFormula,
        fromEnd: Bool = false,
        _ siblings: SelectorCondition.Siblings
    )
        -> SelectorCondition
    {
        cacheCount += 1
        return .nth(formula, cache: cacheCount - 1, fromEnd: fromEnd, among: siblings)
    }

    /// `of S` behind a formula.
    private mutating func ofList() throws -> SelectorCondition.Siblings {
        let hadSpace = try scanner.skipSpace()
        guard scanner.peek() == "o" || scanner.peek() == "O" else { return .all }
        let place = scanner.position
        guard hadSpace, try scanner.name(expected: "\"of\"").lowercased() == "of" else {
            throw scanner.error(expected: "\"of\" or \")\"", at: place)
        }
        let list = try selectorList(mayLead: false)
        if list.contains(where: \.isPositional) {
            throw scanner.error(expected: "a selector without positions after \"of\"", at: place)
        }
        return .matching(list)
    }

    /// `even`, `odd`, or `an+b` in any of its spellings.
    private mutating func nthFormula() throws -> NthFormula {
        try scanner.skipSpace()
        let start = scanner.position
        if scanner.isAtName {
            switch try scanner.name(expected: "a formula").lowercased() {
            case "even": return NthFormula(step: 2, offset: 0)
            case "odd": return NthFormula(step: 2, offset: 1)
            default: scanner.position = start
            }
        }
        let sign = scanner.sign() ?? 1
        let number = try scanner.digits()
        guard scanner.take("n") || scanner.take("N") else {
            guard let number else {
                throw scanner.error(expected: "even, odd, or a formula such as 2n+1", at: start)
            }
            return NthFormula(step: 0, offset: sign * number)
        }
        let step = sign * (number ?? 1)
        let end = scanner.position
        try scanner.skipSpace()
        guard let sign = scanner.sign() else {
            scanner.position = end
            return NthFormula(step: step, offset: 0)
        }
        try scanner.skipSpace()
        guard let offset = try scanner.digits() else { throw scanner.error(expected: "a number") }
        return NthFormula(step: step, offset: sign * offset)
    }

    private mutating func integer() throws -> Int {
        try scanner.skipSpace()
        let sign = scanner.sign() ?? 1
        guard let number = try scanner.digits() else { throw scanner.error(expected: "a whole number") }
        return sign * number
    }

    /// The texts of `:contains()`: one of them is enough.
    private mutating func texts() throws -> [UTF8Key] {
        var texts: [UTF8Key] = []
        repeat {
            try scanner.skipSpace()
            texts.append(UTF8Key(try scanner.stringOrName(expected: "a text in quotes")))
            try scanner.skipSpace()
        } while scanner.take(",")
        return texts
    }
}
