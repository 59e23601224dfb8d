/// The names of a document, each stored once and known by a number: prefix, local name and namespace
/// together.
struct XMLNameTable {
    struct Entry: BitwiseCopyable {
        /// Where the qualified name stands in `bytes`.
        var offset: UInt32
        var length: UInt32
        /// The length of the prefix without its colon, 0 without one.
        var prefixLength: UInt32
        /// The namespace's id, 0 without one.
        var namespace: UInt32
    }

    struct Span: BitwiseCopyable {
        var offset: UInt32
        var length: UInt32
    }

    private(set) var entries = Column<Entry>()
    /// Namespace URIs by id.
    private(set) var namespaces = Column<Span>()
    private(set) var bytes = Column<UInt8>()
    /// The names before this one came from the parser, which checked them.
    var parsedCount = 0

    /// Name 0 is the empty name, of nodes that have none; namespace 0 is none.
    init() {
        entries.append(Entry(offset: 0, length: 0, prefixLength: 0, namespace: 0))
        namespaces.append(Span(offset: 0, length: 0))
    }

    var count: Int { entries.count }

    mutating func add(prefix: UTF8Bytes, local: UTF8Bytes, namespace: UInt32) -> UInt32 {
        let offset = UInt32(bytes.count)
        if !prefix.isEmpty {
            bytes.append(contentsOf: prefix)
            bytes.append(UInt8(ascii: ":"))
        }
        bytes.append(contentsOf: local)
        entries.append(
            Entry(
                offset: offset,
                length: UInt32(bytes.count) - offset,
                prefixLength: UInt32(prefix.count),
                namespace: namespace
            )
        )
        return UInt32(entries.count - 1)
    }

    mutating func addNamespace(_ uri: UTF8Bytes) -> UInt32 {
        namespaces.append(Span(offset: UInt32(bytes.count), length: UInt32(uri.count)))
        bytes.append(contentsOf: uri)
        return UInt32(namespaces.count - 1)
    }

    @inline(__always)
    func qualified(_ id: UInt32) -> UTF8Bytes {
        let entry = entries.base[Int(id)]
        return UTF8Bytes(start: bytes.base + Int(entry.offset), count: Int(entry.length))
    }

    @inline(__always)
    func local(_ id: UInt32) -> UTF8Bytes {
        let entry = entries.base[Int(id)]
        let skipped = entry.prefixLength == 0 ? 0 : entry.prefixLength + 1
        return UTF8Bytes(start: bytes.base + Int(entry.offset + skipped), count: Int(entry.length - skipped))
    }

    func prefix(_ id: UInt32) -> UTF8Bytes {
        let entry = entries.base[Int(id)]
        return UTF8Bytes(start: bytes.base + Int(entry.offset), count: Int(entry.prefixLength))
    }

    /// The prefix that a declaration of this name declares; empty for the default.
    func declaredPrefix(_ id: UInt32) -> String { prefix(id).isEmpty ? "" : local(id).string }

    /// The URI of a namespace; empty for 0.
    func namespace(_ id: UInt32) -> UTF8Bytes {
        let span = namespaces.base[Int(id)]
        return UTF8Bytes(start: bytes.base + Int(span.offset), count: Int(span.length))
    }

    /// The ids of the namespaces by URI.
    var namespaceIDs: [UTF8Key: UInt32] {
        Dictionary(firstOf: (0..<UInt32(namespaces.count)).map { (UTF8Key(namespace($0)), $0) })
    }

    func namespaceID(ofName id: UInt32) -> UInt32 { entries.base[Int(id)].namespace }

    /// The URI of a name's namespace; empty without one.
    func namespace(ofName id: UInt32) -> UTF8Bytes { namespace(namespaceID(ofName: id)) }

    /// Room for the names of most documents.
    mutating func reserve() {
        entries.reserve(64)
        namespaces.reserve(4)
        bytes.reserve(768)
    }

    mutating func apply(_ step: ColumnStep) {
        entries.apply(step)
        namespaces.apply(step)
        bytes.apply(step)
    }
}
