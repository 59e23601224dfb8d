import Foundation

/// An archive to read: its entries, and each entry's bytes as a stream.
///
///     let archive = try ZipReader(url: url)
///     for entry in archive.entries where !entry.isFolder {
///         try archive.read(entry) { piece in hash.update(piece) }
///     }
///
/// The archive is untrusted. Its directory is checked as a whole before anything is read: names, sizes,
/// bounds, entries that overlap. Memory does not grow with the size of an entry.
public struct ZipReader: Sendable {
    /// The entries in the order of the central directory.
    public let entries: [ZipEntry]
    let source: ZipSource
    /// Where the entries end and the central directory begins.
    let directoryOffset: UInt64
    private let indexes: [String: Int]

    /// - Throws: ``ZipError``.
    public init(url: URL, limits: ZipLimits = ZipLimits()) throws(ZipError) {
        try self.init(source: ZipSource(path: url.path), limits: limits)
    }

    /// An archive in memory.
    /// - Throws: ``ZipError``.
    public init(data: Data, limits: ZipLimits = ZipLimits()) throws(ZipError) {
        try self.init(source: .bytes(data), limits: limits)
    }

    private init(source: ZipSource, limits: ZipLimits) throws(ZipError) {
        let directory = try ZipDirectory.find(in: source, limits: limits)
        let entries = try ZipDirectory.entries(of: directory, in: source, limits: limits)
        self.source = source
        self.entries = entries
        directoryOffset = directory.offset
        indexes = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.name, $0) })
    }

    /// The entry of a name.
    public subscript(name: String) -> ZipEntry? { indexes[name].map { entries[$0] } }

    /// The bytes of an entry, piece by piece as they are asked for.
    /// - Throws: ``ZipError``.
    public func stream(_ entry: ZipEntry) throws(ZipError) -> ZipEntryStream {
        try ZipEntryStream(entry, of: self)
    }

    /// Gives the bytes of an entry to `body`, piece by piece. It ends only when length and checksum are
    /// right.
    /// - Throws: ``ZipError``, or what `body` throws.
    public func read(_ entry: ZipEntry, _ body: ([UInt8]) throws -> Void) throws {
        let stream = try stream(entry)
        while let piece = try stream.next() { try body(piece) }
    }

    /// All bytes of an entry.
    /// - Parameter limit: More bytes than these are an error.
    /// - Throws: ``ZipError``.
    public func data(of entry: ZipEntry, limit: Int = 64 << 20) throws(ZipError) -> Data {
        guard entry.size <= UInt64(max(limit, 0)) else {
            throw .tooLarge(
                what: "the entry \(entry.name.debugDescription) has \(entry.size) bytes",
                limit: UInt64(max(limit, 0))
            )
        }
        var data = Data()
        let stream = try stream(entry)
        while let piece = try stream.next() { data.append(contentsOf: piece) }
        return data
    }
}
