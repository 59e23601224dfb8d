import Foundation
import IndivoBase
import OrderedJSON

/// A participant's id, found and replaced in texts however it is spelled.
///
/// ```swift
/// let id = ParticipantID("5C7B0F5E-5D0B-4E9C-8A11-2F6B1D9E4C30")
/// id?.replacing(in: "urn:uuid:5c7b0f5e%2D5d0b%2D4e9c%2D8a11%2D2f6b1d9e4c30", with: pseudonym)
/// ```
/// The spellings: capital letters, no dashes or other characters between the digits, and digits or dashes
/// that are percent-encoded, several times too. Values of JSON are compared after their escapes are read.
public struct ParticipantID: Sendable, Hashable {
    /// The digits in lower case.
    private let digits: [UInt8]

    private static let digitCount = 32
    /// The most bytes between two digits.
    private static let maximumGap = 8

    /// The id; `nil` for a text that is no UUID.
    public init?(_ text: String) {
        guard let id = UUID(uuidString: text) else { return nil }
        digits = id.uuidString.lowercased().utf8.filter { $0 != UInt8(ascii: "-") }
    }

    // MARK: Texts

    /// Whether a text has the id in it.
    public func isIn(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { firstRange(in: $0, from: 0) != nil }
    }

    /// Whether a text in UTF-8 has the id in it.
    func isIn(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { firstRange(in: bytes, from: 0) != nil }

    /// A text with another id wherever this one is.
    public func replacing(in text: String, with other: String) -> String {
        var text = text
        return text.withUTF8 { replaced(in: $0, with: other) } ?? text
    }

    /// `nil` where the id is not in the text.
    private func replaced(in bytes: UnsafeBufferPointer<UInt8>, with other: String) -> String? {
        guard var found = firstRange(in: bytes, from: 0) else { return nil }
        var result: [UInt8] = []
        var position = 0
        while true {
            result += bytes[position..<found.lowerBound]
            result += other.utf8
            position = found.upperBound
            guard let next = firstRange(in: bytes, from: position) else { break }
            found = next
        }
        result += bytes[position...]
        return String(decoding: result, as: UTF8.self)
    }

    private func firstRange(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Range<Int>? {
        guard bytes.count >= start + Self.digitCount else { return nil }
        for position in start...(bytes.count - Self.digitCount) {
            let byte = bytes[position]
            guard Self.lowercased(byte) == digits[0] || byte == UInt8(ascii: "%") else { continue }
            if let end = end(ofIDAt: position, in: bytes) { return position..<end }
        }
        return nil
    }

    private func end(ofIDAt start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var position = start
        var matched = 0
        var gap = 0
        while position < bytes.count {
            let (byte, next) = Self.character(at: position, in: bytes)
            position = next
            if Self.lowercased(byte) == digits[matched] {
                matched += 1
                gap = 0
                if matched == Self.digitCount { return position }
            } else {
                guard matched > 0, !byte.isASCIILetterOrDigit, gap < Self.maximumGap else { return nil }
                gap += 1
            }
        }
        return nil
    }

    /// The byte at a position, decoded where it is `%63`, `%2563` and so on, and the position behind it.
    private static func character(at position: Int, in bytes: UnsafeBufferPointer<UInt8>) -> (
        byte: UInt8, next: Int
    ) {
        guard bytes[position] == UInt8(ascii: "%") else { return (bytes[position], position + 1) }
        var end = position + 1
        while end + 1 < bytes.count, bytes[end] == UInt8(ascii: "2"), bytes[end + 1] == UInt8(ascii: "5") {
            end += 2
        }
        guard end + 1 < bytes.count, let high = value(of: bytes[end]), let low = value(of: bytes[end + 1])
        else {
            return (bytes[position], position + 1)
        }
        return (high << 4 | low, end + 2)
    }

    private static func value(of byte: UInt8) -> UInt8? {
        switch lowercased(byte) {
        case 0x30...0x39: byte - 0x30
        case 0x61...0x66: lowercased(byte) - 0x61 + 10
        default: nil
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    // MARK: Trees

    /// A value of JSON with another id wherever this one is, in names of members too.
    public func replacing(in value: JSONValue, with other: String) -> JSONValue {
        replaced(in: value, with: other) ?? value
    }

    /// `nil` where the id is not in the value.
    private func replaced(in value: JSONValue, with other: String) -> JSONValue? {
        if let elements = value.elements {
            let changed = elements.map { replaced(in: $0, with: other) }
            guard changed.contains(where: { $0 != nil }) else { return nil }
            return JSONValue(zip(elements, changed).map { $1 ?? $0 })
        }
        guard let members = value.members else {
            guard value.kind == .string else { return nil }
            return (value.withUTF8 { replaced(in: $0, with: other) } ?? nil).map { JSONValue($0) }
        }
        let changed = members.map { member -> JSONMember? in
            let name = replaced(in: member.nameValue, with: other)
            let value = replaced(in: member.value, with: other)
            guard name != nil || value != nil else { return nil }
            return JSONMember(name: name?.string ?? member.name, value: value ?? member.value)
        }
        guard changed.contains(where: { $0 != nil }) else { return nil }
        return JSONValue(members: zip(members, changed).map { $1 ?? $0 })
    }

    /// Facts with another id wherever this one is.
    public func replacing(in facts: FactSet, with other: String) -> FactSet {
        var set = facts
        set.visit.id = replacing(in: set.visit.id, with: other)
        for index in set.facts.indices {
            let fact = set.facts[index]
            set.facts[index].concept = replacing(in: fact.concept, with: other)
            set.facts[index].unit = fact.unit.map { replacing(in: $0, with: other) }
            switch fact.value {
            case .text(let text): set.facts[index].value = .text(replacing(in: text, with: other))
            case .longText(let text): set.facts[index].value = .longText(replacing(in: text, with: other))
            case .none, .number: break
            }
        }
        for index in set.concepts.indices {
            let concept = set.concepts[index]
            set.concepts[index] = Concept(
                path: replacing(in: concept.path, with: other),
                code: replacing(in: concept.code, with: other),
                name: replacing(in: concept.name, with: other),
                key: replacing(in: concept.key, with: other),
                unit: concept.unit.map { replacing(in: $0, with: other) }
            )
        }
        return set
    }
}
