import Foundation
import HTTPTypes
import IndivoXML
import Logging
import OAuth1

/// Signs calls, sends them, retries those that may be retried, and makes errors of responses that are no success.
struct CallClient: Sendable {
    /// Where the API is; no call is made where that is no address.
    let address: Result<ServerAddress, ServerAddressError>
    let transport: any HTTPTransport
    let logger: Logger
    let options: IndivoServer.Options
    let limiter: ConcurrencyLimiter
    let clock = ServerClock()
    let accepted = AcceptedCredentials()

    init(base: URL, transport: any HTTPTransport, logger: Logger, options: IndivoServer.Options) {
        address = Result { () throws(ServerAddressError) in
            try ServerAddress(base, plainHTTPHosts: options.plainHTTPHosts)
        }
        self.transport = transport
        self.logger = logger
        self.options = options
        limiter = ConcurrencyLimiter(width: options.maximumConcurrentCalls)
    }

    /// A call's body, in the one content type that both the server and the signature take.
    enum Body {
        case xml(Data)
        case text(String)
        case form(FormParameters)
        case data(Data, type: String)

        var contentType: String {
            switch self {
            case .xml: "application/xml"
            case .text: "text/plain"
            case .form: FormParameters.contentType
            case .data(_, let type): type
            }
        }

        var data: Data {
            switch self {
            case .xml(let data): data
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
        var path: [String: String]
        var query: FormParameters
        var body: Body?
        var signing: OAuthSigner.Options
        /// The id under which a document is stored, where it goes out under one.
        var externalID: SentID?
        /// Whether an earlier call may have sent the same, so that a refusal of a duplicate says that it arrived.
        var mayHaveBeenSentBefore = false
        /// What content is checked against, where the response cannot be seen to be whole.
        var expected: DocumentMetadata?
        /// What to sign with, where copies of one request have to be one to the server; fresh for each sending otherwise.
        var stamp: SigningStamp?
    }

    /// Sends a call, and retries it where that can do no harm (`RetryPolicy`), each time signed anew.
    ///
    /// A document that is stored under an external id is searched for before it is sent again; where it is found, its metadata
    /// on the server is the response.
    ///
    /// - Parameters:
    ///   - call: Which.
    ///   - credentials: Whom it is signed for; `nil` leaves it unsigned.
    ///   - path: The values of the path's variables.
    ///   - query: For `GET` only, since a server leaves it out of what it signs otherwise.
    /// - Throws: ``IndivoError``; what a transport throws that is no `HTTPTransportError`.
    func send(
        _ call: IndivoCall, as credentials: OAuthCredentials?, path variables: [String: String] = [:],
        query: FormParameters = [:], body: Body? = nil, signing options: OAuthSigner.Options = .init()
    ) async throws -> Answer {
        try await send(
            Outgoing(
                call: call, credentials: credentials, path: variables, query: query, body: body, signing: options))
    }

    /// Sends a call once; a second time only to set the clock right.
    /// - Parameter end: When the call is over, by `CallTiming.elapsed`; `nil` leaves it to the transport's own limits.
    func attempt(_ outgoing: Outgoing, until end: Duration? = nil) async throws -> Answer {
        let call = outgoing.call
        let unsigned = try request(outgoing)
        if let token = outgoing.credentials?.token, accepted.isEnded(token) {
            var error = IndivoError(.login(.loggedOut), call: call)
            error.isSafeToRetry = true
            throw error
        }
        do {
            let (answer, isTimeKnown) = try await limiter.run {
                try await transferSettingClock(unsigned, outgoing, until: end)
            }
            logger.debug("\(call.name): \(answer.response.status.code)")
            return try read(answer, to: outgoing, isTimeKnown: isTimeKnown)
        } catch let error as HTTPTransportError {
            logger.debug("\(call.name): \(error.kind)")
            throw IndivoError(error, call: call)
        } catch is CancellationError {
            throw IndivoError(.cancelled, call: call)
        }
    }

    /// Sends a request, and once more with the server's time, if it was refused and the device's clock is slow.
    ///
    /// - Returns: The response, and whether the server's time is known and near the one that was signed with.
    private func transferSettingClock(
        _ unsigned: HTTPRequest, _ outgoing: Outgoing, until end: Duration?
    ) async throws -> (HTTPAnswer, isTimeKnown: Bool) {
        let answer = try await transfer(unsigned, outgoing, until: end)
        guard answer.response.status.code == 403, outgoing.credentials != nil, outgoing.stamp == nil,
            let serverTime = ServerClock.date(of: answer.response)
        else { return (answer, false) }
        let deviceTime = Int(options.timing.now().timeIntervalSince1970)
        let former = clock.offset
        guard serverTime - (deviceTime + former) > ServerClock.tolerance else { return (answer, true) }
        logger.notice("the device's clock is \(serverTime - deviceTime) s behind the server's, whose time is used now")
        clock.set(serverTime - deviceTime)
        let second = try await transfer(unsigned, outgoing, until: end)
        // Refused all the same: the clock was not what was wrong, or the time is not the server's.
        if second.response.status.code == 403 { clock.set(former) }
        return (second, true)
    }

    private func transfer(
        _ unsigned: HTTPRequest, _ outgoing: Outgoing, until end: Duration?
    ) async throws -> HTTPAnswer {
        let body = outgoing.body?.data
        var request = unsigned
        if let credentials = outgoing.credentials {
            let signed = OAuthRequest(
                method: request.method.rawValue, scheme: request.scheme ?? "", authority: request.authority ?? "",
                target: request.path ?? "", contentType: outgoing.body?.contentType, body: body.map { Array($0) })
            let time = Int(options.timing.now().timeIntervalSince1970) + clock.offset
            let stamp = outgoing.stamp ?? SigningStamp(at: time)
            // A path that needs escapes is signed as the server verifies it, decoded; all else is the same to both rules.
            let rule: SignatureRule = signed.path.utf8.contains(UInt8(ascii: "%")) ? .indivo : .rfc5849
            let signer = OAuthSigner(credentials: credentials, rule: rule, nonce: { stamp.nonce }, clock: { stamp.timestamp })
            do {
                request.headerFields[.authorization] =
                    try signer.authorization(for: signed, options: outgoing.signing).headerValue
            } catch {
                throw IndivoError(.badArgument("\(error)"), call: outgoing.call)
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
        let address: ServerAddress
        do {
            address = try self.address.get()
        } catch {
            throw IndivoError(.badArgument("\(error)"), call: outgoing.call)
        }
        var target = address.path + (try CallPath.fill(outgoing.call, outgoing.path))
        try CallPath.checkLength(of: target, outgoing.call)
        if !outgoing.query.isEmpty { target += "?" + outgoing.query.encoded }
        var request = HTTPRequest(
            method: outgoing.call.method, scheme: address.scheme, authority: address.authority, path: target)
        request.headerFields[.contentType] = outgoing.body?.contentType
        return request
    }
}

extension CallClient.Outgoing {
    /// Refuses a text with a character that XML cannot carry: a server takes it, and its lists, histories and inboxes are
    /// malformed from then on, for every app.
    ///
    /// Documents are not checked: XML ones are parsed before, and others are handed back as they are.
    /// - Throws: ``IndivoError``.
    fileprivate func checkTexts() throws {
        func check(_ text: String, _ what: String) throws {
            guard let problem = XMLText.problem(in: text) else { return }
            throw IndivoError.argument("\(what) cannot be sent: \(problem)", call)
        }
        for element in query { try check(element.value, "the query's “\(element.name)”") }
        switch body {
        case .text(let text)?: try check(text, "the text")
        case .form(let form)?:
            for element in form { try check(element.value, "the field “\(element.name)”") }
        case .xml?, .data?, nil: break
        }
    }
}
