import Foundation
import HTTPCalls
import HTTPTypes
import StudyServer
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// How much is taken, from one client and in all.
extension ReceiverTests {
    @Test("what is too large is refused")
    func tooLarge() async throws {
        try await with(.open { $0.bodyLimit = 1000 }) { phone, _ async throws in
            #expect(try await phone.send(.post, "/api/upload", upload(), Data(count: 1001)).status == 413)
        }
    }

    @Test("a full queue means later")
    func fullQueue() async throws {
        let queue = try SQLiteMessageQueue(nil)
        try await queue.send(StudyMessage(content: .package, received: "", body: Data("x".utf8)))
        try await with(.open { $0.depthLimit = 1 }, queue: queue) { phone, _ async throws in
            let answer = try await phone.send(.post, "/api/upload", upload(), package)
            #expect(answer.status == 503)
            #expect(answer.fields[.retryAfter] != nil)
            #expect(try await phone.send(.get, "/health").status == 503)
        }
    }

    @Test("a body that the queue has no room for means later, and a smaller one is taken")
    func noRoom() async throws {
        let bodies = try (0..<2).map { _ in try package }
        let small = bodies[0].count
        let large = try CMSEncryption(for: [StudyKeys.certificate()]).encrypt { try $0(Data(count: 5000)) }
            .data()
        try await with(.open { $0.byteLimit = 2 * small + 100 }) { phone, queue async throws in
            #expect(try await phone.send(.post, "/api/upload", upload(), bodies[0]).status == 200)
            let answer = try await phone.send(.post, "/api/upload", upload(), large)
            #expect(answer.status == 503 && answer.fields[.retryAfter] != nil)
            // Without a look at the queue in between: what was sent counts at once.
            #expect(try await phone.send(.post, "/api/upload", upload(), bodies[1]).status == 200)
            #expect(try await phone.send(.post, "/api/upload", upload(), package).status == 503)
            let bytes = try #require(try await queue.status().bytes)
            #expect(bytes == bodies[0].count + bodies[1].count)
            #expect(try await phone.send(.get, "/metrics").text.contains("study_queue_bytes \(bytes)\n"))
        }
    }

    @Test("simultaneous deliveries do not pass the limit of messages")
    func atOnce() async throws {
        try await with(.open { $0.depthLimit = 3 }) { phone, queue async throws in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<12 {
                    let body = try package
                    let fields = upload()
                    group.addTask { try await phone.send(.post, "/api/upload", fields, body).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 3)
            #expect(try await queue.status().depth == 3)
        }
    }

    @Test("more than the memory for bodies means later")
    func memory() async throws {
        try await with(.open { $0.memoryLimit = 100 }) { phone, queue async throws in
            let answer = try await phone.send(.post, "/api/upload", upload(), Data(count: 101))
            #expect(answer.status == 503)
            #expect(answer.fields[.retryAfter] != nil)
            // The budget is whole again.
            #expect(try await phone.send(.post, "/api/upload", upload(), Data(count: 100)).status == 415)
        }
    }

    @Test("one client cannot take all turns")
    func allTurns() async throws {
        try await with(
            .open {
                $0.allow(3)
                $0.trustsProxy = true
            }
        ) { phone, _ async throws in
            var statuses: [Int] = []
            for _ in 1...4 {
                statuses.append(
                    try await phone.send(.post, "/api/upload", ["X-Forwarded-For": "6.6.6.6, 10.0.0.1"], "x")
                        .status
                )
            }
            #expect(statuses == [400, 400, 400, 429])
            // Only the proxy's word counts.
            #expect(
                try await phone.send(.post, "/api/upload", ["X-Forwarded-For": "7.7.7.7, 10.0.0.1"], "x")
                    .status == 429
            )
            #expect(
                try await phone.send(.post, "/api/upload", ["X-Forwarded-For": "6.6.6.6, 10.0.0.2"], "x")
                    .status == 400
            )
        }
    }

    @Test("more clients at one address get no more rate-limit tokens", arguments: [true, false])
    func sharedAddress(isOpen: Bool) async throws {
        let codes = try CodeAttestation(["a code by post"])
        let change: (inout ReceiverConfiguration) -> Void = {
            $0.allow(30)
            $0.trustsProxy = true
            if !isOpen { $0.attestation = codes }
        }
        try await with(.open(change)) { phone, _ async throws in
            func statuses(at address: String) async throws -> [Int] {
                var fields = try await bearer(phone, receipt: "a code by post")
                fields["X-Forwarded-For"] = address
                var statuses: [Int] = []
                for _ in 1...20 {
                    statuses.append(try await phone.send(.post, "/c3pro/encfhir", fields, "{").status)
                }
                return statuses
            }
            #expect(try await statuses(at: "2001:db8::1") == Array(repeating: 400, count: 20))
            // Another address of the same network.
            #expect(try await statuses(at: "2001:db8::2").count { $0 == 429 } == (isOpen ? 10 : 0))
        }
    }

    @Test("a package takes a turn for each 64 KiB, since it may unpack to very much")
    func packagesTakeMoreTurns() async throws {
        let junk = Data(repeating: 0x30, count: 200 << 10)
        try await with(.open { $0.allow(6) }) { phone, _ async throws in
            #expect(try await phone.send(.post, "/api/upload", upload(), junk).status == 422)
            #expect(try await phone.send(.post, "/api/upload", upload(), junk).status == 429)
        }
    }

    @Test("a large body takes more turns than a small one")
    func largeBodies() async throws {
        try await with(.open { $0.allow(3) }) { phone, _ async throws in
            let large = Data(count: 2 << 20)
            #expect(try await phone.send(.post, "/api/upload", upload(), large).status == 415)
            #expect(try await phone.send(.post, "/api/upload", upload(), package).status == 429)
        }
    }
}

extension ReceiverConfiguration {
    /// So many requests of one client, however long a test takes.
    fileprivate mutating func allow(_ requests: Int) {
        let now = ContinuousClock.now
        requestsPerMinute = requests
        clock = { now }
    }
}
