import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that only its owner may read: made with mode 0600, replaced as a whole, refused when others can read it.
struct PrivateFile {
    let path: String

    init(_ path: String) { self.path = path }

    /// - Returns: The content; `nil` when there is no file.
    func read() throws(SessionStoreError) -> Data? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw .notAPlainFile(file: path)
            default: throw .cannotRead(file: path, reason: Self.systemError)
            }
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .cannotRead(file: path, reason: Self.systemError) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAPlainFile(file: path) }
        guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            throw .readableByOthers(file: path, mode: String(status.st_mode & 0o7777, radix: 8))
        }
        do {
            return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() ?? Data()
        } catch {
            throw .cannotRead(file: path, reason: error.localizedDescription)
        }
    }

    /// Puts content in the place of what is there, at once and for good.
    func replace(with content: Data) throws(SessionStoreError) {
        let draft = "\(path).\(UUID().uuidString)"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotWrite(file: path, reason: Self.systemError) }
        let isWritten = content.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return fsync(descriptor) == 0
        }
        close(descriptor)
        guard isWritten, rename(draft, path) == 0 else {
            let reason = Self.systemError
            unlink(draft)
            throw .cannotWrite(file: path, reason: reason)
        }
    }

    /// Does `body` while no other process or thread changes the file. Makes the folder when it is not there.
    func withLock<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw SessionStoreError.cannotWrite(file: path, reason: error.localizedDescription)
        }
        // The lock is a file of its own: the other one is replaced under it.
        let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
            let reason = Self.systemError
            if descriptor >= 0 { close(descriptor) }
            throw SessionStoreError.cannotWrite(file: path, reason: reason)
        }
        defer { close(descriptor) }
        return try body()
    }

    private static var systemError: String { String(cString: strerror(errno)) }
}
