import Foundation

/// A lock between processes, and between objects of one process (`flock`). The system frees it when its holder dies.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Waits for the lock.
    package init(waitingFor path: String) throws {
        descriptor = try FileLock.open(path)
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw DiskFailure(step: .create, path: path, code: errno) }
        }
    }

    /// Takes the lock if it is free.
    package init?(ifFree path: String) throws {
        descriptor = try FileLock.open(path)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return nil }
            guard errno == EINTR else { throw DiskFailure(step: .create, path: path, code: errno) }
        }
    }

    deinit { close(descriptor) }

    private static func open(_ path: String) throws -> Int32 {
        var descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        // On a disk that became read-only one can still look what is queued.
        if descriptor < 0, errno == EROFS || errno == EACCES {
            descriptor = Foundation.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        }
        guard descriptor >= 0 else { throw DiskFailure(step: .create, path: path, code: errno) }
        return descriptor
    }
}
