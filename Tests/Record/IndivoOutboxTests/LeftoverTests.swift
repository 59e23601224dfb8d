import Foundation
import Indivo
import IndivoBase
import IndivoOutbox
import Synchronization
import Testing

@Suite("What a process that died leaves in an outbox")
struct LeftoverTests {
    /// The process dies, or the disk fails, after the receipt and before the change is removed.
    private static let dies: @Sendable (DiskStep) -> Int32 = { $0 == .remove ? EIO : 0 }

    private func names(_ outbox: Outbox, _ suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: outbox.location.path).filter {
            $0.hasSuffix(suffix)
        }
    }

    @Test(
        "a delivered change that is still there beside its receipt is never sent again",
        arguments: [true, false]
    )
    func settled(isOpenedBefore: Bool) async throws {
        try await Place.use { place in
            let record = place.record()
            let document = medication("A")
            try await record.add(document)
            let id = try #require(document.id)
            let before = try place.outbox(receipts: 1)
            let dying = try place.outbox(diskFault: Self.dies)
            try await dying.setLabel("old", of: document)
            await #expect(throws: OutboxError.self) { try await dying.flush() }
            #expect(try names(dying, ".item").count == 1 && names(dying, ".receipt").count == 1)

            let outbox = isOpenedBefore ? before : try place.outbox(receipts: 1)
            if !isOpenedBefore {
                #expect(try names(outbox, ".item").isEmpty && names(outbox, ".progress").isEmpty)
            }
            #expect(try await outbox.delivered().map(\.state) == [.delivered(document: id)])
            try await outbox.setLabel("new", of: document)
            #expect(try await outbox.flush().delivered.count == 1)
            #expect(try await outbox.flush().delivered.isEmpty)
            #expect(try await place.outbox().flush().delivered.isEmpty)
            #expect(try await record.document(id).metadata?.label == "new")
            #expect(try names(outbox, ".item").isEmpty && names(outbox, ".progress").isEmpty)
            #expect(try names(outbox, ".receipt").count == 1)
        }
    }

    @Test("a disk that fails at any step of trimming brings nothing back")
    func trimming() async throws {
        try await Place.use { place in
            let record = place.record()
            let document = medication("A")
            try await record.add(document)
            let id = try #require(document.id)
            for failing in 0..<12 {
                let dying = try place.outbox(diskFault: Self.dies)
                try await dying.setLabel("old \(failing)", of: document)
                await #expect(throws: OutboxError.self) { try await dying.flush() }
                try await dying.setLabel("new \(failing)", of: document)
                let steps = Mutex(0)
                let begun = Mutex(false)
                let trimming = try place.outbox(
                    receipts: 1,
                    diskFault: { _ in
                        guard begun.withLock({ $0 }) else { return 0 }
                        return steps.withLock { steps in
                            defer { steps += 1 }
                            return steps >= failing ? EIO : 0
                        }
                    }
                )
                begun.withLock { $0 = true }
                _ = try? await trimming.flush()
                let calm = try place.outbox(receipts: 1)
                _ = try await calm.flush()
                #expect(try await calm.flush().delivered.isEmpty)
                #expect(try await record.document(id).metadata?.label == "new \(failing)", "step \(failing)")
            }
        }
    }

    @Test("a change whose receipt cannot be read is neither sent nor forgotten")
    func damagedReceipt() async throws {
        try await Place.use { place in
            let record = place.record()
            let document = medication("A")
            try await record.add(document)
            let id = try #require(document.id)
            let dying = try place.outbox(diskFault: Self.dies)
            let item = try await dying.setLabel("old", of: document)
            await #expect(throws: OutboxError.self) { try await dying.flush() }
            let receipt = dying.location.appending(path: try #require(try names(dying, ".receipt").first))
            try Data("not ours".utf8).write(to: receipt)
            let outbox = try place.outbox(receipts: 1)
            for name in ["new", "newer"] {
                try await outbox.setLabel(name, of: document)
                #expect(try await outbox.flush().delivered.count == 1)
            }
            #expect(try await record.document(id).metadata?.label == "newer")
            let left = try #require(try await outbox.items().first)
            #expect(left.sequence == item.sequence && left.state.isSetAside)
            try await outbox.discard(left.id)
            #expect(try await outbox.flush().delivered.isEmpty)
            #expect(try names(outbox, ".item").isEmpty)
        }
    }

    @Test("a change behind a damaged one waits, and learns when that one was discarded")
    func behindDamaged() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let document = medication("A")
            let item = try await outbox.add(document)
            let label = try await outbox.setLabel("label", of: document)
            let file = outbox.location.appending(path: "00000000000\(item.sequence).item")
            let content = try Data(contentsOf: file)
            try Data("not ours".utf8).write(to: file)
            let report = try await outbox.flush()
            #expect(report.setAside.isEmpty && report.delivered.isEmpty && report.stop == nil)
            // Once the file is there again both go.
            try content.write(to: file)
            #expect(try await outbox.flush().delivered.map(\.id) == [item.id, label.id])
        }
    }

    @Test("opening makes others' changes durable, and does not need a writable disk")
    func opening() async throws {
        try await Place.use { place in
            try await place.outbox().add(medication("A"))
            let synced = Mutex(0)
            let outbox = try place.outbox(diskFault: { step in
                if step == .syncFolder { synced.withLock { $0 += 1 } }
                return 0
            })
            #expect(try await outbox.items().count == 1)
            #expect(synced.withLock { $0 } >= 3)
            #expect(throws: OutboxError.self) { try place.outbox(diskFault: { $0 == .syncFolder ? EIO : 0 }) }
            #expect(try await place.outbox(diskFault: { _ in EROFS }).items().count == 1)
        }
    }
}
