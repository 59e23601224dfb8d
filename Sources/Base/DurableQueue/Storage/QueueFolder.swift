import Foundation
import IndivoBase

/// The folder in which a queue keeps its items.
///
/// ```
/// queue                    whose folder this is, and a test for the key
/// numbers                  the largest number given, once its item is gone
/// 000000000007.item        a queued item; never written again
/// 000000000007.progress    how far its delivery has come, if that must be known
/// 000000000006.receipt     what became of a delivered one
/// queue.lock               held while files are written or removed
/// delivery.lock            held while one process delivers
/// ```
struct QueueFolder: Sendable {
    let path: String
    private let identity: Data
    private let key: QueueKey
    let disk: Disk

    /// Opens the folder, and makes it if need be. Every file is bound to the queue's identity.
    init(_ path: String, identity: Data, keys: any KeyStore, disk: Disk) throws {
        self.path = path
        self.identity = identity
        self.disk = disk
        key = try QueueError.storing {
            try disk.makeFolder(path)
            // What is queued in it is to be durable, so the folder has to be.
            try disk.syncOthers(path)
            return try withExtendedLifetime(FileLock(waitingFor: path + "/queue.lock")) {
                disk.removeDrafts(in: path)
                return try QueueHead(path: path, identity: identity, disk: disk).open(keys)
            }
        }
        // An item that the disk does not remove now is removed later: its receipt shows that it was
        // delivered.
        do { try locked { try sweep() } } catch is QueueError {}
    }

    // MARK: Reading

    /// Everything in the folder, in the queue's order.
    func scan() throws -> [StoredItem] {
        // Items that wait for others, and what they wait for.
        var stuck: [QueueItem.ID: QueueItem.ID] = [:]
        return try locked {
            try Set(files().map(\.number)).sorted().compactMap { number in
                guard var stored = try stored(number) else { return nil }
                let item = stored.item
                if case .setAside = item.state {
                    stuck[item.id] = item.id
                } else if item.state == .queued, let blocker = item.predecessor.flatMap({ stuck[$0] }) {
                    stored.item.state = .waiting(for: blocker)
                    stuck[item.id] = blocker
                }
                return stored
            }
        }
    }

    /// - Throws: ``QueueError/noSuchItem(id:)``.
    func stored(_ id: QueueItem.ID) throws -> StoredItem {
        guard let stored = try scan().first(where: { $0.item.id == id }) else {
            throw QueueError.noSuchItem(id: id)
        }
        return stored
    }

    /// An item, as its files describe it; `nil` if there is only a progress file.
    private func stored(_ number: Int) throws -> StoredItem? {
        func damaged(_ reason: String) -> StoredItem {
            let entry = QueueEntry(
                id: "damaged-\(number)",
                orderKey: "",
                queuedAt: Date.distantPast.timeIntervalSince1970,
                header: Data()
            )
            return StoredItem(item: QueueItem(entry: entry, number: number, state: .damaged(reason: reason)))
        }
        switch (try head(QueueReceipt.self, .receipt, number), try head(QueueEntry.self, .item, number)) {
        // An item next to a receipt was delivered, unless one of the two files was copied from elsewhere.
        case (.opened(_, let mark), .opened(_, let other)) where mark != other:
            return damaged("its files do not belong together")
        case (.opened(let receipt, _), _):
            let state = QueueItem.State.delivered(receipt: receipt.receipt)
            return StoredItem(item: QueueItem(entry: receipt.entry, number: number, state: state))
        case (.absent, .opened(let entry, let mark)):
            let progress = try progress(number, mark)
            let state = progress.setAside.map { QueueItem.State.setAside(reason: $0) } ?? .queued
            return StoredItem(
                item: QueueItem(entry: entry, number: number, state: state),
                pending: (progress, mark)
            )
        case (.failed(let reason), _), (.absent, .failed(let reason)): return damaged(reason)
        case (.absent, .absent): return nil
        }
    }

    private func progress(_ number: Int, _ item: SealedFile.Mark) throws -> QueueProgress {
        switch try head(QueueProgress.self, .progress, number) {
        case .absent: return QueueProgress()
        case .opened(let progress, let mark) where mark == item: return progress
        case .opened, .failed:
            return QueueProgress(
                setAside:
                    "how far its delivery had come cannot be read, \(place(.progress, number)) is damaged; "
                    + "see on the server whether it arrived, then retry or discard it"
            )
        }
    }

    private enum Head<Value> {
        case absent
        case opened(Value, SealedFile.Mark)
        case failed(reason: String)
    }

    private func head<Value: Decodable>(_ type: Value.Type, _ kind: SealedFile.Kind, _ number: Int) throws
        -> Head<Value>
    {
        let name = place(kind, number)
        do {
            guard let file = try open(kind, number) else { return .absent }
            return .opened(try JSONDecoder().decode(type, from: file.head), file.mark)
        } catch let failure as SealedFile.Failure {
            switch failure {
            case .system: throw QueueError(failure, path)
            case .unreadable(let reason): return .failed(reason: "its file \(name) cannot be read: \(reason)")
            case .damaged: return .failed(reason: "its file \(name) is damaged: it is not what was written")
            }
        } catch is DecodingError {
            return .failed(reason: "its file \(name) was written by another version")
        }
    }

    /// The payload of a queued item; `nil` without one.
    func openPayload(of item: QueueItem) throws -> QueuePayload? {
        guard let size = item.payloadSize else { return nil }
        let path = file(.item, item.number)
        return try QueueError.naming(path) {
            guard let file = try open(.item, item.number) else { throw SealedFile.Failure.damaged }
            return QueuePayload(size: size, file: file, path: path)
        }
    }

    private func open(_ kind: SealedFile.Kind, _ number: Int) throws(SealedFile.Failure) -> SealedFile? {
        try SealedFile(file(kind, number), for: place(kind, number), key: key)
    }

    // MARK: Writing

    /// Appends an item to the queue. Once this returns, the item survives a crash.
    func append(_ entry: QueueEntry, payload: SealedFile.Source?) throws -> Int {
        try locked {
            let number = try nextNumber()
            do {
                try write(entry, .item, number, SealedFile.Mark(), replacing: false, payload)
            } catch let failure as DiskFailure where failure.step == .syncFolder {
                // The file has its name although the disk failed, and is removed again.
                let isGone = (try? remove([number], [.item])) != nil
                throw QueueError(failure, mayBeQueued: !isGone)
            }
            return number
        }
    }

    func save(_ progress: QueueProgress, of number: Int, _ mark: SealedFile.Mark) throws {
        try locked { try write(progress, .progress, number, mark) }
    }

    /// Stores an item's receipt, and removes the item.
    func finish(_ number: Int, _ mark: SealedFile.Mark, _ receipt: QueueReceipt) throws {
        try locked {
            try write(receipt, .receipt, number, mark)
            // From here on the receipt counts, even if the item is still there.
            try remove([number], [.item, .progress])
        }
    }

    private func write(
        _ head: some Encodable,
        _ kind: SealedFile.Kind,
        _ number: Int,
        _ mark: SealedFile.Mark,
        replacing: Bool = true,
        _ body: SealedFile.Source? = nil
    ) throws {
        let head = try JSONEncoder().encode(head)
        let place = place(kind, number)
        try disk.writeAtomically(to: "\(place)", in: path, replacing: replacing) { draft in
            try SealedFile.seal(head: head, mark: mark, for: place, key: key, body: body, to: draft.append)
        }
    }

    /// Removes items for good.
    func forget(_ numbers: [Int]) throws {
        try locked {
            try keepLargestNumber(of: Set(numbers))
            // The items first, durably: an item that came back without its progress or receipt would be sent
            // again.
            try remove(numbers, [.item])
            try remove(numbers, [.progress, .receipt])
        }
    }

    /// Removes all but the latest `count` receipts, and the drafts of dead processes.
    func tidy(receipts count: Int) throws {
        try locked {
            disk.removeDrafts(in: path)
            let receipts = try numbers(.receipt).dropLast(count)
            guard !receipts.isEmpty else { return }
            try sweep()
            // Nothing but the receipt keeps an item that is still there from being sent again.
            try disk.syncFolder(path)
            let gone = Set(receipts).subtracting(try numbers(.item))
            try keepLargestNumber(of: gone)
            for number in gone.sorted() { try disk.remove(file(.receipt, number)) }
        }
    }

    /// Removes the items that are still there although there is a receipt for them: whoever delivered them
    /// died, or the disk failed, between the two. One whose receipt cannot be read stays, as a damaged one.
    /// Under the lock only.
    private func sweep() throws {
        let finished = try Set(numbers(.item) + numbers(.progress)).intersection(numbers(.receipt)).filter {
            number in
            if case .delivered = try stored(number)?.item.state { true } else { false }
        }
        guard !finished.isEmpty else { return }
        // The receipts must be durable before their items are removed.
        try disk.syncFolder(path)
        try remove(finished.sorted(), [.item, .progress])
    }

    private func remove(_ numbers: [Int], _ kinds: [SealedFile.Kind]) throws {
        for number in numbers {
            for kind in kinds { try disk.remove(file(kind, number)) }
        }
        try disk.syncFolder(path)
    }

    private func numbers(_ kind: SealedFile.Kind) throws -> [Int] {
        try files().filter { $0.kind == kind }.map(\.number).sorted()
    }

    // MARK: Numbers

    /// A number that was never given, and under which there is no file.
    private func nextNumber() throws -> Int {
        let taken = Set(try files().map(\.number))
        var number = try largestNumber(taken) + 1
        while taken.contains(number) { number += 1 }
        guard number <= SealedFile.Place.largestNumber else {
            throw QueueError.storage(
                reason: "the queue in \(path) has given out all its numbers",
                code: EOVERFLOW,
                mayBeQueued: false
            )
        }
        return number
    }

    /// The largest number that was given: that of a file which proves to be the queue's own, or the one that
    /// was kept.
    private func largestNumber(_ taken: Set<Int>) throws -> Int {
        let proven = try taken.sorted().last { number in
            try [.item, .receipt].contains {
                try SealedFile.intact(place($0, number), in: path, key: key) != nil
            }
        }
        let largest = try max(proven ?? 0, keptNumber() ?? 0)
        // A damaged file has used its number, too. A number far above all others was never the queue's.
        return taken.filter { $0 > largest && $0 - largest <= 1_000_000 }.max() ?? largest
    }

    /// Stores the largest number before its files are removed: nothing else would show that it was used.
    private func keepLargestNumber(of gone: Set<Int>) throws {
        let largest = try largestNumber(Set(try files().map(\.number)))
        guard gone.contains(largest) else { return }
        if try keptNumber() != largest { try write(largest, .numbers, 0, SealedFile.Mark()) }
    }

    private func keptNumber() throws -> Int? {
        if case .opened(let kept, _) = try head(Int.self, .numbers, 0) { kept } else { nil }
    }

    // MARK: Locks

    /// The lock that lets one process deliver at a time; `nil` while another has it.
    func deliveryLock() throws -> FileLock? {
        try QueueError.storing { try FileLock(ifFree: path + "/delivery.lock") }
    }

    private func locked<Result>(_ body: () throws -> Result) throws -> Result {
        try QueueError.storing {
            try withExtendedLifetime(FileLock(waitingFor: path + "/queue.lock")) { try body() }
        }
    }

    // MARK: Names

    private func files() throws -> [SealedFile.Place] { try SealedFile.Place.all(in: path, of: identity) }

    private func file(_ kind: SealedFile.Kind, _ number: Int) -> String { path + "/\(place(kind, number))" }

    private func place(_ kind: SealedFile.Kind, _ number: Int) -> SealedFile.Place {
        SealedFile.Place(kind: kind, queue: identity, number: number)
    }
}
