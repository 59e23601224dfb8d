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

    /// Whether the file is in place, and the system only refuses to sync the folder.
    package var isUnsupportedFolderSync: Bool { step == .syncFolder && [EINVAL, EACCES].contains(code) }

    package var description: String { "cannot \(step.rawValue) \(path): \(DiskFailure.words(code))" }

    /// The system's words for an error number.
    package static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}

/// Writes files so that each is complete or missing, even after a crash; on a disk without hard links, such
/// as FAT, a new file may be there empty instead.
package struct Disk: Sendable {
    /// Asked before each step: an error number makes the step fail. For tests.
    package var fault: @Sendable (DiskStep) -> Int32 = { _ in 0 }

    package init(fault: @escaping @Sendable (DiskStep) -> Int32 = { _ in 0 }) { self.fault = fault }

    /// The beginning of a draft's name. Drafts are not part of the content.
    package static let draftPrefix = ".new-"

    /// What stands before the UUID in the names of a file's drafts. Disks take names of 255 bytes, so that
    /// the drafts of a file with a long name have only its beginning.
    private static func draftStart(_ name: String) -> String {
        var beginning = name[...]
        while beginning.utf8.count > 255 - draftPrefix.utf8.count - 1 - 36 {
            beginning.unicodeScalars.removeLast()
        }
        return draftPrefix + beginning + "-"
    }

    /// A file while it is being written, under another name. One that is not committed is removed.
    package final class Draft {
        private let disk: Disk
        private let path: String
        private let draft: String
        private var descriptor: Int32 = -1

        /// Begins a file with permissions, whatever the process's umask is.
        fileprivate init(_ path: String, mode: mode_t, disk: Disk) throws {
            let name = draftStart((path as NSString).lastPathComponent) + UUID().uuidString.lowercased()
            self.disk = disk
            self.path = path
            draft = (path.containingFolder as NSString).appendingPathComponent(name)
            try disk.step(.create, path) {
                descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
                return descriptor
            }
            if mode != 0o600 { try disk.step(.create, path) { fchmod(descriptor, mode) } }
        }

        deinit {
            guard descriptor >= 0 else { return }
            close(descriptor)
            unlink(draft)
        }

        /// Writes bytes at the end.
        package func append(_ data: Data) throws { try data.withUnsafeBytes { try append($0) } }

        /// Writes bytes at the end.
        package func append(_ bytes: UnsafeRawBufferPointer) throws {
            try disk.step(.write, path) {
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

        /// Makes the content durable, gives the file its name, and makes that durable.
        package func commit(replacing: Bool = true) throws {
            try disk.step(.syncFile, path) { Disk.sync(descriptor) }
            try disk.step(.rename, path) { replacing ? rename(draft, path) : Disk.move(draft, path) }
            close(descriptor)
            descriptor = -1
            try disk.syncFolder(path.containingFolder)
        }
    }

    /// Begins a file that is there, whole and durable, once it is committed, and not there before;
    /// `EEXIST` where it may not be replaced. A failure of the step `syncFolder` comes after the file was put
    /// under its name; any other leaves no trace.
    ///
    /// - Parameter mode: The file's permissions, whatever the process's umask is.
    package func draft(_ path: String, mode: mode_t = 0o600) throws -> Draft {
        try Draft(path, mode: mode, disk: self)
    }

    /// Writes a file as a ``draft(_:mode:)`` that is committed.
    package func writeAtomically(
        to name: String,
        in folder: String,
        replacing: Bool = true,
        mode: mode_t = 0o600,
        _ content: (Draft) throws -> Void
    ) throws {
        let draft = try draft((folder as NSString).appendingPathComponent(name), mode: mode)
        try content(draft)
        try draft.commit(replacing: replacing)
    }

    /// Deletes the drafts that dead processes left of a file, or of all. To be called under the lock under
    /// which they are written.
    package func removeDrafts(of name: String? = nil, in folder: String) {
        // Failures are ignored: a draft does no harm, and can be deleted later.
        for draft in drafts(of: name, in: folder) { unlink(folder + "/" + draft) }
    }

    /// The names of a file's drafts in a folder, or of all.
    package func drafts(of name: String? = nil, in folder: String) -> [String] {
        let start = name.map(Self.draftStart)
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        // What a person named `.new-…` is none, and `.new-key-2-UUID` is one of `key-2`, not of `key`.
        return (names ?? []).filter { name in
            let beginning = name.dropLast(36)
            return UUID(uuidString: String(name.suffix(36))) != nil && beginning.hasPrefix(Self.draftPrefix)
                && beginning.hasSuffix("-") && start.map { $0 == beginning } ?? true
        }
    }

    /// Makes additions to a folder, and removals from it, durable.
    package func syncFolder(_ folder: String) throws { try sync(folder, .syncFolder) }

    /// Makes a file or folder durable, with the two folders above it, if another process made it and may have
    /// died before it did so. Folders that may not be opened are skipped, and so is a read-only disk, which
    /// cannot lose anything.
    package func syncOthers(_ path: String, _ step: DiskStep = .syncFolder) throws {
        let parent = path.containingFolder
        let above = parent.containingFolder
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
        guard !folder.isEmpty, access(folder, F_OK) != 0 else { return }
        let parent = folder.containingFolder
        try makeFolder(parent)
        try step(.makeFolder, folder) { mkdir(folder, 0o700) == 0 || errno == EEXIST ? 0 : -1 }
        do {
            try syncFolder(parent)
        } catch let failure as DiskFailure where failure.isUnsupportedFolderSync {}
    }

    /// Removes a file, or an empty folder that has a file's name; a missing one is not an error. Durable
    /// only after ``syncFolder(_:)``.
    package func remove(_ path: String) throws {
        try step(.remove, path) {
            if unlink(path) == 0 || errno == ENOENT { return 0 }
            // EISDIR on Linux, EPERM by POSIX.
            guard errno == EISDIR || errno == EPERM else { return -1 }
            return rmdir(path)
        }
    }

    package func step(_ step: DiskStep, _ path: String, _ body: () -> Int32) throws {
        let injected = fault(step)
        guard injected == 0 else { throw DiskFailure(step: step, path: path, code: injected) }
        guard body() >= 0 else { throw DiskFailure(step: step, path: path, code: errno) }
    }

    /// Gives a file its name, unless there is one of that name.
    private static func move(_ draft: String, _ path: String) -> Int32 {
        if link(draft, path) == 0 {
            unlink(draft)
            return 0
        }
        // FAT, as on sticks, has no second names for a file.
        guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) else { return -1 }
        #if canImport(Darwin)
        if renamex_np(draft, path, UInt32(RENAME_EXCL)) == 0 { return 0 }
        guard [EINVAL, ENOTSUP].contains(errno) else { return -1 }
        #endif
        // The name is taken by an empty file first, which a crash at this moment leaves there.
        let place = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard place >= 0 else { return -1 }
        close(place)
        if rename(draft, path) == 0 { return 0 }
        let code = errno
        unlink(path)
        errno = code
        return -1
    }

    private static func sync(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        // fsync there leaves the data in the drive's cache.
        if fcntl(descriptor, F_FULLFSYNC) != -1 { return 0 }
        #endif
        return fsync(descriptor)
    }
}
