import Foundation

/// A file that is open for reading.
package final class StoredFile: Sendable {
    package let path: String
    /// In bytes.
    package let size: Int
    /// When it was last changed, in seconds since 1970-01-01T00:00:00Z.
    package let modifiedSeconds: Int
    /// Whether it is this user's, and nobody else can read or write it.
    package let isPrivate: Bool
    private let descriptor: Int32

    package enum Failure: Error, Equatable, CustomStringConvertible {
        /// The content is not what was written under this name: not whole, changed, of another form, or under
        /// another key.
        case damaged
        /// The name belongs to no plain file, or the system does not give its content: the problem is this
        /// file's alone.
        case unreadable(String)
        /// The process or the system lacks a resource: this says nothing about the file.
        case system(Int32)

        /// The name belongs to a folder, a pipe, or something else that is not a plain file.
        package static let notPlain = Failure.unreadable("it is no plain file")

        package var description: String {
            switch self {
            case .damaged: "it is not what was written"
            case .unreadable(let reason): reason
            case .system(let code): DiskFailure.words(code)
            }
        }
    }

    /// Opens a file; `nil` if there is none. A file that a person chose may be a link.
    package init?(_ path: String, followsLinks: Bool = false) throws(Failure) {
        self.path = path
        // O_NONBLOCK: opening a pipe would wait for somebody who writes.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure(errno)
        }
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        size = Int(status.st_size)
        #if canImport(Darwin)
        modifiedSeconds = status.st_mtimespec.tv_sec
        #else
        modifiedSeconds = status.st_mtim.tv_sec
        #endif
        isPrivate = status.st_mode & 0o077 == 0 && status.st_uid == geteuid()
        guard isKnown, status.st_mode & S_IFMT == S_IFREG else { throw .notPlain }
    }

    deinit { close(descriptor) }

    /// Reads `count` bytes from a position on; fewer at the end of the file.
    package func read(at position: Int, count: Int) throws(Failure) -> Data {
        var data = Data(count: max(0, min(count, size - position)))
        let done = data.withUnsafeMutableBytes { bytes in
            Result { () throws(Failure) in try read(at: position, into: bytes) }
        }
        return data.prefix(try done.get())
    }

    /// Reads bytes from a position on until the buffer is full or the file ends. Returns how many there were.
    package func read(at position: Int, into bytes: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
            let number = pread(descriptor, rest.baseAddress, rest.count, off_t(position + done))
            if number < 0, errno == EINTR { continue }
            guard number >= 0 else { throw Self.failure(errno) }
            guard number > 0 else { break }
            done += number
        }
        return done
    }

    private static func failure(_ code: Int32) -> Failure {
        [EMFILE, ENFILE, ENOMEM].contains(code) ? .system(code) : .unreadable(DiskFailure.words(code))
    }
}
