import OAuth1
import Synchronization

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
