#if Outbox
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
        case .badArgument, .notFound, .invalid: self = .refused
        case .refused: self = .forbidden
        case .transport(let failure): self = failure.kind == .invalidRequest ? .refused : .tryAgain
        case .status(let status, _):
            switch status {
            case 500: self = .serverFailed
            // Too early, too many, timed out; and what stands between is no judge of the change.
            case 408, 425, 429, 501..., 300..<400: self = .tryAgain
            default: self = .refused
            }
        // Such as the page of a network that wants a login of its own first.
        case .unexpectedAnswer: self = .tryAgain
        }
    }
}
#endif
