import Foundation
import IndivoBase

/// Items on a disk that outlive the process, encrypted, until they are delivered, in order.
///
/// ```swift
/// let queue = try DurableQueue(in: folder, identity: "study 7", keys: FileKeyStore(keyFile))
/// try await queue.append(
///     Data("survey".utf8),
///     payload: .data(response),
///     orderKey: "https://study.example.org"
/// )
///
/// let report = try await queue.deliver { attempt in
///     guard let response = try attempt.payload() else { return .setAside(reason: "nothing to send") }
///     return try await upload(response, id: attempt.item.id)          // says what became of it
/// }
/// ```
/// What it promises:
/// - **Nothing is lost.** An item is on the disk, folder entry included, before
///   ``append(_:payload:id:orderKey:after:)`` returns, and stays until it is delivered or ``discard(_:)``
///   takes it out. What can never be delivered is set aside with its reason; a file that is damaged costs its
///   own item only.
/// - **In order.** Items with the same order key are offered one after the other as they were queued. One
///   that was set aside does not hold up the others, but for those that build on it.
/// - **Unreadable to others.** Files are sealed with AES-GCM under the key of a ``KeyStore``, in pieces, so
///   that an item of many megabytes takes little memory. Their names say nothing.
///
/// A deliverer may be called again for an item that arrived: when the process dies after the server took it
/// and before that was written down. It has to check that, or the server has to know the item's id.
///
/// A queue is safe to use from several tasks, objects and processes at once; one of them delivers at a time.
public final class DurableQueue: Sendable {
    /// When delivery is tried again.
    public let policy: DeliveryPolicy

    let folder: QueueFolder
    let hub = UpdateHub()

    /// The most bytes that an item's header may have.
    public static let maximumHeaderLength = 256 << 10

    /// Where the items are kept.
    public var location: URL { URL(filePath: folder.path, directoryHint: .isDirectory) }

    /// Opens a queue, and makes it if need be.
    /// - Parameters:
    ///   - folder: A folder of the queue's own.
    ///   - identity: What the queue is for. Its files are bound to that: in a folder of another queue they do
    ///     not open.
    ///   - keys: Where the key is kept under which everything is encrypted.
    /// - Throws: ``QueueError`` when the folder cannot be used, or the key is missing or not this queue's.
    public init(
        in folder: URL,
        identity: String,
        keys: any KeyStore,
        policy: DeliveryPolicy = DeliveryPolicy()
    ) throws {
        self.policy = policy
        let disk = Disk(fault: policy.diskFault)
        self.folder = try QueueFolder(folder.path, identity: Data(identity.utf8), keys: keys, disk: disk)
    }

    // MARK: Queueing

    /// What an item brings, besides its header.
    public enum Payload: Sendable {
        /// Bytes in memory.
        case data(Data)
        /// What a file holds now; it is copied, and may be removed afterwards.
        case file(URL)
        /// `size` bytes, read in order while the item is written.
        case bytes(size: Int, read: @Sendable (_ position: Int, _ count: Int) throws -> Data)

        /// Its size in bytes, and what reads it at any position; fewer bytes at the end.
        func open() throws -> (size: Int, read: SealedFile.Source) {
            switch self {
            case .data(let data):
                return (data.count, { position, count in data.dropFirst(position).prefix(count) })
            case .bytes(let size, let read): return (size, { try read($0, max(0, min($1, size - $0))) })
            case .file(let url):
                let path = url.filePath
                do {
                    guard let file = try StoredFile(path) else {
                        throw QueueError.badItem("there is no file \(path)")
                    }
                    return (
                        file.size,
                        { position, count in
                            let piece = try file.read(at: position, count: count)
                            guard piece.count == min(count, file.size - position) else {
                                throw QueueError.badItem("\(path) became shorter while it was read")
                            }
                            return piece
                        }
                    )
                } catch let failure as StoredFile.Failure {
                    throw QueueError.badItem("\(path) cannot be read: \(failure)")
                }
            }
        }
    }

    /// Appends an item to the queue. Once this returns, the item survives a crash.
    /// - Parameters:
    ///   - header: What the app has to know of the item without reading the payload; at most
    ///     ``maximumHeaderLength`` bytes.
    ///   - payload: What is to be delivered.
    ///   - id: The item's id; unique in the queue.
    ///   - orderKey: Items with the same key are delivered in order, and stop together; a recipient's
    ///     address, say.
    ///   - predecessor: The item on which this one builds: it is delivered only after that one was.
    /// - Throws: ``QueueError``; then nothing is queued.
    @concurrent @discardableResult
    public func append(
        _ header: Data,
        payload: Payload? = nil,
        id: QueueItem.ID = UUID().uuidString.lowercased(),
        orderKey: String = "",
        after predecessor: QueueItem.ID? = nil
    ) async throws -> QueueItem {
        let count = header.count + id.utf8.count + orderKey.utf8.count + (predecessor?.utf8.count ?? 0)
        guard count <= DurableQueue.maximumHeaderLength else {
            throw QueueError.badItem(
                """
                the header, id and keys of an item have at most \(DurableQueue.maximumHeaderLength) \
                bytes, these \(count)
                """
            )
        }
        let source = try payload?.open()
        let entry = QueueEntry(
            id: id,
            orderKey: orderKey,
            predecessor: predecessor,
            queuedAt: Date().timeIntervalSince1970,
            payloadSize: source?.size,
            header: header
        )
        let number = try folder.append(entry, payload: source?.read)
        let item = QueueItem(entry: entry, number: number, state: .queued)
        hub.send(.queued(item))
        return item
    }

    // MARK: Reading

    /// The items in the queue, the first to be delivered first: those that wait, and those that were set
    /// aside or are damaged.
    @concurrent
    public func items() async throws -> [QueueItem] {
        try folder.scan().map(\.item).filter { !$0.isDelivered }
    }

    /// The items that arrived, as they were queued, as far as they are still remembered
    /// (``DeliveryPolicy/receipts``).
    @concurrent
    public func delivered() async throws -> [QueueItem] {
        try folder.scan().map(\.item).filter(\.isDelivered)
    }

    /// ``items()`` and ``delivered()`` at one moment, in the order in which they were queued.
    @concurrent
    package func itemsAndDelivered() async throws -> [QueueItem] { try folder.scan().map(\.item) }

    /// An item by its id.
    /// - Throws: ``QueueError/noSuchItem(id:)``.
    @concurrent
    public func item(_ id: QueueItem.ID) async throws -> QueueItem { try folder.stored(id).item }

    /// The payload of an item that is not delivered yet; `nil` without one.
    /// - Throws: ``QueueError/damaged(file:)``.
    @concurrent
    public func payload(of item: QueueItem) async throws -> Data? { try folder.openPayload(of: item)?.data() }

    /// The events that this object causes in the queue from now on. Read ``items()`` first, then follow
    /// these. Each call gives a sequence of its own, which ends with the queue.
    public var updates: AsyncStream<QueueUpdate> { hub.stream { $0 } }

    /// The same, each update converted for the listener.
    package func updates<Update: Sendable>(
        _ make: @escaping @Sendable (QueueUpdate) -> Update?
    ) -> AsyncStream<Update> { hub.stream(make) }

    // MARK: Deciding

    /// Puts an item that was set aside back into its position in the queue, and with it those that wait for
    /// it.
    /// - Parameter notes: Changes the deliverer's notes; by default they stay.
    public func retry(_ id: QueueItem.ID, notes: @escaping @Sendable (Data?) -> Data? = { $0 }) async throws {
        let item = try await exclusively {
            let stored = try self.folder.stored(id)
            if stored.item.isDamaged {
                throw QueueError.wrongState(
                    id: id,
                    reason: "its file is damaged; restore the file, or discard the item"
                )
            }
            guard let (progress, mark) = stored.pending, progress.setAside != nil else {
                throw QueueError.wrongState(
                    id: id,
                    reason: "it was not set aside, so there is nothing to retry; it is delivered in its turn"
                )
            }
            try self.folder.save(QueueProgress(notes: notes(progress.notes)), of: stored.item.number, mark)
            return stored.item.with(.queued)
        }
        hub.send(.queued(item))
    }

    /// Takes an item out of the queue for good. Items that build on it then find no predecessor.
    ///
    /// Waits until nothing is being delivered; an item whose response was lost may have arrived all the same.
    public func discard(_ id: QueueItem.ID) async throws {
        _ = try await discard { [try $0.stored(id).item] }
    }

    /// Takes everything out of the queue for good, including what it remembers of delivered items.
    ///
    /// Waits until nothing is being delivered. When this throws, some items may be gone; another call
    /// continues.
    /// - Returns: What was discarded.
    @discardableResult
    public func discardAll() async throws -> [QueueItem] { try await discard { try $0.scan().map(\.item) } }

    private func discard(_ find: @Sendable (QueueFolder) throws -> [QueueItem]) async throws -> [QueueItem] {
        let items = try await exclusively {
            let items = try find(self.folder)
            try self.folder.forget(items.map(\.number))
            return items
        }
        for item in items { hub.send(.discarded(item)) }
        return items
    }
}
