/// JSON as SDMJ needs it: the order of members and the digits of numbers are kept.
///
/// Foundation's reader keeps neither, and a dose of `0.10` shall not become `0.1` on the way through.
package enum JSONValue: Hashable {
    case null
    case bool(Bool)
    /// The number as it was written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    package struct Member: Hashable {
        package let name: String
        package let value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Whether text is a number by JSON's grammar (RFC 8259, section 6).
    static func isNumber(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { isNumber($0) }
    }

    static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = 0
        func take(_ bytes: UInt8...) -> Bool {
            guard position < text.count, bytes.contains(text[position]) else { return false }
            position += 1
            return true
        }
        func takeDigits() -> Bool {
            let start = position
            while position < text.count, text[position] >= 0x30, text[position] <= 0x39 { position += 1 }
            return position > start
        }
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")), !takeDigits() { return false }
        if take(UInt8(ascii: ".")), !takeDigits() { return false }
        if take(UInt8(ascii: "e"), UInt8(ascii: "E")) {
            _ = take(UInt8(ascii: "+"), UInt8(ascii: "-"))
            if !takeDigits() { return false }
        }
        return position == text.count
    }

    /// The value as JSON text, indented.
    package func write(to text: inout String, indent: Int = 0) {
        let margin = String(repeating: "  ", count: indent + 1)
        func list(_ open: String, _ close: String, _ count: Int, _ item: (Int) -> Void) {
            guard count > 0 else { return text += open + close }
            text += open
            for index in 0..<count {
                text += (index == 0 ? "\n" : ",\n") + margin
                item(index)
            }
            text += "\n" + margin.dropLast(2) + close
        }
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let digits): text += digits
        case .string(let string): JSONString.write(string, to: &text)
        case .array(let items): list("[", "]", items.count) { items[$0].write(to: &text, indent: indent + 1) }
        case .object(let members):
            list("{", "}", members.count) {
                JSONString.write(members[$0].name, to: &text)
                text += ": "
                members[$0].value.write(to: &text, indent: indent + 1)
            }
        }
    }
}
