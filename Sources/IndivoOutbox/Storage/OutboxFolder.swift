import Foundation
import Indivo

/// The folder in which the outbox of one record keeps what is queued.
///
/// ```
/// outbox               whose folder this is, and a test for the key
/// 000000000007.item    a queued change; never written again
/// 000000000007.progress    how far its delivery has come, if that must be known
/// 000000000006.receipt     what became of a delivered one
/// queue.lock           held while files are written or removed
/// delivery.lock        held while one process delivers
/// ```
/// Names hold numbers only. The folder's own name is a digest of the record's and the server's ids, which are random.
struct OutboxFolder: Sendable {
    let path: String
    private let identity: Identity
    private let key: OutboxKey
    private let disk: Disk

    private static let headName = "outbox"
    private static let headText = Data("outbox of a record".utf8)

    /// Opens the folder, and makes it if need be.
    init(of record: IndivoRecord, in root: String, keys: any KeyStore, disk: Disk) throws {
        identity = Identity.find(record, in: root)
        path = root + "/" + identity.name
        self.disk = disk
        do {
            try disk.makeFolder(path)
            // Whoever made them may have died before they were durable, and what is queued in them is to be.
            for folder in [path, root, (root as NSString).deletingLastPathComponent] { try disk.settleFolder(folder) }
            let lock = try FileLock(waitingFor: path + "/queue.lock")
            defer { withExtendedLifetime(lock) {} }
            for name in try OutboxFolder.names(in: path) where name.hasPrefix(Disk.temporaryPrefix) {
                // Files are written under the lock: what is left of one was left by somebody who died.
                unlink(path + "/" + name)
            }
            let place = SealedFile.Place(kind: .folder, outbox: identity.digest, sequence: 0)
            let stored = try OutboxFolder.contents(of: path + "/" + OutboxFolder.headName)
            let kept = try keys.key()
            if let stored {
                guard let kept else { throw OutboxError.noKey(folder: path) }
                key = kept
                do {
                    _ = try SealedFile(stored, for: place, key: key)
                } catch SealedFile.Failure.newer(let version) {
                    throw OutboxError.newerFormat(folder: path, version: Int(version))
                } catch {
                    throw OutboxError.wrongKey(folder: path)
                }
            } else {
                key = try kept ?? keys.keep(OutboxKey())
                let head = try SealedFile.seal(head: OutboxFolder.headText, for: place, key: key)
                try disk.writeAtomically(head, to: OutboxFolder.headName, in: path)
            }
            // What a disk does not let go now goes later: a receipt beside it says that it counts no more.
            do { try sweep() } catch is DiskFailure {} catch is OutboxError {}
        } catch let failure as DiskFailure {
            throw OutboxError(failure)
        }
    }

    // MARK: Reading

    /// What is known of one change.
    struct Stored: Sendable {
        let sequence: Int
        let content: Content

        enum Content: Sendable {
            case pending(Entry, Progress)
            case delivered(Receipt)
            case damaged
        }
    }

    /// Everything in the folder, in the queue's order.
    func scan() throws -> [Stored] {
        try locked {
            var kinds: [Int: Set<String>] = [:]
            for name in try OutboxFolder.names(in: path) {
                guard let sequence = OutboxFolder.sequence(of: name) else { continue }
                kinds[sequence, default: []].insert(String(name.drop { $0 != "." }.dropFirst()))
            }
            return try kinds.keys.sorted().compactMap { sequence in
                guard let kinds = kinds[sequence], kinds.contains("item") || kinds.contains("receipt") else { return nil }
                return Stored(sequence: sequence, content: try content(sequence, kinds))
            }
        }
    }

    private func content(_ sequence: Int, _ kinds: Set<String>) throws -> Stored.Content {
        do {
            if kinds.contains("receipt"), let file = try open(.receipt, sequence) {
                return .delivered(try JSONDecoder().decode(Receipt.self, from: file.head))
            }
            guard let file = try open(.item, sequence) else { return .damaged }
            let entry = try JSONDecoder().decode(Entry.self, from: file.head)
            return .pending(entry, try progress(of: sequence))
        } catch is DecodingError {
            return .damaged
        } catch SealedFile.Failure.damaged {
            return .damaged
        }
    }

    private func progress(of sequence: Int) throws -> Progress {
        do {
            guard let file = try open(.progress, sequence) else { return Progress() }
            return try JSONDecoder().decode(Progress.self, from: file.head)
        } catch let error where error is DecodingError || error is SealedFile.Failure {
            var progress = Progress()
            progress.setAside =
                "how far its delivery had come cannot be read, \(name(.progress, sequence)) is damaged; see on the "
                + "server whether the change was made, then retry or discard it"
            return progress
        }
    }

    /// The content of a queued change: the document that it brings, or a patch's XML.
    func content(of sequence: Int) throws -> (change: Entry.Change, content: FileContent) {
        do {
            if let file = try open(.item, sequence) {
                let entry = try JSONDecoder().decode(Entry.self, from: file.head)
                return (entry.change, FileContent(try file.body(), contentType: entry.contentType ?? "application/xml"))
            }
        } catch let error where error is DecodingError || error is SealedFile.Failure {
            // Told below.
        } catch let failure as DiskFailure {
            throw OutboxError(failure)
        }
        throw OutboxError.damaged(file: file(.item, sequence))
    }

    private func open(_ kind: SealedFile.Kind, _ sequence: Int) throws -> SealedFile? {
        guard let stored = try OutboxFolder.contents(of: file(kind, sequence)) else { return nil }
        do {
            return try SealedFile(stored, for: place(kind, sequence), key: key)
        } catch .newer(let version) {
            throw OutboxError.newerFormat(folder: path, version: Int(version))
        }
    }

    // MARK: Writing

    /// Puts a change at the end of the queue. When this returns it is there whatever happens.
    func append(_ entry: Entry, document: Data?) throws -> Int {
        try locked {
            let last = try OutboxFolder.names(in: path).compactMap { Int($0.prefix { $0 != "." }) }.max() ?? 0
            let sequence = last + 1
            let sealed = try seal(.item, sequence, entry, body: document)
            do {
                try disk.writeAtomically(sealed, to: name(.item, sequence), in: path, replacing: false)
            } catch let failure as DiskFailure {
                throw undo(.item, sequence, after: failure)
            }
            return sequence
        }
    }

    /// Takes a file back that may have come into place although the disk failed.
    private func undo(_ kind: SealedFile.Kind, _ sequence: Int, after failure: DiskFailure) -> OutboxError {
        let path = file(kind, sequence)
        guard access(path, F_OK) == 0 else { return OutboxError(failure) }
        do {
            try disk.remove(path)
            try disk.syncFolder(self.path)
            return OutboxError(failure)
        } catch {
            return OutboxError(failure, mayBeQueued: true)
        }
    }

    func save(_ progress: Progress, of sequence: Int) throws {
        try locked {
            let sealed = try seal(.progress, sequence, progress)
            try disk.writeAtomically(sealed, to: name(.progress, sequence), in: path)
        }
    }

    /// Notes what became of a change, and lets go of it.
    func settle(_ sequence: Int, _ receipt: Receipt) throws {
        try locked {
            let sealed = try seal(.receipt, sequence, receipt)
            try disk.writeAtomically(sealed, to: name(.receipt, sequence), in: path)
            // From here on the receipt counts, and the change no more, whether it is still there or not.
            try remove(sequence, [.item, .progress])
        }
    }

    /// Lets go of a change for good.
    func forget(_ sequence: Int) throws {
        try locked {
            // Durably the change first: it must not come back without its progress, or its receipt, and be sent again.
            try remove(sequence, [.item])
            try remove(sequence, [.progress, .receipt])
        }
    }

    /// Removes the earliest receipts, so that so many are left.
    func keepReceipts(_ count: Int) throws {
        try locked {
            let receipts = try OutboxFolder.names(in: path).filter { $0.hasSuffix(".receipt") }.sorted().dropLast(count)
            guard !receipts.isEmpty else { return }
            try sweep()
            // Nothing but the receipt keeps a change that is still there from being sent again.
            try disk.syncFolder(path)
            let left = Set(try places(.item))
            for name in receipts {
                guard let sequence = OutboxFolder.sequence(of: name), !left.contains(sequence) else { continue }
                try disk.remove(path + "/" + name)
            }
        }
    }

    /// Removes the changes that are still there although there is a receipt for them: whoever delivered them died, or
    /// the disk failed, between the two. One whose receipt cannot be read stays, as a damaged one. Under the lock only.
    private func sweep() throws {
        let settled = try Set(places(.item) + places(.progress)).intersection(places(.receipt)).filter { sequence in
            if case .delivered = try content(sequence, ["receipt"]) { true } else { false }
        }
        guard !settled.isEmpty else { return }
        // The receipts before what they stand for.
        try disk.syncFolder(path)
        for sequence in settled.sorted() {
            for kind in [SealedFile.Kind.item, .progress] { try disk.remove(file(kind, sequence)) }
        }
        try disk.syncFolder(path)
    }

    private func remove(_ sequence: Int, _ kinds: [SealedFile.Kind]) throws {
        for kind in kinds { try disk.remove(file(kind, sequence)) }
        try disk.syncFolder(path)
    }

    /// The places in the queue that have a file of a kind.
    private func places(_ kind: SealedFile.Kind) throws -> [Int] {
        try OutboxFolder.names(in: path).filter { $0.hasSuffix(".\(kind)") }.compactMap(OutboxFolder.sequence)
    }

    // MARK: Locks

    /// The lock that lets one process deliver at a time; `nil` while another has it.
    func deliveryLock() throws -> FileLock? {
        do {
            return try FileLock(ifFree: path + "/delivery.lock")
        } catch let failure as DiskFailure {
            throw OutboxError(failure)
        }
    }

    private func locked<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let lock = try FileLock(waitingFor: path + "/queue.lock")
            defer { withExtendedLifetime(lock) {} }
            return try body()
        } catch let failure as DiskFailure {
            throw OutboxError(failure)
        }
    }

    // MARK: Names

    private func name(_ kind: SealedFile.Kind, _ sequence: Int) -> String {
        String(format: "%012d", sequence) + "." + "\(kind)"
    }

    private func file(_ kind: SealedFile.Kind, _ sequence: Int) -> String { path + "/" + name(kind, sequence) }

    private func place(_ kind: SealedFile.Kind, _ sequence: Int) -> SealedFile.Place {
        SealedFile.Place(kind: kind, outbox: identity.digest, sequence: sequence)
    }

    private func seal(
        _ kind: SealedFile.Kind, _ sequence: Int, _ head: some Encodable, body: Data? = nil
    ) throws -> Data {
        try SealedFile.seal(head: JSONEncoder().encode(head), body: body, for: place(kind, sequence), key: key)
    }

    /// The place in the queue to which a file belongs by its name.
    private static func sequence(of name: String) -> Int? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = Int(parts[0]), sequence > 0 else { return nil }
        return sequence
    }

    /// Whether a folder is an outbox, or may be one: what cannot be looked at is not taken for nothing.
    static func isOutbox(_ folder: String) -> Bool {
        access(folder + "/" + headName, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    private static func names(in folder: String) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw OutboxError.storage(reason: "cannot list \(folder): \(error.localizedDescription)", code: EIO, mayBeQueued: false)
        }
    }

    private static func contents(of path: String) throws -> Data? {
        guard access(path, F_OK) == 0 else {
            if errno == ENOENT { return nil }
            throw OutboxError.storage(reason: "cannot read \(path): \(DiskFailure.words(errno))", code: errno, mayBeQueued: false)
        }
        do {
            return try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
        } catch {
            throw OutboxError.storage(reason: "cannot read \(path): \(error.localizedDescription)", code: EIO, mayBeQueued: false)
        }
    }
}
