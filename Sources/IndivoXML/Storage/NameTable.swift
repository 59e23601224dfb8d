/// The names of a document, each stored once and known by a number: prefix, local name and namespace together.
struct NameTable {
    struct Entry: BitwiseCopyable {
        /// Where the qualified name stands in `bytes`.
        var offset: UInt32
        var length: UInt32
        /// The length of the prefix without its colon, 0 for none.
        var prefixLength: UInt32
        /// The namespace's id, 0 for none.
        var namespace: UInt32

        var localOffset: UInt32 { prefixLength == 0 ? offset : offset + prefixLength + 1 }
        var localLength: UInt32 { prefixLength == 0 ? length : length - prefixLength - 1 }
    }

    struct Span: BitwiseCopyable {
        var offset: UInt32
        var length: UInt32
    }

    private(set) var entries = Column<Entry>()
    /// Namespace URIs; the id of one is its index here plus 1.
    private(set) var namespaces = Column<Span>()
    private(set) var bytes = Column<UInt8>()
    /// The names before this one came from the parser, which checked them.
    var parsedCount = 0

    /// Name 0 is the empty name, of nodes that have none.
    static func withEmptyName() -> NameTable {
        var table = NameTable()
        table.entries.append(Entry(offset: 0, length: 0, prefixLength: 0, namespace: 0))
        return table
    }

    var count: Int { entries.count }

    mutating func add(prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>, namespace: UInt32) -> UInt32 {
        let offset = UInt32(bytes.count)
        if !prefix.isEmpty {
            bytes.append(contentsOf: prefix)
            bytes.append(UInt8(ascii: ":"))
        }
        bytes.append(contentsOf: local)
        entries.append(
            Entry(offset: offset, length: UInt32(bytes.count) - offset, prefixLength: UInt32(prefix.count), namespace: namespace))
        return UInt32(entries.count - 1)
    }

    mutating func addNamespace(_ uri: UnsafeBufferPointer<UInt8>) -> UInt32 {
        namespaces.append(Span(offset: UInt32(bytes.count), length: UInt32(uri.count)))
        bytes.append(contentsOf: uri)
        return UInt32(namespaces.count)
    }

    @inline(__always)
    func qualified(_ id: UInt32) -> UnsafeBufferPointer<UInt8> {
        let entry = entries.base[Int(id)]
        return UnsafeBufferPointer(start: bytes.base + Int(entry.offset), count: Int(entry.length))
    }

    @inline(__always)
    func local(_ id: UInt32) -> UnsafeBufferPointer<UInt8> {
        let entry = entries.base[Int(id)]
        return UnsafeBufferPointer(start: bytes.base + Int(entry.localOffset), count: Int(entry.localLength))
    }

    func prefix(_ id: UInt32) -> UnsafeBufferPointer<UInt8> {
        let entry = entries.base[Int(id)]
        return UnsafeBufferPointer(start: bytes.base + Int(entry.offset), count: Int(entry.prefixLength))
    }

    /// The URI of a namespace; empty for 0.
    func namespace(_ id: UInt32) -> UnsafeBufferPointer<UInt8> {
        guard id > 0 else { return UnsafeBufferPointer(start: nil, count: 0) }
        let span = namespaces.base[Int(id) - 1]
        return UnsafeBufferPointer(start: bytes.base + Int(span.offset), count: Int(span.length))
    }

    func namespaceID(ofName id: UInt32) -> UInt32 { entries.base[Int(id)].namespace }

    func copy() -> NameTable {
        var other = NameTable()
        other.entries = entries.copy()
        other.namespaces = namespaces.copy()
        other.bytes = bytes.copy()
        other.parsedCount = parsedCount
        return other
    }

    /// Room for the names of most documents.
    mutating func reserve() {
        entries.reserve(64)
        namespaces.reserve(4)
        bytes.reserve(768)
    }

    mutating func trim() {
        entries.trim()
        namespaces.trim()
        bytes.trim()
    }

    mutating func deallocate() {
        entries.deallocate()
        namespaces.deallocate()
        bytes.deallocate()
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The bytes as a string. They are UTF-8: libxml2 or Swift made them.
    var string: String { String(decoding: self, as: UTF8.self) }

    @inline(__always)
    func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index] != other[index] { return false }
        return true
    }
}

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
