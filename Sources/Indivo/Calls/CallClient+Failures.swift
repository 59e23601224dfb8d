import Foundation
import HTTPTypes
import Synchronization

extension CallClient {
    /// A successful response as it is, any other as an error.
    func read(_ answer: HTTPAnswer, to outgoing: Outgoing, isTimeKnown: Bool) throws(IndivoError) -> CallResponse {
        let call = outgoing.call
        let status = answer.response.status.code
        if (200..<300).contains(status) {
            accepted.note(outgoing)
            let success = CallResponse(
                call: call, answer: answer, end: answer.end(of: outgoing), place: outgoing.path,
                maximumReadingBytes: options.maximumReadingBytes)
            if let coding = answer.response.headerFields[.contentEncoding], coding.lowercased() != "identity" {
                throw success.malformed("it is compressed (\(coding.prefix(20))), which was not asked for")
            }
            // The status alone says that it was done.
            if success.end == .cut, call.response != .ok { throw success.lost() }
            return success
        }
        // What is said where tokens are made may hold one.
        let message = ServerMessage(call.givesTokens ? Data() : answer.body)
        let sent = SentContent(query: outgoing.query, body: outgoing.body)
        let reason: IndivoError.Reason = switch status {
        case 400: message.conflict.map { .conflict($0) } ?? .invalid(serverMessage: message.words, problems: sent.problems)
        case 403: .refused(causes: accepted.causes(of: outgoing, isTimeKnown: isTimeKnown))
        // To new content that it does not take a server may say 404, without a word.
        case 404 where call.notFoundHint != nil && RespondingServer(answer) != .pages && !sent.problems.isEmpty:
            .invalid(serverMessage: "", problems: sent.problems)
        case 404: .notFound
        case 500...: .serverFailed(status: status)
        default: .unexpectedStatus(status)
        }
        var error = IndivoError(reason, call: call, status: status)
        if status == 400 {
            // Of whom the call is, and who makes it, nothing is said either.
            let signers = [outgoing.credentials?.consumer.key, outgoing.credentials?.token?.value].compactMap(\.self)
            let owners = outgoing.path.filter { $0.key != "model" }.map(\.value)
            error.safeMessage = message.leavingOut(sent.values + owners + signers)
        }
        error.addressHint = advice(on: answer, to: call)
        error.retryAfter = answer.response.headerFields[.retryAfter].flatMap { Int($0) }.map { .seconds(max(0, $0)) }
        error.details.append("\(call.method) \((try? CallPath.fill(call, outgoing.path)) ?? call.path)")
        if !message.words.isEmpty { error.details.append("the server said: \(message.words)") }
        throw error
    }

    /// What is likely wrong with the API's address, where the response says so.
    private func advice(on answer: HTTPAnswer, to call: IndivoCall) -> String? {
        if RespondingServer(answer) == .pages {
            return "The response is a page for people, or leads to one, which the API server does not send: the API address "
                + "seems to be the UI server's or a proxy's. The two servers have different ports; check the API address."
        }
        guard answer.response.status.code == 404, let path = try? address.get().path, !path.isEmpty else { return nil }
        return "The API address has a path of its own, “\(path.prefix(60))”, which an Indivo API server does not have: leave it "
            + "out, unless a proxy adds it. " + (call.notFoundHint ?? "If it does, check the ids.")
    }
}

extension IndivoError {
    /// What a transport's failure means to a call.
    init(_ failure: HTTPTransportError, call: IndivoCall) {
        let reason: Reason = switch failure.kind {
        case .invalidRequest: .badArgument(failure.detail ?? "the request is not valid")
        case .hostNotFound, .cannotConnect, .tls: failure.mayHaveReachedServer ? .responseLost : .notReachable
        case .timedOut: .timedOut
        case .responseLost: .responseLost
        case .responseTooLarge: .responseTooLarge
        case .malformedResponse: .malformedResponse("it is not HTTP")
        case .other: failure.mayHaveReachedServer ? .responseLost : .notReachable
        }
        self.init(reason, call: call)
        transportError = failure
        isOutcomeUnknown = failure.mayHaveReachedServer
        isSafeToRetry = call.repetition != .never || !failure.mayHaveReachedServer
    }

    /// Whether it may pass by itself: the network's failures, and a server or proxy that is busy.
    var mayPass: Bool {
        switch reason {
        case .notReachable: transportError?.kind != .tls
        case .timedOut, .responseLost: true
        case .serverFailed(let status): [502, 503, 504].contains(status)
        case .unexpectedStatus(let status): status == 429
        default: false
        }
    }

    /// Whether the server says that it has done this already, by the id of what is to be done.
    var isDuplicate: Bool {
        if case .invalid(let message, _) = reason { return message.contains("Duplicate attachment number") }
        return reason == .conflict(.messageIDUsed)
    }

    /// Whether the library itself refused to send the request.
    var isBeforeSending: Bool { if case .badArgument = reason { true } else { reason == .login(.loggedOut) } }

    /// The same call, cancelled.
    func cancelled() -> IndivoError {
        var error = self
        error.reason = .cancelled
        return error
    }

    /// Whether the call may have been done all the same. A server says 404 or 500 where an external id is used already, 500
    /// also where it has done what was asked and failed afterwards, and 400 where an attempt arrived after the check.
    func isReason(toLookUp repetition: Repetition) -> Bool {
        // What may be sent again by itself says so by its next response.
        if repetition == .freely, mayPass { return false }
        switch reason {
        case .serverFailed: return true
        case .timedOut, .responseLost, .responseTooLarge, .malformedResponse: return repetition != .freely
        case .notFound, .conflict(.externalIDUsed), .conflict(.alreadyReplaced): return repetition == .afterLookingUp
        case .invalid: return repetition == .afterLookingUp && status == 404
        default: return false
        }
    }
}

/// What a server has accepted before, and what this app has given up: it shows the likely causes of a refusal.
final class AcceptedCredentials: Sendable {
    /// A call, and whose things it was made on: another record's are none of the token's.
    private struct Request: Hashable {
        let call: String
        let owners: [String: String]

        init(_ outgoing: CallClient.Outgoing) {
            call = outgoing.call.name == IndivoCall.unknownName ? outgoing.call.path : outgoing.call.name
            owners = outgoing.path.filter { ["record", "carenet", "account", "app"].contains($0.key) }
        }
    }

    /// The requests are those that got a response, by token.
    private let state = Mutex((isConsumerAccepted: false, requests: [String: Set<Request>](), ended: Set<String>()))

    /// A request got a response that is no refusal.
    func note(_ outgoing: CallClient.Outgoing) {
        guard let credentials = outgoing.credentials else { return }
        state.withLock { state in
            state.isConsumerAccepted = true
            if let token = credentials.token { state.requests[token.value, default: []].insert(Request(outgoing)) }
        }
    }

    /// From now on nothing is signed with this token.
    func end(_ token: OAuthToken) {
        state.withLock { state in
            state.requests[token.value] = nil
            state.ended.insert(token.value)
        }
    }

    func isEnded(_ token: OAuthToken) -> Bool { state.withLock { $0.ended.contains(token.value) } }

    /// What may be behind a refusal of a request, the likeliest first; the clock is, unless the server's time is known.
    func causes(of outgoing: CallClient.Outgoing, isTimeKnown: Bool) -> [IndivoError.RefusalCause] {
        guard let credentials = outgoing.credentials else { return [.notAllowed, .changedOnTheWay] }
        let (isConsumerAccepted, accepted) = state.withLock { state in
            (state.isConsumerAccepted, credentials.token.flatMap { state.requests[$0.value] } ?? [])
        }
        var causes: [IndivoError.RefusalCause] = switch credentials.token {
        case _ where outgoing.call == .exchangeToken: [.notAuthorized, .wrongConsumer]
        case nil: isConsumerAccepted ? [.notAllowed, .wrongConsumer] : [.wrongConsumer, .notAllowed]
        case _ where accepted.contains(Request(outgoing)): [.tokenGone, .notAllowed]
        case _ where !accepted.isEmpty: [.notAllowed, .tokenGone]
        default: isConsumerAccepted ? [.tokenGone, .notAllowed, .wrongConsumer] : [.tokenGone, .wrongConsumer, .notAllowed]
        }
        if !isTimeKnown { causes.append(.slowClock) }
        if accepted.isEmpty { causes.append(.changedOnTheWay) }
        return causes
    }
}
