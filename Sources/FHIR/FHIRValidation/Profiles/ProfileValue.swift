import FHIR
import FHIRTables
import Foundation
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
    /// The type that a relative or absolute reference names; nil where it names none of R4.
    static func type(of text: String) -> String? {
        if text.hasPrefix("#") || text.hasPrefix("urn:") { return nil }
        var parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count >= 4, parts[parts.count - 2] == "_history" { parts.removeLast(2) }
        guard parts.count >= 2 else { return nil }
        let name = String(parts[parts.count - 2])
        return Definitions.r4.resourceNames.contains(name) ? name : nil
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

    /// Where a reference has `/_history/`. Bytes are compared: a bundle has thousands of references.
    private static func historyRange(in text: String) -> Range<String.Index>? {
        let part: StaticString = "/_history/"
        var copy = text
        let found = copy.withUTF8 { bytes -> Int? in
            guard bytes.count > part.utf8CodeUnitCount else { return nil }
            for start in 0...bytes.count - part.utf8CodeUnitCount where bytes[start + 1] == UInt8(ascii: "_")
            {
                let isHere = (0..<part.utf8CodeUnitCount).allSatisfy { offset in
                    bytes[start + offset] == part.utf8Start[offset]
                }
                if isHere { return start }
            }
            return nil
        }
        guard let found else { return nil }
        let start = text.utf8.index(text.startIndex, offsetBy: found)
        return start..<text.utf8.index(start, offsetBy: part.utf8CodeUnitCount)
    }
}
