import Foundation
import HTTPTypes
import IndivoBase
import Logging
import OAuth1
import Synchronization

/// Signs and sends calls, and turns refusals and failures into errors. The engine retries them as
/// ``next(after:mayBeDoneBefore:_:)`` decides.
final class CallClient: Sendable {
    /// The API's address, or the reason why the URL cannot be used; then every call fails for that reason.
    let address: Result<ServerAddress, ServerAddressError>
    let logger: Logger
    let options: IndivoServer.Options
    let engine: CallEngine
    /// By how many seconds the server's clock is ahead, as reported with a refusal; 0 until then. A server
    /// refuses timestamps that are older than five minutes.
    private let clockOffset = Mutex(0)
    /// By how many seconds a request's timestamp may lag behind the server's time before the server's time is
    /// used instead.
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

    /// A new nonce, with the server's time.
    func newStamp() -> SigningStamp { SigningStamp(nonce: OAuthSigner.randomNonce(), timestamp: serverTime) }

    /// Sends a call, and retries it where that is safe (`RetryPolicy`); each attempt is signed anew. Before a
    /// retry, the library looks up whether the content is stored under its external id.
    func send(_ outgoing: OutgoingCall, until end: Duration? = nil) async throws(IndivoError) -> CallResponse
    {
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

    /// Sends a call whose response may have no length. Such a response counts as complete when two in a row
    /// are equal.
    func sendUntilWhole(_ outgoing: OutgoingCall) async throws(IndivoError) -> CallResponse {
        var former = try await send(outgoing)
        guard former.end == .unknown, outgoing.call.method == .get else { return former }
        for _ in 1..<max(2, options.retry.maximumAttempts) {
            let again = try await send(outgoing)
            if again.end == .whole || again.body == former.body { return again }
            former = again
        }
        throw former.lost()
    }

    /// Sends a call once, or a second time with a corrected clock. Without an `end`, the transport's own time
    /// limits apply.
    func attempt(_ outgoing: OutgoingCall, until end: Duration? = nil) async throws(IndivoError)
        -> CallResponse
    {
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
            // Refused again: the clock was not the cause, or the reported time is not the server's.
            if case .corrected(let former) = clock, answer.status == 403 {
                clockOffset.withLock { $0 = former }
            }
            logger.debug("\(call.name): \(answer.status)")
            return try read(answer, to: outgoing, isTimeKnown: clock.isKnown)
        } catch {
            let failure = IndivoError(thrown: error, by: call, server: unsigned.authority ?? "")
            if let kind = failure.transportError?.kind { logger.debug("\(call.name): \(kind)") }
            throw failure
        }
    }

    /// What a refusal shows about the clock that the request was signed with.
    private enum Clock {
        /// The server's time is not known.
        case unknown
        /// The request's timestamp is within the tolerance.
        case right
        /// The server's time is used from now on, in place of the former offset.
        case corrected(from: Int)

        var isKnown: Bool { if case .unknown = self { false } else { true } }
    }

    /// Uses the server's time from now on, if a request was refused and its timestamp was too old.
    private func setClock(by refusal: HTTPAnswer, to outgoing: OutgoingCall) -> Clock {
        guard refusal.status == 403, outgoing.credentials != nil, outgoing.stamp == nil,
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

extension CallClient {
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
    struct OutgoingCall {
        var call: IndivoCall
        var credentials: OAuthCredentials?
        var path: [String: String] = [:]
        /// For `GET` only: a server leaves the query of any other method out of the signature.
        var query: FormParameters = [:]
        var body: Body?
        var signing = OAuthSigner.Options()
        /// Whether the external id belongs to this document alone: the library generated it, or sent the
        /// document under it before. Equal content under such an id is this document. Under an id that the
        /// app chose, it is this document only if the server created it after the request was sent.
        var hasOwnID = false
        /// Whether an earlier call may have sent the same; then a refusal as a duplicate means that it
        /// arrived.
        var mayHaveBeenSentBefore = false
        /// The metadata to check content against, if the response does not show that the content is complete.
        var expected: DocumentMetadata?
        /// The nonce and time to sign with, if the server has to recognise copies of one request; otherwise
        /// each attempt gets new ones.
        var stamp: SigningStamp?

        /// Refuses a text with a character that XML cannot contain. A server would accept it, and its lists,
        /// histories and inboxes would be malformed from then on, for every app. Documents need no such
        /// check: they were parsed before, or the server returns them as they are.
        func checkTexts() throws(IndivoError) {
            var texts = query.map { ("the query's “\($0.name)”", $0.value) }
            switch body {
            case .text(let text)?: texts.append(("the text", text))
            case .form(let form)?: texts += form.map { ("the field “\($0.name)”", $0.value) }
            case .data?, nil: break
            }
            for (what, text) in texts {
                if let problem = XMLText.problem(in: text) {
                    throw call.refused("\(what) cannot be sent: \(problem)")
                }
            }
        }

        /// The request at an address, not signed.
        func request(at address: ServerAddress) throws(IndivoError) -> HTTPRequest {
            try checkTexts()
            var target = address.path + (try CallPath.fill(call, path))
            // A server logs the path after it has carried out the call, and fails with 500 if the path does
            // not fit into the log's column.
            let count = target.utf8.count
            try call.require(
                count <= 200,
                "the path has \(count) characters, and a server fails on more than 200; use shorter ids"
            )
            if !query.isEmpty { target += "?" + query.encoded }
            var request = HTTPRequest(
                method: call.method,
                scheme: address.scheme,
                authority: address.authority,
                path: target
            )
            request.headerFields[.contentType] = body?.contentType
            return request
        }

        /// A request with its signature.
        func sign(_ unsigned: HTTPRequest, _ stamp: SigningStamp) throws(IndivoError) -> HTTPRequest {
            guard let credentials else { return unsigned }
            let signed = OAuthRequest(
                method: unsigned.method.rawValue,
                scheme: unsigned.scheme ?? "",
                authority: unsigned.authority ?? "",
                target: unsigned.path ?? "",
                contentType: body?.contentType,
                body: body.map { Array($0.data) }
            )
            // An Indivo server verifies the decoded path. Without escapes in the path, both rules give the
            // same signature.
            let rule: SignatureRule = signed.path.utf8.contains(UInt8(ascii: "%")) ? .indivo : .rfc5849
            let signer = OAuthSigner(
                credentials: credentials,
                rule: rule,
                nonce: { stamp.nonce },
                clock: { stamp.timestamp }
            )
            var request = unsigned
            request.headerFields[.authorization] = try call.checked {
                try signer.authorization(for: signed, options: signing).headerValue
            }
            return request
        }
    }
}

/// The nonce and time of a signature, kept so that exactly the same request can be sent again. A server acts
/// on at most one of several copies, so that even a call without an id is safe to retry.
package struct SigningStamp: Sendable, Hashable, Codable {
    package let nonce: String
    /// Seconds since 1970-01-01T00:00:00Z.
    package let timestamp: Int
}
