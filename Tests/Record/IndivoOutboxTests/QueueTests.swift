import Foundation
import Indivo
import IndivoOutbox
import IndivoTesting
import Testing

@Suite("The queue of an outbox")
struct QueueTests {
    @Test("what breaks rules of its model is not queued, unless told otherwise")
    func validation() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let document = refused("bad")
            let error = await #expect(throws: IndivoError.self) { try await outbox.add(document) }
            guard case .invalidDocument(let problems)? = error?.reason else { throw try #require(error) }
            #expect(problems.map(\.property) == ["instructions"])
            #expect(try await outbox.items().isEmpty && document.state == .new)
            try await outbox.add(document, validation: .none)
            document.startDate = nil
            await #expect(throws: IndivoError.self) { try await outbox.replace(document) }
            #expect(try await outbox.items().map(\.change) == [.add])
        }
    }

    @Test("what the server refuses is set aside with its reason; what builds on it waits")
    func setAside() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let bad = refused("bad")
            let item = try await outbox.add(bad, validation: .none)
            let label = try await outbox.setLabel("label", of: bad)
            bad.instructions = "short"
            let replacement = try await outbox.replace(bad)
            let status = try await outbox.setStatus(.archived, of: bad, reason: "finished")
            try await outbox.add(medication("good"))
            let report = try await outbox.flush()
            #expect(report.setAside.map(\.id) == [item.id])
            #expect(report.setAside.first?.state.reason?.contains("at most 255 characters") == true)
            #expect(report.delivered.map(\.change) == [.add])
            #expect(try await place.medications() == ["Test good"])
            for waiting in [label, replacement, status] {
                #expect(try await outbox.item(waiting.id).state == .waiting(for: item.id))
            }
            // Nothing of it is forgotten by another start, nor by another try.
            let again = try place.outbox()
            #expect(try await again.flush().delivered.isEmpty)
            try await again.retry(item.id)
            #expect(try await again.item(item.id).state == .queued)
            #expect(try await again.item(label.id).state == .queued)
            #expect(try await again.flush().setAside.map(\.id) == [item.id])

            try await again.discard(item.id)
            let last = try await again.flush()
            #expect(last.setAside.map(\.id) == [label.id, replacement.id])
            #expect(last.setAside.allSatisfy { $0.state.reason?.contains(item.id) == true })
            #expect(try await again.item(status.id).state == .waiting(for: replacement.id))
        }
    }

    @Test("a retried item that succeeds takes along those that waited for it")
    func retried() async throws {
        try await Place.use { place in
            let failing = try place.outbox(FailingTransport(), serverFailures: 1)
            let document = medication("A")
            let item = try await failing.add(document)
            try await failing.setStatus(.archived, of: document, reason: "finished")
            #expect(try await failing.flush().setAside.map(\.id) == [item.id])
            let outbox = try place.outbox()
            try await outbox.retry(item.id)
            #expect(try await outbox.flush().delivered.count == 2)
            #expect(try await place.medications(status: .archived) == ["Test A"])
        }
    }

    @Test("a change refers to an item that was delivered long ago and is forgotten")
    func forgotten() async throws {
        try await Place.use { place in
            var policy = DeliveryPolicy(receipts: 1)
            policy.sleep = { _ in }
            let outbox = try place.record().outbox(in: place.folder, keys: place.keys, policy: policy)
            let document = medication("A")
            let item = try await outbox.add(document)
            try await outbox.add(medication("B"))
            try await outbox.flush()
            await #expect(throws: OutboxError.noSuchItem(id: item.id)) { try await outbox.item(item.id) }
            try await outbox.setStatus(.void, of: document, reason: "wrong")
            #expect(try await outbox.flush().delivered.count == 1)
            #expect(try await place.medications(status: .void) == ["Test A"])
        }
    }

    @Test("a queued document is read back after a restart, changed, and queued as a version")
    func readBack() async throws {
        try await Place.use { place in
            try await place.outbox().add(medication("A"))
            let outbox = try place.outbox()
            let item = try #require(try await outbox.items().first)
            #expect(item.model == "Medication" && item.state == .queued)
            let document = try await outbox.document(of: item, as: Medication.self)
            #expect(document.drugName?.title == "Test A" && document.id == nil)
            document.instructions = "one a day"
            try await outbox.replace(document)
            try await outbox.flush()
            let stored = try await place.record().reports(of: Medication.self).all().filter {
                $0.instructions == "one a day"
            }
            #expect(stored.map { $0.drugName?.title } == ["Test A"])
        }
    }

    @Test("a document of the server is labelled, archived and replaced through the outbox")
    func fromServer() async throws {
        try await Place.use { place in
            let record = place.record()
            let document = medication("A")
            try await record.add(document)
            let first = try #require(document.id)
            let outbox = try place.outbox()
            try await outbox.setLabel("label", of: document)
            document.instructions = "one a day"
            try await outbox.replace(document)
            try await outbox.setStatus(.archived, of: document, reason: "finished")
            #expect(try await outbox.flush().delivered.count == 3)
            try await outbox.confirmDelivery(of: document)
            #expect(document.id != first)
            #expect(try await document.versions().map(\.id) == [first, document.id])
            #expect(try await document.versions().first?.label == "label")
        }
    }

    @Test("content of any kind is queued, delivered and replaced, or refused at once")
    func files() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let scan = FileContent(
                Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }),
                contentType: "application/pdf"
            )
            let item = try await outbox.add(scan)
            #expect(try await outbox.content(of: item) == scan)
            try await outbox.replace(.item(item.id), with: FileContent(text: "none"))
            await #expect(throws: OutboxError.self) {
                try await outbox.add(FileContent(text: "<a>", contentType: "application/xml"))
            }
            #expect(try await outbox.flush().delivered.count == 2)
            let record = place.record()
            let stored = try #require(try await record.document(externalID: item.id))
            #expect(stored.content == scan)
            let newer = try #require(stored.metadata?.replacedBy?.id)
            #expect(try await record.document(newer).content?.text == "none")
        }
    }

    @MainActor
    private func atOnce(
        _ document: Medication,
        _ calls: [@MainActor (Medication) async throws -> OutboxItem]
    ) async -> [Result<OutboxItem, any Error>] {
        let tasks = calls.map { call in
            Task { () async -> Result<OutboxItem, any Error> in
                do { return .success(try await call(document)) } catch { return .failure(error) }
            }
        }
        var results: [Result<OutboxItem, any Error>] = []
        for task in tasks { results.append(await task.value) }
        return results
    }

    @MainActor
    private func overlap(_ outbox: Outbox, _ other: Outbox, _ record: IndivoRecord) async throws {
        let document = medication("A")
        var results = await atOnce(
            document,
            [
                { try await outbox.add($0) }, { try await other.add($0) }, { try await outbox.replace($0) },
                { try await outbox.setLabel("label", of: $0) },
            ]
        )
        #expect(results.count { (try? $0.get()) != nil } == 1)
        for result in results {
            if case .failure(let error) = result {
                guard case .badItem(let reason)? = error as? OutboxError else {
                    Issue.record("another error: \(error)")
                    continue
                }
                #expect(reason.contains("just now") || reason.contains("queued already"))
            }
        }
        document.instructions = "one a day"
        results = await atOnce(
            document,
            [{ try await outbox.replace($0) }, { try await outbox.replace($0) }]
        )
        #expect(results.count { (try? $0.get()) != nil } == 1)
        await #expect(throws: (any Error).self) { try await record.add(document) }
        #expect(try await outbox.items().count == 2)
    }

    @Test("of calls that queue one document at the same time, one does")
    func overlapping() async throws {
        try await Place.use { place in
            try await overlap(place.outbox(), place.outbox(), place.record())
            #expect(try await place.outbox().flush().delivered.count == 2)
            #expect(try await place.medications() == ["Test A"])
        }
    }

    @Test("a document that could not be queued can be queued again")
    func queuedAgain() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let full = try place.outbox(diskFault: { $0 == .write ? ENOSPC : 0 })
            let document = medication("A")
            await #expect(throws: OutboxError.self) { try await full.add(document) }
            try await outbox.add(document)
            document.instructions = "one a day"
            await #expect(throws: OutboxError.self) { try await full.replace(document) }
            try await outbox.replace(document)
            #expect(try await outbox.flush().delivered.count == 2)
            #expect(try await outbox.confirmDelivery(of: document))
            document.instructions = "two a day"
            await #expect(throws: OutboxError.self) { try await full.replace(document) }
            #expect(document.record != nil)
            try await document.replace()
        }
    }

    @Test("a change of status that was set aside is made when retried, despite an equal one")
    func retriedStatus() async throws {
        try await Place.use { place in
            let document = medication("A")
            try await place.record().add(document)
            let failing = try place.outbox(
                FailingTransport { $0.path?.hasSuffix("/set-status") == true },
                serverFailures: 1
            )
            let item = try await failing.setStatus(.archived, of: document, reason: "finished")
            #expect(try await failing.flush().setAside.map(\.id) == [item.id])
            try await document.setStatus(.archived, reason: "finished")
            try await document.setStatus(.active, reason: "again")
            let outbox = try place.outbox()
            try await outbox.retry(item.id)
            #expect(try await outbox.flush().delivered.map(\.id) == [item.id])
            #expect(try await document.statusHistory().map(\.reason) == ["finished", "again", "finished"])
        }
    }

    @Test("what cannot be queued is told at once, and nothing is queued")
    func badChanges() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let document = medication("A")
            await #expect(throws: OutboxError.self) { try await outbox.replace(document) }
            await #expect(throws: OutboxError.self) {
                try await outbox.setStatus(.void, of: document, reason: "wrong")
            }
            #expect(try await outbox.items().isEmpty)
            try await outbox.add(document)
            await #expect(throws: OutboxError.self) { try await outbox.add(document) }
            await #expect(throws: OutboxError.self) {
                try await outbox.setStatus(.void, of: document, reason: "")
            }
            await #expect(throws: OutboxError.self) {
                try await outbox.setLabel(String(repeating: "x", count: 101), of: document)
            }
            await #expect(throws: OutboxError.noSuchItem(id: "x")) { try await outbox.discard("x") }
            let item = try #require(try await outbox.items().first)
            await #expect(throws: OutboxError.self) { try await outbox.retry(item.id) }
            #expect(try await outbox.items().count == 1)
            try await outbox.discard(item.id)
            #expect(try await outbox.items().isEmpty)
        }
    }

    @Test("several objects deliver at once: every change goes once, each object's in order")
    func manyAtOnce() async throws {
        try await Place.use { place in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        let outbox = try place.outbox()
                        for number in 0..<15 { try await outbox.add(medication("\(writer) \(number)")) }
                    }
                }
                for _ in 0..<3 {
                    group.addTask { for _ in 0..<5 { try await place.outbox().flush() } }
                }
                try await group.waitForAll()
            }
            let outbox = try place.outbox()
            try await outbox.flush()
            let items = try await outbox.itemsAndDelivered()
            #expect(Set(items.map(\.sequence)).count == items.count)
            let names = try await place.medications()
            #expect(names.count == 60)
            for writer in 0..<4 {
                #expect(
                    names.filter { $0.hasPrefix("Test \(writer) ") }
                        == (0..<15).map { "Test \(writer) \($0)" }
                )
            }
        }
    }

    @Test("a delivery that is cancelled leaves everything to the next one")
    func cancelled() async throws {
        try await Place.use { place in
            let (reached, signal) = AsyncStream.makeStream(of: Void.self)
            let outbox = try place.outbox(
                FaultyTransport(.system) { _, index in
                    index == 1
                        ? .delay(until: {
                            signal.yield()
                            try await Task.sleep(for: .seconds(3600))
                        }) : nil
                }
            )
            for name in ["A", "B", "C"] { try await outbox.add(medication(name)) }
            let delivery = Task { try await outbox.flush() }
            for await _ in reached { break }
            delivery.cancel()
            await #expect(throws: CancellationError.self) { try await delivery.value }
            #expect(try await place.outbox().flush().delivered.count == 2)
            #expect(try await place.medications() == ["Test A", "Test B", "Test C"])
        }
    }
}
