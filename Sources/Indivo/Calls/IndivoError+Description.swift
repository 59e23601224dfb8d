import Foundation
import IndivoModel
import ShownText

extension IndivoError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// The call, what went wrong and the next step, without secrets, ids and content, as far as the server's own words
    /// can be cleared of them (see ``IndivoError``). One line, in which nothing commands a terminal: control characters
    /// and changes of direction are U+FFFD.
    public var description: String {
        if case .login(let error) = reason { return "\(call): \(error)".shown() }
        return "\(call) (\(request)): \(explanation)".shown()
    }

    /// The same as ``description``, so that an error that is dumped or interpolated shows no more.
    public var debugDescription: String { description }

    /// What `dump` and a debugger show: no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["call": call, "request": request, "description": description]) }

    /// The same as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }

    /// The description, and what else is known: ids in the path, the server's words, our own findings, the position in a
    /// malformed response with what stands there. It may hold what documents say of the patient, never a secret.
    public var debugDetails: String {
        var lines = [description]
        if attempts > 0 { lines.append("tried \(attempts == 1 ? "once" : "\(attempts) times")") }
        lines.append(isSafeToRetry ? "safe to repeat" : "not safe to repeat: look first whether the server has acted")
        if let status { lines.append("status: \(status)") }
        if let transportError { lines.append("transport: \(transportError.kind), \(transportError)") }
        if case .invalidDocument(let problems) = reason { lines += problems.map { "\($0)" } }
        if case .invalid(let message, let problems) = reason {
            lines.append("server's words: \(message.isEmpty ? "(none)" : message)")
            lines += problems.map { "found here: \($0)" }
        }
        return (lines + details).joined(separator: "\n").shown(keepsLines: true)
    }

    private var explanation: String {
        switch reason {
        case .badArgument(let why): "not sent: \(why)."
        case .invalidDocument(let problems):
            "not sent: " + problems.map { "\($0.place) \($0.rule)" }.joined(separator: "; ")
                + ". Correct that, or send it all the same with validation: .none."
        case .responseTooLarge where transportError == nil:
            "the answer has so many elements that reading it would take more memory than is allowed. Ask for "
                + "less at a time, a smaller page say, or raise IndivoServer.Options.maximumReadingBytes."
        case .responseLost where transportError == nil:
            "the connection to the server broke before the answer was complete; the server may have acted on the "
                + "request: look before you repeat it"
        case .notReachable, .timedOut, .responseLost, .responseTooLarge:
            transportError.map { "\($0)" } ?? "the server was not reached"
        case .refused(let causes):
            "403, permission denied. "
                + (addressHint ?? "The server gives no reason; the likeliest first, it is one of these: "
                    + causes.enumerated().map { "(\($0.offset + 1)) \($0.element)" }.joined(separator: "; ") + ".")
        case .notFound:
            "404, not found. " + (addressHint ?? notFoundHint ?? "Check the ids, and that the API address has no path of its own.")
        case .conflict(.externalIDUsed):
            "the external id belongs to a document that is stored already. Look it up, or take another id."
        case .conflict(.messageIDUsed):
            "the message id belongs to a message that was sent already. Take another id for another message."
        case .conflict(.alreadyReplaced): "this version was replaced by a newer one. Fetch the newest version and change that."
        case .conflict(.deleted): "the document was deleted meanwhile. Add its content as a new one."
        case .invalid(_, let problems):
            "\(status ?? 400), the server refuses what was sent"
                + (safeMessage.isEmpty ? ", without a word." : ": \(safeMessage)")
                + (problems.isEmpty
                    ? "" : " Look at \(Set(problems.map(\.place)).sorted().joined(separator: ", ")); debugDetails has more.")
        case .serverFailed(let status):
            "the server answered \(status). The fault is the server's, or a request it did not expect; its log says more."
        case .unexpectedStatus(let status):
            "the server answered \(status)" + (addressHint.map { ". " + $0 } ?? Self.advice(on: status))
        case .malformedResponse(let what): "the answer is not what this call gives: \(what). \(Self.wrongServer)"
        case .login(let error): "\(error)"
        case .cancelled: "cancelled." + (attempts > 0 && !isSafeToRetry ? " The server may have acted on the request." : "")
        }
    }

    private static func advice(on status: Int) -> String {
        (300..<400).contains(status)
            ? " and names another address, which is not followed: a signature is good for one address only. Check the API address."
            : ", which this call does not know. \(wrongServer)"
    }

    private static let wrongServer = "Check that the API address is an Indivo server's, and not its UI server's or a proxy's."
}
