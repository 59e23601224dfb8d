import Foundation
import IndivoBase

/// Keeps the key of a queue. ``FileKeyStore`` does so in a file; on Apple's systems the keychain is better.
///
/// ```swift
/// struct KeychainStore: KeyStore {
///     func key() throws -> QueueKey? { … }                // SecItemCopyMatching
///     func keep(_ key: QueueKey) throws -> QueueKey { … } // SecItemAdd
/// }
/// ```
public protocol KeyStore: Sendable {
    /// The key that is kept; `nil` when there is none yet.
    /// - Throws: When there is one that cannot or must not be used. Never return `nil` then: what was queued
    ///   under the key would seem to be damaged.
    func key() throws -> QueueKey?

    /// Keeps a key, unless there is one already: several processes may try at the same time.
    /// - Returns: The key that is kept from now on, durably.
    func keep(_ key: QueueKey) throws -> QueueKey
}

/// Keeps the key in a file that nobody but its owner can read (mode 0600), and refuses one that others can.
///
/// It protects what is queued where the folder of the queue gets elsewhere without the key: in a backup, on a
/// shared disk, in a bug report. It does not protect from somebody who can read the owner's files.
public struct FileKeyStore: KeyStore {
    /// Where the key is.
    public let file: URL

    private let disk = Disk()

    /// - Parameter file: Where the key is kept; made when it is not there. Keep it out of the folder of the
    ///   queue.
    public init(_ file: URL) { self.file = file }

    private var path: String { file.filePath }
    private var folder: String { (path as NSString).deletingLastPathComponent }

    public func key() throws -> QueueKey? {
        do {
            guard let stored = try StoredFile(path) else { return nil }
            guard stored.isPrivate else {
                throw unusable("others can read it, or it is theirs; if nobody has, run chmod 600 on it")
            }
            var bytes = try stored.read(at: 0, count: QueueKey.byteCount + 1)
            defer { bytes.resetBytes(in: bytes.indices) }
            guard let key = QueueKey(bytes: bytes) else {
                throw unusable("it is no key of \(QueueKey.byteCount) bytes")
            }
            removeDrafts()
            // What is sealed with this key would be lost with it: the key must be durable.
            try disk.syncOthers(path, .syncFile)
            return key
        } catch let failure as StoredFile.Failure {
            throw unusable("it cannot be read (\(failure))")
        } catch let failure as DiskFailure {
            throw unusable("it cannot be kept for good (\(failure))")
        }
    }

    public func keep(_ key: QueueKey) throws -> QueueKey {
        do {
            try disk.makeFolder(folder)
            let lock = try lock()
            defer { withExtendedLifetime(lock) {} }
            disk.removeDrafts(of: file.lastPathComponent, in: folder)
            try key.withBytes { bytes in
                var content = Data(bytes)
                defer { content.resetBytes(in: content.indices) }
                try disk.writeAtomically(to: file.lastPathComponent, in: folder, replacing: false) {
                    try $0.append(content)
                }
            }
        } catch let failure as DiskFailure where failure.code == EEXIST {
            // Another process was first: its key is the key.
        } catch let failure as DiskFailure {
            throw unusable("it cannot be written (\(failure))")
        }
        guard let kept = try self.key() else { throw unusable("it was there and is gone") }
        return kept
    }

    /// Drafts are written under this lock. While it is held, any draft is a dead process's.
    private func lock() throws -> FileLock { try FileLock(waitingFor: path + ".lock") }

    /// A draft holds a key: a dead process must not leave it lying about.
    private func removeDrafts() {
        guard !disk.drafts(of: file.lastPathComponent, in: folder).isEmpty, let lock = try? lock() else {
            return
        }
        withExtendedLifetime(lock) { disk.removeDrafts(of: file.lastPathComponent, in: folder) }
    }

    private func unusable(_ reason: String) -> QueueError { .unusableKey(path: path, reason: reason) }
}
