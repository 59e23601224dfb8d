import Foundation
import IndivoBase

/// Small values on a disk, each in a sealed file of its own, which is complete or missing, even after a
/// crash.
///
/// Values are sealed with AES-GCM under a key that is derived from the key store's, and bound to the folder's
/// identity and to their names. File names are derived from the names under another such key, and say
/// nothing.
package struct SealedFolder: Sendable {
    /// The most bytes of a value.
    package static let largestValue = 4 << 20

    /// The folder's path.
    package let path: String
    private let identity: String
    private let keys: any KeyStore
    private let disk: Disk

    /// A folder of its own; made when the first value is written.
    package init(
        _ folder: URL,
        identity: String,
        keys: any KeyStore,
        diskFault: @escaping @Sendable (DiskStep) -> Int32 = { _ in 0 }
    ) {
        path = folder.path
        self.identity = identity
        self.keys = keys
        disk = Disk(fault: diskFault)
    }

    /// The names of the values, in order.
    package func names() throws -> [String] {
        guard let key = try storedKey() else { return [] }
        return try files().compactMap { try open($0, key)?.name }.sorted()
    }

    /// A value; `nil` when there is none of the name.
    package func read(_ name: String) throws -> Data? {
        guard let key = try storedKey() else { return nil }
        return try open(fileName(name, key), key)?.value
    }

    /// Writes a value, and makes it durable.
    package func write(_ value: Data, to name: String) throws {
        guard value.count <= Self.largestValue, name.utf8.count <= 255 else {
            throw QueueError.badItem("a value has at most \(Self.largestValue) bytes, and a name 255")
        }
        let key = try keys.key() ?? keys.keep(QueueKey())
        let file = fileName(name, key)
        let content = Data([UInt8(name.utf8.count)]) + Data(name.utf8) + value
        let bytes = try key.derived("value").seal(content, authenticating: Data((identity + "/" + file).utf8))
        try QueueError.storing {
            try disk.makeFolder(path)
            try disk.writeAtomically(to: file, in: path) { try $0.append(bytes) }
        }
    }

    /// Removes a value durably; a missing one is not an error.
    package func remove(_ name: String) throws {
        guard let key = try storedKey(), access(path, F_OK) == 0 else { return }
        try QueueError.storing {
            try disk.remove(path + "/" + fileName(name, key))
            try disk.syncFolder(path)
        }
    }

    /// A folder for other files that belong to a name; its own name says nothing. Made with mode 0700.
    package func folder(for name: String) throws -> URL {
        let key = try keys.key() ?? keys.keep(QueueKey())
        let folder = folder(name, key)
        try QueueError.storing { try disk.makeFolder(folder) }
        return URL(filePath: folder, directoryHint: .isDirectory)
    }

    /// Removes the folder for a name with all that is in it, durably.
    package func removeFolder(for name: String) throws {
        guard let key = try storedKey() else { return }
        let folder = folder(name, key)
        guard access(folder, F_OK) == 0 else { return }
        try QueueError.storing {
            try disk.step(.remove, folder) { 0 }
            try Disk.working(to: "remove \(folder)") { try FileManager.default.removeItem(atPath: folder) }
            try disk.syncFolder(path)
        }
    }

    /// Runs `body` while no other process or task holds the same lock.
    package func withLock<Value>(_ name: String = "lock", _ body: () throws -> Value) throws -> Value {
        try withExtendedLifetime(QueueError.storing { try FileLock(waitingFor: lockPath(name)) }, body)
    }

    /// A lock that is held as long as the object lives; `nil` when somebody else holds it.
    package func lockIfFree(_ name: String) throws -> AnyObject? {
        try QueueError.storing { try FileLock(ifFree: lockPath(name)) }
    }

    private func lockPath(_ name: String) throws -> String {
        try disk.makeFolder(path)
        return path + "/." + name
    }

    // MARK: Files

    /// The key; `nil` when nothing was written yet.
    private func storedKey() throws -> QueueKey? {
        if let key = try keys.key() { return key }
        guard try files().isEmpty else { throw QueueError.noKey(folder: path) }
        return nil
    }

    private func files() throws -> [String] {
        guard access(path, F_OK) == 0 else { return [] }
        return try Disk.names(in: path).filter { $0.utf8.count == 32 && !$0.hasPrefix(".") }
    }

    private func open(_ file: String, _ key: QueueKey) throws -> (name: String, value: Data)? {
        do {
            guard let stored = try StoredFile(path + "/" + file) else { return nil }
            let bytes = try stored.read(at: 0, count: Self.largestValue + 512)
            let content = try key.derived("value").open(
                bytes,
                authenticating: Data((identity + "/" + file).utf8)
            )
            guard let length = content.first.map(Int.init), content.count > length else {
                throw StoredFile.Failure.damaged
            }
            let name = String(decoding: content.dropFirst().prefix(length), as: UTF8.self)
            return (name, Data(content.dropFirst(1 + length)))
        } catch {
            throw QueueError(error as? StoredFile.Failure ?? .damaged, path + "/" + file)
        }
    }

    private func fileName(_ name: String, _ key: QueueKey) -> String {
        Hexadecimal.encode(key.derived("name").code(of: identity + "/" + name))
    }

    private func folder(_ name: String, _ key: QueueKey) -> String {
        path + "/" + fileName(name, key) + ".files"
    }
}
