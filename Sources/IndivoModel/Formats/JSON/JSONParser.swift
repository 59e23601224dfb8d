/// Reads JSON (RFC 8259); an error names line and column.
struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    /// Deeper nesting is refused, before it uses up the stack.
    static let maximumDepth = 512

    /// - Throws: ``SDMJError``.
    static func parse(_ text: some Sequence<UInt8>) throws(SDMJError) -> JSONValue {
        var parser = JSONParser(text)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.position == parser.bytes.count else {
            throw parser.failure("there is more after the end of the value")
        }
        return value
    }

    private init(_ text: some Sequence<UInt8>) {
        bytes = Array(text)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    private func failure(_ reason: String) -> SDMJError {
        let before = bytes[..<min(position, bytes.count)]
        let line = before.count { $0 == 0x0A } + 1
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
        return SDMJError(line: line, column: column, reason: reason)
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(SDMJError) -> JSONValue {
        skipSpace()
        guard depth < Self.maximumDepth else { throw failure("values lie more than \(Self.maximumDepth) deep") }
        depth += 1
        defer { depth -= 1 }
        switch current {
        case UInt8(ascii: "{"): return .object(try members())
        case UInt8(ascii: "["): return .array(try items())
        case UInt8(ascii: "\""): return .string(try string())
        case nil: throw failure("the text ends where a value is expected")
        default: return try word()
        }
    }

    private mutating func members() throws(SDMJError) -> [JSONValue.Member] {
        position += 1
        var members: [JSONValue.Member] = []
        if take(UInt8(ascii: "}")) { return members }
        repeat {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw failure("a name in quotation marks is expected") }
            let name = try string()
            guard take(UInt8(ascii: ":")) else { throw failure("a colon is expected after “\(name)”") }
            members.append(JSONValue.Member(name: name, value: try value()))
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw failure("a comma or } is expected") }
        return members
    }

    private mutating func items() throws(SDMJError) -> [JSONValue] {
        position += 1
        var items: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return items }
        repeat { items.append(try value()) } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw failure("a comma or ] is expected") }
        return items
    }

    private mutating func word() throws(SDMJError) -> JSONValue {
        let start = position
        while let byte = current, byte > 0x20, !",]}:\"[{".utf8.contains(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        switch text {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            guard JSONValue.isNumber(text) else {
                position = start
                throw failure(text.isEmpty ? "a value is expected" : "“\(text)” is no value")
            }
            return .number(text)
        }
    }

    private mutating func string() throws(SDMJError) -> String {
        let start = position
        position += 1
        var result: [UInt8] = []
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let text = String(validating: result, as: UTF8.self) else {
                    position = start
                    throw failure("the text is not UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): result += try escape()
            case 0..<0x20:
                throw failure("a line break or control character stands in a text; is a quotation mark missing?")
            default:
                result.append(byte)
                position += 1
            }
        }
        position = start
        throw failure("the text that starts here has no end")
    }

    private mutating func escape() throws(SDMJError) -> [UInt8] {
        position += 1
        guard let byte = current else { throw failure("the text ends in an escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "u"):
            var units = [try codeUnit()]
            if UTF16.isLeadSurrogate(units[0]), bytes[position...].starts(with: "\\u".utf8) {
                position += 2
                units.append(try codeUnit())
            }
            guard let text = String(validating: units, as: UTF16.self) else {
                throw failure("half a surrogate pair is no character")
            }
            return Array(text.utf8)
        default: throw failure("“\\\(Character(Unicode.Scalar(byte)))” is no escape")
        }
    }

    private mutating func codeUnit() throws(SDMJError) -> UInt16 {
        guard position + 4 <= bytes.count,
            let unit = UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw failure("\\u needs four hexadecimal digits") }
        position += 4
        return unit
    }
}
