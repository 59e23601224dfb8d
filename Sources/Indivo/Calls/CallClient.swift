import Foundation
import HTTPTypes
import Logging
import OAuth1
import Synchronization

/// Signs calls, sends them, retries those that may be retried, and makes errors of responses that are no success.
final class CallClient: Sendable {
    /// Where the API is; no call is made where that is no address.
    let address: Result<ServerAddress, ServerAddressError>
    let transport: any HTTPTransport
    let logger: Logger
    let options: IndivoServer.Options
    let limiter: ConcurrencyLimiter
    /// How many seconds the server's clock is ahead, once a refusal reported it: it refuses timestamps older than five minutes.
    private let clockOffset = Mutex(0)
    /// How slow the time that a request was signed with is, beyond which the server's is taken over.
    static let clockTolerance = 240
    let accepted = AcceptedCredentials()

    init(base: URL, transport: any HTTPTransport, logger: Logger, options: IndivoServer.Options) {
        address = Result { () throws(ServerAddressError) in try ServerAddress(base, plainHTTPHosts: options.plainHTTPHosts) }
        (self.transport, self.logger, self.options) = (transport, logger, options)
        limiter = ConcurrencyLimiter(width: options.maximumConcurrentCalls)
    }

    /// The time by the server's clock, as far as that is known, in seconds since 1970.
    var serverTime: Int { Int(options.timing.now().timeIntervalSince1970) + clockOffset.withLock { $0 } }

    /// A stamp that was never used.
    func newStamp() -> SigningStamp { SigningStamp(nonce: OAuthSigner.randomNonce(), timestamp: serverTime) }

    /// A call's body, in the one content type that both the server and the signature take.
    enum Body {
        case text(String)
        case form(FormParameters)
        case data(Data, type: String)

        var contentType: String {
            switch self {
            case .text: "text/plain"
            case .form: FormParameters.contentType
            case .data(_, let type): type
            }
        }

        var data: Data {
            switch self {
            case .text(let text): Data(text.utf8)
            case .form(let form): Data(form.encoded.utf8)
            case .data(let data, _): data
            }
        }
    }

    /// A call with everything that goes with it.
    struct Outgoing {
        var call: IndivoCall
        var credentials: OAuthCredentials?
        var path: [String: String] = [:]
        /// For `GET` only, since a server leaves it out of what it signs otherwise.
        var query: FormParameters = [:]
        var body: Body?
        var signing = OAuthSigner.Options()
        /// Whether the library made the external id, or this document went out under it before: the same content that is stored
        /// under it is this document then. Under an id that the app chose, it is if it was created since the request was sent.
        var hasOwnID = false
        /// Whether an earlier call may have sent the same, so that a refusal of a duplicate says that it arrived.
        var mayHaveBeenSentBefore = false
        /// What content is checked against, where the response cannot be seen to be whole.
        var expected: DocumentMetadata?
        /// What to sign with, where copies of one request have to be one to the server; fresh for each sending otherwise.
        var stamp: SigningStamp?

        /// Refuses a text with a character that XML cannot carry: a server takes it, and its lists, histories and inboxes are
        /// malformed from then on, for every app. Documents were parsed before, or are handed back as they are.
        func checkTexts() throws {
            var texts = query.map { ("the query's “\($0.name)”", $0.value) }
            switch body {
            case .text(let text)?: texts.append(("the text", text))
            case .form(let form)?: texts += form.map { ("the field “\($0.name)”", $0.value) }
            case .data?, nil: break
            }
            for (what, text) in texts {
                if let problem = XMLText.problem(in: text) { throw call.refused("\(what) cannot be sent: \(problem)") }
            }
        }
    }

    /// Sends a call, and retries it where that can do no harm (`RetryPolicy`), each time signed anew. What is stored under an
    /// external id is searched for before it is sent again.
    func send(_ outgoing: Outgoing, until end: Duration? = nil) async throws -> CallResponse {
        let repetition = outgoing.call.repetition
        let start = options.timing.elapsed()
        let end = end ?? start + options.retry.deadline
        var attempts = 0
        var mayBeDone = false
        while true {
            attempts += 1
            do {
                return try await attempt(outgoing, until: end)
            } catch var error as IndivoError {
                error.attempts += error.isBeforeSending ? attempts - 1 : attempts
                if repetition == .untilRefusedAsDuplicate, error.isDuplicate, mayBeDone || outgoing.mayHaveBeenSentBefore {
                    return CallResponse(ok: outgoing.call)
                }
                mayBeDone = mayBeDone || error.isOutcomeUnknown
                error.isOutcomeUnknown = mayBeDone
                if let lookUp = outgoing.call.lookUp, error.isReason(toLookUp: repetition),
                    let done = try await look(lookUp, for: outgoing, after: error, since: start, until: end)
                { return done }
                // What a server does once for an id it may be asked for again, even after it failed.
                let isWorthAnother = repetition == .untilRefusedAsDuplicate && error.status == 500 && attempts == 1
                guard repetition != .never, error.mayPass || isWorthAnother, attempts < options.retry.maximumAttempts else {
                    throw error
                }
                let delay = max(options.retry.delay(after: attempts, random: options.timing.random()), error.retryAfter ?? .zero)
                guard options.timing.elapsed() + delay < end else { throw error }
                do { try await options.timing.sleep(delay) } catch is CancellationError { throw error.cancelled() }
            }
        }
    }

    /// Sends a call whose response may not say where it ends: such a response is whole when it comes the same twice.
    func sendUntilWhole(_ outgoing: Outgoing) async throws -> CallResponse {
        var former = try await send(outgoing)
        guard former.end == .unknown, outgoing.call.method == .get else { return former }
        for _ in 1..<max(2, options.retry.maximumAttempts) {
            let again = try await send(outgoing)
            if again.end == .whole || again.body == former.body { return again }
            former = again
        }
        throw former.lost()
    }

    /// Sends a call once, and a second time only to set the clock right. Without an `end` the transport's own limits hold.
    func attempt(_ outgoing: Outgoing, until end: Duration? = nil) async throws -> CallResponse {
        let call = outgoing.call
        let unsigned = try request(outgoing)
        if let token = outgoing.credentials?.token, accepted.isEnded(token) { throw IndivoError(.login(.loggedOut), call: call) }
        do {
            let (answer, isTimeKnown) = try await limiter.run { try await transferSettingClock(unsigned, outgoing, until: end) }
            logger.debug("\(call.name): \(answer.response.status.code)")
            return try read(answer, to: outgoing, isTimeKnown: isTimeKnown)
        } catch let error as HTTPTransportError {
            logger.debug("\(call.name): \(error.kind)")
            throw IndivoError(error, call: call)
        } catch is CancellationError {
            throw IndivoError(.cancelled, call: call)
        }
    }

    /// Sends a request, and once more with the server's time, if it was refused and the device's clock is slow. Gives the
    /// response, and whether the server's time is known and near the one that was signed with.
    private func transferSettingClock(
        _ unsigned: HTTPRequest, _ outgoing: Outgoing, until end: Duration?
    ) async throws -> (HTTPAnswer, isTimeKnown: Bool) {
        let answer = try await transfer(unsigned, outgoing, until: end)
        guard answer.response.status.code == 403, outgoing.credentials != nil, outgoing.stamp == nil,
            let serverTime = answer.response.serverTime
        else { return (answer, false) }
        let deviceTime = Int(options.timing.now().timeIntervalSince1970)
        let former = clockOffset.withLock { $0 }
        guard serverTime - (deviceTime + former) > Self.clockTolerance else { return (answer, true) }
        logger.notice("the device's clock is \(serverTime - deviceTime) s behind the server's, whose time is used now")
        clockOffset.withLock { $0 = serverTime - deviceTime }
        let second = try await transfer(unsigned, outgoing, until: end)
        // Refused all the same: the clock was not what was wrong, or the time is not the server's.
        if second.response.status.code == 403 { clockOffset.withLock { $0 = former } }
        return (second, true)
    }

    private func transfer(_ unsigned: HTTPRequest, _ outgoing: Outgoing, until end: Duration?) async throws -> HTTPAnswer {
        let body = outgoing.body?.data
        var request = unsigned
        if let credentials = outgoing.credentials {
            let signed = OAuthRequest(
                method: request.method.rawValue, scheme: request.scheme ?? "", authority: request.authority ?? "",
                target: request.path ?? "", contentType: outgoing.body?.contentType, body: body.map { Array($0) })
            let stamp = outgoing.stamp ?? newStamp()
            // A path that needs escapes is signed as the server verifies it, decoded; all else is the same to both rules.
            let rule: SignatureRule = signed.path.utf8.contains(UInt8(ascii: "%")) ? .indivo : .rfc5849
            let signer = OAuthSigner(credentials: credentials, rule: rule, nonce: { stamp.nonce }, clock: { stamp.timestamp })
            request.headerFields[.authorization] = try outgoing.call.checked {
                try signer.authorization(for: signed, options: outgoing.signing).headerValue
            }
        }
        guard let end else { return try await transport.send(request, body: body) }
        let remaining = end - options.timing.elapsed()
        // Other calls took all the time there was.
        guard remaining > .zero else {
            throw HTTPTransportError(
                kind: .timedOut, server: request.authority ?? "", mayHaveReachedServer: false,
                detail: "other calls were under way until the deadline")
        }
        return try await HTTPLimits.$remaining.withValue(remaining) { try await transport.send(request, body: body) }
    }

    private func request(_ outgoing: Outgoing) throws -> HTTPRequest {
        try outgoing.checkTexts()
        let address = try outgoing.call.checked { try self.address.get() }
        var target = address.path + (try CallPath.fill(outgoing.call, outgoing.path))
        // A server notes each path in a column after it has done what was asked, and says 500 where it does not fit.
        let count = target.utf8.count
        try outgoing.call.require(
            count <= 200, "the path has \(count) characters, and a server fails on more than 200; use shorter ids")
        if !outgoing.query.isEmpty { target += "?" + outgoing.query.encoded }
        var request = HTTPRequest(method: outgoing.call.method, scheme: address.scheme, authority: address.authority, path: target)
        request.headerFields[.contentType] = outgoing.body?.contentType
        return request
    }
}

extension HTTPResponse {
    /// The time of the `Date` field, in seconds since 1970.
    var serverTime: Int? { headerFields[.date].flatMap { Date(http: $0) }.map { Int($0.timeIntervalSince1970) } }
}

/// The nonce and time of a signature, kept so that a request can be sent again as the very same: of several copies a server acts
/// on one at most, which makes calls safe to retry that have no id to find them by.
package struct SigningStamp: Sendable, Hashable, Codable {
    package let nonce: String
    /// Seconds since 1970-01-01T00:00:00Z.
    package let timestamp: Int
}
