import DurableQueue
import Foundation
import IndivoBase
import Synchronization
import Testing

/// A disk that takes nothing any more.
@Suite struct ReadOnlyDiskTests {
    @Test(
        "a read-only disk takes nothing new, loses nothing, and everything can be read",
        arguments: [EROFS, EACCES, ENOSPC]
    )
    func readOnly(code: Int32) async throws {
        try await Scratch.use { scratch in
            let isReadOnly = Mutex(false)
            let fault: @Sendable (DiskStep) -> Int32 = { _ in isReadOnly.withLock { $0 } ? code : 0 }
            let queue = try scratch.queue(diskFault: fault)
            for name in ["a", "b"] {
                try await queue.append(name.data, payload: .data("payload \(name)".data))
            }
            isReadOnly.withLock { $0 = true }
            await #expect(throws: QueueError.self) { try await queue.append("c".data) }
            let items = try await queue.items()
            #expect(items.map(\.header) == ["a".data, "b".data] && items.allSatisfy { $0.state == .queued })
            #expect(try await queue.payload(of: items[0]) == "payload a".data)
            // What arrived and cannot be written down is offered again, under the same id.
            let offered = Mutex<[QueueItem.ID]>([])
            let deliverer: DurableQueue.Deliverer = { attempt in
                let id = attempt.item.id
                offered.withLock { $0.append(id) }
                return .delivered()
            }
            await #expect(throws: QueueError.self) { try await queue.deliver(deliverer) }
            isReadOnly.withLock { $0 = false }
            #expect(try await queue.deliver(deliverer).delivered.map(\.id) == items.map(\.id))
            #expect(offered.withLock { $0 } == [items[0].id, items[0].id, items[1].id])
        }
    }
}
