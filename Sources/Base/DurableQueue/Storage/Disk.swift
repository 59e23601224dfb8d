import Foundation

/// A step of writing to a disk; every one can fail.
package enum DiskStep: String, Sendable, CaseIterable {
    case makeFolder = "make the folder"
    case create = "create the file"
    case write = "write the file"
    case syncFile = "store the file's content"
    case rename = "put the file in its place"
    case syncFolder = "store the folder"
    case remove = "remove the file"
}

/// A step that failed, with the system's error number.
package struct DiskFailure: Error, CustomStringConvertible {
    package let step: DiskStep
    package let path: String
    package let code: Int32

    package var description: String { "cannot \(step.rawValue) \(path): \(DiskFailure.words(code))" }

    static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}

extension URL {
    /// The path of a folder, without the slash at its end.
    package var folderPath: String {
        let path = path(percentEncoded: false)
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}

/// Writes files so that each is complete or missing, even after a crash.
package struct Disk: Sendable {
    /// Asked before each step: an error number makes the step fail. For tests.
    package var fault: @Sendable (DiskStep) -> Int32 = { _ in 0 }

    package init(fault: @escaping @Sendable (DiskStep) -> Int32 = { _ in 0 }) { self.fault = fault }

    /// The beginning of a draft's name. Drafts are not part of the content.
    package static let draftPrefix = ".new-"

    /// A file while it is being written.
    package struct Draft {
        fileprivate let disk: Disk
        fileprivate let descriptor: Int32
        fileprivate let path: String

        /// Writes bytes at the end.
        package func append(_ data: Data) throws {
            try disk.step(.write, path) {
                data.withUnsafeBytes { bytes in
                    var rest = bytes[...]
                    while !rest.isEmpty {
                        let count = Foundation.write(
                            descriptor,
                            UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                            rest.count
                        )
                        if count < 0, errno != EINTR { return -1 }
                        rest = rest.dropFirst(max(0, count))
                    }
                    return 0
                }
            }
        }
    }

    /// Writes a file so that it is either there, whole and durable, or not there; `EEXIST` where it may not
    /// be replaced. A failure of the step `syncFolder` comes after the file was put under its name; any other
    /// leaves no trace.
    ///
    /// - Parameter mode: The file's permissions, whatever the process's umask is.
    package func writeAtomically(
        to name: String,
        in folder: String,
        replacing: Bool = true,
        mode: mode_t = 0o600,
        _ content: (Draft) throws -> Void
    ) throws {
        let path = folder + "/" + name
        let draft = folder + "/" + Disk.draftPrefix + name + "-" + UUID().uuidString.lowercased()
        do {
            try write(draft, mode, content)
            try step(.rename, path) { replacing ? rename(draft, path) : link(draft, path) }
        } catch {
            unlink(draft)
            throw error
        }
        if !replacing { unlink(draft) }
        try syncFolder(folder)
    }

    private func write(_ path: String, _ mode: mode_t, _ content: (Draft) throws -> Void) throws {
        var descriptor: Int32 = -1
        try step(.create, path) {
            descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            return descriptor
        }
        defer { close(descriptor) }
        if mode != 0o600 { try step(.create, path) { fchmod(descriptor, mode) } }
        try content(Draft(disk: self, descriptor: descriptor, path: path))
        try step(.syncFile, path) { Disk.sync(descriptor) }
    }

    /// Deletes the drafts that dead processes left of a file, or of all. For whoever holds the lock under
    /// which they are written.
    package func removeDrafts(of name: String? = nil, in folder: String) {
        // Failures are ignored: a draft does no harm, and can be deleted later.
        for draft in drafts(of: name, in: folder) { unlink(folder + "/" + draft) }
    }

    func drafts(of name: String? = nil, in folder: String) -> [String] {
        let prefix = name.map { Disk.draftPrefix + $0 + "-" } ?? Disk.draftPrefix
        return ((try? Disk.names(in: folder)) ?? []).filter { $0.hasPrefix(prefix) }
    }

    static func names(in folder: String) throws(QueueError) -> [String] {
        try working(to: "list \(folder)") { try FileManager.default.contentsOfDirectory(atPath: folder) }
    }

    /// Runs `body`, and converts Foundation's error.
    static func working<Value>(to work: String, _ body: () throws -> Value) throws(QueueError) -> Value {
        do { return try body() } catch {
            throw .storage(
                reason: "cannot \(work): \(error.localizedDescription)",
                code: EIO,
                mayBeQueued: false
            )
        }
    }

    /// Makes additions to a folder, and removals from it, durable.
    package func syncFolder(_ folder: String) throws { try sync(folder, .syncFolder) }

    /// Makes a file or folder durable, with the two folders above it, if another process made it and may have
    /// died before it did so. Folders that may not be opened are skipped, and so is a read-only disk, which
    /// cannot lose anything.
    func syncOthers(_ path: String, _ step: DiskStep = .syncFolder) throws {
        let parent = (path as NSString).deletingLastPathComponent
        let above = (parent as NSString).deletingLastPathComponent
        for (path, step) in [(path, step), (parent, .syncFolder), (above, .syncFolder)] {
            do {
                try sync(path, step)
            } catch let failure as DiskFailure where [EROFS, EINVAL, EACCES, EPERM].contains(failure.code) {}
        }
    }

    private func sync(_ path: String, _ step: DiskStep) throws {
        let kind = step == .syncFolder ? O_DIRECTORY : O_NOFOLLOW
        let descriptor = open(path.isEmpty ? "." : path, O_RDONLY | O_CLOEXEC | kind)
        guard descriptor >= 0 else { throw DiskFailure(step: step, path: path, code: errno) }
        defer { close(descriptor) }
        try self.step(step, path) { Disk.sync(descriptor) }
    }

    /// Makes a folder that only its owner can enter, with the folders it is in.
    package func makeFolder(_ folder: String) throws {
        guard folder.count > 1, access(folder, F_OK) != 0 else { return }
        let parent = (folder as NSString).deletingLastPathComponent
        try makeFolder(parent)
        try step(.makeFolder, folder) { mkdir(folder, 0o700) == 0 || errno == EEXIST ? 0 : -1 }
        try syncFolder(parent)
    }

    /// Removes a file, or an empty folder that has a file's name; a missing one is not an error. Durable
    /// only after ``syncFolder(_:)``.
    func remove(_ path: String) throws {
        try step(.remove, path) {
            if unlink(path) == 0 || errno == ENOENT { return 0 }
            // EISDIR on Linux, EPERM by POSIX.
            guard errno == EISDIR || errno == EPERM else { return -1 }
            return rmdir(path)
        }
    }

    func step(_ step: DiskStep, _ path: String, _ body: () -> Int32) throws {
        let injected = fault(step)
        guard injected == 0 else { throw DiskFailure(step: step, path: path, code: injected) }
        guard body() >= 0 else { throw DiskFailure(step: step, path: path, code: errno) }
    }

    private static func sync(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        // fsync there leaves the data in the drive's cache.
        if fcntl(descriptor, F_FULLFSYNC) != -1 { return 0 }
        #endif
        return fsync(descriptor)
    }
}

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

    package enum Failure: Error, Hashable, CustomStringConvertible {
        /// The content is not what was written under this name: not whole, changed, of another form, or under
        /// another key.
        case damaged
        /// The name belongs to no plain file, or the system does not give its content: the problem is this
        /// file's alone.
        case unreadable(String)
        /// The process or the system lacks a resource: this says nothing about the file.
        case system(Int32)

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
        guard isKnown, status.st_mode & S_IFMT == S_IFREG else { throw .unreadable("it is no plain file") }
    }

    deinit { close(descriptor) }

    /// Reads `count` bytes from a position on; fewer at the end of the file.
    package func read(at position: Int, count: Int) throws(Failure) -> Data {
        let count = max(0, min(count, size - position))
        var data = Data(count: count)
        var done = 0
        while done < count {
            let number = data.withUnsafeMutableBytes { bytes in
                pread(descriptor, bytes.baseAddress.map { $0 + done }, count - done, off_t(position + done))
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

/// A lock between processes, and between objects of one process (`flock`). The system frees it when its
/// holder dies.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Waits for the lock.
    package init(waitingFor path: String) throws {
        descriptor = try FileLock.open(path)
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw DiskFailure(step: .create, path: path, code: errno) }
        }
    }

    /// Waits for the lock, but no longer than a time; `nil` when another process has it all the while, since
    /// it was stopped, or its disk does not respond.
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
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return nil }
            guard errno == EINTR else { throw DiskFailure(step: .create, path: path, code: errno) }
        }
    }

    /// Waits for the lock of an existing folder. No lock file is left in it.
    package init(waitingForFolder path: String) throws {
        descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskFailure(step: .create, path: path, code: errno) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                let code = errno
                close(descriptor)
                throw DiskFailure(step: .create, path: path, code: code)
            }
        }
    }

    deinit { close(descriptor) }

    private static func open(_ path: String) throws -> Int32 {
        var descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        // On a disk that became read-only, the queue can still be read.
        if descriptor < 0, errno == EROFS || errno == EACCES {
            descriptor = Foundation.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        }
        guard descriptor >= 0 else { throw DiskFailure(step: .create, path: path, code: errno) }
        return descriptor
    }
}
