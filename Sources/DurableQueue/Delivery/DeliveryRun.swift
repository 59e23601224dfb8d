import Foundation

/// One run through a queue, by whoever holds the delivery lock.
struct DeliveryRun {
    private let folder: QueueFolder
    private let policy: DeliveryPolicy
    private let hub: UpdateHub
    private let deliverer: DurableQueue.Deliverer

    private var report = QueueReport()

    init(_ queue: DurableQueue, _ deliverer: @escaping DurableQueue.Deliverer) {
        folder = queue.folder
        policy = queue.policy
        hub = queue.hub
        self.deliverer = deliverer
    }

    /// Delivers what can be delivered, and what is queued meanwhile.
    mutating func run() async throws -> QueueReport {
        var tried: Set<Int> = []
        var isNew = true
        while isNew {
            isNew = false
            let stored = try folder.scan()
            let items = QueueItem.all(in: stored)
            var states = Dictionary(items.map { ($0.id, $0.state) }, uniquingKeysWith: { first, _ in first })
            for (stored, item) in zip(stored, items) where tried.insert(stored.number).inserted {
                guard case .pending(_, let progress, let mark) = stored.content, progress.setAside == nil,
                    report.stopped[item.orderKey] == nil
                else { continue }
                isNew = true
                let predecessor: DeliveryAttempt.Predecessor
                switch item.predecessor.map({ states[$0] }) {
                case nil: predecessor = .none
                case .delivered(let receipt)??: predecessor = .delivered(receipt: receipt)
                case nil?:
                    predecessor = .unknown(damaged: items.first { $0.isDamaged && $0.number < item.number }?.id)
                case .setAside??, .damaged??:
                    states[item.id] = item.predecessor.map { .waiting(for: $0) }
                    continue
                case .waiting(let culprit)??:
                    states[item.id] = .waiting(for: culprit)
                    continue
                // It stands still with its own order key.
                case .queued??: continue
                }
                hub.send(.sending(item.with(.queued)))
                var attempt = DeliveryAttempt(item.with(.queued), progress, mark, after: predecessor, in: folder)
                states[item.id] = try await deliver(&attempt)
            }
        }
        report.remaining = QueueItem.all(in: try folder.scan()).count { $0.state == .queued }
        try folder.tidy(receipts: policy.receipts)
        hub.send(.finished(report))
        return report
    }

    /// - Returns: How the item stands now for those that build on it.
    private mutating func deliver(_ attempt: inout DeliveryAttempt) async throws -> QueueItem.State {
        let item = attempt.item
        switch try await outcome(&attempt) {
        case .delivered(let receipt):
            try attempt.finish(receipt)
            let item = item.with(.delivered(receipt: receipt))
            report.delivered.append(item)
            hub.send(.delivered(item))
            return item.state
        case .setAside(let reason):
            try attempt.keep(setAside: reason)
            let item = item.with(.setAside(reason: reason))
            report.setAside.append(item)
            hub.send(.setAside(item))
            return item.state
        case .tryAgain(let error), .stopped(let error):
            report.stopped[item.orderKey] = error
            hub.send(.stopped(orderKey: item.orderKey, error))
            return .queued
        case .skipped(let reason):
            report.skipped.append((item, reason))
            return .setAside(reason: reason)
        case .waiting(let culprit):
            return .waiting(for: culprit)
        }
    }

    /// What the deliverer says, after as many attempts as it takes.
    private func outcome(_ attempt: inout DeliveryAttempt) async throws -> DeliveryOutcome {
        var number = 0
        while true {
            number += 1
            try Task.checkCancellation()
            let outcome: DeliveryOutcome
            do {
                outcome = try await deliverer(&attempt)
            } catch QueueError.damaged(let file) {
                return .setAside(reason: "\(file) is damaged: it is not what was written; restore it, or discard the item")
            }
            guard case .tryAgain(let error) = outcome else { return outcome }
            try Task.checkCancellation()
            attempt.failures += 1
            if attempt.failures >= policy.networkFailures {
                return .setAside(reason: "it failed \(attempt.failures) times. \(error)")
            }
            guard number < policy.attempts else {
                try attempt.keepNotes()
                return .stopped(error)
            }
            try await policy.pause(after: number)
        }
    }
}

extension QueueItem {
    var isDamaged: Bool { if case .damaged = state { true } else { false } }

    func with(_ state: State) -> QueueItem {
        var item = self
        item.state = state
        return item
    }
}
