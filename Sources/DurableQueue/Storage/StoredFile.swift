import Foundation

/// A file that is open for reading.
final class StoredFile: Sendable {
    let path: String
    /// In bytes.
    let size: Int
    /// Whether it is this user's, and nobody else can read or write it.
    let isPrivate: Bool
    private let descriptor: Int32

    enum Failure: Error {
        /// What has the name is no plain file, or the system does not give what is in it: that is this file's alone.
        case unreadable(String)
        /// The process or the system is out of something: that says nothing of the file.
        case system(Int32)
    }

    /// Opens a file; `nil` when there is none.
    init?(_ path: String) throws(Failure) {
        self.path = path
        // O_NONBLOCK: opening a pipe would wait for somebody who writes.
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT {
                (size, isPrivate) = (0, false)
                return nil
            }
            throw Self.failure(errno)
        }
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        size = Int(status.st_size)
        isPrivate = status.st_mode & 0o077 == 0 && status.st_uid == geteuid()
        guard isKnown, status.st_mode & S_IFMT == S_IFREG else { throw .unreadable("it is no plain file") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// So many bytes from a position on; fewer at the end of the file.
    func read(at position: Int, count: Int) throws(Failure) -> Data {
        let count = max(0, min(count, size - position))
        var data = Data(count: count)
        var done = 0
        while done < count {
            let number = data.withUnsafeMutableBytes { bytes in
                pread(
                    descriptor, UnsafeMutableRawBufferPointer(rebasing: bytes[done...]).baseAddress, count - done,
                    off_t(position + done))
            }
            if number < 0, errno == EINTR { continue }
            guard number >= 0 else { throw Self.failure(errno) }
            guard number > 0 else { break }
            done += number
        }
        return data.prefix(done)
    }

    private static func failure(_ code: Int32) -> Failure {
        [EMFILE, ENFILE, ENOMEM].contains(code) ? .system(code) : .unreadable(DiskFailure.words(code))
    }
}
