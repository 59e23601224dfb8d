import Foundation
import ZipArchive

/// Bytes in pieces, from a file or an entry of an archive.
struct ByteSource {
    /// The next piece; nil at the end.
    let next: () throws -> [UInt8]?

    /// The file at a URL.
    static func file(_ url: URL) throws -> ByteSource {
        let handle = try FileHandle(forReadingFrom: url)
        return ByteSource {
            var failure: Int32?
            let piece = [UInt8](unsafeUninitializedCapacity: 256 << 10) { buffer, count in
                // The handle lives as long as the closure does, and closes the file then.
                var read = -1
                repeat {
                    errno = 0
                    read = Foundation.read(handle.fileDescriptor, buffer.baseAddress, buffer.count)
                } while read < 0 && errno == EINTR
                if read < 0 { failure = errno }
                count = max(0, read)
            }
            if let failure {
                throw CocoaError(
                    .fileReadUnknown,
                    userInfo: [
                        NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(failure))
                    ]
                )
            }
            return piece.isEmpty ? nil : piece
        }
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
