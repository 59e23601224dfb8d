import FHIR
import FHIRTables
import Foundation
import IndivoBase
import OrderedJSON

/// Values against those of profiles.
enum ProfileValue {
    /// Whether a value is the fixed one (ElementDefinition.fixed[x]): all of it, and nothing more.
    static func isEqual(_ value: JSONValue, _ fixed: JSONValue) -> Bool {
        if value.kind == .number, fixed.kind == .number { return areEqualNumbers(value, fixed) }
        if let members = fixed.members {
            guard let own = value.members, own.count == members.count else { return false }
            return members.allSatisfy { member in
                value[member.name].map { isEqual($0, member.value) } ?? false
            }
        }
        if let elements = fixed.elements {
            guard let own = value.elements, own.count == elements.count else { return false }
            return zip(own, elements).allSatisfy { isEqual($0, $1) }
        }
        return value == fixed
    }

    /// Whether a value has what a pattern has (ElementDefinition.pattern[x]): of objects the members, of
    /// arrays each element somewhere.
    static func matches(_ value: JSONValue, _ pattern: JSONValue) -> Bool {
        if value.kind == .number, pattern.kind == .number { return areEqualNumbers(value, pattern) }
        if let members = pattern.members {
            guard value.kind == .object else { return false }
            return members.allSatisfy { member in
                value[member.name].map { matches($0, member.value) } ?? false
            }
        }
        if let elements = pattern.elements {
            guard let own = value.elements else { return false }
            return elements.allSatisfy { part in own.contains { matches($0, part) } }
        }
        return value == pattern
    }

    private static func areEqualNumbers(_ a: JSONValue, _ b: JSONValue) -> Bool {
        a == b || (a.double != nil && a.double == b.double)
    }

    /// Whether a value is certainly less than another.
    static func isBelow(_ value: JSONValue, _ other: JSONValue, _ type: DefinedType) -> Bool {
        if let value = value.double, let other = other.double { return value < other }
        guard let left = value.string, let right = other.string,
            ["date", "dateTime", "instant", "time"].contains(type.name)
        else { return false }
        // Both with the same precision and zone are in the order of their texts.
        let count = min(left.utf8.count, right.utf8.count, 10)
        return left.prefix(count) < right.prefix(count)
    }
}

/// URLs as issues show them.
enum LogicalURL {
    /// A space and the URL, unless it is too long or has what no URL has.
    static func shown(_ url: String) -> String {
        let isPlain = url.utf8.count <= 200 && url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return isPlain ? " \(url)" : ""
    }

    static func last(_ url: String) -> String { url.split(separator: "/").last.map(String.init) ?? url }
}

/// The texts of references.
enum ReferenceText {
    /// The last two parts between slashes.
    struct Parts {
        let type: UnsafeBufferPointer<UInt8>
        let id: UnsafeBufferPointer<UInt8>
        let slashCount: Int

        var isOfResource: Bool { Definitions.r4.id(ofResourceNamed: type) != nil }
    }

    /// The type and the id in a reference, without a version; nil without a slash.
    static func parts(of text: UnsafeBufferPointer<UInt8>, keepingVersion: Bool = false) -> Parts? {
        var start = 0
        var end = text.count
        var slashCount = 0
        var position = text.count
        // From the end: the slashes before the id, before the type, and the number of all.
        while position > 0 {
            position &-= 1
            guard text[position] == UInt8(ascii: "/") else { continue }
            slashCount += 1
            switch slashCount {
            case 1: end = position
            case 2: start = position + 1
            default: break
            }
        }
        guard slashCount > 0 else { return nil }
        let type = UnsafeBufferPointer(rebasing: text[start..<end])
        if !keepingVersion, slashCount >= 3, type.elementsEqual("_history".utf8) {
            return parts(of: UnsafeBufferPointer(rebasing: text[..<(start - 1)]), keepingVersion: true)
        }
        return Parts(
            type: type,
            id: UnsafeBufferPointer(rebasing: text[(end + 1)...]),
            slashCount: slashCount
        )
    }

    /// The type that a relative or absolute reference names; nil where it names none of R4.
    static func type(of text: String) -> String? {
        var text = text
        return text.withUTF8(type)
    }

    static func type(of text: UnsafeBufferPointer<UInt8>) -> String? {
        guard text.first != UInt8(ascii: "#"), !text.begins(with: "urn:"),
            let parts = parts(of: text), parts.isOfResource
        else { return nil }
        return String(decoding: parts.type, as: UTF8.self)
    }

    /// The reference without `/_history/…` and `|version`, and the version.
    static func unversioned(_ text: String) -> (text: String, version: String?) {
        if let range = historyRange(in: text) {
            return (String(text[..<range.lowerBound]), String(text[range.upperBound...]))
        }
        let bar = UInt8(ascii: "|")
        let bytes = text.utf8
        guard let start = bytes.firstIndex(where: { $0 != bar }),
            let end = bytes[start...].firstIndex(of: bar)
        else { return (text, nil) }
        return (String(text[start..<end]), String(text[bytes.index(after: end)...]))
    }

    /// Whether a reference certainly has no version.
    static func isUnversioned(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = UnsafeRawBufferPointer(text)
        return bytes.index(of: UInt8(ascii: "|")) == nil
            && (bytes.index(of: UInt8(ascii: "_")) == nil || historyStart(in: text) == nil)
    }

    private static func historyRange(in text: String) -> Range<String.Index>? {
        var copy = text
        guard let found = copy.withUTF8(historyStart) else { return nil }
        let start = text.utf8.index(text.startIndex, offsetBy: found)
        return start..<text.utf8.index(start, offsetBy: history.utf8CodeUnitCount)
    }

    private static let history: StaticString = "/_history/"

    /// Where a reference has `/_history/`. Bytes are compared: a bundle has thousands of references.
    private static func historyStart(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let last = bytes.count - history.utf8CodeUnitCount
        var start = 0
        // More than that alone.
        guard last > 0 else { return nil }
        while start <= last {
            let rest = UnsafeBufferPointer(rebasing: bytes[start...])
            if rest[1] == UInt8(ascii: "_"), rest.begins(with: history) { return start }
            start += 1
        }
        return nil
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Of the name of a member: the element that it belongs to, and whether it has an underscore before it,
    /// for the extensions of a primitive.
    var element: (name: Self, isSibling: Bool) {
        first == UInt8(ascii: "_") ? (Self(rebasing: dropFirst()), true) : (self, false)
    }

    /// Whether its first bytes are these.
    func begins(with prefix: StaticString) -> Bool {
        guard count >= prefix.utf8CodeUnitCount, let start = baseAddress else {
            return prefix.utf8CodeUnitCount == 0
        }
        return memcmp(start, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
    }
}
