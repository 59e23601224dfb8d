import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import Synchronization
import TestSupport
import Testing

@Suite("Repeating calls")
struct RepetitionTests {
    private static let document = "<Document id=\"d-1\"/>"
    /// Another document than any that is sent here.
    private static let foreign = "<Document id=\"d-1\" size=\"7\"/>"

    private func answering(_ body: String, status: HTTPResponse.Status = .ok) -> AnsweringTransport {
        AnsweringTransport(status: status, body)
    }

    private func record(_ transport: any HTTPTransport, _ options: IndivoServer.Options) -> IndivoRecord {
        IndivoServer(
            api: URL(string: "https://indivo.example.org")!,
            ui: URL(string: "https://indivo.example.org")!,  // Addresses.
            app: AppCredentials(id: "meds@apps.example.org", consumerKey: "key", consumerSecret: "s"),
            transport: transport,
            options: options
        ).record(id: "r", token: OAuthToken(value: "t", secret: "s"))
    }

    @Test(
        "reading is repeated after each fault of the network, and then goes well",
        arguments: [
            FaultyTransport.Fault.loseRequest, .loseResponse, .reset, .status(502), .status(503),
            .status(504), .status(429),
        ]
    )
    func reading(fault: FaultyTransport.Fault) async throws {
        let clock = TestTiming()
        let transport = FaultyTransport(answering("<Models/>"), faults: [fault, fault, fault])
        #expect(try await record(transport, clock.options()).reports(of: Problem.self).all().isEmpty)
        #expect(transport.requestCount == 4)
        #expect(clock.waits == [.milliseconds(250), .milliseconds(500), .seconds(1)])
    }

    @Test("what would not pass by itself is not repeated", arguments: [400, 403, 404, 405, 413, 501, 302])
    func final(status: Int) async throws {
        let clock = TestTiming()
        let transport = FaultyTransport(answering("<Models/>"), faults: [.status(status)])
        let error = try await #require(throws: IndivoError.self) {
            try await record(transport, clock.options()).reports(of: Problem.self).all()
        }
        #expect(error.status == status && error.attempts == 1 && error.isSafeToRetry)
        #expect(transport.requestCount == 1 && clock.waits.isEmpty)
    }

    @Test("of each wait a random part is waited, and no wait is longer than the longest")
    func jitter() async throws {
        let clock = TestTiming(random: 0.5)
        let policy = RetryPolicy(maximumAttempts: 6, firstDelay: .seconds(1), maximumDelay: .seconds(4))
        let transport = FaultyTransport(answering("<Models/>"), fault: { _, _ in .loseResponse })
        let error = try await #require(throws: IndivoError.self) {
            try await record(transport, clock.options(retry: policy)).reports(of: Problem.self).all()
        }
        #expect(error.reason == .responseLost && error.attempts == 6)
        #expect(clock.waits == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(2), .seconds(2)])
    }

    @Test("no attempt begins after the deadline, and each is told how much time it has")
    func deadline() async throws {
        let clock = TestTiming()
        let remaining = Mutex<[Duration?]>([])
        let transport = AnsweringTransport { _, _ in
            remaining.withLock { $0.append(HTTPLimits.remaining) }
            clock.pass(.seconds(4))
            throw HTTPTransportError(
                kind: .timedOut,
                server: "indivo.example.org",
                mayHaveReachedServer: true
            )
        }
        let policy = RetryPolicy(maximumAttempts: 100, firstDelay: .seconds(1), deadline: .seconds(10))
        let error = try await #require(throws: IndivoError.self) {
            try await transport.record(options: clock.options(retry: policy)).reports(of: Problem.self).all()
        }
        #expect(error.reason == .timedOut && error.attempts == 2)
        #expect(remaining.withLock { $0 } == [.seconds(10), .seconds(5)])
        #expect(HTTPLimits.remaining == nil)
    }

    @Test("a server that is busy is asked again when it says, unless that is too late")
    func retryAfter() async throws {
        for (seconds, attempts) in [(7, 2), (90, 1)] {
            let clock = TestTiming()
            let count = Mutex(0)
            let transport = AnsweringTransport { _, _ in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                guard isFirst else {
                    return HTTPAnswer(response: HTTPResponse(status: .ok), body: Data("<Models/>".utf8))
                }
                return HTTPAnswer(
                    response: HTTPResponse(
                        status: .serviceUnavailable,
                        headerFields: [.retryAfter: "\(seconds)"]
                    )
                )
            }
            _ = try? await transport.record(options: clock.options()).reports(of: Problem.self).all()
            #expect(transport.requests.count == attempts)
            #expect(clock.waits == (attempts == 2 ? [.seconds(7)] : []))
        }
    }

    @Test(
        "a bare POST is never repeated, and the error says that it is not safe",
        arguments: [
            (FaultyTransport.Fault.loseResponse, false), (.reset, false), (.status(503), false),
            (.status(500), false),
            (.loseRequest, true), (.status(403), true),
        ]
    )
    func bare(fault: FaultyTransport.Fault, isSafe: Bool) async throws {
        let clock = TestTiming()
        let transport = FaultyTransport(
            answering(Self.document),
            fault: { request, _ in request.method == .post ? fault : nil }
        )
        let problem = Problem()
        let record = record(transport, clock.options())
        try await record.add(problem, externalID: "x", validation: .none)
        let error = try await #require(throws: IndivoError.self) {
            try await problem.setStatus(.void, reason: "test")
        }
        #expect(error.attempts == 1 && clock.waits.isEmpty)
        #expect(error.isSafeToRetry == isSafe)
        #expect(error.debugDetails.contains(isSafe ? "\nsafe to repeat" : "not safe to repeat"))
    }

    @Test("a PUT that sets what it sets, but stores a version each time, is not repeated")
    func plainPut() async throws {
        let transport = FaultyTransport(answering(Self.document), faults: [.loseResponse])
        let error = try await #require(throws: IndivoError.self) {
            try await record(transport, TestTiming().options()).setDemographics(
                Demographics(),
                validation: .none
            )
        }
        #expect(transport.requestCount == 1 && !error.isSafeToRetry)
    }

    @Test("another document under the same external id is a conflict, despite lost answers")
    func foreignDocument() async throws {
        for fault in [FaultyTransport.Fault.loseResponse, .status(500), .status(404)] {
            let transport = FaultyTransport(answering(Self.foreign), faults: [fault])
            let problem = Problem()
            let error = try await #require(throws: IndivoError.self) {
                try await record(transport, TestTiming().options()).add(
                    problem,
                    externalID: "mine",
                    validation: .none
                )
            }
            #expect(error.reason == .conflict(.externalIDUsed))
            #expect(problem.id == nil)
        }
    }

    @Test("if a look-up of an unknown outcome fails, the error is the first one and says so")
    func cannotLookUp() async throws {
        let transport = FaultyTransport(answering(Self.document)) { request, index in
            index == 0 ? .loseResponse : .loseRequest
        }
        let error = try await #require(throws: IndivoError.self) {
            try await record(transport, TestTiming().options()).add(Problem(), validation: .none)
        }
        #expect(error.reason == .responseLost && error.isSafeToRetry)
        #expect(error.debugDetails.contains("looking whether it was done failed"))
    }

    @Test("cancelling while a call waits for its next attempt ends it; nothing more is sent")
    func cancelledBetween() async throws {
        let (waiting, signal) = AsyncStream.makeStream(of: Void.self)
        var options = TestTiming().options()
        options.timing.sleep = { _ in
            signal.yield()
            try await Task.sleep(for: .seconds(86_400))
        }
        let transport = FaultyTransport(answering("<Models/>"), fault: { _, _ in .loseResponse })
        let record = record(transport, options)
        let reading = Task { try await record.information().id }
        for await _ in waiting { break }
        reading.cancel()
        let error = try await #require(throws: IndivoError.self) { try await reading.value }
        #expect(error.reason == .cancelled && error.call == "record")
        #expect(transport.requestCount == 1)
    }

    @Test("cancelling a call that is on its way stops the request")
    func cancelledUnderWay() async throws {
        let server = try ScriptedServer { _ in .hang }
        defer { server.stop() }
        let record = IndivoServer(
            api: try #require(URL(string: "http://\(server.authority)")),
            ui: URL(filePath: "/"),
            app: AppCredentials(id: "a", consumerKey: "a", consumerSecret: "a")
        ).record(id: "r", token: OAuthToken(value: "t", secret: "s"))
        let reading = Task { try await record.information().id }
        for await _ in server.arrivals { break }
        reading.cancel()
        let error = try await #require(throws: IndivoError.self) { try await reading.value }
        #expect(error.reason == .cancelled)
        for await number in server.closings {
            #expect(number == 1)
            break
        }
    }

    @Test(
        "only as many requests as allowed run at a time; others wait, cancelled ones go"
    )
    func concurrency() async throws {
        let state = Mutex<(now: Int, most: Int)>((0, 0))
        let counter = Counter(state)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
        let transport = FaultyTransport(answering("<Record id=\"r\" label=\"x\"/>")) { _, _ in
            .delay {
                counter.enter()
                arrival.yield()
                for await _ in released { break }
                counter.leave()
            }
        }
        let record = record(transport, TestTiming().options(maximumConcurrentCalls: 3))
        let calls = (0..<12).map { _ in Task { try await record.information().id } }
        var count = 0
        for await _ in arrived {
            count += 1
            if count == 3 { break }
        }
        // Three are under way; whichever waits and is cancelled now ends without having been sent.
        calls[11].cancel()
        for _ in 0..<12 { release.yield() }
        var results: [Result<String, any Error>] = []
        for call in calls { results.append(await call.result) }
        #expect(counter.most == 3)
        #expect(results.filter { if case .success = $0 { true } else { false } }.count >= 11)
    }
}

/// Counts how many are in at a time.
private final class Counter: Sendable {
    private let state: Mutex<(now: Int, most: Int)>

    init(_ state: consuming Mutex<(now: Int, most: Int)>) { self.state = state }

    var most: Int { state.withLock { $0.most } }

    func enter() {
        state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
    }

    func leave() { state.withLock { $0.now -= 1 } }
}
