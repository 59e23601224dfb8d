import Foundation
import Indivo

/// One round through the queue, by whoever holds the delivery lock.
struct Delivery {
    let record: IndivoRecord
    let folder: OutboxFolder
    let policy: DeliveryPolicy
    let hub: UpdateHub

    private var report = DeliveryReport()
    /// The places of items whose files cannot be read.
    private var damaged: [Int] = []

    init(_ outbox: Outbox) {
        record = outbox.record
        folder = outbox.folder
        policy = outbox.policy
        hub = outbox.hub
    }

    /// Delivers what can be delivered, and what is queued meanwhile.
    mutating func run() async throws -> DeliveryReport {
        var tried: Set<Int> = []
        rounds: while true {
            let stored = try folder.scan()
            var fates = Dictionary(
                OutboxItem.all(in: stored).map { ($0.id, $0.state) }, uniquingKeysWith: { first, _ in first })
            damaged = stored.compactMap { if case .damaged = $0.content { $0.sequence } else { nil } }
            var isNew = false
            for place in stored where tried.insert(place.sequence).inserted {
                guard case .pending(let entry, let progress) = place.content, progress.setAside == nil else { continue }
                isNew = true
                let fate = try await deliver(entry, progress, place.sequence, fates)
                if case .queued = fate { break rounds }
                fates[entry.id] = fate
            }
            if !isNew { break }
        }
        let items = OutboxItem.all(in: try folder.scan())
        report.remaining = items.count { $0.state == .queued }
        try folder.keepReceipts(policy.receipts)
        hub.tell(.finished(report))
        return report
    }

    /// - Returns: How the change stands now; `queued` when delivery has to stop. One that was left for another process
    ///   counts as set aside for those that build on it.
    private mutating func deliver(
        _ entry: Entry, _ progress: Progress, _ sequence: Int, _ fates: [OutboxItem.ID: OutboxItem.State]
    ) async throws -> OutboxItem.State {
        hub.tell(.sending(OutboxItem(entry, sequence, .queued)))
        var delivery = ItemDelivery(
            record: record, folder: folder, policy: policy, sequence: sequence, entry: entry, progress: progress)
        let outcome: ItemDelivery.Outcome
        switch try await target(of: entry, sequence, fates) {
        case .waiting(let culprit): return .waiting(for: culprit)
        case .gone(let item): outcome = .setAside("it builds on item \(item), which was discarded and is not on the server")
        case .unknown(let error): outcome = try await delivery.fail(on: error)
        case .document(let target):
            do {
                outcome = try await delivery.run(target: target)
            } catch OutboxError.damaged(let file) {
                outcome = .setAside("\(file) is damaged: it is not what was written; restore it, or discard the item")
            }
        }
        switch outcome {
        case .delivered(let document):
            let receipt = Receipt(entry: entry, document: document, deliveredAt: Date().timeIntervalSince1970)
            try folder.settle(sequence, receipt)
            let item = OutboxItem(entry, sequence, .delivered(document: document))
            report.delivered.append(item)
            hub.tell(.delivered(item))
            return item.state
        case .setAside(let reason):
            return try setAside(entry, &delivery.progress, sequence, reason)
        case .skipped(let reason):
            report.skipped.append(DeliveryReport.Skipped(item: OutboxItem(entry, sequence, .queued), reason: reason))
            return .setAside(reason: reason)
        case .stopped(let stop):
            return stopped(stop)
        }
    }

    private mutating func stopped(_ stop: DeliveryStop) -> OutboxItem.State {
        report.stop = stop
        hub.tell(.stopped(stop))
        return .queued
    }

    private mutating func setAside(
        _ entry: Entry, _ progress: inout Progress, _ sequence: Int, _ reason: String
    ) throws -> OutboxItem.State {
        progress.setAside = reason
        try folder.save(progress, of: sequence)
        let item = OutboxItem(entry, sequence, .setAside(reason: reason))
        report.setAside.append(item)
        hub.tell(.setAside(item))
        return item.state
    }

    private enum Target {
        /// The document's id; "" for a document that is to be made.
        case document(String)
        case waiting(OutboxItem.ID)
        case gone(OutboxItem.ID)
        /// The server does not tell.
        case unknown(IndivoError)
    }

    /// What a change is about, now that everything before it had its turn.
    private func target(
        of entry: Entry, _ sequence: Int, _ fates: [OutboxItem.ID: OutboxItem.State]
    ) async throws -> Target {
        guard case .item(let item)? = entry.target else {
            if case .document(let id)? = entry.target { return .document(id) }
            return .document("")
        }
        switch fates[item] {
        case .delivered(let document)?: return .document(document)
        case .setAside?: return .waiting(item)
        case .waiting(let culprit)?: return .waiting(culprit)
        case .queued?, nil: break
        }
        // Delivered so long ago that it is forgotten, discarded, or one whose file cannot be read: the server knows.
        do {
            if let document = try await record.deliveredDocument(externalID: item) { return .document(document) }
            return damaged.first { $0 < sequence }.map { .waiting(OutboxItem.damagedID($0)) } ?? .gone(item)
        } catch let error as IndivoError {
            return .unknown(error)
        }
    }

    // MARK: One at a time

    /// Runs `body` while nothing is being delivered.
    @concurrent
    static func exclusively<Result: Sendable>(
        in folder: OutboxFolder, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        while true {
            if let lock = try folder.deliveryLock() {
                defer { withExtendedLifetime(lock) {} }
                return try await body()
            }
            // There is no way to be told when another process lets go of a lock.
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
