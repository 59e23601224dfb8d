/// A text as a key: equal to another when their bytes are.
///
/// XML compares names, prefixes and namespaces code point by code point (Namespaces in XML 1.0, section 2.3). Swift's
/// strings are equal when they are canonically equivalent, so that a composed and a decomposed é would be one name.
struct UTF8Key: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    init(_ bytes: some Collection<UInt8>) { text = String(decoding: bytes, as: UTF8.self) }

    static func == (left: UTF8Key, right: UTF8Key) -> Bool { left.text.hasSameBytes(as: right.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether both are the same code points, which canonically equivalent strings need not be.
    func hasSameBytes(as other: String) -> Bool {
        var (left, right) = (self, other)
        return left.withUTF8 { left in right.withUTF8 { left.equals($0) } }
    }
}
