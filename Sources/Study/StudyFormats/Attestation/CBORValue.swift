import Foundation

/// A value of the Concise Binary Object Representation (RFC 8949), as authenticators write it: of definite
/// length, without tags and floating-point numbers.
enum CBORValue: Sendable, Hashable {
    case integer(Int)
    case bytes(Data)
    case text(String)
    case array([CBORValue])
    case map([CBORMember])
    case simple(UInt8)

    private static let maximumDepth = 8

    /// Reads data that is one value.
    ///
    /// - Parameter format: What is being read, for errors.
    init(_ data: Data, of format: String) throws(StudyError) {
        var reader = Reader(bytes: [UInt8](data), format: format)
        self = try reader.value(depth: 0)
        guard reader.offset == data.count else { throw reader.malformed("there are bytes behind the value") }
    }

    /// The value of a map's member.
    subscript(name: String) -> CBORValue? {
        guard case .map(let members) = self else { return nil }
        return members.first { $0.name == .text(name) }?.value
    }

    var data: Data? { if case .bytes(let data) = self { data } else { nil } }
    var string: String? { if case .text(let text) = self { text } else { nil } }
    var elements: [CBORValue]? { if case .array(let elements) = self { elements } else { nil } }

    private struct Reader {
        let bytes: [UInt8]
        let format: String
        var offset = 0

        func malformed(_ reason: String, at offset: Int? = nil) -> StudyError {
            .malformed(format: format, offset: offset ?? self.offset, reason: reason)
        }

        private mutating func take(_ count: Int) throws(StudyError) -> ArraySlice<UInt8> {
            guard count <= bytes.count - offset else {
                throw malformed("\(count) bytes where only \(bytes.count - offset) are left")
            }
            defer { offset += count }
            return bytes[offset..<offset + count]
        }

        mutating func value(depth: Int) throws(StudyError) -> CBORValue {
            guard depth < CBORValue.maximumDepth else {
                throw malformed("values in more than \(CBORValue.maximumDepth) others")
            }
            let start = offset
            guard let first = try take(1).first else { throw malformed("a value is expected") }
            let argument = try argument(first & 0x1F, at: start)
            switch first >> 5 {
            case 0: return .integer(argument)
            case 1: return .integer(-1 - argument)
            case 2: return .bytes(Data(try take(argument)))
            case 3:
                guard let text = String(validating: try take(argument), as: UTF8.self) else {
                    throw malformed("a text that is not UTF-8", at: start)
                }
                return .text(text)
            case 4:
                try fits(argument, at: start)
                var elements: [CBORValue] = []
                for _ in 0..<argument { elements.append(try value(depth: depth + 1)) }
                return .array(elements)
            case 5:
                try fits(argument, at: start)
                var members: [CBORMember] = []
                var names: Set<CBORValue> = []
                for _ in 0..<argument {
                    let name = try value(depth: depth + 1)
                    guard names.insert(name).inserted else { throw malformed("a name twice in a map") }
                    members.append(CBORMember(name: name, value: try value(depth: depth + 1)))
                }
                return .map(members)
            case 7 where first & 0x1F < 24: return .simple(first & 0x1F)
            default: throw malformed("a tag or a number that is not whole", at: start)
            }
        }

        /// Each element has a byte at least, so that no count makes more work than there is data.
        private func fits(_ count: Int, at start: Int) throws(StudyError) {
            guard count <= bytes.count - offset else {
                throw malformed(
                    "\(count) elements where only \(bytes.count - offset) bytes are left",
                    at: start
                )
            }
        }

        private mutating func argument(_ information: UInt8, at start: Int) throws(StudyError) -> Int {
            guard information >= 24 else { return Int(information) }
            guard information < 28 else { throw malformed("a value of indefinite length", at: start) }
            let digits = try take(1 << (information - 24))
            let number = digits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            // A sign is added to it.
            guard number < Int.max else { throw malformed("a number of more than 63 bits", at: start) }
            return Int(number)
        }
    }
}

/// A member of a map.
struct CBORMember: Sendable, Hashable {
    let name: CBORValue
    let value: CBORValue
}
