import DurableQueue
import Foundation
import IndivoBase
import Synchronization
import Testing

@Suite("Delivering a queue")
struct DeliveryTests {
    /// What a deliverer was offered.
    private final class Log: Sendable {
        private let entries = Mutex<[String]>([])
        var all: [String] { entries.withLock { $0 } }
        func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    }

    private func name(_ item: QueueItem) -> String { String(decoding: item.header, as: UTF8.self) }

    @Test("items with a key go in order; an unreachable recipient holds up only its own")
    func orderKeys() async throws {
        try await Scratch.use { scratch in
            let queue = try scratch.queue()
            for number in 1...3 {
                for key in ["a", "b"] { try await queue.append("\(key)\(number)".data, orderKey: key) }
            }
            let log = Log()
            let report = try await queue.deliver { attempt in
                let name = String(decoding: attempt.item.header, as: UTF8.self)
                log.add(name)
                return name == "a2" ? .stopped(Failure(name: "offline")) : .delivered()
            }
            #expect(log.all == ["a1", "b1", "a2", "b2", "b3"])
            #expect(report.delivered.map(name) == ["a1", "b1", "b2", "b3"] && report.remaining == 2)
            #expect(
                report.stopped.keys.sorted() == ["a"]
                    && report.stopped["a"] as? Failure == Failure(name: "offline")
            )
            #expect(
                try await scratch.queue().deliver { _ in .delivered() }.delivered.map(name) == ["a2", "a3"]
            )
        }
    }

    @Test("what arrived is not among the items, and each is printed with its state")
    func delivered() async throws {
        try await Scratch.use { scratch in
            let queue = try scratch.queue()
            for name in ["a", "b", "c"] { try await queue.append(name.data, id: name, orderKey: name) }
            try await queue.append("d".data, id: "d", after: "b")
            let report = try await queue.deliver { attempt in
                switch attempt.item.id {
                case "a": .delivered()
                case "b": .setAside(reason: "what it says of the patient")
                default: .stopped(Failure(name: "offline"))
                }
            }
            #expect(
                try await queue.items().map(\.description) == [
                    "item b, set aside", "item c, queued", "item d, waiting for item b",
                ]
            )
            #expect(try await queue.delivered().map(\.description) == ["item a, delivered"])
            #expect("\(report)" == "1 delivered, 1 waiting, 1 set aside; \(Failure(name: "offline"))")
        }
    }

    @Test("what builds on an item goes after it with its receipt, or waits for it")
    func predecessors() async throws {
        try await Scratch.use { scratch in
            let queue = try scratch.queue()
            let first = try await queue.append("first".data, orderKey: "a")
            let second = try await queue.append("second".data, orderKey: "b", after: first.id)
            let third = try await queue.append("third".data, after: second.id)
            let report = try await queue.deliver { _ in .setAside(reason: "too long") }
            #expect(
                report.setAside.map(\.id) == [first.id] && report.delivered.isEmpty && report.remaining == 0
            )
            for waiting in [second, third] {
                #expect(try await queue.item(waiting.id).state == .waiting(for: first.id))
            }
            try await queue.retry(first.id)
            let log = Log()
            try await queue.deliver { attempt in
                if case .delivered(let receipt) = attempt.predecessor {
                    log.add(String(decoding: receipt, as: UTF8.self))
                }
                return .delivered(receipt: "receipt of ".data + attempt.item.header)
            }
            #expect(log.all == ["receipt of first", "receipt of second"])
            #expect(try await queue.item(third.id).state == .delivered(receipt: "receipt of third".data))
        }
    }

    @Test("an item that keeps failing is set aside in the end, and the others go on")
    func tryAgain() async throws {
        try await Scratch.use { scratch in
            let bad = try await scratch.queue().append("bad".data)
            let good = try await scratch.queue().append("good".data)
            let deliverer: DurableQueue.Deliverer = { attempt in
                attempt.notes = "attempt \(attempt.failures + 1)".data
                return attempt.item.id == bad.id ? .tryAgain(Failure(name: "500")) : .delivered()
            }
            for _ in 1...2 {
                let report = try await scratch.queue(attempts: 3, networkFailures: 8).deliver(deliverer)
                #expect(report.stopped[""] as? Failure == Failure(name: "500") && report.remaining == 2)
            }
            let report = try await scratch.queue(attempts: 3, networkFailures: 8).deliver(deliverer)
            #expect(report.setAside.map(\.id) == [bad.id] && report.delivered.map(\.id) == [good.id])
            let log = Log()
            try await scratch.queue().retry(bad.id)
            try await scratch.queue().deliver { attempt in
                let notes = String(decoding: attempt.notes ?? Data(), as: UTF8.self)
                log.add("\(notes), \(attempt.failures) failures")
                return .delivered()
            }
            #expect(log.all == ["attempt 8, 0 failures"])
        }
    }

    @Test("notes that were kept are there after the process died")
    func notes() async throws {
        try await Scratch.use { scratch in
            try await scratch.queue().append("item".data)
            await #expect(throws: Failure.self) {
                try await scratch.queue().deliver { attempt in
                    attempt.notes = "half sent".data
                    try attempt.keepNotes()
                    attempt.notes = "never kept".data
                    throw Failure(name: "killed")
                }
            }
            let log = Log()
            try await scratch.queue().deliver { attempt in
                log.add(String(decoding: attempt.notes ?? Data(), as: UTF8.self))
                return .delivered()
            }
            #expect(log.all == ["half sent"])
        }
    }

    @Test("large payloads are read from a file in pieces; a damaged one costs only its item")
    func largePayloads() async throws {
        try await Scratch.use { scratch in
            let queue = try scratch.queue()
            let content = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) })
            let source = scratch.folder.appending(path: "upload")
            try content.write(to: source)
            let item = try await queue.append("upload".data, payload: .file(source))
            let other = try await queue.append("other".data, payload: .file(source))
            let empty = try await queue.append("empty".data, payload: .data(Data()))
            try FileManager.default.removeItem(at: source)
            #expect(item.payloadSize == content.count && empty.payloadSize == 0)
            #expect(try await queue.payload(of: item) == content)
            #expect(try await queue.payload(of: empty) == Data())
            let file = queue.location.appending(path: "00000000000\(other.number).item")
            var sealed = try Data(contentsOf: file)
            sealed[4_000_000] ^= 1
            try sealed.write(to: file)
            let report = try await queue.deliver { attempt in
                var received = Data()
                var longest = 0
                try attempt.readPayload {
                    received.append($0)
                    longest = max(longest, $0.count)
                }
                guard longest <= 1 << 20, received == content || received.isEmpty else {
                    throw Failure(name: "content")
                }
                return .delivered()
            }
            #expect(
                report.delivered.map(\.id) == [item.id, empty.id] && report.setAside.map(\.id) == [other.id]
            )
        }
    }

    @Test("what cannot be queued is refused, and nothing is left of it")
    func refused() async throws {
        try await Scratch.use { scratch in
            let queue = try scratch.queue()
            await #expect(throws: QueueError.self) {
                try await queue.append(Data(count: DurableQueue.maximumHeaderLength + 1))
            }
            let missing = scratch.folder.appending(path: "missing")
            await #expect(throws: QueueError.self) { try await queue.append(Data(), payload: .file(missing)) }
            await #expect(throws: QueueError.self) {
                try await queue.append(Data(), payload: .file(scratch.folder))
            }
            #expect(try await queue.items().isEmpty)
            let longest = try await queue.append(
                Data(repeating: 7, count: DurableQueue.maximumHeaderLength - 100)
            )
            #expect(try await queue.items() == [longest])
            try await queue.deliver { _ in .delivered(receipt: Data(repeating: 8, count: 1000)) }
            #expect(try await queue.item(longest.id).header == longest.header)
        }
    }

    @Test("a running queue delivers what is queued, and waits longer after each failure")
    func running() async throws {
        try await Scratch.use { scratch in
            let delays = Mutex<[Duration]>([])
            var policy = DeliveryPolicy(firstDelay: .seconds(1), maximumDelay: .seconds(100))
            let (slept, signal) = AsyncStream.makeStream(of: Int.self)
            policy.sleep = { duration in
                let count = delays.withLock { delays in
                    delays.append(duration)
                    return delays.count
                }
                signal.yield(count)
                if count >= 4 { try await Task.sleep(for: .seconds(3600)) }
            }
            let queue = try DurableQueue(
                in: scratch.location,
                identity: "test",
                keys: scratch.keys,
                policy: policy
            )
            try await queue.append("item".data)
            let fails = Mutex(true)
            let delivery = Task {
                try await queue.run { _ in
                    fails.withLock { $0 } ? .stopped(Failure(name: "offline")) : .delivered()
                }
            }
            for await count in slept where count == 4 { break }
            let waits = delays.withLock { $0 }
            for (wait, longest) in zip(waits, [1, 2, 4, 8]) {
                #expect(wait <= .seconds(longest) && wait >= .seconds(Double(longest) / 2))
            }
            fails.withLock { $0 = false }
            var updates = queue.updates.makeAsyncIterator()
            try await queue.append("another".data)
            var delivered: [String] = []
            while delivered.count < 2, let update = await updates.next() {
                if case .delivered(let item) = update { delivered.append(name(item)) }
            }
            #expect(delivered == ["item", "another"])
            delivery.cancel()
            await #expect(throws: CancellationError.self) { try await delivery.value }
        }
    }

    @Test("a disk that fails at any step loses nothing and offers nothing twice")
    func failingDisk() async throws {
        try await Scratch.use { scratch in
            for failing in 0..<40 {
                let step = Mutex(0)
                let fault: @Sendable (DiskStep) -> Int32 = { _ in
                    step.withLock { step in
                        defer { step += 1 }
                        return step == failing ? EIO : 0
                    }
                }
                let offered = Log()
                let deliverer: DurableQueue.Deliverer = { attempt in
                    offered.add(String(decoding: attempt.item.header, as: UTF8.self))
                    return .delivered()
                }
                var queued: [String] = []
                do {
                    let queue = try scratch.queue(receipts: 1, diskFault: fault)
                    for name in ["A", "B"] {
                        try await queue.append("\(name)\(failing)".data, payload: .data("payload".data))
                        queued.append("\(name)\(failing)")
                    }
                    try await queue.deliver(deliverer)
                } catch let QueueError.storage(_, code, mayBeQueued) {
                    #expect(code == EIO && !mayBeQueued)
                }
                let calm = try scratch.queue(receipts: 1)
                let delivered = Set(try await calm.delivered().map(name))
                try await calm.deliver(deliverer)
                #expect(Set(offered.all) == Set(queued), "step \(failing)")
                // Offered again is only what was not written down as delivered.
                for name in queued where delivered.contains(name) {
                    #expect(offered.all.count { $0 == name } == 1, "step \(failing), \(name)")
                }
                #expect(try await calm.deliver(deliverer).delivered.isEmpty)
            }
        }
    }

    @Test("a queue in another's folder, or under another identity, does not open")
    func identities() async throws {
        try await Scratch.use { scratch in
            try await scratch.queue().append("item".data)
            #expect(throws: QueueError.wrongKey(folder: scratch.location.path)) {
                try scratch.queue(identity: "other")
            }
            #expect(try await scratch.queue().items().count == 1)
        }
    }
}
