import Foundation
import StudyServer
import Synchronization
import Testing

@Suite struct MessageQueueTests {
    /// A clock that a test moves.
    final class Clock: Sendable {
        private let time = Mutex(1000)
        var now: Int { time.withLock { $0 } }
        func advance(_ seconds: Int) { time.withLock { $0 += seconds } }
    }

    private let clock = Clock()

    private func queue(_ file: URL? = nil, receives: Int = 3) throws -> SQLiteMessageQueue {
        try SQLiteMessageQueue(file, maximumReceives: receives) { [clock] in clock.now }
    }

    private func message(_ number: Int, _ body: String? = nil) -> StudyMessage {
        StudyMessage(
            id: "m\(number)", content: .envelope, subject: "s", received: "2026-03-01T00:00:00Z",
            body: Data((body ?? "b\(number)").utf8))
    }

    @Test func messagesComeInTheirOrderAndAreGoneWhenDeleted() async throws {
        let queue = try queue()
        for number in 1...3 { #expect(try await queue.send(message(number))) }
        let received = try await queue.receive(limit: 2, visibility: 60)
        #expect(received.map(\.message) == [message(1), message(2)])
        #expect(try await queue.receive(limit: 10, visibility: 60).map(\.message) == [message(3)])
        for item in received { #expect(try await queue.delete(item)) }
        #expect(try await queue.status() == MessageQueueStatus(depth: 1, dead: 0, age: 0))
    }

    @Test func whatWasSentBeforeIsKnownByIdAndByBytesAlsoAfterItsDeletion() async throws {
        let queue = try queue()
        #expect(try await queue.send(message(1)))
        #expect(try await !queue.send(message(1)))
        #expect(try await !queue.send(message(1, "other bytes")))
        #expect(try await !queue.send(message(2, "b1")))
        // An id under which known bytes came is known from then on.
        #expect(try await !queue.send(message(2, "new bytes")))
        for item in try await queue.receive(limit: 9, visibility: 60) { try await queue.delete(item) }
        #expect(try await !queue.send(message(1)))
        #expect(try await queue.status().depth == 0)
    }

    @Test func whatIsNotDeletedInTimeComesAgainAndTheFirstReceiverHasLostIt() async throws {
        let queue = try queue()
        try await queue.send(message(1))
        let first = try #require(try await queue.receive(limit: 1, visibility: 60).first)
        clock.advance(59)
        #expect(try await queue.receive(limit: 1, visibility: 60).isEmpty)
        clock.advance(1)
        let second = try #require(try await queue.receive(limit: 1, visibility: 60).first)
        #expect(second.receiveCount == 2)
        #expect(try await !queue.delete(first))
        #expect(try await queue.delete(second))
    }

    @Test func aMessageThatIsGivenBackTooOftenIsADeadLetterWithItsReason() async throws {
        let queue = try queue(receives: 2)
        try await queue.send(message(1))
        for round in 1...2 {
            let received = try #require(try await queue.receive(limit: 1, visibility: 60).first)
            try await queue.release(received, after: 5, reason: "trouble \(round)")
            clock.advance(5)
        }
        #expect(try await queue.receive(limit: 1, visibility: 60).isEmpty)
        #expect(try await queue.deadLetters(limit: 10).map(\.reason) == ["trouble 2"])
        #expect(try await queue.status() == MessageQueueStatus(depth: 0, dead: 1, age: 0))
        #expect(try await queue.redeliver("m1"))
        #expect(try await !queue.redeliver("m1"))
        #expect(try await queue.receive(limit: 1, visibility: 60).first?.message == message(1))
        #expect(try await queue.status() == MessageQueueStatus(depth: 1, dead: 0, age: 0))
    }

    @Test func aMessageThatKillsItsReceiversIsADeadLetter() async throws {
        let queue = try queue(receives: 2)
        try await queue.send(message(1))
        for _ in 1...2 {
            #expect(try await queue.receive(limit: 1, visibility: 60).count == 1)
            clock.advance(60)
        }
        #expect(try await queue.receive(limit: 1, visibility: 60).isEmpty)
        #expect(try await queue.deadLetters(limit: 10).map(\.id) == ["m1"])
    }

    @Test func ageIsThatOfTheOldest() async throws {
        let queue = try queue()
        try await queue.send(message(1))
        clock.advance(40)
        try await queue.send(message(2))
        #expect(try await queue.status().age == 40)
    }

    @Test func twoProcessesNeverHaveOneMessageAtOnce() async throws {
        let folder = try Folder()
        let queues = try (0..<2).map { _ in try queue(folder.file("queue.sqlite")) }
        for number in 0..<60 { try await queues[number % 2].send(message(number)) }
        let received = try await withThrowingTaskGroup(of: [String].self) { group in
            for queue in queues + queues {
                group.addTask {
                    var ids: [String] = []
                    while case let batch = try await queue.receive(limit: 3, visibility: 600), !batch.isEmpty {
                        ids += batch.map(\.message.id)
                    }
                    return ids
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(received.count == 60)
        #expect(Set(received).count == 60)
    }
}
