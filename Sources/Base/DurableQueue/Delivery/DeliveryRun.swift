import Foundation

/// One run through a queue, by whoever holds the delivery lock.
struct DeliveryRun {
    let queue: DurableQueue
    let deliverer: DurableQueue.Deliverer
    var report = QueueReport()

    /// Delivers what can be delivered, and what is queued meanwhile.
    mutating func run() async throws -> QueueReport {
        var tried: Set<Int> = []
        var isNew = true
        while isNew {
            isNew = false
            let stored = try queue.folder.scan()
            var states = Dictionary(firstOf: stored.map { ($0.item.id, $0.item.state) })
            for one in stored where tried.insert(one.item.number).inserted {
                let item = one.item.with(.queued)
                guard let (progress, mark) = one.pending, progress.setAside == nil,
                    report.stopped[item.orderKey] == nil
                else { continue }
                isNew = true
                let predecessor: DeliveryAttempt.Predecessor
                switch item.predecessor.map({ states[$0] }) {
                case nil: predecessor = .none
                case .delivered(let receipt)??: predecessor = .delivered(receipt: receipt)
                case nil?:
                    predecessor = .unknown(
                        damaged: stored.first { $0.item.isDamaged && $0.item.number < item.number }?.item.id
                    )
                case .setAside??, .damaged??:
                    states[item.id] = item.predecessor.map { .waiting(for: $0) }
                    continue
                case .waiting(let blocker)??:
                    states[item.id] = .waiting(for: blocker)
                    continue
                // The predecessor is still queued, since its order key has stopped.
                case .queued??: continue
                }
                queue.hub.send(.sending(item))
                var attempt = DeliveryAttempt(
                    item: item,
                    predecessor: predecessor,
                    progress: progress,
                    mark: mark,
                    folder: queue.folder
                )
                states[item.id] = try await deliver(&attempt)
            }
        }
        report.remaining = try queue.folder.scan().count { $0.item.state == .queued }
        try queue.folder.tidy(receipts: queue.policy.receipts)
        queue.hub.send(.finished(report))
        return report
    }

    /// - Returns: The item's state for the items that build on it.
    private mutating func deliver(_ attempt: inout DeliveryAttempt) async throws -> QueueItem.State {
        let item = attempt.item
        switch try await outcome(&attempt) {
        case .delivered(let receipt):
            try attempt.finish(receipt)
            let item = item.with(.delivered(receipt: receipt))
            report.delivered.append(item)
            queue.hub.send(.delivered(item))
            return item.state
        case .setAside(let reason):
            try attempt.keep(setAside: reason)
            let item = item.with(.setAside(reason: reason))
            report.setAside.append(item)
            queue.hub.send(.setAside(item))
            return item.state
        case .tryAgain(let error), .stopped(let error):
            report.stopped[item.orderKey] = error
            queue.hub.send(.stopped(orderKey: item.orderKey, error))
            return .queued
        case .skipped(let reason):
            report.skipped.append((item, reason))
            return .setAside(reason: reason)
        case .waiting(let blocker): return .waiting(for: blocker)
        }
    }

    /// The deliverer's outcome, after as many attempts as are needed.
    private func outcome(_ attempt: inout DeliveryAttempt) async throws -> DeliveryOutcome {
        var number = 0
        while true {
            number += 1
            try Task.checkCancellation()
            let outcome: DeliveryOutcome
            do { outcome = try await deliverer(&attempt) } catch QueueError.damaged(let file) {
                return .setAside(
                    reason: "\(file) is damaged: it is not what was written; restore it, or discard the item"
                )
            }
            guard case .tryAgain(let error) = outcome else { return outcome }
            try Task.checkCancellation()
            attempt.progress.failures += 1
            if attempt.failures >= queue.policy.networkFailures {
                return .setAside(reason: "it failed \(attempt.failures) times. \(error)")
            }
            guard number < queue.policy.attempts else {
                try attempt.keepNotes()
                return .stopped(error)
            }
            try await queue.policy.pause(after: number)
        }
    }
}
