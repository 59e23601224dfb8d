import Foundation
import HTTPTypes
import IndivoBase
import Logging
import OAuth1
import Synchronization

/// Signs calls, sends them, and makes errors of refusals and failures. The engine sends them again,
/// as ``next(after:mayBeDoneBefore:_:)`` says.
final class CallClient: Sendable {
    /// Where the API is; no call is made where that is not an address.
    let address: Result<ServerAddress, ServerAddressError>
    let logger: Logger
    let options: IndivoServer.Options
    let engine: CallEngine
    /// How many seconds the server's clock is ahead, once a refusal reported it: it refuses timestamps older
    /// than five minutes.
    private let clockOffset = Mutex(0)
    /// How slow the time that a request was signed with is, beyond which the server's is taken over.
    static let clockTolerance = 240
    let accepted = AcceptedCredentials()

    init(base: URL, transport: any HTTPTransport, logger: Logger, options: IndivoServer.Options) {
        address = Result { () throws(ServerAddressError) in
            try ServerAddress(base, plainHTTPHosts: options.plainHTTPHosts)
        }
        self.logger = logger
        self.options = options
        engine = CallEngine(
            transport: transport,
            retry: options.retry,
            timing: options.timing,
            maximumConcurrentCalls: options.maximumConcurrentCalls
        )
    }

    private var deviceTime: Int { Int(options.timing.now().timeIntervalSince1970) }

    /// The time by the server's clock, as far as that is known, in seconds since 1970.
    var serverTime: Int { deviceTime + clockOffset.withLock { $0 } }

    /// A stamp that was never used.
    func newStamp() -> SigningStamp { SigningStamp(nonce: OAuthSigner.randomNonce(), timestamp: serverTime) }

    /// Sends a call, and retries it where that can do no harm (`RetryPolicy`), each time signed anew. What is
    /// stored under an external id is searched for before it is sent again.
    func send(_ outgoing: Outgoing, until end: Duration? = nil) async throws(IndivoError) -> CallResponse {
        let end = end ?? options.timing.elapsed() + options.retry.deadline
        do {
            return try await engine.call(until: end) { (now) throws(IndivoError) in
                var response = try await attempt(outgoing, until: now.end)
                response.attempts = now.number
                return response
            } after: { error, mayBeDoneBefore in
                next(after: error, mayBeDoneBefore: mayBeDoneBefore, outgoing)
            } lookUp: { (error, now) throws(IndivoError) in
                var response = try await look(for: outgoing, after: error, in: now)
                response?.attempts = now.number
                return response
            }
        } catch {
            throw await explained(error, outgoing, until: end)
        }
    }

    /// Sends a call whose response may not say where it ends: such a response is whole when it comes the same
    /// twice.
    func sendUntilWhole(_ outgoing: Outgoing) async throws(IndivoError) -> CallResponse {
        var former = try await send(outgoing)
        guard former.end == .unknown, outgoing.call.method == .get else { return former }
        for _ in 1..<max(2, options.retry.maximumAttempts) {
            let again = try await send(outgoing)
            if again.end == .whole || again.body == former.body { return again }
            former = again
        }
        throw former.lost()
    }

    /// Sends a call once, and a second time only to set the clock right. Without an `end` the transport's own
    /// limits hold.
    func attempt(_ outgoing: Outgoing, until end: Duration? = nil) async throws(IndivoError) -> CallResponse {
        let call = outgoing.call
        let unsigned = try outgoing.request(at: try call.checked { try address.get() })
        if let token = outgoing.credentials?.token, accepted.isEnded(token) {
            throw IndivoError(.login(.loggedOut), call: call)
        }
        do {
            var clock = Clock.unknown
            let answer = try await engine.transfer(.data(outgoing.body?.data), until: end) {
                try outgoing.sign(unsigned, outgoing.stamp ?? newStamp())
            } unlessCorrected: { refusal in
                clock = setClock(by: refusal, to: outgoing)
                return if case .corrected = clock { true } else { false }
            }
            // Refused all the same: the clock was not what was wrong, or the time is not the server's.
            if case .corrected(let former) = clock, answer.response.status.code == 403 {
                clockOffset.withLock { $0 = former }
            }
            logger.debug("\(call.name): \(answer.response.status.code)")
            return try read(answer, to: outgoing, isTimeKnown: clock.isKnown)
        } catch {
            let failure = IndivoError(thrown: error, by: call, server: unsigned.authority ?? "")
            if let kind = failure.transportError?.kind { logger.debug("\(call.name): \(kind)") }
            throw failure
        }
    }

    /// What a refusal says of the clock that a request was signed by.
    private enum Clock {
        /// The server's time is not known.
        case unknown
        /// It is near the one that was signed with.
        case right
        /// The server's time is used from now on, in place of the former offset.
        case corrected(from: Int)

        var isKnown: Bool { if case .unknown = self { false } else { true } }
    }

    /// Takes over the server's time, if the request was refused and the device's clock is slow.
    private func setClock(by refusal: HTTPAnswer, to outgoing: Outgoing) -> Clock {
        guard refusal.response.status.code == 403, outgoing.credentials != nil, outgoing.stamp == nil,
            let serverTime = refusal.response.serverTime
        else { return .unknown }
        let deviceTime = deviceTime
        return clockOffset.withLock { offset in
            guard serverTime - (deviceTime + offset) > Self.clockTolerance else { return .right }
            logger.notice(
                """
                the device's clock is \(serverTime - deviceTime) s behind the server's, whose time is used now
                """
            )
            let former = offset
            offset = serverTime - deviceTime
            return .corrected(from: former)
        }
    }
}

extension HTTPResponse {
    /// The time of the `Date` field, in seconds since 1970.
    var serverTime: Int? {
        headerFields[.date].flatMap { CivilDateTime(httpDate: $0)?.seconds }
    }
}
