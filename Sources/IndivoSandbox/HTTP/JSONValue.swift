import Foundation
import IndivoModel

/// A JSON value, with its numbers written as the real server writes them: `30.0` is a number with a fraction, `30` is
/// not.
enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    struct Member: Sendable, Equatable {
        var name: String
        var value: JSONValue

        init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += DecimalText.shortest(value)
        case .string(let value): JSONString.write(value, to: &text, isASCII: true)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += ", " }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += ", " }
                JSONString.write(member.name, to: &text, isASCII: true)
                text += ": "
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    /// Reads JSON text.
    /// - Throws: Foundation's error for text that is not JSON.
    init(parsing data: Data) throws {
        self = JSONValue(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
    }

    /// Reads the members of a JSON object, in no order; none of what is no object.
    /// - Throws: Foundation's error for text that is not JSON.
    static func members(parsing data: Data) throws -> [String: JSONValue] {
        let members = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) as? [String: Any] ?? [:]
        return members.mapValues { JSONValue($0) }
    }

    private init(_ value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let values as [Any]: self = .array(values.map { JSONValue($0) })
        case let values as [String: Any]:
            self = .object(values.sorted { $0.key < $1.key }.map { Member($0.key, JSONValue($0.value)) })
        case let number as NSNumber:
            // What Foundation makes of `true` and of `1` differs in its Objective-C type only, one letter.
            switch UInt8(bitPattern: number.objCType.pointee) {
            case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .boolean(number.boolValue)
            case UInt8(ascii: "d"): self = .number(number.doubleValue)
            default: self = .integer(number.intValue)
            }
        default: self = .null
        }
    }

    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    var double: Double? {
        switch self {
        case .number(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
}

/// Numbers as text, as the real server's language writes them.
enum DecimalText {
    /// The shortest text that reads back as the same number, always with a point or an exponent: `30.0`,
    /// `71.16666666666667`.
    static func shortest(_ value: Double) -> String { "\(value)" }

    /// Twelve significant digits, always with a point or an exponent: `30.0`, `71.1666666667`.
    static func twelveDigits(_ value: Double) -> String {
        let text = String(format: "%.12g", value)
        return text.contains(where: { ".en".contains($0) }) ? text : text + ".0"
    }
}
