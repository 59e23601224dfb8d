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
    public var customMirror: Mirror {
        Mirror(self, children: ["call": call, "request": request, "description": description])
    }

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
        case .badArgument(let why):
            return "not sent: \(why)."
        case .invalidDocument(let problems):
            return "not sent: " + problems.map { "\($0.place) \($0.rule)" }.joined(separator: "; ")
                + ". Correct that, or send it all the same with validation: .none."
        case .responseTooLarge where transportError == nil:
            return "the answer has so many elements that reading it would take more memory than is allowed. Ask for "
                + "less at a time, a smaller page say, or raise IndivoServer.Options.maximumReadingBytes."
        case .responseLost where transportError == nil:
            return "the connection to the server broke before the answer was complete; the server may have acted on the "
                + "request: look before you repeat it"
        case .notReachable, .timedOut, .responseLost, .responseTooLarge:
            return transportError.map { "\($0)" } ?? "the server was not reached"
        case .refused(let causes):
            let reasons = causes.enumerated().map { "(\($0.offset + 1)) \($0.element)" }.joined(separator: "; ")
            if let addressHint { return "403, permission denied. \(addressHint)" }
            return "403, permission denied. The server gives no reason; the likeliest first, it is one of these: \(reasons)."
        case .notFound:
            return "404, not found. "
                + (addressHint ?? notFoundHint ?? "Check the ids, and that the API address has no path of its own.")
        case .conflict(.externalIDUsed):
            return "the external id belongs to a document that is stored already. Look it up, or take another id."
        case .conflict(.messageIDUsed):
            return "the message id belongs to a message that was sent already. Take another id for another message."
        case .conflict(.alreadyReplaced):
            return "this version was replaced by a newer one. Fetch the newest version and change that."
        case .conflict(.deleted):
            return "the document was deleted meanwhile. Add its content as a new one."
        case .invalid(_, let problems):
            let found = Set(problems.map(\.place)).sorted()
            return "\(status ?? 400), the server refuses what was sent"
                + (safeMessage.isEmpty ? ", without a word." : ": \(safeMessage)")
                + (found.isEmpty ? "" : " Look at \(found.joined(separator: ", ")); debugDetails has more.")
        case .serverFailed(let status):
            return "the server answered \(status). The fault is the server's, or a request it did not expect; its log "
                + "says more."
        case .unexpectedStatus(let status) where addressHint != nil:
            return "the server answered \(status). \(addressHint ?? "")"
        case .unexpectedStatus(let status) where (300..<400).contains(status):
            return "the server answered \(status) and names another address, which is not followed: a signature is good "
                + "for one address only. Check the API address."
        case .unexpectedStatus(let status):
            return "the server answered \(status), which this call does not know. Check that the API address is an "
                + "Indivo server's, and not its UI server's or a proxy's."
        case .malformedResponse(let what):
            return "the answer is not what this call gives: \(what). Check that the API address is an Indivo server's, "
                + "and not its UI server's or a proxy's."
        case .login(let error):
            return "\(error)"
        case .cancelled:
            return "cancelled."
                + (attempts > 0 && !isSafeToRetry ? " The server may have acted on the request." : "")
        }
    }
}
