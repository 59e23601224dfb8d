/// The bounds of an archive. The writer keeps the same ones as the reader, so that it makes nothing the
/// reader refuses.
public struct ZipLimits: Sendable, Hashable {
    /// The number of entries, folders included.
    public var entries = 10_000
    /// The bytes of one entry, unpacked.
    public var entrySize: UInt64 = 64 << 30
    /// The bytes of all entries together, unpacked.
    public var totalSize: UInt64 = 256 << 30
    /// The bytes of an entry's name in UTF-8. The format itself has room for 65,535.
    public var nameLength = 1024
    /// The bytes of the central directory.
    public var directorySize: UInt64 = 32 << 20

    /// The most that one byte of a deflate stream can stand for: a match of 258 bytes takes two bits at
    /// least.
    static let deflateRatio: UInt64 = 1032

    /// The bounds given above.
    public init() {}
}
