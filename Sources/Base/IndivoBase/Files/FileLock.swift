import Foundation

/// A lock between processes, and between objects of one process (`flock`). The system frees it when its
/// holder dies.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Waits for the lock.
    package init(waitingFor path: String) throws {
        descriptor = try FileLock.open(path)
        _ = try take(LOCK_EX, path)
    }

    /// Waits for the lock, but not longer than `patience`; `nil` when another process holds it all that time,
    /// because it was stopped, or its disk does not respond.
    package static func waiting(for path: String, noLongerThan patience: Duration) throws -> FileLock? {
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            if let lock = try FileLock(ifFree: path) { return lock }
            usleep(5000)
        }
        return nil
    }

    /// Takes the lock if it is free.
    package init?(ifFree path: String) throws {
        descriptor = try FileLock.open(path)
        guard try take(LOCK_EX | LOCK_NB, path) else { return nil }
    }

    /// Waits for the lock of an existing folder. No lock file is left in it.
    package init(waitingForFolder path: String) throws {
        descriptor = try FileLock.openFolder(path)
        _ = try take(LOCK_EX, path)
    }

    /// Takes the lock of an existing folder if it is free.
    package init?(ifFreeFolder path: String) throws {
        descriptor = try FileLock.openFolder(path)
        guard try take(LOCK_EX | LOCK_NB, path) else { return nil }
    }

    /// - Returns: Whether the lock was taken; false if another has it and the operation does not wait.
    private func take(_ operation: Int32, _ path: String) throws -> Bool {
        while flock(descriptor, operation) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw DiskFailure(step: .create, path: path, code: errno) }
        }
        return true
    }

    deinit { close(descriptor) }

    private static func openFolder(_ path: String) throws -> Int32 {
        let descriptor = Foundation.open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskFailure(step: .create, path: path, code: errno) }
        return descriptor
    }

    private static func open(_ path: String) throws -> Int32 {
        var descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        // On a disk that became read-only, the lock can still be taken for reading.
        if descriptor < 0, errno == EROFS || errno == EACCES {
            descriptor = Foundation.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        }
        guard descriptor >= 0 else { throw DiskFailure(step: .create, path: path, code: errno) }
        return descriptor
    }
}
