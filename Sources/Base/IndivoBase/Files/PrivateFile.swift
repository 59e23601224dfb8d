import Foundation

/// A file that only its owner may read: made with mode 0600, replaced as a whole, refused when others can
/// read it.
///
/// Sessions, credentials and keys are read through it, so that one function decides which files are refused.
package struct PrivateFile {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// Why a file is not read or written. Whoever asked says what it was to be.
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
        let draft = "\(path).\(UUID().uuidString)"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotWrite(reason: Self.systemError) }
        // What was renamed is not there any more.
        defer { unlink(draft) }
        do {
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: content)
            try handle.synchronize()
        } catch {
            // Foundation's own words leave out what the system said.
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            throw .cannotWrite(
                reason: cause.map { String(cString: strerror(Int32($0.code))) } ?? error.localizedDescription
            )
        }
        guard rename(draft, path) == 0 else { throw .cannotWrite(reason: Self.systemError) }
        // The new name is in the folder for good only when the folder is on the disk, where that can be asked
        // for.
        let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        guard fsync(folder) == 0 || errno == EINVAL else { throw .cannotWrite(reason: Self.systemError) }
    }

    /// Does `body` while no other process or thread changes the file. Makes the folder when it is not there.
    package func withLock<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch { throw Failure.cannotWrite(reason: error.localizedDescription) }
        // The lock is a file of its own: the other one is replaced under it.
        let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure.cannotWrite(reason: Self.systemError) }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { throw Failure.cannotWrite(reason: Self.systemError) }
        return try body()
    }

    private static var systemError: String { String(cString: strerror(errno)) }
}

/// A folder for a person's files by the XDG Base Directory Specification, where a system has no way of its
/// own.
package enum BaseFolder: String, Sendable {
    /// For what configures an app.
    case configuration = "XDG_CONFIG_HOME"
    /// For data that an app made.
    case data = "XDG_DATA_HOME"
    /// For what an app keeps from run to run.
    case state = "XDG_STATE_HOME"

    /// Where this system has such files: on Apple's, a folder in Application Support.
    package static func standard(_ base: BaseFolder, onApple name: String = "indivo") -> URL {
        #if canImport(Darwin)
        URL.applicationSupportDirectory.appending(path: name)
        #else
        base.indivo()
        #endif
    }

    /// The part of the folder that is this library's.
    package func indivo(in environment: [String: String] = ProcessInfo.processInfo.environment) -> URL {
        let standardPath =
            switch self {
            case .configuration: ".config"
            case .data: ".local/share"
            case .state: ".local/state"
            }
        // The specification: a relative path in a variable is to be ignored.
        func folder(_ variable: String) -> URL? {
            environment[variable].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        }
        let base = folder(rawValue) ?? (folder("HOME") ?? URL.homeDirectory).appending(path: standardPath)
        return base.appending(path: "indivo")
    }
}
