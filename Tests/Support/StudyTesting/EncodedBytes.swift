import Foundation

/// Elements of the Distinguished Encoding Rules, written apart from the code that is tested.
public enum EncodedDER {
    public static func element(_ tag: UInt8, _ parts: Data...) -> Data { element(tag, parts) }

    public static func element(_ tag: UInt8, _ parts: [Data]) -> Data {
        let content = parts.reduce(Data(), +)
        switch content.count {
        case ..<0x80: return Data([tag, UInt8(content.count)]) + content
        case ..<0x100: return Data([tag, 0x81, UInt8(content.count)]) + content
        default: return Data([tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]) + content
        }
    }

    public static func sequence(_ parts: Data...) -> Data { element(0x30, parts) }
    public static func set(_ parts: Data...) -> Data { element(0x31, parts) }
    public static func octets(_ content: Data) -> Data { element(0x04, content) }
    public static func number(_ value: UInt8) -> Data { element(0x02, Data([value])) }
    public static func text(_ text: String) -> Data { element(0x0C, Data(text.utf8)) }
    public static func ascii(_ text: String) -> Data { element(0x16, Data(text.utf8)) }

    /// An object identifier, as in `1.2.840.113549.1.7.2`.
    public static func identifier(_ text: String) -> Data {
        let numbers = text.split(separator: ".").compactMap { Int($0) }
        var content = Data([UInt8(numbers[0] * 40 + numbers[1])])
        for number in numbers.dropFirst(2) {
            var digits = [UInt8(number & 0x7F)]
            var rest = number >> 7
            while rest > 0 {
                digits.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            content += digits.reversed()
        }
        return element(0x06, content)
    }
}

/// Values of the Concise Binary Object Representation, written apart from the code that is tested.
public enum EncodedCBOR {
    static func head(_ kind: UInt8, _ count: Int) -> Data {
        switch count {
        case ..<24: Data([kind << 5 | UInt8(count)])
        case ..<0x100: Data([kind << 5 | 24, UInt8(count)])
        default: Data([kind << 5 | 25, UInt8(count >> 8), UInt8(count & 0xFF)])
        }
    }

    public static func bytes(_ data: Data) -> Data { head(2, data.count) + data }
    public static func text(_ text: String) -> Data { head(3, text.utf8.count) + Data(text.utf8) }
    public static func array(_ elements: [Data]) -> Data {
        head(4, elements.count) + elements.reduce(Data(), +)
    }
    public static func map(_ members: [(String, Data)]) -> Data {
        head(5, members.count) + members.reduce(Data()) { $0 + text($1.0) + $1.1 }
    }
}
