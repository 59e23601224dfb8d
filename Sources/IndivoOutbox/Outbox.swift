import Foundation
import Indivo
import Synchronization

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
/// - **Nothing is lost.** A change is on the disk, folder entry included, before the call that queues it returns. What a
///   server refuses for good is set aside with its reason, and stays until the app decides.
/// - **Nothing is done twice.** A document goes out under an external id made when it was queued; other changes go out
///   under one signature, of which a server takes one copy. After a lost answer the outbox looks what became of the
///   request before it repeats it.
/// - **In order.** Changes are delivered one after the other as they were queued. One that was set aside does not hold
///   up the others, but for those that build on it.
/// - **Unreadable to others.** Files are sealed with AES-GCM under the key of a ``KeyStore``, and their names say nothing.
///
/// An outbox is safe to use from several tasks, objects and processes at once; one of them delivers at a time.
public final class Outbox: Sendable {
    /// The record to which the changes go.
    public let record: IndivoRecord
    /// When delivery is tried again.
    public let policy: DeliveryPolicy

    let folder: OutboxFolder
    let hub = UpdateHub()

    /// Where the changes are kept.
    public var location: URL { URL(filePath: folder.path, directoryHint: .isDirectory) }

    /// Opens the outbox of a record; ``Indivo/IndivoRecord/outbox(in:keys:policy:)`` reads better.
    public convenience init(
        of record: IndivoRecord, in folder: URL? = nil, keys: any KeyStore = FileKeyStore.standard,
        policy: DeliveryPolicy = DeliveryPolicy()
    ) throws {
        try self.init(of: record, in: folder, keys: keys, policy: policy, diskFault: { _ in 0 })
    }

    /// An outbox on a disk that fails as `diskFault` says, with the system's error numbers; 0 is no fault.
    package init(
        of record: IndivoRecord, in folder: URL?, keys: any KeyStore, policy: DeliveryPolicy,
        diskFault: @escaping @Sendable (DiskStep) -> Int32
    ) throws {
        self.record = record
        self.policy = policy
        let root = folder ?? StandardFolder.data.appending(path: "outbox")
        self.folder = try OutboxFolder(
            of: record, in: root.path(percentEncoded: false).withoutTrailingSlash, keys: keys, disk: Disk(fault: diskFault))
    }

    /// What is in the outbox, the first to be delivered first; delivered items as far as they are still remembered.
    public func items() async throws -> [OutboxItem] { try await Self.items(in: folder) }

    /// An item by its id.
    /// - Throws: ``OutboxError/noSuchItem(id:)``.
    public func item(_ id: OutboxItem.ID) async throws -> OutboxItem {
        guard let item = try await items().first(where: { $0.id == id }) else { throw OutboxError.noSuchItem(id: id) }
        return item
    }

    /// What happens in the outbox from now on, as far as this object does it: begin with ``items()`` and follow up with
    /// these. Each call gives a sequence of its own, which ends with the outbox.
    public var updates: AsyncStream<OutboxUpdate> { hub.stream() }

    /// Puts an item that was set aside back into its place in the queue, and with it those that wait for it.
    ///
    /// It is made anew. Only where it could not be seen, when it was set aside, whether the server has it, that is looked
    /// for first.
    public func retry(_ id: OutboxItem.ID) async throws {
        let stored = try await Delivery.exclusively(in: folder) { try self.setAside(id) }
        guard case .pending = stored.content else {
            throw OutboxError.wrongState(id: id, reason: "its file is damaged; restore the file, or discard the item")
        }
        hub.tell(.queued(try await item(id)))
    }

    /// Takes an item out of the outbox for good. Items that build on it are then set aside.
    ///
    /// Waits until nothing is being delivered; an item whose answer was lost may be on the server all the same.
    public func discard(_ id: OutboxItem.ID) async throws {
        let item = try await Delivery.exclusively(in: folder) {
            let stored = try self.folder.scan()
            guard let item = OutboxItem.all(in: stored).first(where: { $0.id == id }) else {
                throw OutboxError.noSuchItem(id: id)
            }
            try self.folder.forget(item.sequence)
            return item
        }
        hub.tell(.discarded(item))
    }

    private func setAside(_ id: OutboxItem.ID) throws -> OutboxFolder.Stored {
        let stored = try folder.scan()
        guard let item = OutboxItem.all(in: stored).first(where: { $0.id == id }),
            let place = stored.first(where: { $0.sequence == item.sequence })
        else { throw OutboxError.noSuchItem(id: id) }
        guard case .setAside = item.state else {
            throw OutboxError.wrongState(id: id, reason: "it was not set aside, so there is nothing to retry; flush delivers it")
        }
        if case .pending(_, var progress) = place.content {
            if progress.isUnsure != true {
                // It is known not to be done. What was kept to find it by would find an equal change made since, too.
                progress.stamp = nil
                progress.equalChangesBefore = nil
            }
            progress.setAside = nil
            progress.serverFailures = 0
            progress.networkFailures = nil
            progress.isUnsure = nil
            try folder.save(progress, of: item.sequence)
        }
        return place
    }

    @concurrent
    private static func items(in folder: OutboxFolder) async throws -> [OutboxItem] {
        OutboxItem.all(in: try folder.scan())
    }
}

extension IndivoRecord {
    /// The outbox of this record, which takes changes while there is no network. Opening it needs none either.
    ///
    /// - Parameters:
    ///   - folder: Where outboxes are kept; each record has a folder of its own in it. Unless given,
    ///     `$XDG_DATA_HOME/indivo/outbox` or `~/.local/share/indivo/outbox`; on Apple's systems in Application Support.
    ///   - keys: Where the key is kept under which everything is encrypted.
    ///   - policy: When delivery is tried again.
    /// - Throws: ``OutboxError`` when the folder cannot be used, or the key is missing or not this outbox's.
    public func outbox(
        in folder: URL? = nil, keys: any KeyStore = FileKeyStore.standard, policy: DeliveryPolicy = DeliveryPolicy()
    ) throws -> Outbox {
        try Outbox(of: self, in: folder, keys: keys, policy: policy)
    }
}

extension String {
    fileprivate var withoutTrailingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
