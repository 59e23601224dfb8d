import Foundation
import OrderedJSON

/// `JSONEncoder` and `JSONDecoder` write and read the same JSON. Numbers go through `Decimal`, not `Double`:
/// they keep their value, but not trailing zeros. ``init(json:)`` and ``json`` keep every digit and are
/// faster.
extension Sample: Codable {
    public init(from decoder: any Decoder) throws {
        let json = try CodedJSON(from: decoder).value
        do throws(SampleError) { try self.init(json: json) } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(error)", underlyingError: error)
            )
        }
    }

    public func encode(to encoder: any Encoder) throws { try CodedJSON(value: json).encode(to: encoder) }
}

/// JSON as any coder takes and gives it.
private struct CodedJSON: Codable {
    var value: JSONValue

    init(value: JSONValue) { self.value = value }

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Name.self) {
            value = JSONValue(
                members: try members.allKeys.map {
                    JSONMember(name: $0.stringValue, value: try members.decode(Self.self, forKey: $0).value)
                }
            )
            return
        }
        if var elements = try? decoder.unkeyedContainer() {
            var found: [JSONValue] = []
            while !elements.isAtEnd { found.append(try elements.decode(Self.self).value) }
            value = JSONValue(found)
            return
        }
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            value = .null
        } else if let boolean = try? single.decode(Bool.self) {
            value = JSONValue(boolean)
        } else if let text = try? single.decode(String.self) {
            value = JSONValue(text)
        } else {
            let number = try single.decode(Decimal.self)
            guard let digits = JSONValue(number: number.description) else {
                throw DecodingError.dataCorruptedError(in: single, debugDescription: "not a finite number")
            }
            value = digits
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch value.kind {
        case .object:
            var container = encoder.container(keyedBy: Name.self)
            for member in value.members ?? [] {
                try container.encode(Self(value: member.value), forKey: Name(stringValue: member.name))
            }
        case .array:
            var container = encoder.unkeyedContainer()
            for element in value.elements ?? [] { try container.encode(Self(value: element)) }
        default:
            var container = encoder.singleValueContainer()
            if let text = value.string {
                try container.encode(text)
            } else if let boolean = value.boolean {
                try container.encode(boolean)
            } else if let digits = value.number {
                guard let number = Decimal(string: digits, locale: nil), number.isFinite else {
                    throw EncodingError.invalidValue(
                        digits,
                        .init(codingPath: encoder.codingPath, debugDescription: "beyond what a Decimal holds")
                    )
                }
                try container.encode(number)
            } else {
                try container.encodeNil()
            }
        }
    }
}
