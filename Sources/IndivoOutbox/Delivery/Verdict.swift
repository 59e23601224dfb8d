import Indivo

/// What a failed call means for the change that made it.
enum Verdict {
    /// The network, or the server's surroundings: it says nothing about the change.
    case tryAgain
    /// The server failed on the request: its fault, or this change's.
    case serverFailed
    /// 403: this change is not allowed, nothing is any more, or a copy of the request came before.
    case forbidden
    /// The server will never take the change.
    case refused

    init(_ error: IndivoError) {
        switch error.reason {
        case .badArgument, .notFound, .invalid, .invalidDocument, .conflict: self = .refused
        case .refused, .login: self = .forbidden
        case .notReachable, .timedOut, .responseLost, .cancelled: self = .tryAgain
        // Such as the page of a network that wants a login of its own first.
        case .malformedResponse, .responseTooLarge: self = .tryAgain
        // What stands between, a gateway say, is no judge of the change.
        case .serverFailed(let status): self = status == 500 ? .serverFailed : .tryAgain
        case .unexpectedStatus(let status):
            // A redirection, or too early, too many, timed out.
            self = status < 400 || [408, 425, 429].contains(status) ? .tryAgain : .refused
        }
    }
}
