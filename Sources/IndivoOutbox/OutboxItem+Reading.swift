import DurableQueue
import Foundation
import Indivo

extension OutboxItem {
    /// What an item of the queue is to a record.
    init(_ item: QueueItem) {
        id = item.id
        sequence = item.number
        byteCount = item.payloadSize ?? 0
        queuedAt = item.queuedAt
        let queued = try? JSONDecoder().decode(QueuedChange.self, from: item.header)
        change =
            switch queued?.kind {
            case .add?, nil: .add
            case .replace?, .patch?: .replace
            case .status?: .setStatus(DocumentStatus(rawValue: queued?.status ?? "") ?? .active, reason: queued?.reason ?? "")
            case .label?: .setLabel(queued?.label ?? "")
            }
        target = item.predecessor.map { .item($0) } ?? queued?.document.map { .document(id: $0) }
        model = queued?.model
        state =
            switch item.state {
            case .queued: .queued
            case .waiting(let culprit): .waiting(for: culprit)
            case .setAside(let reason): .setAside(reason: reason)
            case .damaged(let reason): .setAside(reason: "\(reason); restore it from a backup, or discard it")
            case .delivered(let receipt): .delivered(document: String(decoding: receipt, as: UTF8.self))
            }
    }
}
