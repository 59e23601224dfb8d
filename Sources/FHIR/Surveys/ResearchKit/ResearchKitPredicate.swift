import IndivoBase
import OrderedJSON

/// A predicate in the format of Apple's NSPredicate, as far as ResearchKit's conditions are written in it
/// (`ORKResultPredicate`).
indirect enum ResearchKitPredicate: Hashable {
    case all([ResearchKitPredicate])
    case any([ResearchKitPredicate])
    case not(ResearchKitPredicate)
    case comparison(Operand, String, Operand)

    indirect enum Operand: Hashable {
        /// `$x.identifier`, `SELF`.
        case path([String])
        case number(String)
        case text(String)
        case nothing
        /// Seconds since 2001: `CAST(1.5, "NSDate")`.
        case date(Double)
        /// The number of the members of a collection for which something holds.
        case count(of: [String], variable: String, ResearchKitPredicate)
    }

    /// What is wrong with a predicate's text.
    struct Problem: Error, Hashable {
        let reason: String
        /// In bytes from the text's start.
        let offset: Int
    }

    /// - Throws: ``Problem``.
    init(_ text: String) throws(Problem) {
        var parser = try Parser(text)
        self = try parser.any(depth: 0)
        guard parser.isAtEnd else { throw parser.problem("something follows the condition") }
    }
}

private enum Token: Hashable {
    case word(String)
    case number(String)
    case text(String)
    case sign(String)
}

private struct Parser {
    private static let maximumLength = 100_000
    private static let maximumDepth = 64
    private static let comparisons: Set = [
        "==", "=", "!=", "<>", ">", "<", ">=", "<=", "=>", "=<", "MATCHES",
    ]

    private let tokens: [(token: Token, offset: Int)]
    private let length: Int
    private var index = 0

    init(_ text: String) throws(ResearchKitPredicate.Problem) {
        let bytes = Array(text.utf8)
        length = bytes.count
        guard bytes.count <= Self.maximumLength else {
            throw .init(reason: "it has more than \(Self.maximumLength) bytes", offset: 0)
        }
        tokens = try Self.tokens(bytes)
    }

    var isAtEnd: Bool { index == tokens.count }

    func problem(_ reason: String) -> ResearchKitPredicate.Problem {
        .init(reason: reason, offset: index < tokens.count ? tokens[index].offset : length)
    }

    // MARK: Words

    private static func tokens(_ bytes: [UInt8]) throws(ResearchKitPredicate.Problem)
        -> [(token: Token, offset: Int)]
    {
        func isWord(_ byte: UInt8) -> Bool {
            byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "@") || byte >= 0x80
        }
        var tokens: [(token: Token, offset: Int)] = []
        var offset = 0
        while offset < bytes.count {
            let start = offset
            let byte = bytes[offset]
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D:
                offset += 1
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                tokens.append((.text(try text(bytes, &offset)), start))
            case 0x30...0x39, UInt8(ascii: "-"):
                offset += 1
                while offset < bytes.count {
                    // The sign of an exponent, as in 1e-5.
                    let follows = bytes[offset - 1] | 0x20 == UInt8(ascii: "e")
                    let isSign = follows && "+-".utf8.contains(bytes[offset])
                    guard isWord(bytes[offset]) || bytes[offset] == UInt8(ascii: ".") || isSign else { break }
                    offset += 1
                }
                tokens.append((.number(String(decoding: bytes[start..<offset], as: UTF8.self)), start))
            case _ where isWord(byte):
                while offset < bytes.count, isWord(bytes[offset]) { offset += 1 }
                tokens.append((.word(String(decoding: bytes[start..<offset], as: UTF8.self)), start))
            default:
                offset += 1
                let isLong =
                    offset < bytes.count && "=!<>&|".utf8.contains(byte)
                    && "=<>&|".utf8.contains(bytes[offset])
                if isLong { offset += 1 }
                tokens.append((.sign(String(decoding: bytes[start..<offset], as: UTF8.self)), start))
            }
        }
        return tokens
    }

    /// A text in quotation marks, with C's escapes: NSPredicate has a new line for `\n`.
    private static func text(_ bytes: [UInt8], _ offset: inout Int) throws(ResearchKitPredicate.Problem)
        -> String
    {
        let start = offset
        let mark = bytes[start]
        var text: [UInt8] = []
        offset += 1
        while offset < bytes.count, bytes[offset] != mark {
            guard bytes[offset] == UInt8(ascii: "\\"), offset + 1 < bytes.count else {
                text.append(bytes[offset])
                offset += 1
                continue
            }
            let escaped = bytes[offset + 1]
            if let byte = escapes[escaped] {
                text.append(byte)
                offset += 2
                continue
            }
            switch escaped {
            case UInt8(ascii: "u"), UInt8(ascii: "U"), UInt8(ascii: "x"):
                let count = escaped == UInt8(ascii: "x") ? 2 : escaped == UInt8(ascii: "u") ? 4 : 8
                let digits = String(decoding: bytes[(offset + 2)...].prefix(count), as: UTF8.self)
                guard digits.utf8.count == count, let value = UInt32(digits, radix: 16),
                    let scalar = Unicode.Scalar(value), digits.first != "+"
                else { throw .init(reason: "\(count) hexadecimal digits are expected", offset: offset + 2) }
                text += Array(String(scalar).utf8)
                offset += 2 + count
                continue
            // What else is a letter or a digit has a meaning that is not known here.
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A:
                let name = String(decoding: [escaped], as: UTF8.self)
                throw .init(reason: "“\\\(name)” is no escape that is known here", offset: offset)
            default: text.append(escaped)
            }
            offset += 2
        }
        guard offset < bytes.count else { throw .init(reason: "a text does not end", offset: start) }
        offset += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// The letters of escapes, and what they stand for.
    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09, UInt8(ascii: "a"): 0x07,
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "v"): 0x0B,
    ]

    private func isNext(_ sign: String) -> Bool {
        index < tokens.count && tokens[index].token == .sign(sign)
    }

    private func isNext(word: String) -> Bool {
        guard index < tokens.count, case .word(let found) = tokens[index].token else { return false }
        return found.uppercased() == word
    }

    private mutating func expect(_ sign: String) throws(ResearchKitPredicate.Problem) {
        guard isNext(sign) else { throw problem("“\(sign)” is expected") }
        index += 1
    }

    // MARK: Conditions

    mutating func any(depth: Int) throws(ResearchKitPredicate.Problem) -> ResearchKitPredicate {
        guard depth < Self.maximumDepth else { throw problem("conditions in more than \(Self.maximumDepth)") }
        var parts = [try all(depth: depth)]
        while isNext(word: "OR") || isNext("||") {
            index += 1
            parts.append(try all(depth: depth))
        }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func all(depth: Int) throws(ResearchKitPredicate.Problem) -> ResearchKitPredicate {
        var parts = [try one(depth: depth)]
        while isNext(word: "AND") || isNext("&&") {
            index += 1
            parts.append(try one(depth: depth))
        }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func one(depth: Int) throws(ResearchKitPredicate.Problem) -> ResearchKitPredicate {
        guard depth < Self.maximumDepth else { throw problem("conditions in more than \(Self.maximumDepth)") }
        if isNext(word: "NOT") || isNext("!") {
            index += 1
            return .not(try one(depth: depth + 1))
        }
        if isNext("(") {
            index += 1
            let inner = try any(depth: depth + 1)
            try expect(")")
            return inner
        }
        let left = try operand(depth: depth)
        guard index < tokens.count else { throw problem("a comparison is expected") }
        let sign: String
        switch tokens[index].token {
        case .sign(let found): sign = found
        case .word(let found): sign = found.uppercased()
        default: throw problem("a comparison is expected")
        }
        guard Self.comparisons.contains(sign) else { throw problem("“\(sign)” is no comparison known here") }
        index += 1
        let names = ["=": "==", "<>": "!=", "=>": ">=", "=<": "<="]
        return .comparison(left, names[sign] ?? sign, try operand(depth: depth))
    }

    // MARK: Operands

    private mutating func operand(depth: Int) throws(ResearchKitPredicate.Problem)
        -> ResearchKitPredicate.Operand
    {
        guard index < tokens.count else { throw problem("a value is expected") }
        switch tokens[index].token {
        case .number(let digits):
            guard JSONValue(number: digits) != nil else { throw problem("“\(digits)” is no number") }
            index += 1
            return .number(digits)
        case .text(let text):
            index += 1
            return .text(text)
        case .sign(let sign): throw problem("a value is expected, not “\(sign)”")
        case .word(let word):
            switch word.uppercased() {
            case "NIL", "NULL":
                index += 1
                return .nothing
            case "YES", "TRUE":
                index += 1
                return .number("1")
            case "NO", "FALSE":
                index += 1
                return .number("0")
            case "CAST":
                index += 1
                return try cast()
            case "SUBQUERY":
                index += 1
                return try subquery(depth: depth)
            default: return .path(try path())
            }
        }
    }

    private mutating func path() throws(ResearchKitPredicate.Problem) -> [String] {
        var names: [String] = []
        while true {
            guard index < tokens.count, case .word(let word) = tokens[index].token else {
                throw problem("a name is expected")
            }
            names.append(word)
            index += 1
            guard isNext(".") else { return names }
            index += 1
        }
    }

    /// `(seconds, "NSDate")`
    private mutating func cast() throws(ResearchKitPredicate.Problem) -> ResearchKitPredicate.Operand {
        try expect("(")
        guard index < tokens.count, case .number(let digits) = tokens[index].token,
            let seconds = Double(digits), seconds.isFinite
        else { throw problem("seconds are expected") }
        index += 1
        try expect(",")
        guard index < tokens.count, tokens[index].token == .text("NSDate") else {
            throw problem("“NSDate” is expected: nothing else is cast")
        }
        index += 1
        try expect(")")
        return .date(seconds)
    }

    /// `(collection, $variable, condition).@count`
    private mutating func subquery(depth: Int) throws(ResearchKitPredicate.Problem)
        -> ResearchKitPredicate.Operand
    {
        try expect("(")
        let collection = try path()
        try expect(",")
        guard index < tokens.count, case .word(let variable) = tokens[index].token else {
            throw problem("a variable is expected, such as $x")
        }
        index += 1
        try expect(",")
        let condition = try any(depth: depth + 1)
        try expect(")")
        try expect(".")
        guard isNext(word: "@COUNT") else { throw problem("“@count” is expected") }
        index += 1
        return .count(of: collection, variable: variable, condition)
    }
}
