import Foundation
import IndivoBase

/// The file that identifies a folder's queue, and shows whether a key is the queue's.
struct QueueHead {
    let path: String
    let identity: Data
    let disk: Disk

    private var place: SealedFile.Place { SealedFile.Place(kind: .queue, queue: identity, number: 0) }
    private var file: String { path + "/\(place)" }

    /// The key of the folder's queue; makes both for a new one. A head that is damaged or gone is written
    /// again where any item proves that the key is the right one. Under the folder's lock only.
    func open(_ keys: any KeyStore) throws -> QueueKey {
        let files = try SealedFile.Place.all(in: path, of: identity)
        let kept = try keys.key()
        if files.isEmpty, access(file, F_OK) != 0, errno == ENOENT {
            let key = try kept ?? keys.keep(QueueKey())
            try write(key)
            return key
        }
        guard let key = kept else { throw QueueError.noKey(folder: path) }
        if let version = try SealedFile.intact(place, in: path, key: key)?.version {
            guard version == SealedFile.version else {
                throw QueueError.otherVersion(folder: path, version: Int(version))
            }
            return key
        }
        let isOpened = try files.contains { try SealedFile.intact($0, in: path, key: key) != nil }
        guard isOpened else {
            throw isForeign(files) ? QueueError.otherFormat(folder: path) : QueueError.wrongKey(folder: path)
        }
        try disk.remove(file)
        try write(key)
        return key
    }

    private func write(_ key: QueueKey) throws {
        try disk.writeAtomically(to: "\(place)", in: path) { draft in
            try SealedFile.seal(
                head: Data("durable queue".utf8),
                mark: SealedFile.Mark(),
                for: place,
                key: key,
                to: draft.append
            )
        }
    }

    /// Whether none of the files begins like a queue's: they are another version's, or another program's.
    private func isForeign(_ files: [SealedFile.Place]) -> Bool {
        !(files.isEmpty ? [place] : files).contains { file in
            (try? StoredFile(path + "/\(file)"))?.flatMap { try? $0.read(at: 0, count: 4) }
                == SealedFile.magic
        }
    }
}
