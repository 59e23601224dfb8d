import OAuth1
import Synchronization

/// What a server has accepted before, and what this app has given up: it tells the likely causes of a refusal.
final class AcceptedCredentials: Sendable {
    private struct State {
        var isConsumerAccepted = false
        /// The names of the calls that were answered, by token.
        var calls: [String: Set<String>] = [:]
        var ended: Set<String> = []
    }

    private let state = Mutex(State())

    func note(_ call: IndivoCall, _ credentials: OAuthCredentials) {
        state.withLock { state in
            state.isConsumerAccepted = true
            if let token = credentials.token { state.calls[token.value, default: []].insert(call.name) }
        }
    }

    /// From now on nothing is signed with this token.
    func end(_ token: OAuthToken) {
        state.withLock { state in
            state.calls[token.value] = nil
            state.ended.insert(token.value)
        }
    }

    func isEnded(_ token: OAuthToken) -> Bool { state.withLock { $0.ended.contains(token.value) } }

    /// What may be behind a refusal, the likeliest first.
    ///
    /// - Parameter isTimeKnown: Whether the server told its time, and the request was signed with one near it.
    func causes(of call: IndivoCall, _ credentials: OAuthCredentials?, isTimeKnown: Bool) -> [RefusalCause] {
        guard let credentials else { return [.notAllowed, .changedOnTheWay] }
        let (isConsumerAccepted, accepted) = state.withLock { state in
            (state.isConsumerAccepted, credentials.token.flatMap { state.calls[$0.value] } ?? [])
        }
        var causes: [RefusalCause]
        if call.name == IndivoCall.exchangeToken.name {
            causes = [.notAuthorized, .wrongConsumer]
        } else if credentials.token == nil {
            causes = isConsumerAccepted ? [.notAllowed, .wrongConsumer] : [.wrongConsumer, .notAllowed]
        } else if accepted.contains(call.name) {
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
