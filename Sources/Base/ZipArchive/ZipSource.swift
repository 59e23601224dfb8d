import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The bytes of an archive, from a file or from memory. A file is read by position, so that several entries
/// can be read at the same time.
enum ZipSource: Sendable {
    case file(OpenFile)
    case bytes(Data)

    /// A file's descriptor, closed with the last reader.
    final class OpenFile: Sendable {
        let descriptor: Int32
        let size: UInt64

        init(path: String) throws(ZipError) {
            descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw .system(reason: "\(path) cannot be opened: \(ZipSource.systemError)")
            }
            var status = stat()
            guard fstat(descriptor, &status) == 0 else {
                let reason = "\(path) cannot be read: \(ZipSource.systemError)"
                close(descriptor)
                throw .system(reason: reason)
            }
            guard status.st_mode & S_IFMT == S_IFREG else {
                close(descriptor)
                throw .notAnArchive(reason: "\(path) is not a plain file; an archive is read from its end")
            }
            size = UInt64(status.st_size)
        }

        deinit { close(descriptor) }
    }

    static var systemError: String { String(cString: strerror(errno)) }

    var size: UInt64 {
        switch self {
        case .file(let file): file.size
        case .bytes(let data): UInt64(data.count)
        }
    }

    /// `count` bytes from an offset.
    func read(at offset: UInt64, count: Int) throws(ZipError) -> [UInt8] {
        guard offset <= size, UInt64(count) <= size - offset else {
            throw .malformed(offset: offset, reason: "the archive ends at byte \(size)")
        }
        switch self {
        case .bytes(let data):
            let start = data.startIndex + Int(offset)
            return [UInt8](data[start..<start + count])
        case .file(let file):
            var failure: ZipError?
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = 0
                while filled < count {
                    // The buffer has room for `count` bytes, of which `filled` are written.
                    let got = pread(
                        file.descriptor,
                        buffer.baseAddress! + filled,
                        count - filled,
                        off_t(offset) + off_t(filled)
                    )
                    if got < 0, errno == EINTR { continue }
                    if got <= 0 {
                        failure = .system(
                            reason: got == 0
                                ? "the archive became shorter while it was read" : Self.systemError
                        )
                        return
                    }
                    filled += got
                }
            }
            if let failure { throw failure }
            return bytes
        }
    }
}
