import Foundation

/// Why a call failed: which call, what the server said, and what to do next.
public struct IndivoError: Error, CustomStringConvertible {
    public enum Reason: Sendable {
        /// An argument that no server would take; nothing was sent.
        case badArgument(String)
        /// 403. The server never says why.
        case refused
        /// 404.
        case notFound
        /// 400, with the server's sentence (perhaps empty).
        case invalid(String)
        /// Another status, with the beginning of what the server said.
        case status(Int, String)
        /// The answer is not what the call gives.
        case unexpectedAnswer(String)
        /// The request or its answer did not get through.
        case transport(HTTPTransportError)
    }

    public let reason: Reason
    /// The call by Indivo's name, such as `document_create`.
    public let call: String
    /// What the call was about to do, and where, without ids.
    public let request: String
    private let hint: String?

    init(_ reason: Reason, call: IndivoCall) {
        self.reason = reason
        self.call = call.name
        request = "\(call.method) \(call.path)"
        hint = call.notFoundHint
    }

    /// The HTTP status, where there was an answer.
    public var status: Int? {
        switch reason {
        case .refused: 403
        case .notFound: 404
        case .invalid: 400
        case .status(let status, _): status
        case .badArgument, .unexpectedAnswer, .transport: nil
        }
    }

    public var description: String { "\(call) (\(request)): \(explanation)" }

    private var explanation: String {
        switch reason {
        case .badArgument(let why):
            return "not sent: \(why)."
        case .refused:
            return "403, permission denied. The server gives no reason; it is one of these: the consumer key or secret is "
                + "wrong, the token has expired or was revoked (log in again with selectRecord), this app or account may "
                + "not do this, or this device's clock is more than five minutes slow."
        case .notFound:
            return "404, not found. " + (hint ?? "Check the ids, and that the API address has no path of its own.")
        case .invalid(let words):
            return "400, the server refuses the request" + (words.isEmpty ? ", without a word." : ": \(words)")
        case .status(let status, let words):
            return "the server answered \(status)" + (words.isEmpty ? "." : ": \(words)")
                + (status >= 500 ? " The fault is the server's, or a request it did not expect; its log says more." : "")
        case .unexpectedAnswer(let what):
            return "the answer is not what this call gives: \(what) Check that the API address is an Indivo server's, "
                + "and not its UI server's or a proxy's."
        case .transport(let error):
            return "\(error)"
        }
    }
}
