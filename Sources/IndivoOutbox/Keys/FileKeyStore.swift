#if Outbox
import Foundation

/// Keeps the key in a file that nobody but its owner can read (mode 0600), and refuses one that others can.
///
/// It protects what is queued where the folder of the outbox gets elsewhere without the key: in a backup, on a shared
/// disk, in a bug report. It does not protect from somebody who can read the owner's files.
public struct FileKeyStore: KeyStore {
    /// Where the key is.
    public let file: URL

    /// - Parameter file: Where the key is kept; made when it is not there. Keep it out of the folder of the outbox.
    public init(_ file: URL) {
        self.file = file
    }

    /// The key in `outbox.key` of the person's own configuration folder: `$XDG_CONFIG_HOME/indivo`, or
    /// `~/.config/indivo`; on Apple's systems `indivo` in Application Support.
    public static var standard: FileKeyStore {
        FileKeyStore(StandardFolder.configuration.appending(path: "outbox.key"))
    }

    public func key() throws -> OutboxKey? {
        let descriptor = open(file.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw unusable("it cannot be opened (\(DiskFailure.words(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unusable(DiskFailure.words(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw unusable("it is no file") }
        guard status.st_uid == geteuid() else { throw unusable("it belongs to somebody else") }
        guard status.st_mode & 0o077 == 0 else {
            throw unusable("others can read it; if nobody has, take that away with chmod 600")
        }
        var bytes = [UInt8](repeating: 0, count: OutboxKey.byteCount + 1)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        let count = read(descriptor, &bytes, bytes.count)
        guard count == OutboxKey.byteCount, let key = OutboxKey(bytes: bytes.prefix(OutboxKey.byteCount)) else {
            throw unusable("it is no key of \(OutboxKey.byteCount) bytes")
        }
        return key
    }

    public func keep(_ key: OutboxKey) throws -> OutboxKey {
        let disk = Disk()
        let folder = file.deletingLastPathComponent().path
        do {
            try disk.makeFolder(folder)
            try key.withBytes { bytes in
                var content = Data(bytes)
                defer { content.resetBytes(in: content.indices) }
                try disk.writeAtomically(content, to: file.lastPathComponent, in: folder, replacing: false)
            }
        } catch let failure as DiskFailure where failure.code == EEXIST {
            // Another process was first: its key is the key.
        } catch let failure as DiskFailure {
            throw unusable("it cannot be written (\(failure))")
        }
        guard let kept = try self.key() else { throw unusable("it was there and is gone") }
        return kept
    }

    private func unusable(_ reason: String) -> OutboxError { .unusableKey(path: file.path, reason: reason) }
}
#endif
