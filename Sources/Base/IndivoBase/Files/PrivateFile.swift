import Foundation

/// A file that only its owner may read: made with mode 0600, replaced as a whole, refused when others can
/// read it.
///
/// Sessions, credentials and keys are read through it, so that one function decides which files are refused.
package struct PrivateFile {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// Why a file is not read or written. The caller says what the file was for.
    package enum Failure: Error {
        /// Others than the owner can read or write the file, or it is another's; with its mode in octal
        /// digits.
        case readableByOthers(mode: String)
        /// The file is a link, or no plain file.
        case notAPlainFile
        /// The system does not let it be read.
        case cannotRead(reason: String)
        /// The system does not let it be written.
        case cannotWrite(reason: String)
    }

    /// More than any file of secrets has.
    private static let maximumLength = 16 << 20

    /// - Returns: The content; `nil` when there is no file.
    package func read() throws(Failure) -> Data? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw errno == ELOOP ? .notAPlainFile : .cannotRead(reason: Self.systemError)
        }
        defer { close(descriptor) }
        // What was opened is looked at, not what has the name by now.
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .cannotRead(reason: Self.systemError) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAPlainFile }
        guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            throw .readableByOthers(mode: String(status.st_mode & 0o7777, radix: 8))
        }
        guard status.st_size <= Self.maximumLength else {
            throw .cannotRead(reason: "it is too long: \(status.st_size) bytes")
        }
        do {
            return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).read(
                upToCount: Self.maximumLength
            ) ?? Data()
        } catch { throw .cannotRead(reason: error.localizedDescription) }
    }

    /// Replaces the content in one step, and makes it durable.
    package func replace(with content: Data) throws(Failure) {
        do {
            let draft = try Disk().draft(path)
            try draft.append(content)
            try draft.commit()
        } catch {
            guard let failure = error as? DiskFailure else {
                throw .cannotWrite(reason: error.localizedDescription)
            }
            if failure.isUnsupportedFolderSync { return }
            throw .cannotWrite(reason: DiskFailure.words(failure.code))
        }
    }

    /// Runs `body` while no other process or thread changes the file. Makes the folder when it is missing.
    package func withLock<Value>(_ body: () throws -> Value) throws -> Value {
        let lock: FileLock
        let folder = path.containingFolder
        do {
            try FileManager.default.createDirectory(
                atPath: folder.isEmpty ? "." : folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            // The lock is a file of its own: the other one is replaced under it.
            lock = try FileLock(waitingFor: path + ".lock")
        } catch let failure as DiskFailure {
            throw Failure.cannotWrite(reason: DiskFailure.words(failure.code))
        } catch { throw Failure.cannotWrite(reason: error.localizedDescription) }
        return try withExtendedLifetime(lock, body)
    }

    private static var systemError: String { DiskFailure.words(errno) }
}
