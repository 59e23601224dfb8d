import OAuth1
import Synchronization

/// What a server has accepted before, and what this app has given up: it shows the likely causes of a refusal.
final class AcceptedCredentials: Sendable {
    /// A call, and whose things it was made on: another record's are none of the token's.
    private struct Request: Hashable {
        let call: String
        let owners: [String: String]

        init(_ call: IndivoCall, _ path: [String: String]) {
            self.call = call.name == IndivoCall.unknownName ? call.path : call.name
            owners = path.filter { ["record", "carenet", "account", "app"].contains($0.key) }
        }
    }

    private struct State {
        var isConsumerAccepted = false
        /// The requests that got a response, by token.
        var requests: [String: Set<Request>] = [:]
        var ended: Set<String> = []
    }

    private let state = Mutex(State())

    func note(_ call: IndivoCall, path: [String: String], _ credentials: OAuthCredentials) {
        state.withLock { state in
            state.isConsumerAccepted = true
            if let token = credentials.token { state.requests[token.value, default: []].insert(Request(call, path)) }
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

    /// What may be behind a refusal, the likeliest first.
    ///
    /// - Parameters:
    ///   - path: The values of the path's variables.
    ///   - isTimeKnown: Whether the server reported its time, and the request was signed with one near it.
    func causes(
        of call: IndivoCall, path: [String: String], _ credentials: OAuthCredentials?, isTimeKnown: Bool
    ) -> [IndivoError.RefusalCause] {
        guard let credentials else { return [.notAllowed, .changedOnTheWay] }
        let (isConsumerAccepted, accepted) = state.withLock { state in
            (state.isConsumerAccepted, credentials.token.flatMap { state.requests[$0.value] } ?? [])
        }
        var causes: [IndivoError.RefusalCause]
        if call.name == IndivoCall.exchangeToken.name {
            causes = [.notAuthorized, .wrongConsumer]
        } else if credentials.token == nil {
            causes = isConsumerAccepted ? [.notAllowed, .wrongConsumer] : [.wrongConsumer, .notAllowed]
        } else if accepted.contains(Request(call, path)) {
            causes = [.tokenGone, .notAllowed]
        } else if !accepted.isEmpty {
            causes = [.notAllowed, .tokenGone]
        } else if isConsumerAccepted {
            causes = [.tokenGone, .notAllowed, .wrongConsumer]
        } else {
            causes = [.tokenGone, .wrongConsumer, .notAllowed]
        }
        if !isTimeKnown { causes.append(.slowClock) }
        if accepted.isEmpty { causes.append(.changedOnTheWay) }
        return causes
    }
}
