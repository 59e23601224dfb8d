import DurableQueue
import Foundation
import StudyDelivery

/// The process that is killed: an app that submits to a study and delivers.
///
/// It says on standard output what it may count on: `accepted INDEX ID` once a submission is on the disk.
/// What it does not know when it starts it learns from its queue, as an app would.
enum DeliveryClient {
    static func run(_ file: String) async throws -> Int32 {
        let plan = try JSONDecoder().decode(DeliveryPlan.self, from: Data(contentsOf: URL(filePath: file)))
        do {
            return try await run(plan)
        } catch QueueError.storage {
            return SoakClient.diskFailed
        } catch StudyError.storage {
            return SoakClient.diskFailed
        }
    }

    private static func run(_ plan: DeliveryPlan) async throws -> Int32 {
        let queue = try plan.openQueue(diskFault: plan.disk.disk)
        let endpoint = try plan.endpoint()
        if plan.role == .both {
            let count = try await queue.itemsAndDelivered().count
            var generator = SystemRandomNumberGenerator()
            // The last ones once more: the queue knows them.
            for index in max(0, count - 2)..<plan.count {
                let id = try await plan.submit(index, to: queue).submission.id.uuidString.lowercased()
                say("accepted \(index) \(id)")
                if Int.random(in: 0..<10, using: &generator) == 0 { try await queue.deliver(to: endpoint) }
            }
        }
        // A delivery stops where the network or the server does; there is always another one.
        for _ in 0..<60 {
            let report = try await queue.deliver(to: endpoint)
            if report.remaining == 0, plan.role == .both { return SoakClient.done }
        }
        return SoakClient.unfinished
    }

    /// Writes a line that is there even if the process is killed right after.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(1, bytes, bytes.count)
    }
}
