import DurableQueue
import Foundation
import Indivo

/// A change in an outbox, and how far it has come.
public struct OutboxItem: Sendable, Identifiable, CustomStringConvertible {
    private let item: QueueItem
    private let queued: QueuedChange?

    /// What an item of the queue is to a record.
    init(_ item: QueueItem) {
        self.item = item
        queued = try? QueuedChange(of: item)
    }

    /// The change's id, a UUID in lower case. Of a document or a new version it is also the external id under
    /// which it is sent, so it can be found on the server by it; of a document that was sent before, it is
    /// the id of that time.
    public var id: String { item.id }
    /// Its position in the queue; earlier ones have smaller numbers.
    public var sequence: Int { item.number }
    /// What the change is about; `nil` for a new document.
    public var target: Target? {
        item.predecessor.map { .item($0) } ?? queued?.document.map { .document(id: $0) }
    }
    /// The name of the document's model, where the change brings a document that is one.
    public var model: String? { queued?.model }
    /// The size of the document in bytes.
    public var byteCount: Int { item.payloadSize ?? 0 }
    /// When it was queued, by this device's clock.
    public var queuedAt: Date { item.queuedAt }
    /// The kind, the id and how far it has come, never what the change says of the patient.
    public var description: String { "\(change) \(id), \(state.summary)" }

    /// Whether the server has it.
    public var isDelivered: Bool { item.isDelivered }

    /// What is to be done.
    public var change: Change {
        switch queued?.kind {
        case .add?, nil: .add
        case .replace?, .patch?: .replace
        case .status?: .setStatus(queued?.documentStatus ?? .active, reason: queued?.reason ?? "")
        case .label?: .setLabel(queued?.label ?? "")
        }
    }

    /// How far it has come.
    public var state: State {
        switch item.state {
        case .queued: .queued
        case .waiting(let blocker): .waiting(for: blocker)
        case .setAside(let reason): .setAside(reason: reason)
        case .damaged(let reason): .setAside(reason: "\(reason); restore it from a backup, or discard it")
        case .delivered(let receipt): .delivered(document: String(decoding: receipt, as: UTF8.self))
        }
    }

    /// What is to be done.
    public enum Change: Sendable, Hashable, CustomStringConvertible {
        /// Add a new document.
        case add
        /// Store a new version of a document.
        case replace
        /// Set a document's status.
        case setStatus(DocumentStatus, reason: String)
        /// Set a document's label.
        case setLabel(String)

        /// The kind of change in a word or two.
        public var description: String {
            switch self {
            case .add: "add"
            case .replace: "replace"
            case .setStatus(let status, _): "set status \(status.rawValue)"
            case .setLabel: "set label"
            }
        }
    }

    /// A document that a change is about.
    public enum Target: Sendable, Hashable {
        /// One that the server has, by its id.
        case document(id: String)
        /// What another item of the outbox makes, by that item's id.
        case item(OutboxItem.ID)
    }

    /// How far a change has come.
    public enum State: Sendable, Hashable {
        /// It waits for its turn, or for the network.
        case queued
        /// It waits for another item that was set aside, and goes when that one went.
        case waiting(for: OutboxItem.ID)
        /// It was set aside for this reason, and stays until ``Outbox/retry(_:)`` or ``Outbox/discard(_:)``.
        case setAside(reason: String)
        /// The server has it; the id is that of the document it made or was about.
        case delivered(document: String)

        /// The state in a few words, without a reason: that may quote the document.
        var summary: String {
            switch self {
            case .queued: "queued"
            case .waiting(let blocker): "waiting for item \(blocker)"
            case .setAside: "set aside"
            case .delivered: "delivered"
            }
        }
    }
}
