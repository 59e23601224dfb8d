import Foundation

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

    /// Opens the folder, and makes it if need be.
    /// - Parameter identity: What every file is bound to.
    init(_ path: String, identity: Data, keys: any KeyStore, disk: Disk) throws {
        self.path = path
        self.identity = identity
        self.disk = disk
        do {
            try disk.makeFolder(path)
            // Whoever made them may have died before they were durable, and what is queued in them is to be.
            let parent = (path as NSString).deletingLastPathComponent
            for folder in [path, parent, (parent as NSString).deletingLastPathComponent] {
                try disk.syncOthers(folder)
            }
            let lock = try FileLock(waitingFor: path + "/queue.lock")
            defer { withExtendedLifetime(lock) {} }
            disk.removeDrafts(in: path)
            key = try QueueHead(path, identity: identity, disk: disk).open(keys)
            // What a disk does not let go now goes later: a receipt beside it says that it counts no more.
            do { try sweep() } catch is DiskFailure {} catch is QueueError {}
        } catch let failure as DiskFailure {
            throw QueueError(failure)
        }
    }

    // MARK: Reading

    /// Everything in the folder, in the queue's order.
    func scan() throws -> [StoredItem] {
        try locked {
            let files = try FileName.all(in: path)
            return try Dictionary(grouping: files, by: \.number).sorted { $0.key < $1.key }.compactMap { number, files in
                let kinds = Set(files.map(\.kind))
                guard kinds.contains(.item) || kinds.contains(.receipt) else { return nil }
                return StoredItem(number: number, content: try content(number, kinds))
            }
        }
    }

    private func content(_ number: Int, _ kinds: Set<SealedFile.Kind>) throws -> StoredItem.Content {
        let item = kinds.contains(.item) ? try head(QueueEntry.self, .item, number) : .absent
        switch kinds.contains(.receipt) ? try head(QueueReceipt.self, .receipt, number) : .absent {
        case .opened(let receipt, let mark):
            // An item beside it is what was delivered, unless somebody brought one of the two from elsewhere.
            if case .opened(_, let other) = item, other != mark { return .damaged(reason: "its files do not belong together") }
            return .delivered(receipt)
        case .failed(let reason): return .damaged(reason: reason)
        case .absent: break
        }
        switch item {
        case .opened(let entry, let mark): return .pending(entry, try progress(number, mark), mark)
        case .failed(let reason): return .damaged(reason: reason)
        case .absent: return .damaged(reason: "its file is gone")
        }
    }

    private func progress(_ number: Int, _ item: SealedFile.Mark) throws -> QueueProgress {
        switch try head(QueueProgress.self, .progress, number) {
        case .absent: return QueueProgress()
        case .opened(let progress, let mark) where mark == item: return progress
        case .opened, .failed:
            return QueueProgress(
                setAside: "how far its delivery had come cannot be read, \(FileName(.progress, number)) is damaged; see "
                    + "on the server whether it arrived, then retry or discard it")
        }
    }

    private enum Head<Value> {
        case absent
        case opened(Value, SealedFile.Mark)
        case failed(reason: String)
    }

    private func head<Value: Decodable>(_ type: Value.Type, _ kind: SealedFile.Kind, _ number: Int) throws -> Head<Value> {
        let name = FileName(kind, number)
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

    /// Hands out the payload of a queued item, chunk by chunk.
    func readPayload(of number: Int, _ body: (Data) throws -> Void) throws {
        try openPayload(of: number, size: 0).forEachChunk(body)
    }

    func openPayload(of number: Int, size: Int) throws -> QueuePayload {
        let path = file(.item, number)
        do throws(SealedFile.Failure) {
            guard let sealed = try open(.item, number) else { throw .damaged }
            return QueuePayload(size: size, file: sealed, path: path)
        } catch {
            throw QueueError(error, path)
        }
    }

    private func open(_ kind: SealedFile.Kind, _ number: Int) throws(SealedFile.Failure) -> SealedFile? {
        try SealedFile.open(file(kind, number), for: place(kind, number), key: key)
    }

    // MARK: Writing

    /// Puts an item at the end of the queue. When this returns it is there whatever happens.
    func append(_ entry: QueueEntry, payload: ((Int) throws -> Data)?) throws -> Int {
        try locked {
            let number = try nextNumber()
            let head = try JSONEncoder().encode(entry)
            do {
                try disk.writeAtomically(to: "\(FileName(.item, number))", in: path, replacing: false) { draft in
                    try SealedFile.seal(
                        head: head, mark: SealedFile.Mark(), for: place(.item, number), key: key, body: payload,
                        to: draft.append)
                }
            } catch let failure as DiskFailure where failure.step == .syncFolder {
                throw undo(number, after: failure)
            }
            return number
        }
    }

    /// Takes back the item that was put under its name although the disk failed.
    private func undo(_ number: Int, after failure: DiskFailure) -> QueueError {
        do {
            try disk.remove(file(.item, number))
            try disk.syncFolder(path)
            return QueueError(failure)
        } catch {
            return QueueError(failure, mayBeQueued: true)
        }
    }

    func save(_ progress: QueueProgress, of number: Int, _ mark: SealedFile.Mark) throws {
        try locked { try write(progress, .progress, number, mark) }
    }

    /// Keeps what became of an item, and lets go of it.
    func finish(_ number: Int, _ mark: SealedFile.Mark, _ receipt: QueueReceipt) throws {
        try locked {
            try write(receipt, .receipt, number, mark)
            // From here on the receipt counts, and the item no more, whether it is still there or not.
            try remove([number], [.item, .progress])
        }
    }

    private func write(_ head: some Encodable, _ kind: SealedFile.Kind, _ number: Int, _ mark: SealedFile.Mark) throws {
        let data = try JSONEncoder().encode(head)
        try disk.writeAtomically(to: "\(FileName(kind, number))", in: path) { draft in
            try SealedFile.seal(head: data, mark: mark, for: place(kind, number), key: key, to: draft.append)
        }
    }

    /// Lets go of items for good.
    func forget(_ numbers: [Int]) throws {
        try locked {
            try keepLargestNumber(of: Set(numbers))
            // Durably the items first: none must come back without its progress, or its receipt, and be sent again.
            try remove(numbers, [.item])
            try remove(numbers, [.progress, .receipt])
        }
    }

    /// Removes the earliest receipts, so that so many are left, and what dead processes left.
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

    /// Removes the items that are still there although there is a receipt for them: whoever delivered them died, or the
    /// disk failed, between the two. One whose receipt cannot be read stays, as a damaged one. Under the lock only.
    private func sweep() throws {
        let finished = try Set(numbers(.item) + numbers(.progress)).intersection(numbers(.receipt)).filter { number in
            if case .delivered = try content(number, [.receipt, .item]) { true } else { false }
        }
        guard !finished.isEmpty else { return }
        // The receipts before what they stand for.
        try disk.syncFolder(path)
        for number in finished.sorted() {
            for kind in [SealedFile.Kind.item, .progress] { try disk.remove(file(kind, number)) }
        }
        try disk.syncFolder(path)
    }

    private func remove(_ numbers: [Int], _ kinds: [SealedFile.Kind]) throws {
        for number in numbers {
            for kind in kinds { try disk.remove(file(kind, number)) }
        }
        try disk.syncFolder(path)
    }

    private func numbers(_ kind: SealedFile.Kind) throws -> [Int] {
        try FileName.all(in: path).filter { $0.kind == kind }.map(\.number).sorted()
    }

    // MARK: Numbers

    /// A number that was never given, and under which there is no file.
    private func nextNumber() throws -> Int {
        let taken = Set(try FileName.all(in: path).map(\.number))
        var number = try largestNumber(taken) + 1
        while taken.contains(number) { number += 1 }
        guard number <= FileName.largestNumber else {
            throw QueueError.storage(
                reason: "the queue in \(path) has given out all its numbers", code: EOVERFLOW, mayBeQueued: false)
        }
        return number
    }

    /// The largest number that was given: that of a file which proves to be the queue's own, or the one that was kept.
    private func largestNumber(_ taken: Set<Int>) throws -> Int {
        let kept: Int? =
            switch try keptNumber() {
            case .opened(let number, _): number
            case .absent, .failed: nil
            }
        let proven = try taken.sorted().last { number in
            for kind in [SealedFile.Kind.item, .receipt] {
                do {
                    if try open(kind, number) != nil { return true }
                } catch let failure as SealedFile.Failure {
                    if case .system = failure { throw QueueError(failure, path) }
                }
            }
            return false
        }
        let largest = max(kept ?? 0, proven ?? 0)
        // A file that was damaged had its number too; one that is far from all others was never the queue's.
        return taken.filter { $0 > largest && $0 - largest <= 1_000_000 }.max() ?? largest
    }

    /// Remembers the largest number before its files go: nothing else shows then that it was given.
    private func keepLargestNumber(of gone: Set<Int>) throws {
        let largest = try largestNumber(Set(try FileName.all(in: path).map(\.number)))
        guard gone.contains(largest) else { return }
        if case .opened(largest, _) = try keptNumber() { return }
        try write(largest, .numbers, 0, SealedFile.Mark())
    }

    private func keptNumber() throws -> Head<Int> { try head(Int.self, .numbers, 0) }

    // MARK: Locks

    /// The lock that lets one process deliver at a time; `nil` while another has it.
    func deliveryLock() throws -> FileLock? {
        do {
            return try FileLock(ifFree: path + "/delivery.lock")
        } catch let failure as DiskFailure {
            throw QueueError(failure)
        }
    }

    private func locked<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let lock = try FileLock(waitingFor: path + "/queue.lock")
            defer { withExtendedLifetime(lock) {} }
            return try body()
        } catch let failure as DiskFailure {
            throw QueueError(failure)
        }
    }

    // MARK: Names

    private func file(_ kind: SealedFile.Kind, _ number: Int) -> String { path + "/\(FileName(kind, number))" }

    private func place(_ kind: SealedFile.Kind, _ number: Int) -> SealedFile.Place {
        SealedFile.Place(kind: kind, queue: identity, number: number)
    }
}
