import Foundation
import ZipArchive

/// Bytes in pieces, from a file or an entry of an archive.
struct ByteSource {
    /// The next piece; nil at the end.
    let next: () throws -> [UInt8]?

    /// The file at a URL.
    static func file(_ url: URL) throws -> ByteSource {
        let handle = try FileHandle(forReadingFrom: url)
        return ByteSource { try handle.read(upToCount: 256 << 10).flatMap { $0.isEmpty ? nil : [UInt8]($0) } }
    }

    static func entry(_ entry: ZipEntry, of archive: ZipReader) throws -> ByteSource {
        let stream = try archive.stream(entry)
        return ByteSource { try stream.next() }
    }

    static func bytes(_ bytes: [UInt8]) -> ByteSource {
        var rest: [UInt8]? = bytes
        return ByteSource {
            defer { rest = nil }
            return rest
        }
    }
}
