import Foundation

/// Text in UTF-8 where it lies.
package typealias UTF8Bytes = UnsafeBufferPointer<UInt8>

extension UTF8Bytes {
    static var none: UTF8Bytes { UTF8Bytes(start: nil, count: 0) }

    /// The bytes as a string. They are UTF-8: libxml2 or Swift made them.
    var string: String { String(decoding: self, as: UTF8.self) }

    var stringOrNil: String? { isEmpty ? nil : string }

    /// Whether there is nothing but XML's white space.
    var isBlank: Bool { allSatisfy(\.isXMLSpace) }

    @inline(__always)
    func equals(_ other: UTF8Bytes) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return count == 0 }
        return memcmp(start, otherStart, count) == 0
    }

    @inline(__always)
    func equals(_ text: StaticString) -> Bool { equals(text.utf8Buffer) }

    /// - Parameter most: How many bytes are searched.
    func firstIndex(of byte: UInt8, from start: Int, most: Int = .max) -> Int? {
        guard let base = baseAddress, start < count else { return nil }
        return memchr(base + start, Int32(byte), Swift.min(most, count - start)).map {
            UnsafeRawPointer($0) - UnsafeRawPointer(base)
        }
    }

    /// Where a mark ends that is searched from a place on.
    func end(of mark: StaticString, from start: Int, most: Int = .max) -> Int? {
        var position = start
        while position - start < most,
            let next = firstIndex(of: mark.utf8Start.pointee, from: position, most: most - (position - start))
        {
            if self[next...].starts(with: mark.utf8Buffer) { return next + mark.utf8CodeUnitCount }
            position = next + 1
        }
        return nil
    }
}

extension UInt8 {
    /// Whether the byte is white space as XML has it (XML 1.0, section 2.3).
    var isXMLSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

extension StaticString {
    /// The bytes of a literal. Every literal of more than one character has them; a single scalar has them
    /// too once it is used as a string.
    @inline(__always)
    var utf8Buffer: UTF8Bytes { UTF8Bytes(start: utf8Start, count: utf8CodeUnitCount) }
}

/// A text as a key: equal to another when their bytes are. XML compares names, prefixes and namespaces code
/// point by code point (Namespaces in XML 1.0, section 2.3). Swift's strings are equal when they are
/// canonically equivalent, so that a composed and a decomposed é would be one name.
struct UTF8Key: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    init(_ bytes: some Collection<UInt8>) { text = String(decoding: bytes, as: UTF8.self) }

    static func == (left: UTF8Key, right: UTF8Key) -> Bool { left.text.hasSameBytes(as: right.text) }

    func hash(into hasher: inout Hasher) {
        text.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Calls `body` with the text's bytes, as `withUTF8` does of a variable.
    @inline(__always)
    func withBytes<Result>(_ body: (UTF8Bytes) throws -> Result) rethrows -> Result {
        var text = self
        return try text.withUTF8(body)
    }

    /// Whether both are the same code points, which canonically equivalent strings need not be.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
