import Foundation
import HTTPTypes
import OAuth1
import Synchronization

extension CallClient {
    /// A successful response as it is, any other as an error.
    func read(_ answer: HTTPAnswer, to outgoing: Outgoing, isTimeKnown: Bool) throws(IndivoError)
        -> CallResponse
    {
        let call = outgoing.call
        let status = answer.response.status.code
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
        // What is said where tokens are made may hold one.
        let message = ServerMessage(call.givesTokens ? Data() : answer.body)
        let sent = SentContent(query: outgoing.query, body: outgoing.body)
        let reason: IndivoError.Reason =
            switch status {
            case 400:
                message.conflict.map { .conflict($0) }
                    ?? .invalid(serverMessage: message.words, problems: sent.problems)
            case 403: .refused(causes: accepted.causes(of: outgoing, isTimeKnown: isTimeKnown))
            // To new content that it does not take a server may say 404, without a word.
            case 404
            where call.notFoundHint != nil && RespondingServer(answer) != .pages && !sent.problems.isEmpty:
                .invalid(serverMessage: "", problems: sent.problems)
            case 404: .notFound
            case 500...: .serverFailed(status: status)
            default: .unexpectedStatus(status)
            }
        var error = IndivoError(reason, call: call, status: status)
        if status == 400 {
            // Of whom the call is, and who makes it, nothing is said either.
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

    /// What is likely wrong with the API's address, where the response says so.
    private func advice(on answer: HTTPAnswer, to call: IndivoCall) -> String? {
        if RespondingServer(answer) == .pages {
            return
                """
                The response is a page for people, or leads to one, which the API server does not send: \
                the API address seems to be the UI server's or a proxy's. The two servers have different \
                ports; check the API address.
                """
        }
        guard answer.response.status.code == 404, let path = try? address.get().path, !path.isEmpty else {
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
        _ outgoing: Outgoing
    ) -> NextStep<CallResponse> {
        let call = outgoing.call
        let mayBeThere = mayBeDoneBefore || outgoing.mayHaveBeenSentBefore
        if call.repetition == .untilRefusedAsDuplicate, error.isDuplicate, mayBeThere {
            return .done(CallResponse(ok: call))
        }
        let retry: NextStep<CallResponse> =
            switch (call.repetition, error.status) {
            case (.never, _): .fail
            case _ where error.mayPass: .retry
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
    /// What an attempt threw.
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

    /// What a transport's failure means to a call.
    private init(_ failure: HTTPTransportError, call: IndivoCall) {
        self.init(Reason(failure.outcome), call: call)
        transportError = failure
        mayHaveBeenDone = failure.mayHaveReachedServer
        isSafeToRetry = call.repetition != .never || !failure.mayHaveReachedServer
    }

    /// Whether it may pass by itself: the network's failures, and a server or proxy that is busy.
    fileprivate var mayPass: Bool {
        if let transportError { return transportError.isTransient && reason != .cancelled }
        return isServerBusy || reason == .responseLost
    }

    /// Whether the server says that it has done this already, by the id of what is to be done.
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

    /// Whether the call may have been done all the same. A server says 404 or 500 where an external id is
    /// used already, 500 also where it has done what was asked and failed afterwards, and 400 where an
    /// attempt arrived after the check.
    fileprivate func isReason(toLookUp repetition: Repetition) -> Bool {
        // What may be sent again by itself says so by its next response.
        if repetition == .freely, mayPass { return false }
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

/// What a server has accepted before, what it refused since, and what this app has given up: it shows the
/// likely causes of a refusal.
final class AcceptedCredentials: Sendable {
    /// A call, and the owner of what it was made on: a token is of one record.
    private struct Request: Hashable {
        let call: String
        let owners: [String: String]

        init(_ outgoing: CallClient.Outgoing) {
            call = outgoing.call.name == IndivoCall.unknownName ? outgoing.call.path : outgoing.call.name
            owners = outgoing.path.filter { ["record", "carenet", "account", "app"].contains($0.key) }
        }
    }

    /// What is known of a token.
    private struct History {
        /// The requests that were accepted.
        var accepted: Set<Request> = []
        /// Whether one of them was refused since, and none was accepted after that: the token is gone.
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
    func note(_ outgoing: CallClient.Outgoing) {
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

    /// Notes a refusal, and gives what may be behind it, the likeliest first; the clock is, unless the
    /// server's time is known.
    func causes(of outgoing: CallClient.Outgoing, isTimeKnown: Bool) -> [IndivoError.RefusalCause] {
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
