/// A file or folder of an archive, as the central directory describes it.
public struct ZipEntry: Sendable, Hashable {
    /// How an entry's bytes are packed.
    public enum Method: Sendable, Hashable {
        /// As they are.
        case stored
        case deflated
        /// By a method that is only listed, not read.
        case other(UInt16)

        var code: UInt16 {
            switch self {
            case .stored: 0
            case .deflated: 8
            case .other(let code): code
            }
        }

        init(code: UInt16) {
            self = code == 0 ? .stored : code == 8 ? .deflated : .other(code)
        }
    }

    /// The path in the archive, with `/` between its components; a folder's ends with `/`.
    public let name: String
    /// The bytes, unpacked.
    public let size: UInt64
    /// The bytes in the archive.
    public let compressedSize: UInt64
    /// When the entry was last changed, as the archive has it.
    public let modified: ZipTime
    /// How the bytes are packed.
    public let method: Method
    /// The CRC-32 of the bytes, unpacked.
    public let checksum: UInt32
    /// Whether the bytes are encrypted. Such an entry is listed, not read.
    public let isEncrypted: Bool

    /// The name as the archive has it, to compare with the local header.
    let nameBytes: [UInt8]
    /// Where the local header is.
    let offset: UInt64

    /// Whether the entry is a folder.
    public var isFolder: Bool { name.hasSuffix("/") }
}
