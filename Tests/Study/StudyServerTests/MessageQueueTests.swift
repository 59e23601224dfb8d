import Foundation
import StudyServer
import Testing

/// What every queue does.
@Suite struct MessageQueueTests {
    private func message(_ number: Int, _ body: String? = nil) -> StudyMessage {
        StudyMessage(
            id: "m\(number)",
            content: .envelope,
            subject: "s ü \u{1}",
            received: "2026-03-01T00:00:00Z",
            body: Data((body ?? "b\(number)").utf8)
        )
    }

    @Test("messages come whole and are gone when deleted", arguments: QueueKind.allCases)
    func whole(kind: QueueKind) async throws {
        let queue = try await TestQueue(kind).queue
        for number in 1...3 { #expect(try await queue.send(message(number))) }
        let received = try await queue.receive(limit: 2, visibility: 60)
        let rest = try await queue.receive(limit: 10, visibility: 60)
        #expect(received.count == 2 && rest.count == 1)
        // Amazon's standard queues have no order.
        if kind != .sqs { #expect((received + rest).map(\.message) == (1...3).map { message($0) }) }
        #expect(Set((received + rest).map(\.message)) == Set((1...3).map { message($0) }))
        #expect((received + rest).map(\.receiveCount) == [1, 1, 1])
        for item in received { #expect(try await queue.delete(item)) }
        let status = try await queue.status()
        #expect(status.depth == 1 && status.dead == 0)
    }

    @Test(
        "what was sent before is known by id and bytes, also once deleted",
        arguments: QueueKind.allCases.filter(\.knowsWhatItHad)
    )
    func sentBefore(kind: QueueKind) async throws {
        let queue = try await TestQueue(kind).queue
        #expect(try await queue.send(message(1)))
        #expect(try await !queue.send(message(1)))
        #expect(try await !queue.send(message(1, "other bytes")))
        #expect(try await !queue.send(message(2, "b1")))
        // An id under which known bytes came is known from then on.
        #expect(try await !queue.send(message(2, "new bytes")))
        // A message whose id is the digest of its bytes has one key.
        let own = StudyMessage(content: .package, received: "2026-03-01T00:00:00Z", body: Data("own".utf8))
        #expect(try await queue.send(own))
        #expect(try await !queue.send(own))
        for item in try await queue.receive(limit: 9, visibility: 60) { try await queue.delete(item) }
        #expect(try await !queue.send(message(1)))
        #expect(try await queue.status().depth == 0)
    }

    @Test(
        "of messages deleted together those whose time was over stay",
        arguments: QueueKind.allCases.filter(\.knowsWhatItHad)
    )
    func deletedTogether(kind: QueueKind) async throws {
        let test = try await TestQueue(kind)
        let queue = test.queue
        for id in ["late", "a'\"ü\\", "c"] {
            try await queue.send(StudyMessage(id: id, content: .envelope, received: "", body: Data(id.utf8)))
        }
        let late = try await queue.receive(limit: 1, visibility: 1)
        #expect(late.map(\.message.id) == ["late"])
        try await test.pass(2)
        let received = try await queue.receive(limit: 3, visibility: 60)
        #expect(received.count == 3)
        try await queue.delete(late + received.filter { $0.message.id != "late" })
        #expect(try await queue.status().depth == 1)
        try await queue.delete([])
        try await queue.delete(received)
        #expect(try await queue.status().depth == 0)
    }

    @Test("what is not deleted in time comes again", arguments: QueueKind.allCases)
    func notDeleted(kind: QueueKind) async throws {
        let test = try await TestQueue(kind)
        let queue = test.queue
        try await queue.send(message(1))
        let first = try #require(try await queue.receive(limit: 1, visibility: 5).first)
        try await test.pass(1)
        #expect(try await queue.receive(limit: 1, visibility: 5).isEmpty)
        try await test.pass(4)
        let second = try #require(try await queue.receive(limit: 1, visibility: 60).first)
        #expect(second.receiveCount == 2)
        // Amazon does not promise who may delete.
        if kind != .sqs { #expect(try await !queue.delete(first)) }
        #expect(try await queue.delete(second))
        #expect(try await queue.status().depth == 0)
    }

    @Test("a message given back too often is a dead letter with its reason", arguments: QueueKind.allCases)
    func givenBack(kind: QueueKind) async throws {
        let test = try await TestQueue(kind, receives: 2)
        let queue = test.queue
        try await queue.send(message(1))
        for round in 1...2 {
            let received = try #require(try await queue.receive(limit: 1, visibility: 60).first)
            try await queue.release(received, after: 1, reason: "trouble \(round)")
            try await test.pass(1)
        }
        #expect(try await queue.receive(limit: 1, visibility: 60).isEmpty)
        #expect(try await queue.deadLetters(limit: 10).map(\.reason) == ["trouble 2"])
        let bytes = kind == .sqs ? nil : 2
        #expect(try await queue.status() == MessageQueueStatus(depth: 0, dead: 1, age: 0, bytes: bytes))
        #expect(try await queue.redeliver("m1"))
        #expect(try await !queue.redeliver("m1"))
        #expect(try await queue.receive(limit: 1, visibility: 60).first?.message == message(1))
        #expect(try await queue.status().dead == 0)
        #expect(try await queue.status().bytes == bytes)
    }

    @Test(
        "the bytes counted are those of what is there",
        arguments: QueueKind.allCases.filter(\.knowsWhatItHad)
    )
    func bytes(kind: QueueKind) async throws {
        let queue = try await TestQueue(kind).queue
        #expect(try await queue.status().bytes == 0)
        try await queue.send(message(1, String(repeating: "x", count: 70_000)))
        try await queue.send(message(2))
        try await queue.send(message(2))
        #expect(try await queue.status().bytes == 70_002)
        for item in try await queue.receive(limit: 9, visibility: 60) where item.message.id == "m1" {
            try await queue.delete(item)
        }
        #expect(try await queue.status().bytes == 2)
    }

    @Test("what nobody tried is no attempt", arguments: QueueKind.allCases.filter(\.knowsWhatItHad))
    func untried(kind: QueueKind) async throws {
        let queue = try await TestQueue(kind, receives: 1).queue
        try await queue.send(message(1))
        for _ in 1...3 {
            let received = try #require(try await queue.receive(limit: 1, visibility: 60).first)
            #expect(received.receiveCount == 1)
            try await queue.release(received, after: 0, reason: nil)
        }
        #expect(try await queue.status().dead == 0)
    }

    @Test("a message that kills its receivers is a dead letter", arguments: QueueKind.allCases)
    func killing(kind: QueueKind) async throws {
        let test = try await TestQueue(kind, receives: 2)
        let queue = test.queue
        try await queue.send(message(1))
        for _ in 1...2 {
            #expect(try await queue.receive(limit: 1, visibility: 1).count == 1)
            try await test.pass(1)
        }
        // It does not hide what is behind it.
        try await queue.send(message(2))
        #expect(try await queue.receive(limit: 1, visibility: 60).map(\.message.id) == ["m2"])
        #expect(try await queue.deadLetters(limit: 10).map(\.id) == ["m1"])
        #expect(try await queue.deadLetters(limit: 0).isEmpty)
        #expect(try await !queue.redeliver("m3"))
    }

    @Test("the age is that of the oldest message", arguments: QueueKind.allCases.filter(\.knowsWhatItHad))
    func age(kind: QueueKind) async throws {
        let test = try await TestQueue(kind)
        try await test.queue.send(message(1))
        try await test.pass(40)
        try await test.queue.send(message(2))
        #expect((40...45).contains(try await test.queue.status().age))
    }

    @Test("large messages come whole", arguments: QueueKind.allCases)
    func large(kind: QueueKind) async throws {
        let queue = try await TestQueue(kind).queue
        var body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        body.append(0)
        let large = StudyMessage(content: .package, received: "2026-03-01T00:00:00Z", body: body)
        try await queue.send(large)
        #expect(try await queue.receive(limit: 1, visibility: 60).map(\.message) == [large])
    }

    @Test("two receivers never have one message at once", arguments: QueueKind.allCases)
    func exclusive(kind: QueueKind) async throws {
        let folder = try Folder()
        let queue = try await TestQueue(kind, file: folder.file("queue.sqlite")).queue
        let count = kind == .postgreSQL ? 400 : 60
        for number in 0..<count { try await queue.send(message(number)) }
        let received = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var ids: [String] = []
                    while case let batch = try await queue.receive(limit: 3, visibility: 600), !batch.isEmpty
                    {
                        ids += batch.map(\.message.id)
                    }
                    return ids
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(received).count == count)
        // Amazon may give one twice.
        if kind != .sqs { #expect(received.count == count) }
    }

    @Test(
        "exactly one of many simultaneous senders of a message is the first",
        arguments: QueueKind.allCases.filter(\.knowsWhatItHad)
    )
    func firstSender(kind: QueueKind) async throws {
        let folder = try Folder()
        let queue = try await TestQueue(kind, file: folder.file("queue.sqlite")).queue
        let firsts = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask { try await queue.send(message(number % 4, "b\(number % 4)")) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(firsts == 4)
        #expect(try await queue.status().depth == 4)
    }

    @Test(
        "a clock that is set back keeps no message back",
        arguments: QueueKind.allCases.filter { $0 != .sqs }
    )
    func clockSetBack(kind: QueueKind) async throws {
        let test = try await TestQueue(kind)
        try await test.queue.send(message(1))
        try await test.pass(-100_000)
        #expect(try await test.queue.receive(limit: 1, visibility: 43_200).map(\.message.id) == ["m1"])
        // Nobody else has it for as long as it may take.
        #expect(try await test.queue.receive(limit: 1, visibility: 60).isEmpty)
    }

    @Test(
        "what was sent or leased while the clock was ahead does not wait for that time",
        arguments: QueueKind.allCases.filter { $0 != .sqs }
    )
    func clockAheadForAnHour(kind: QueueKind) async throws {
        let test = try await TestQueue(kind)
        try await test.queue.send(message(1))
        // Seen from then, this hour was ahead.
        try await test.pass(-3600)
        #expect(try await test.queue.receive(limit: 1, visibility: 60).map(\.message.id) == ["m1"])
        guard kind == .sqlite else { return }
        try await test.pass(7200)
        try await test.queue.send(message(2))
        #expect(try await test.queue.receive(limit: 1, visibility: 60).map(\.message.id) == ["m1"])
        try await test.pass(-3600)
        #expect(try await test.queue.receive(limit: 9, visibility: 60).map(\.message.id) == ["m2"])
        try await test.pass(61)
        #expect(
            try await test.queue.receive(limit: 9, visibility: 600).map(\.message.id).sorted() == [
                "m1", "m2",
            ]
        )
    }

    @Test(
        "an id with another fingerprint is refused, with the same one it is known",
        arguments: QueueKind.allCases.filter(\.knowsWhatItHad)
    )
    func fingerprints(kind: QueueKind) async throws {
        let queue = try await TestQueue(kind).queue
        func send(_ id: String, _ fingerprint: String?, _ body: String) async throws -> Bool {
            try await queue.send(
                StudyMessage(
                    id: id,
                    content: .envelope,
                    received: "2026-03-01T00:00:00Z",
                    client: "c",
                    fingerprint: fingerprint,
                    body: Data(body.utf8)
                )
            )
        }
        #expect(try await send("a", "f1", "one"))
        #expect(try await !send("a", "f1", "one, encrypted anew"))
        for _ in 1...2 { await #expect(throws: OtherMessage.self) { try await send("a", "f2", "two") } }
        #expect(try await send("b", "f2", "two"))
        #expect(try await !send("a", nil, "three"))
        #expect(try await queue.receive(limit: 9, visibility: 60).map(\.message.client) == ["c", "c"])
    }

    @Test(
        "of many that send other bytes under one id at once, one is taken",
        arguments: QueueKind.allCases.filter(\.knowsWhatItHad)
    )
    func fingerprintsAtOnce(kind: QueueKind) async throws {
        let folder = try Folder()
        let queue = try await TestQueue(kind, file: folder.file("queue.sqlite")).queue
        let results = try await withThrowingTaskGroup(of: (Int, Bool?).self) { group in
            for number in 0..<24 {
                group.addTask {
                    let message = StudyMessage(
                        id: "one",
                        content: .envelope,
                        received: "2026-03-01T00:00:00Z",
                        fingerprint: "f\(number % 3)",
                        body: Data("b\(number % 3)".utf8)
                    )
                    do { return (number % 3, try await queue.send(message)) } catch is OtherMessage {
                        return (number % 3, nil)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let winner = try #require(results.first { $0.1 == true }?.0)
        #expect(results.count { $0.1 == true } == 1)
        #expect(results.count { $0.0 == winner && $0.1 == false } == 7)
        #expect(results.count { $0.0 != winner && $0.1 == nil } == 16)
        #expect(try await queue.status().depth == 1)
    }

    @Test("a queue forgets what it had long ago", arguments: [QueueKind.sqlite, .postgreSQL])
    func forgetting(kind: QueueKind) async throws {
        let test = try await TestQueue(kind)
        let message = StudyMessage(
            id: "m",
            content: .envelope,
            received: "2026-03-01T00:00:00Z",
            body: Data("m".utf8)
        )
        #expect(try await test.queue.send(message))
        try await test.queue.forgetKnown(after: 400)
        #expect(try await !test.queue.send(message))
        let received = try await test.queue.receive(limit: 1, visibility: 60)
        try await test.queue.delete(received)
        try await test.pass(401 * 86_400)
        try await test.queue.forgetKnown(after: 400)
        #expect(try await test.queue.send(message))
    }

    @Test("messages that nobody tried go back at once, without an attempt", arguments: QueueKind.allCases)
    func releasingMany(kind: QueueKind) async throws {
        let test = try await TestQueue(kind)
        for number in 0..<4 {
            try await test.queue.send(
                StudyMessage(
                    id: "m\(number)",
                    content: .envelope,
                    received: "2026-03-01T00:00:00Z",
                    body: Data("m\(number)".utf8)
                )
            )
        }
        var received = try await test.queue.receive(limit: 4, visibility: 60)
        while received.count < 4 { received += try await test.queue.receive(limit: 4, visibility: 60) }
        try await test.queue.release(received, after: 0, reason: nil)
        var again = try await test.queue.receive(limit: 4, visibility: 60)
        while again.count < 4 { again += try await test.queue.receive(limit: 4, visibility: 60) }
        #expect(Set(again.map(\.message.id)) == ["m0", "m1", "m2", "m3"])
        if kind != .sqs { #expect(again.allSatisfy { $0.receiveCount == 1 }) }
    }
}
