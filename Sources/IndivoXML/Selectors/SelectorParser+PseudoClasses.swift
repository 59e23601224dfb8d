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
        case "not":
            return .not(try selectorList(mayLead: false))
        case "is", "where":
            return .any(try selectorList(mayLead: false))
        case "has":
            return .has(try selectorList(mayLead: true))
        case "contains":
            return .contains(try texts())
        case "eq":
            return .position(.equal(try integer()))
        case "gt":
            return .position(.greater(try integer()))
        default:
            return .position(.less(try integer()))
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
