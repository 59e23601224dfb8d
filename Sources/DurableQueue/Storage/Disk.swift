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

/// Files that are whole or not there, whatever happens.
package struct Disk: Sendable {
    /// Asked before each step: an error number makes the step fail. For tests; a disk that is full halfway through a
    /// file leaves half a file.
    package var fault: @Sendable (DiskStep) -> Int32 = { _ in 0 }

    package init(fault: @escaping @Sendable (DiskStep) -> Int32 = { _ in 0 }) { self.fault = fault }

    /// Drafts begin with this, and are nothing that counts.
    package static let draftPrefix = ".new-"

    /// A file while it is being written.
    package struct Draft {
        fileprivate let disk: Disk
        fileprivate let descriptor: Int32
        fileprivate let path: String

        /// Writes bytes at the end.
        package func append(_ data: Data) throws {
            let half = data.count / 2
            try disk.write(data.prefix(half), to: descriptor, path)
            try disk.step(.write, path) { 0 }
            try disk.write(data.dropFirst(half), to: descriptor, path)
        }
    }

    /// Writes a file so that it is either there, whole and durable, or not there.
    ///
    /// A failure of the step `syncFolder` comes after the file was put under its name; any other leaves no trace.
    /// - Parameters:
    ///   - replacing: Whether a file of that name may be replaced; else `EEXIST`.
    ///   - content: Writes the content.
    package func writeAtomically(
        to name: String, in folder: String, replacing: Bool = true, _ content: (Draft) throws -> Void
    ) throws {
        let path = folder + "/" + name
        let draft = folder + "/" + Disk.draftPrefix + name + "-" + UUID().uuidString.lowercased()
        do {
            try write(draft, content)
            try step(.rename, path) {
                replacing ? rename(draft, path) : link(draft, path)
            }
        } catch {
            unlink(draft)
            throw error
        }
        if !replacing { unlink(draft) }
        try syncFolder(folder)
    }

    private func write(_ path: String, _ content: (Draft) throws -> Void) throws {
        var descriptor: Int32 = -1
        try step(.create, path) {
            descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            return descriptor
        }
        defer { close(descriptor) }
        try content(Draft(disk: self, descriptor: descriptor, path: path))
        try step(.syncFile, path) { Disk.sync(descriptor) }
    }

    private func write(_ data: Data, to descriptor: Int32, _ path: String) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    throw DiskFailure(step: .write, path: path, code: errno)
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Deletes the drafts that dead processes left in a folder. For whoever holds the lock under which they are written.
    /// - Parameter name: The file whose drafts are meant; all of them unless given.
    func removeDrafts(of name: String? = nil, in folder: String) {
        let prefix = name.map { Disk.draftPrefix + $0 + "-" } ?? Disk.draftPrefix
        // What cannot be listed or deleted now can be later: drafts do no harm.
        for draft in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where draft.hasPrefix(prefix) {
            unlink(folder + "/" + draft)
        }
    }

    /// Makes what was put into a folder, or taken out of it, durable.
    package func syncFolder(_ folder: String) throws { try sync(folder, .syncFolder) }

    /// Makes what others wrote durable, a folder's entries or a file, as far as that can be done: a disk that takes nothing any
    /// more has nothing that could get lost, and not every folder further up may be opened.
    func syncOthers(_ path: String, _ step: DiskStep = .syncFolder) throws {
        do {
            try sync(path, step)
        } catch let failure as DiskFailure where [EROFS, EINVAL, EACCES, EPERM].contains(failure.code) {}
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
        var missing: [String] = []
        var path = folder
        while path.count > 1, access(path, F_OK) != 0 {
            missing.append(path)
            path = (path as NSString).deletingLastPathComponent
        }
        for path in missing.reversed() {
            try step(.makeFolder, path) { mkdir(path, 0o700) == 0 || errno == EEXIST ? 0 : -1 }
            try syncFolder((path as NSString).deletingLastPathComponent)
        }
    }

    /// Removes a file, or an empty folder that has a file's name; it is no error that there is none. Durable only after
    /// ``syncFolder(_:)``.
    func remove(_ path: String) throws {
        try step(.remove, path) {
            if unlink(path) == 0 || errno == ENOENT { return 0 }
            // EISDIR on Linux, EPERM by POSIX.
            guard errno == EISDIR || errno == EPERM else { return -1 }
            return rmdir(path)
        }
    }

    private func step(_ step: DiskStep, _ path: String, _ body: () -> Int32) throws {
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
