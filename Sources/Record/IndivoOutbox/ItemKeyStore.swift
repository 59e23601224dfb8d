import DurableQueue
import Foundation
import Indivo
import IndivoBase

/// Keeps the key of an outbox in a keychain, or what else keeps secrets by name.
///
/// ```swift
/// let outbox = try record.outbox(keys: ItemKeyStore(Keychain(service: "org.example.meds.keys")))
/// ```
public struct ItemKeyStore: KeyStore {
    private let items: any SecretItems
    private let name: String

    /// - Parameter name: The name of the item that holds the key.
    public init(_ items: any SecretItems, name: String = "outbox key") {
        self.items = items
        self.name = name
    }

    /// - Throws: `OutboxError` when the item holds no key, or what the items throw.
    public func key() throws -> QueueKey? {
        guard var bytes = try items.content(of: name) else { return nil }
        defer { bytes.resetBytes(in: bytes.indices) }
        guard let key = QueueKey(bytes: bytes) else {
            throw unusable("it is no key of \(QueueKey.byteCount) bytes")
        }
        return key
    }

    public func keep(_ key: QueueKey) throws -> QueueKey {
        var content = key.withBytes { Data($0) }
        defer { content.resetBytes(in: content.indices) }
        // Where another process was first, its key is the key.
        _ = try items.add(content, as: name)
        guard let kept = try self.key() else { throw unusable("it was there and is gone") }
        return kept
    }

    private func unusable(_ reason: String) -> OutboxError {
        .unusableKey(path: "the keychain (\(name))", reason: reason)
    }
}

extension FileKeyStore {
    /// The key in `outbox.key` of the person's own configuration folder: `$XDG_CONFIG_HOME/indivo`, or
    /// `~/.config/indivo`; on Apple's systems `indivo` in Application Support.
    public static var standard: FileKeyStore {
        FileKeyStore(BaseFolder.standard(.configuration).appending(path: "outbox.key"))
    }
}
