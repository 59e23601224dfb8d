import Foundation
import HTTPCalls
import HTTPTypes
import Synchronization
import Testing

@Suite("Calls: attempts, waits and look-ups")
struct CallEngineTests {
    private static let unsent = Trouble(mayHaveBeenDone: false)
    private static let lost = Trouble(mayHaveBeenDone: true)

    /// Calls that fail with these, one after the other, and then succeed; the response is the number of
    /// attempts.
    private func call(
        _ failures: [Trouble],
        _ clock: StillClock = StillClock(),
        _ policy: RetryPolicy = RetryPolicy(),
        next: (Trouble, Bool) -> NextStep<Int> = { _, _ in .retry },
        lookUp: (Trouble) throws(Trouble) -> Int? = { (_) throws(Trouble) in nil }
    ) async throws(Trouble) -> Int {
        let engine = CallEngine(transport: Silence(), retry: policy, timing: clock.timing)
        return try await engine.call { (now) throws(Trouble) in
            if now.number <= failures.count { throw failures[now.number - 1] }
            return now.number
        } after: { failure, mayBeDone in
            next(failure, mayBeDone)
        } lookUp: { (failure, _) throws(Trouble) in
            try lookUp(failure)
        }
    }

    private func failure(_ body: () async throws -> Int) async -> Trouble? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? Trouble
        }
    }

    @Test("what may pass is attempted again, with waits that grow up to the longest")
    func waits() async throws {
        let clock = StillClock()
        #expect(try await call([Self.unsent, Self.unsent, Self.unsent], clock) == 4)
        #expect(clock.waits == [.milliseconds(250), .milliseconds(500), .seconds(1)])
        let slow = StillClock(random: 0.5)
        let policy = RetryPolicy(maximumAttempts: 6, firstDelay: .seconds(1), maximumDelay: .seconds(4))
        let error = await failure { try await call(Array(repeating: Self.unsent, count: 9), slow, policy) }
        #expect(error?.attempts == 6)
        #expect(slow.waits == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(2), .seconds(2)])
    }

    @Test("the next step bounds the attempts, and so does the policy")
    func bounds() async throws {
        let many = Array(repeating: Self.unsent, count: 9)
        #expect(await failure { try await call(many, next: { _, _ in .fail }) }?.attempts == 1)
        #expect(await failure { try await call(many, next: { _, _ in .retry(below: 3) }) }?.attempts == 3)
        #expect(await failure { try await call(many, next: { _, _ in .retry(below: 99) }) }?.attempts == 4)
        #expect(await failure { try await call(many, StillClock(), .never) }?.attempts == 1)
    }

    @Test("an attempt that may have been done stays so, and the next step hears of it")
    func unknownOutcome() async throws {
        let heard = Mutex<[Bool]>([])
        let error = await failure {
            try await call(
                [Self.unsent, Self.lost, Self.unsent, Self.unsent],
                next: { _, mayBeDone in
                    heard.withLock { $0.append(mayBeDone) }
                    return .retry
                }
            )
        }
        #expect(error?.mayHaveBeenDone == true)
        #expect(heard.withLock { $0 } == [false, false, true, true])
        let done = try await call(
            [Self.lost, Self.unsent],
            next: { _, mayBeDone in mayBeDone ? .done(-1) : .retry }
        )
        #expect(done == -1)
    }

    @Test("a look-up that finds the call done gives its response, or else the call goes on")
    func lookUp() async throws {
        let clock = StillClock()
        #expect(
            try await call([Self.lost], clock, next: { _, _ in .lookUp(orElse: .retry) }, lookUp: { _ in 77 })
                == 77
        )
        #expect(clock.waits.isEmpty)
        #expect(try await call([Self.lost], next: { _, _ in .lookUp(orElse: .retry) }) == 2)
        #expect(
            await failure { try await call([Self.lost], next: { _, _ in .lookUp(orElse: .fail) }) }?.attempts
                == 1
        )
        let other = Trouble(mayHaveBeenDone: false, name: "conflict")
        let error = await failure {
            try await call(
                [Self.lost],
                next: { _, _ in .lookUp(orElse: .retry) },
                lookUp: { _ throws(Trouble) in throw other }
            )
        }
        #expect(error?.name == "conflict")
    }

    @Test("a server that asks to wait is waited for, unless the deadline is earlier")
    func retryAfter() async throws {
        let clock = StillClock()
        var busy = Self.unsent
        busy.retryAfter = .seconds(7)
        #expect(try await call([busy], clock) == 2)
        #expect(clock.waits == [.seconds(7)])
        busy.retryAfter = .seconds(90)
        let late = StillClock()
        #expect(await failure { try await call([busy], late) }?.attempts == 1)
        #expect(late.waits.isEmpty)
    }

    @Test("what the client refused to send is no attempt")
    func refusedBeforeSending() async throws {
        var refused = Self.unsent
        refused.isBeforeSending = true
        let error = await failure { try await call([refused], next: { _, _ in .fail }) }
        #expect(error?.attempts == 0)
    }

    @Test("cancelling the wait ends the call as cancelled")
    func cancelledWait() async throws {
        var timing = StillClock().timing
        timing.sleep = { _ in throw CancellationError() }
        let engine = CallEngine(transport: Silence(), timing: timing)
        let error = await failure {
            try await engine.call { (_) throws(Trouble) -> Int in
                throw Self.lost
            } after: { _, _ in
                .retry
            }
        }
        #expect(error?.name == "cancelled" && error?.attempts == 1 && error?.mayHaveBeenDone == true)
    }

    // MARK: One attempt

    @Test("each attempt learns how long it has, and after the deadline nothing is sent")
    func deadline() async throws {
        let clock = StillClock()
        let transport = Silence()
        let engine = CallEngine(transport: transport, timing: clock.timing)
        _ = try await engine.transfer(.data(nil), until: .seconds(10)) { .example }
        clock.pass(.seconds(4))
        _ = try await engine.transfer(.data(nil), until: .seconds(10)) { .example }
        _ = try await engine.transfer(.upload(.data(Data()))) { .example }
        #expect(transport.remaining == [.seconds(10), .seconds(6), nil])
        clock.pass(.seconds(6))
        let error = await #expect(throws: HTTPTransportError.self) {
            try await engine.transfer(.data(nil), until: .seconds(10)) { .example }
        }
        #expect(error?.kind == .timedOut && error?.mayHaveReachedServer == false)
        #expect(transport.remaining.count == 3)
    }

    @Test("a request that can be corrected is made anew and sent once more, and no oftener")
    func correction() async throws {
        let transport = Silence()
        let engine = CallEngine(transport: transport)
        let made = Mutex(0)
        func request() -> HTTPRequest {
            made.withLock { $0 += 1 }
            return .example
        }
        _ = try await engine.transfer(.data(nil)) {
            request()
        } unlessCorrected: { _ in
            true
        }
        #expect(made.withLock { $0 } == 2 && transport.remaining.count == 2)
        _ = try await engine.transfer(.data(nil)) {
            request()
        } unlessCorrected: { _ in
            false
        }
        #expect(made.withLock { $0 } == 3 && transport.remaining.count == 3)
    }

    enum Reason: CallFailureReason, Hashable {
        case badArgument(String)
        case notReachable
        case timedOut
        case responseLost
        case responseTooLarge
        case malformedResponse(String)
    }

    @Test(
        "what a transport's failure means, and whether it may pass",
        arguments: [
            (HTTPTransportError.Kind.invalidRequest, false, Reason.badArgument("d"), false),
            (.hostNotFound, false, .notReachable, true), (.cannotConnect, true, .responseLost, true),
            (.tls, false, .notReachable, false), (.tls, true, .responseLost, true),
            (.timedOut, true, .timedOut, true),
            (.responseLost, true, .responseLost, true), (.responseTooLarge, true, .responseTooLarge, false),
            (.malformedResponse, true, .malformedResponse("it is not HTTP"), false),
            (.other, false, .notReachable, true),
        ]
    )
    func meaning(kind: HTTPTransportError.Kind, mayHave: Bool, reason: Reason, isTransient: Bool) {
        let error = HTTPTransportError(kind: kind, server: "s", mayHaveReachedServer: mayHave, detail: "d")
        #expect(Reason(error) == reason && error.isTransient == isTransient)
    }

    @Test("Retry-After is seconds or a date, and a year at most")
    func retryAfterField() {
        let now = Date(timeIntervalSince1970: 1_795_233_600)
        func wait(_ text: String?) -> Duration? {
            var response = HTTPResponse(status: .serviceUnavailable)
            response.headerFields[.retryAfter] = text
            return HTTPAnswer(response: response).retryAfter(now: now)
        }
        #expect(
            wait("7") == .seconds(7) && wait("-7") == .zero && wait("99999999999") == .seconds(31_536_000)
        )
        #expect(wait("Sat, 21 Nov 2026 04:00:09 GMT") == .seconds(9))
        #expect(wait("soon") == nil && wait(nil) == nil)
    }

    @Test("an unknown outcome is named, with what to do, where the call changes something")
    func advice() {
        #expect(
            RetryAdvice.text(mayHaveBeenDone: true, isSafeToRetry: false, changes: true).contains(
                "look before you retry"
            )
        )
        #expect(
            RetryAdvice.text(mayHaveBeenDone: true, isSafeToRetry: true, changes: true).contains(
                "a retry does no harm"
            )
        )
        #expect(RetryAdvice.text(mayHaveBeenDone: true, isSafeToRetry: true, changes: false).isEmpty)
        #expect(RetryAdvice.text(mayHaveBeenDone: false, isSafeToRetry: true, changes: true).isEmpty)
    }
}

/// The error of a client.
private struct Trouble: CallFailure {
    var mayHaveBeenDone: Bool
    var name = "trouble"
    var attempts = 0
    var retryAfter: Duration?
    var isBeforeSending = false

    func cancelled() -> Trouble {
        var error = self
        error.name = "cancelled"
        return error
    }
}

/// Responds with nothing, and remembers how long each request had.
private final class Silence: HTTPTransport {
    private let seen = Mutex<[Duration?]>([])

    var remaining: [Duration?] { seen.withLock { $0 } }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        seen.withLock { $0.append(HTTPLimits.remaining) }
        return HTTPAnswer(response: HTTPResponse(status: .ok))
    }
}

extension HTTPRequest {
    fileprivate static let example = HTTPRequest(method: .get, scheme: "https", authority: "s", path: "/")
}

/// Clocks that stand still but when a call waits, and then go on by that wait at once.
private final class StillClock: Sendable {
    private let state = Mutex((elapsed: Duration.zero, waits: [Duration]()))
    private let random: Double

    init(random: Double = 1) { self.random = random }

    var waits: [Duration] { state.withLock { $0.waits } }

    func pass(_ duration: Duration) { state.withLock { $0.elapsed += duration } }

    var timing: CallTiming {
        CallTiming(
            now: { Date(timeIntervalSince1970: 1_795_233_600) },
            elapsed: { self.state.withLock { $0.elapsed } },
            sleep: { duration in
                self.state.withLock {
                    $0.waits.append(duration)
                    $0.elapsed += duration
                }
            },
            random: { self.random }
        )
    }
}
