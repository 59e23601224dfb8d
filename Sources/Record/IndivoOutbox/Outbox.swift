import DurableQueue
import Foundation
import Indivo
import IndivoBase

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Takes changes to a record while there is no network, and delivers them later.
///
/// ```swift
/// let outbox = try record.outbox()
///
/// let medication = Medication()
/// medication.drugName = CodedValue(title: "Vitamin C 500 MG", system: .rxNorm, identifier: "316153")
/// try await outbox.add(medication)                  // kept, encrypted and durable, when this returns
/// medication.instructions = "one a day"
/// try await outbox.replace(medication)              // goes after the first version, whenever that goes
/// try await outbox.setStatus(.archived, of: medication, reason: "finished")
///
/// let report = try await outbox.flush()             // delivers what can be delivered now
/// ```
/// What it promises:
/// - **Nothing is lost.** A change is on the disk, folder entry included, before the call that queues it
///   returns. What a server refuses for good is set aside with its reason, and stays until the app decides.
/// - **Nothing is done twice.** A document goes out under an external id made when it was queued; other
///   changes go out under one signature, of which a server takes one copy. After a lost response the outbox
///   checks what became of the request before it sends it again.
/// - **In order.** Changes are delivered one after the other as they were queued. One that was set aside does
///   not hold up the others, but for those that build on it.
/// - **Unreadable to others.** Files are sealed with AES-GCM under the key of a ``/DurableQueue/KeyStore``,
///   and their names say nothing.
///
/// An outbox is safe to use from several tasks, objects and processes at once; one of them delivers at a
/// time.
public final class Outbox: Sendable {
    /// The record to which the changes go.
    public let record: IndivoRecord
    let queue: DurableQueue

    /// Where the changes are kept.
    public var location: URL { queue.location }

    /// When delivery is tried again.
    public var policy: DeliveryPolicy { queue.policy }

    /// Opens the outbox of a record; ``Indivo/IndivoRecord/outbox(in:keys:policy:)`` reads better.
    public init(
        of record: IndivoRecord,
        in folder: URL? = nil,
        keys: any KeyStore = FileKeyStore.standard,
        policy: DeliveryPolicy = DeliveryPolicy()
    ) throws {
        self.record = record
        let identity = [IndivoSession.place(record.server.api), record.server.app.id, record.id].joined(
            separator: "\n"
        )
        // The ids name the record and the app; the folder's name does not.
        let name = Hexadecimal.encode(SHA256.hash(data: Data(identity.utf8)).prefix(16))
        let root = folder ?? BaseFolder.standard(.data).appending(path: "outbox")
        queue = try DurableQueue(
            in: root.appending(path: name),
            identity: identity,
            keys: keys,
            policy: policy
        )
    }

    // MARK: Reading

    /// The changes that are still to be delivered, the first one first: those that wait, and those that were
    /// set aside.
    public func items() async throws -> [OutboxItem] { try await queue.items().map { OutboxItem($0) } }

    /// The changes that the server has, as they were queued, as far as they are still remembered
    /// (``/DurableQueue/DeliveryPolicy/receipts``).
    public func delivered() async throws -> [OutboxItem] {
        try await queue.delivered().map { OutboxItem($0) }
    }

    /// ``items()`` and ``delivered()`` of one moment, as they were queued.
    package func itemsAndDelivered() async throws -> [OutboxItem] {
        try await queue.itemsAndDelivered().map { OutboxItem($0) }
    }

    /// An item by its id.
    /// - Throws: ``/DurableQueue/QueueError/noSuchItem(id:)``.
    public func item(_ id: OutboxItem.ID) async throws -> OutboxItem { OutboxItem(try await queue.item(id)) }

    /// The events in the outbox from now on that this object causes: begin with ``items()`` and continue with
    /// these. Each call gives a sequence of its own, which ends with the outbox.
    public var updates: AsyncStream<OutboxUpdate> { queue.updates { OutboxUpdate($0) } }

    // MARK: Delivering

    /// Delivers what can be delivered now, in order, and what is queued while it does.
    ///
    /// A missing network is not an error: it ends the delivery, and the report says so. When another task or
    /// process is delivering this outbox, waits until that is done.
    ///
    /// Safe to cancel at any moment. If a request was under way then, the next delivery checks on the server
    /// what became of it.
    /// - Throws: `CancellationError`; ``OutboxError`` when the disk fails. What was not delivered stays in
    ///   the outbox.
    @discardableResult
    public func flush() async throws -> DeliveryReport { DeliveryReport(try await queue.deliver(deliver)) }

    /// Delivers for as long as the task runs: at once, when something is queued through this object, and
    /// again after pauses that grow while the server cannot be reached.
    ///
    /// ```swift
    /// let delivery = Task { try await outbox.run() }
    /// …
    /// delivery.cancel()
    /// ```
    /// - Throws: `CancellationError` in the end; ``OutboxError`` when the disk fails.
    public func run() async throws { try await queue.run(deliver) }

    private var deliver: DurableQueue.Deliverer {
        { [record, policy] attempt in
            var delivery = try ItemDelivery(attempt, to: record, policy: policy)
            defer { attempt = delivery.attempt }
            return try await delivery.run()
        }
    }

    // MARK: Deciding

    /// Puts an item that was set aside back into its position in the queue, and with it those that wait for
    /// it.
    ///
    /// It is made anew. Only where it was unknown, when it was set aside, whether the server has it, the
    /// server is searched first.
    public func retry(_ id: OutboxItem.ID) async throws {
        try await queue.retry(id) { try? DeliveryNotes($0).retried.data() }
    }

    /// Takes an item out of the outbox for good. Items that build on it are then set aside.
    ///
    /// Waits until nothing is being delivered; an item whose response was lost may be on the server all the
    /// same.
    public func discard(_ id: OutboxItem.ID) async throws { try await queue.discard(id) }
}

extension IndivoRecord {
    /// The outbox of this record, which takes changes while there is no network. Opening it needs none
    /// either.
    /// - Parameters:
    ///   - folder: Where outboxes are kept; each record has a folder of its own in it. Unless given,
    ///     `$XDG_DATA_HOME/indivo/outbox` or `~/.local/share/indivo/outbox`; on Apple's systems in
    ///     Application Support.
    ///   - keys: Where the key is kept under which everything is encrypted.
    /// - Throws: ``OutboxError`` when the folder cannot be used, or the key is missing or not this outbox's.
    public func outbox(
        in folder: URL? = nil,
        keys: any KeyStore = FileKeyStore.standard,
        policy: DeliveryPolicy = DeliveryPolicy()
    ) throws -> Outbox { try Outbox(of: self, in: folder, keys: keys, policy: policy) }
}
