import FHIR
import IndivoBase

/// Reads expressions (FHIRPath 2.0, Appendix B, grammar), by precedence.
struct FHIRPathParser {
    private typealias Reference = FHIRPathSyntax.Reference

    /// The longest text, in UTF-8 bytes.
    static let maximumLength = 100_000
    /// How deep a tree may be. A sum of 500 terms is 500 deep.
    static let maximumDepth = 500

    private let tokens: [FHIRPathToken]
    private var position = 0
    private var syntax = FHIRPathSyntax()
    /// The depth of each node's tree.
    private var depths: [Int] = []
    /// How many parts of the grammar are open.
    private var open = 0

    static func parse(_ text: String) throws(FHIRPathError) -> FHIRPathSyntax {
        guard text.utf8.count <= maximumLength else {
            throw FHIRPathError(
                .limit,
                "The expression is longer than \(maximumLength) bytes.",
                at: maximumLength
            )
        }
        var parser = FHIRPathParser(tokens: try FHIRPathLexer.tokens(of: text))
        let root = try parser.expression(minimum: 1)
        guard parser.current.kind == .end else { throw parser.unexpected() }
        parser.syntax.finish(at: root)
        return parser.syntax
    }

    private init(tokens: [FHIRPathToken]) { self.tokens = tokens }

    // MARK: Operators

    /// How strongly a binary operator binds, from `implies` to `*`.
    private static let precedences: [String: Int] = [
        "implies": 1, "or": 2, "xor": 2, "and": 3, "in": 4, "contains": 4, "=": 5, "~": 5, "!=": 5, "!~": 5,
        "<": 6, ">": 6, "<=": 6, ">=": 6, "|": 7, "is": 8, "as": 8, "+": 9, "-": 9, "&": 9,
        "*": 10, "/": 10, "div": 10, "mod": 10,
    ]

    private mutating func expression(minimum: Int) throws(FHIRPathError) -> Reference {
        open += 1
        defer { open -= 1 }
        // Each parenthesis takes two levels of functions of the parser, all others fewer.
        guard open <= Self.maximumDepth / 4 else { throw tooDeep() }
        var left = try prefixed()
        while let word = operatorWord, let precedence = Self.precedences[word], precedence >= minimum {
            let offset = current.offset
            position += 1
            if word == "is" || word == "as" {
                left = try append(
                    .type(word == "is" ? .is : .as, left, try typeSpecifier()),
                    at: offset,
                    over: [left]
                )
                continue
            }
            let right = try expression(minimum: precedence + 1)
            guard let operation = FHIRPathSyntax.Operator(rawValue: word) else { throw unexpected() }
            left = try append(.operation(operation, left, right), at: offset, over: [left, right])
        }
        return left
    }

    private mutating func prefixed() throws(FHIRPathError) -> Reference {
        guard case .symbol(let sign) = current.kind, sign == "+" || sign == "-" else {
            return try postfixed()
        }
        open += 1
        defer { open -= 1 }
        guard open <= Self.maximumDepth / 4 else { throw tooDeep() }
        let offset = current.offset
        position += 1
        let operand = try prefixed()
        return try append(.sign(isNegative: sign == "-", operand), at: offset, over: [operand])
    }

    /// A term with what follows it by `.` and `[`.
    private mutating func postfixed() throws(FHIRPathError) -> Reference {
        var base = try term()
        while true {
            if take(".") {
                if case .special = current.kind {
                    base = try special()
                } else {
                    base = try invocation(on: base)
                }
            } else if current.kind == .symbol("[") {
                let offset = current.offset
                position += 1
                let index = try expression(minimum: 1)
                try expect("]")
                base = try append(.indexer(base, index), at: offset, over: [base, index])
            } else {
                return base
            }
        }
    }

    // MARK: Terms

    private mutating func term() throws(FHIRPathError) -> Reference {
        let offset = current.offset
        switch current.kind {
        case .symbol("("):
            position += 1
            let inner = try expression(minimum: 1)
            try expect(")")
            return inner
        case .symbol("{"):
            position += 1
            try expect("}")
            return try append(.empty, at: offset)
        case .symbol("%"):
            position += 1
            switch current.kind {
            case .identifier(let name, _), .string(let name):
                position += 1
                return try append(.variable(name), at: offset)
            default: throw unexpected()
            }
        case .string(let text):
            position += 1
            return try append(.string(text), at: offset)
        case .number(let digits, let isLong):
            position += 1
            return try number(digits, isLong: isLong, at: offset)
        case .date(let text):
            position += 1
            return try append(.date(text), at: offset)
        case .special: return try special()
        case .identifier("true", false), .identifier("false", false):
            let isTrue = current.kind == .identifier("true", isDelimited: false)
            position += 1
            return try append(.boolean(isTrue), at: offset)
        case .identifier: return try invocation(on: nil)
        default: throw unexpected()
        }
    }

    private mutating func special() throws(FHIRPathError) -> Reference {
        guard case .special(let name) = current.kind else { throw unexpected() }
        let offset = current.offset
        position += 1
        return try append(name == "this" ? .this : name == "index" ? .index : .total, at: offset)
    }

    private mutating func number(
        _ digits: String,
        isLong: Bool,
        at offset: Int
    ) throws(FHIRPathError) -> Reference {
        if !isLong {
            if case .string(let unit) = current.kind {
                position += 1
                return try append(.quantity(digits, unit: unit, isCalendar: false), at: offset)
            }
            if case .identifier(let word, false) = current.kind, Self.calendarUnits.contains(word) {
                position += 1
                return try append(.quantity(digits, unit: word, isCalendar: true), at: offset)
            }
        }
        if isLong { return try append(.long(digits), at: offset) }
        return try append(
            digits.utf8.contains(UInt8(ascii: ".")) ? .decimal(digits) : .integer(digits),
            at: offset
        )
    }

    static let calendarUnits: Set<String> = [
        "year", "years", "month", "months", "week", "weeks", "day", "days", "hour", "hours", "minute",
        "minutes",
        "second", "seconds", "millisecond", "milliseconds",
    ]

    /// A member or a function of the base, or of the focus.
    private mutating func invocation(
        on base: Reference?
    ) throws(FHIRPathError) -> Reference {
        guard case .identifier(let name, let isDelimited) = current.kind else { throw unexpected() }
        let offset = current.offset
        if !isDelimited, base == nil, ["div", "mod", "and", "or", "xor", "implies"].contains(name) {
            throw unexpected()
        }
        position += 1
        let bases = base.map { [$0] } ?? []
        guard !isDelimited, current.kind == .symbol("(") else {
            return try append(.member(base, name), at: offset, over: bases)
        }
        position += 1
        let typeOperators: [String: FHIRPathSyntax.TypeOperator] = ["is": .is, "as": .as, "ofType": .ofType]
        if let typeOperator = typeOperators[name] {
            let type = try typeSpecifier()
            try expect(")")
            return try append(.type(typeOperator, base, type), at: offset, over: bases)
        }
        var arguments: [Reference] = []
        if !take(")") {
            repeat { arguments.append(try argument(of: name)) } while take(",")
            try expect(")")
        }
        guard let function = PathFunction(rawValue: name) else {
            let names = PathFunction.allCases.map(\.rawValue) + typeOperators.keys
            // A name from a stranger may be very long, and is compared with all.
            let hint = name.utf8.count > 40 ? "" : Spelling.hint(for: name, among: names)
            throw FHIRPathError(.semantic, "There is no function \(name).\(hint)", at: offset)
        }
        guard function.arguments.contains(arguments.count) else {
            let expected = function.arguments
            let count =
                expected.count == 1
                ? "\(expected.lowerBound)" : "\(expected.lowerBound) to \(expected.upperBound)"
            throw FHIRPathError(
                .semantic,
                "\(name) takes \(count) arguments, and is given \(arguments.count).",
                at: offset
            )
        }
        return try append(.function(base, function, arguments), at: offset, over: bases + arguments)
    }

    private mutating func argument(of function: String) throws(FHIRPathError) -> Reference {
        let argument = try expression(minimum: 1)
        // `sort(name desc)`: descending is written as a minus, which the standard allows too.
        if function == "sort", case .identifier(let order, false) = current.kind,
            order == "asc" || order == "desc"
        {
            let offset = current.offset
            position += 1
            return order == "asc"
                ? argument : try append(.sign(isNegative: true, argument), at: offset, over: [argument])
        }
        return argument
    }

    private mutating func typeSpecifier() throws(FHIRPathError) -> FHIRPathSyntax.TypeSpecifier {
        guard case .identifier(let first, _) = current.kind else { throw unexpected() }
        position += 1
        // In `value is Quantity.unit` the point would begin a member; the grammar gives it to the type.
        guard current.kind == .symbol("."), case .identifier(let second, _) = tokens[position + 1].kind,
            first == "System" || first == "FHIR"
        else { return .init(namespace: nil, name: first) }
        position += 2
        return .init(namespace: first, name: second)
    }

    // MARK: Tokens

    private var current: FHIRPathToken { tokens[position] }

    private var operatorWord: String? {
        switch current.kind {
        case .symbol(let symbol): symbol
        case .identifier(let word, false): word
        default: nil
        }
    }

    private mutating func take(_ symbol: String) -> Bool {
        guard current.kind == .symbol(symbol) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ symbol: String) throws(FHIRPathError) {
        guard take(symbol) else {
            throw FHIRPathError(
                .syntax,
                "“\(symbol)” is expected, not \(Self.name(of: current)).",
                at: current.offset
            )
        }
    }

    private mutating func append(
        _ kind: FHIRPathSyntax.Kind,
        at offset: Int,
        over children: [Reference] = []
    ) throws(FHIRPathError) -> Reference {
        let depth = 1 + (children.map { depths[Int($0)] }.max() ?? 0)
        guard depth <= Self.maximumDepth else { throw tooDeep() }
        depths.append(depth)
        return syntax.append(kind, at: offset)
    }

    private func tooDeep() -> FHIRPathError {
        FHIRPathError(
            .limit,
            "The expression is nested deeper than \(Self.maximumDepth) operations.",
            at: current.offset
        )
    }

    private func unexpected() -> FHIRPathError {
        let name = Self.name(of: current)
        return FHIRPathError(
            .syntax,
            name.prefix(1).uppercased() + name.dropFirst() + " is not expected.",
            at: current.offset
        )
    }

    private static func name(of token: FHIRPathToken) -> String {
        switch token.kind {
        case .identifier(let name, _): "“\(name)”"
        case .string: "a string"
        case .number(let digits, _): "“\(digits)”"
        case .date(let text): "“@\(text)”"
        case .symbol(let symbol): "“\(symbol)”"
        case .special(let name): "“$\(name)”"
        case .end: "the end of the expression"
        }
    }
}
