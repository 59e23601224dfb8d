import Foundation

/// The file that says which queue a folder is, and whether a key is its key.
struct QueueHead {
    let path: String
    let identity: Data
    let disk: Disk

    private static let text = Data("durable queue".utf8)

    private var name: String { "\(FileName(.queue, 0))" }
    private var place: SealedFile.Place { SealedFile.Place(kind: .queue, queue: identity, number: 0) }

    /// The key of the folder's queue; makes both for a new one. Under the folder's lock only.
    ///
    /// A head that is damaged or gone is written again where any item proves that the key is the right one.
    func open(_ keys: any KeyStore) throws -> QueueKey {
        let files = try FileName.all(in: path)
        let kept = try keys.key()
        if files.isEmpty, access(path + "/" + name, F_OK) != 0, errno == ENOENT {
            let key = try kept ?? keys.keep(QueueKey())
            try write(key)
            return key
        }
        guard let key = kept else { throw QueueError.noKey(folder: path) }
        switch try version(key) {
        case SealedFile.version?: return key
        case let version?: throw QueueError.otherVersion(folder: path, version: Int(version))
        case nil: break
        }
        let isOpened = files.contains { file in
            let place = SealedFile.Place(kind: file.kind, queue: identity, number: file.number)
            return (try? SealedFile(path + "/\(file)", for: place, key: key)) != nil
        }
        guard isOpened else { throw isForeign(files) ? QueueError.otherFormat(folder: path) : QueueError.wrongKey(folder: path) }
        try disk.remove(path + "/" + name)
        try write(key)
        return key
    }

    private func write(_ key: QueueKey) throws {
        try disk.writeAtomically(to: name, in: path) { draft in
            try SealedFile.seal(head: Self.text, mark: SealedFile.Mark(), for: place, key: key, to: draft.append)
        }
    }

    /// The version that the head claims, authenticated; `nil` when it does not open.
    private func version(_ key: QueueKey) throws -> UInt8? {
        do throws(SealedFile.Failure) {
            return try SealedFile(path + "/" + name, for: place, key: key)?.version
        } catch {
            if case .system = error { throw QueueError(error, path) }
            return nil
        }
    }

    /// Whether no file begins as a queue's files do: another version's, or another program's.
    private func isForeign(_ files: [FileName]) -> Bool {
        let paths = files.isEmpty ? [name] : files.map(\.description)
        return !paths.contains { name in
            (try? StoredFile(path + "/" + name))?.flatMap { try? $0.read(at: 0, count: 4) } == SealedFile.magic
        }
    }
}
