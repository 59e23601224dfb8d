import Foundation
import Indivo

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
        let content: Data?
        do {
            content = try PrivateFile(file.path).read()
        } catch {
            throw unusable(Self.words(error))
        }
        guard var bytes = content else { return nil }
        defer { bytes.resetBytes(in: bytes.indices) }
        guard let key = OutboxKey(bytes: bytes) else { throw unusable("it is no key of \(OutboxKey.byteCount) bytes") }
        try settle()
        return key
    }

    /// Makes the key durable: whoever made it may have died before it was, and what is sealed under it would be lost
    /// with it.
    private func settle() throws {
        let disk = Disk()
        let folder = file.deletingLastPathComponent()
        do {
            try disk.settleFile(file.path)
            try disk.settleFolder(folder.path)
            try disk.settleFolder(folder.deletingLastPathComponent().path)
        } catch let failure as DiskFailure {
            throw unusable("it cannot be kept for good (\(failure))")
        }
    }

    private static func words(_ failure: PrivateFile.Failure) -> String {
        switch failure {
        case .readableByOthers(let mode):
            "others can read it, or it is theirs (mode \(mode)); if nobody has, run chmod 600 on it"
        case .notAPlainFile: "it is a link, or no plain file"
        case .cannotRead(let reason), .cannotWrite(let reason): "it cannot be read (\(reason))"
        }
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
