import Foundation
import Indivo

extension OutboxItem {
    /// The items of an outbox, from what its folder holds.
    static func all(in stored: [OutboxFolder.Stored]) -> [OutboxItem] {
        var stuck: [OutboxItem.ID: OutboxItem.ID] = [:]
        return stored.map { place in
            switch place.content {
            case .damaged:
                return OutboxItem(damaged: place.sequence)
            case .delivered(let receipt):
                return OutboxItem(receipt.entry, place.sequence, .delivered(document: receipt.document))
            case .pending(let entry, let progress):
                var state = State.queued
                if let reason = progress.setAside {
                    state = .setAside(reason: reason)
                    stuck[entry.id] = entry.id
                } else if case .item(let target)? = entry.target, let culprit = stuck[target] {
                    state = .waiting(for: culprit)
                    stuck[entry.id] = culprit
                }
                return OutboxItem(entry, place.sequence, state)
            }
        }
    }

    init(_ entry: Entry, _ sequence: Int, _ state: State) {
        id = entry.id
        self.sequence = sequence
        change =
            switch entry.change {
            case .add: .add
            case .replace, .patch: .replace
            case .status: .setStatus(DocumentStatus(rawValue: entry.status ?? "") ?? .active, reason: entry.reason ?? "")
            case .label: .setLabel(entry.label ?? "")
            }
        target = entry.target.map {
            switch $0 {
            case .document(let id): .document(id: id)
            case .item(let id): .item(id)
            }
        }
        model = entry.model
        byteCount = entry.byteCount
        queuedAt = Date(timeIntervalSince1970: entry.queuedAt)
        self.state = state
    }

    /// The id of an item whose file cannot be read.
    static func damagedID(_ sequence: Int) -> ID { "damaged-\(sequence)" }

    /// A file that cannot be read: all that is known is where it stood.
    private init(damaged sequence: Int) {
        id = OutboxItem.damagedID(sequence)
        self.sequence = sequence
        change = .add
        target = nil
        model = nil
        byteCount = 0
        queuedAt = .distantPast
        state = .setAside(reason: "its file is damaged: it is not what was written; restore it from a backup, or discard it")
    }
}
