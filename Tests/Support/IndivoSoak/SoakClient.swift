import Foundation
import Indivo
import IndivoModel
import IndivoOutbox
import IndivoTesting

/// The process that is killed: an app that queues the steps of a script and delivers them.
///
/// It says on standard output what it may count on, one line each: `accepted STEP ITEM` once a step is
/// queued, `rejected STEP` when the disk refused it, and `told STEP` when what was queued came from a report.
/// What it does not know when it starts it learns from its outbox, as an app would.
struct SoakClient {
    /// Exit statuses.
    static let done: Int32 = 0
    static let diskFailed: Int32 = 3
    static let unfinished: Int32 = 4

    let plan: ClientPlan

    static func run(_ file: String) async throws -> Int32 {
        let plan = try JSONDecoder().decode(ClientPlan.self, from: Data(contentsOf: URL(filePath: file)))
        do {
            return try await SoakClient(plan: plan).run()
        } catch OutboxError.storage {
            return diskFailed
        }
    }

    private func run() async throws -> Int32 {
        let outbox = try plan.openOutbox(diskFault: plan.disk.disk)
        switch plan.role {
        case .both: try await queue(outbox)
        case .delivering: break
        }
        // A delivery stops where the network or the server does; there is always another one.
        for _ in 0..<60 {
            let report = try await outbox.flush()
            if report.remaining == 0, plan.role == .both { return SoakClient.done }
        }
        return SoakClient.unfinished
    }

    private func queue(_ outbox: Outbox) async throws {
        let script = plan.script
        var items = Dictionary(
            uniqueKeysWithValues: try await outbox.itemsAndDelivered().map { ($0.sequence - 1, $0.id) }
        )
        var generator = SeededGenerator(seed: plan.seed, part: plan.epoch, plan.recordNumber, 2, items.count)
        for index in items.count..<script.steps.count {
            do {
                let item = try await queue(index, of: script, items, outbox)
                items[index] = item.id
                say("accepted \(index) \(item.id)")
            } catch OutboxError.storage(let reason, let code, let mayBeQueued) {
                if !mayBeQueued { say("rejected \(index)") }
                throw OutboxError.storage(reason: reason, code: code, mayBeQueued: mayBeQueued)
            }
            if generator.happens(0.2) { try await outbox.flush() }
        }
    }

    private func queue(
        _ index: Int,
        of script: Script,
        _ items: [Int: OutboxItem.ID],
        _ outbox: Outbox
    ) async throws -> OutboxItem {
        let step = script.steps[index]
        guard let target = step.target else {
            // Some are made to be refused by the server.
            return try await outbox.add(script.document(index), validation: .none)
        }
        guard let item = items[target] else { throw SoakFailure("step \(target) is not in the outbox") }
        switch step {
        case .replace:
            // What a report told is changed where a report could have told it.
            if index.isMultiple(of: 2), let told = try await report(on: target, of: script, item, outbox) {
                let new = script.document(index)
                told.drugName = new.drugName
                told.instructions = new.instructions
                let queued = try await outbox.replace(told, validation: .none)
                say("told \(index)")
                return queued
            }
            return try await outbox.replace(.item(item), with: script.document(index), validation: .none)
        case .setStatus(let status, _):
            return try await outbox.setStatus(status, of: .item(item), reason: script.reason(index))
        case .setLabel, .add, .addRefused:
            return try await outbox.setLabel(script.label(index), of: .item(item))
        }
    }

    /// The document of a step as a report tells it; `nil` as long as it is not on the server.
    private func report(
        on step: Int,
        of script: Script,
        _ item: OutboxItem.ID,
        _ outbox: Outbox
    ) async throws -> Medication? {
        guard case .delivered(let id) = try await outbox.item(item).state else { return nil }
        let told = try Medication.read(from: script.document(step).xml())
        told.id = id
        told.documentStage = .inRecord(plan.openRecord())
        told.isFromReport = true
        return told
    }

    /// Writes a line that is there even if the process is killed right after.
    private func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(1, bytes, bytes.count)
    }
}

/// Something that the soak itself cannot do.
struct SoakFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
