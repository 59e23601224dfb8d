import Foundation
import HTTPTypes
import OAuth1
import Synchronization

extension CallClient {
    /// Returns a successful response, and throws the error that any other response stands for.
    func read(_ answer: HTTPAnswer, to outgoing: OutgoingCall, isTimeKnown: Bool) throws(IndivoError)
        -> CallResponse
    {
        let call = outgoing.call
        let status = answer.status
        if (200..<300).contains(status) {
            accepted.note(outgoing)
            let success = CallResponse(
                call: call,
                answer: answer,
                end: answer.end(of: outgoing),
                place: outgoing.path,
                maximumReadingBytes: options.maximumReadingBytes
            )
            if let coding = answer.response.headerFields[.contentEncoding], coding.lowercased() != "identity"
            {
                throw success.malformed("it is compressed (\(coding.prefix(20))), which was not asked for")
            }
            // The status alone says that it was done.
            if success.end == .cut, call.response != .ok { throw success.lost() }
            return success
        }
        // The body of a refused token request may contain a token.
        let message = ServerMessage(call.givesTokens ? Data() : answer.body)
        let sent = SentContent(query: outgoing.query, body: outgoing.body)
        let reason: IndivoError.Reason =
            switch status {
            case 400:
                message.conflict.map { .conflict($0) }
                    ?? .invalid(serverMessage: message.words, problems: sent.problems)
            case 403: .refused(causes: accepted.causes(of: outgoing, isTimeKnown: isTimeKnown))
            // A server may refuse new content with 404 and an empty body.
            case 404
            where call.notFoundHint != nil && RespondingServer(answer) != .pages && !sent.problems.isEmpty:
                .invalid(serverMessage: "", problems: sent.problems)
            case 404: .notFound
            case 500...: .serverFailed(status: status)
            default: .unexpectedStatus(status)
            }
        var error = IndivoError(reason, call: call, status: status)
        if status == 400 {
            // The ids in the path and the signer's keys stay out of the message, too.
            let signers = [outgoing.credentials?.consumer.key, outgoing.credentials?.token?.value].compactMap(
                \.self
            )
            let owners = outgoing.path.filter { $0.key != "model" }.map(\.value)
            error.safeMessage = message.leavingOut(sent.values + owners + signers, keeping: sent.names)
        }
        error.addressHint = advice(on: answer, to: call)
        error.isServerBusy = answer.isBusy
        error.retryAfter = answer.retryAfter(now: options.timing.now())
        error.details.append("\(call.method) \((try? CallPath.fill(call, outgoing.path)) ?? call.path)")
        if !message.words.isEmpty { error.details.append("the server said: \(message.words)") }
        throw error
    }

    /// Advice on the API's address, if the response suggests that the address is wrong.
    private func advice(on answer: HTTPAnswer, to call: IndivoCall) -> String? {
        if RespondingServer(answer) == .pages {
            return
                """
                The response is a page for people, or leads to one, which the API server does not send: \
                the API address seems to be the UI server's or a proxy's. The two servers have different \
                ports; check the API address.
                """
        }
        guard answer.status == 404, let path = try? address.get().path, !path.isEmpty else {
            return nil
        }
        return
            "The API address has a path of its own, “\(path.prefix(60))”, which an Indivo API server "
            + "does not have: leave it out, unless a proxy adds it. "
            + (call.notFoundHint ?? "If it does, check the ids.")
    }

    /// What a failed attempt leads to.
    func next(
        after error: IndivoError,
        mayBeDoneBefore: Bool,
        _ outgoing: OutgoingCall
    ) -> NextStep<CallResponse> {
        let call = outgoing.call
        let mayBeThere = mayBeDoneBefore || outgoing.mayHaveBeenSentBefore
        if call.repetition == .untilRefusedAsDuplicate, error.isDuplicate, mayBeThere {
            return .done(CallResponse(ok: call))
        }
        let retry: NextStep<CallResponse> =
            switch (call.repetition, error.status) {
            case (.never, _): .fail
            case _ where error.isTransient: .retry
            // A server may fail on a read because of others that run at the same time.
            case (.freely, 500): .retry(below: 3)
            // What a server does once for an id it may be asked for again, even after it failed.
            case (.untilRefusedAsDuplicate, 500): .retry(below: 2)
            default: .fail
            }
        guard call.lookUp != nil, error.isReason(toLookUp: call.repetition) else { return retry }
        return .lookUp(orElse: retry)
    }
}

extension IndivoError.Reason: CallFailureReason {}

extension IndivoError: CallFailure {
    /// Converts what an attempt threw.
    init(thrown error: any Error, by call: IndivoCall, server: String) {
        switch error {
        case let error as IndivoError: self = error
        case let failure as HTTPTransportError: self.init(failure, call: call)
        case is CancellationError: self.init(.cancelled, call: call)
        default:
            self.init(HTTPTransportError(foreign: error, server: server), call: call)
            details.append("the transport threw: \(error)")
        }
    }

    /// Converts a transport's failure.
    private init(_ failure: HTTPTransportError, call: IndivoCall) {
        self.init(Reason(failure), call: call)
        transportError = failure
        mayHaveBeenDone = failure.mayHaveReachedServer
        isSafeToRetry = call.repetition != .never || !failure.mayHaveReachedServer
    }

    /// Whether the failure is transient: the network's failures, and a server or proxy that is busy.
    fileprivate var isTransient: Bool {
        if let transportError { return transportError.isTransient && reason != .cancelled }
        return isServerBusy || reason == .responseLost
    }

    /// Whether the server refuses the call as a duplicate of an id that it has seen before.
    fileprivate var isDuplicate: Bool {
        if case .invalid(let message, _) = reason { return message.contains("Duplicate attachment number") }
        return reason == .conflict(.messageIDUsed)
    }

    package var isBeforeSending: Bool {
        if case .badArgument = reason { true } else { reason == .login(.loggedOut) }
    }

    package func cancelled() -> IndivoError {
        var error = self
        error.reason = .cancelled
        return error
    }

    /// Whether the call may have been carried out in spite of this error. A server responds with 404 or 500
    /// if the external id is in use, with 500 also if it failed after it had carried out the call, and with
    /// 400 if an earlier attempt arrived after its check.
    fileprivate func isReason(toLookUp repetition: Repetition) -> Bool {
        // A call that is retried freely learns its outcome from the next response.
        if repetition == .freely, isTransient { return false }
        switch reason {
        case .serverFailed: return true
        case .timedOut, .responseLost, .responseTooLarge, .malformedResponse: return repetition != .freely
        case .notFound, .conflict(.externalIDUsed), .conflict(.alreadyReplaced):
            return repetition == .afterLookingUp
        case .invalid: return repetition == .afterLookingUp && status == 404
        default: return false
        }
    }
}

/// Which requests the server accepted, which it refused since, and which tokens the app gave up. The likely
/// causes of a refusal follow from these.
final class AcceptedCredentials: Sendable {
    /// A call, and the owner of what it was made on: a token is of one record.
    private struct Request: Hashable {
        let call: String
        let owners: [String: String]

        init(_ outgoing: CallClient.OutgoingCall) {
            call = outgoing.call.name == IndivoCall.unknownName ? outgoing.call.path : outgoing.call.name
            owners = outgoing.path.filter { ["record", "carenet", "account", "app"].contains($0.key) }
        }
    }

    /// What is known of a token.
    private struct History {
        /// The requests that were accepted.
        var accepted: Set<Request> = []
        /// Whether a request that was accepted before has been refused since: the token is no longer valid.
        var isRevoked = false
    }

    private struct State {
        var isConsumerAccepted = false
        /// By token.
        var histories: [String: History] = [:]
        var ended: Set<String> = []
    }

    private let state = Mutex(State())

    /// A request got a response that is not a refusal.
    func note(_ outgoing: CallClient.OutgoingCall) {
        guard let credentials = outgoing.credentials else { return }
        state.withLock { state in
            state.isConsumerAccepted = true
            guard let token = credentials.token else { return }
            state.histories[token.value, default: History()].accepted.insert(Request(outgoing))
            state.histories[token.value]?.isRevoked = false
        }
    }

    /// From now on nothing is signed with this token.
    func end(_ token: OAuthToken) {
        state.withLock { state in
            state.histories[token.value] = nil
            state.ended.insert(token.value)
        }
    }

    func isEnded(_ token: OAuthToken) -> Bool { state.withLock { $0.ended.contains(token.value) } }

    /// Records a refusal, and returns its possible causes, the likeliest first. A slow clock is one of them
    /// unless the server's time is known.
    func causes(of outgoing: CallClient.OutgoingCall, isTimeKnown: Bool) -> [IndivoError.RefusalCause] {
        guard let credentials = outgoing.credentials else { return [.notAllowed, .changedOnTheWay] }
        let (isConsumerAccepted, history) = state.withLock { state in
            let token = credentials.token?.value ?? ""
            var history = state.histories[token] ?? History()
            if history.accepted.contains(Request(outgoing)) {
                history.isRevoked = true
                state.histories[token] = history
            }
            return (state.isConsumerAccepted, history)
        }
        var causes: [IndivoError.RefusalCause] =
            switch credentials.token {
            case _ where outgoing.call == .exchangeToken: [.notAuthorized, .wrongConsumer]
            case nil: isConsumerAccepted ? [.notAllowed, .wrongConsumer] : [.wrongConsumer, .notAllowed]
            case _ where history.isRevoked: [.tokenGone, .notAllowed]
            case _ where !history.accepted.isEmpty: [.notAllowed, .tokenGone]
            default:
                isConsumerAccepted
                    ? [.tokenGone, .notAllowed, .wrongConsumer] : [.tokenGone, .wrongConsumer, .notAllowed]
            }
        if !isTimeKnown { causes.append(.slowClock) }
        if history.accepted.isEmpty { causes.append(.changedOnTheWay) }
        return causes
    }
}
