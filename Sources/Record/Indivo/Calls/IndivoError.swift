import Foundation
import IndivoBase

/// Why a call, or a login, failed: what was asked, what came back, and what to do next.
///
/// ```swift
/// do {
///     try await record.add(medication)
/// } catch let error as IndivoError {
///     switch error.reason {
///     case .notReachable, .timedOut, .responseLost: offerToTryAgain(safely: error.isSafeToRetry)
///     case .refused: askToLogInAgain()
///     case .conflict(.alreadyReplaced): fetchTheNewestVersion()
///     case .invalidDocument(let problems), .invalid(_, let problems): show(problems)
///     case .cancelled: break
///     default: show(error.description)
///     }
/// }
/// ```
/// ``description`` is for people and logs: it contains no secret, no id and nothing from a document. For a
/// refusal it includes the beginning of the server's message, without the values that were sent and without
/// quotations. If that message describes the patient in other words, they cannot be recognised and stay in
/// it. ``debugDetails`` is for developers, and may quote documents.
public struct IndivoError: Error, Sendable {
    /// What kind of failure it is.
    public enum Reason: Sendable, Hashable {
        /// An argument that no server would take; nothing was sent. The text says what to change.
        case badArgument(String)
        /// The document breaks rules of its model; nothing was sent. To send it all the same, use
        /// ``DocumentValidation/none``.
        case invalidDocument(problems: [ValidationError.Problem])
        /// The server cannot be reached: its address is unknown, nothing responds, or there is no secure
        /// connection. Nothing was sent.
        case notReachable
        /// There was no complete response in time.
        case timedOut
        /// The connection broke before the response was complete.
        case responseLost
        /// The response is longer than the transport allows (`HTTPLimits.maximumResponseBytes`), or reading
        /// it would take too much memory (``IndivoServer/Options/maximumReadingBytes``).
        case responseTooLarge
        /// 403. The server responds in the same way for every cause; these are the possible ones, the
        /// likeliest first.
        case refused(causes: [RefusalCause])
        /// 404: there is no such thing, or no such path.
        case notFound
        /// The call conflicts with what is on the server already.
        case conflict(Conflict)
        /// 400, or 404 for new content: the server refuses what was sent. `serverMessage` is in the server's
        /// own words, and may quote values that were sent. `problems` is what this library finds wrong with
        /// the documents that were sent.
        case invalid(serverMessage: String, problems: [ValidationError.Problem])
        /// 5xx: the server failed.
        case serverFailed(status: Int)
        /// Another status that is not a success: a redirection, which is not followed, 405, 413, …
        case unexpectedStatus(Int)
        /// The response is not what the call returns. The text says what was expected, and where the response
        /// differs.
        case malformedResponse(String)
        /// The login did not end with a record.
        case login(IndivoError.LoginError)
        /// The task was cancelled. The server may have acted on the request or not.
        case cancelled
    }

    /// What on the server a call conflicts with.
    public enum Conflict: Sendable, Hashable {
        /// The external id belongs to a document that is stored already.
        case externalIDUsed
        /// The message id belongs to a message that was sent already.
        case messageIDUsed
        /// The version was replaced by a newer one: only the newest can be replaced.
        case alreadyReplaced
        /// The document was deleted, and cannot be overwritten any more.
        case deleted
    }

    /// What kind of failure it is.
    public internal(set) var reason: Reason
    /// The call by Indivo's name, such as `document_create`; for a login that failed otherwise, `login`.
    public let call: String
    /// Method and path template, without ids, such as `POST /records/{record}/documents/`; empty for a login.
    public let request: String
    /// The HTTP status, where there was a response.
    public internal(set) var status: Int?
    /// Why no complete response arrived; `nil` if one did.
    public internal(set) var transportError: HTTPTransportError?
    /// How many times the library tried to send the request; 0 where it refused to.
    public package(set) var attempts: Int
    /// Whether the server may have done what was asked, in this attempt or an earlier one.
    public package(set) var mayHaveBeenDone: Bool
    /// How long the server asks to wait before another attempt (RFC 9110, section 10.2.3).
    public internal(set) var retryAfter: Duration?
    /// Whether the same call can be made again without doing anything twice: it only reads, it stores under
    /// an external id, or the server has done nothing. It may fail again all the same.
    public internal(set) var isSafeToRetry: Bool

    /// What the developer may see beside the description.
    var details: [String] = []
    /// The server's words without what was sent and what is quoted.
    var safeMessage = ""
    let notFoundHint: String?
    /// Advice of one or two sentences, if the response suggests that the API's address is wrong.
    var addressHint: String?
    /// Whether the server or a proxy says that it is busy.
    var isServerBusy = false
    /// Whether the call may change something on the server.
    private let changes: Bool

    /// - Parameter details: For the developer only: may quote what documents say.
    init(_ reason: Reason, call: IndivoCall, status: Int? = nil, details: [String] = []) {
        self.reason = reason
        self.status = status
        self.call = call.name
        request = call.path.isEmpty ? "" : "\(call.method) \(call.path)"
        notFoundHint = call.notFoundHint
        self.details = details
        changes = call.method != .get
        // A response means that the request was sent.
        attempts = status == nil ? 0 : 1
        mayHaveBeenDone =
            switch reason {
            case .badArgument, .invalidDocument, .notReachable, .refused, .notFound, .conflict, .invalid,
                .login:
                false
            case .timedOut, .responseLost, .responseTooLarge, .serverFailed, .unexpectedStatus,
                .malformedResponse, .cancelled:
                true
            }
        isSafeToRetry = call.repetition != .never || !mayHaveBeenDone
    }

    /// The same failure, now that its cause is known: nothing was done.
    func resolved(as reason: Reason, because detail: String? = nil) -> IndivoError {
        var error = self
        error.reason = reason
        error.mayHaveBeenDone = false
        error.isSafeToRetry = true
        error.addressHint = nil
        if let detail { error.details.append(detail) }
        return error
    }

    /// A login that failed otherwise than in a call. It may be begun again.
    init(_ reason: LoginError) { self.init(.login(reason), call: IndivoCall("login", .post, "", .token, "")) }

    /// A possible cause of a 403, with which an Indivo server refuses everything that it does not allow.
    public enum RefusalCause: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// The token was removed, with the app from the record or in a clean-up: log in again.
        case tokenGone
        /// The app, or the person, may not do this: another record, another app's documents, a call not open
        /// to user apps.
        case notAllowed
        /// The consumer key or the consumer secret is not the app's.
        case wrongConsumer
        /// The person has not authorised the app, or the verifier is another's: begin the login again.
        case notAuthorized
        /// The device's clock is more than five minutes slow, and the server's time is not known.
        case slowClock
        /// The server received something else than was signed: a proxy changed the host name, the path or a
        /// header, or the addresses differ from those that the server uses for itself.
        case changedOnTheWay

        public var description: String {
            switch self {
            case .tokenGone: "the token has expired or was revoked (log in again with selectRecord)"
            case .notAllowed: "this app or account may not do this"
            case .wrongConsumer: "the consumer key or secret is wrong"
            case .notAuthorized:
                "the app was not authorised, or the verifier is another's (begin the login again)"
            case .slowClock: "this device's clock is more than five minutes slow"
            case .changedOnTheWay:
                """
                the request was changed on the way, or the API address is not the one that the \
                server has of itself
                """
            }
        }
    }
}

extension IndivoError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
    LocalizedError
{
    /// The call, what went wrong and the next step, in one line without secrets, ids and content, as far as
    /// the server's own words can be cleared of them (see ``IndivoError``). Control characters and marks that
    /// change the text's direction are replaced by U+FFFD.
    public var description: String {
        if case .login(let error) = reason { return "\(call): \(error)".shown() }
        return "\(call) (\(request)): \(explanation)\(advice)".shown()
    }

    /// The same as ``description``, so that an error that is dumped or interpolated shows no more.
    public var debugDescription: String { description }

    /// What `dump` and a debugger show: no more than ``description``.
    public var customMirror: Mirror {
        Mirror(self, children: ["call": call, "request": request, "description": description])
    }

    /// The same as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }

    /// The description, and what else is known: ids in the path, the server's words, our own findings, the
    /// position in a malformed response with what stands there. It may hold what documents say of the
    /// patient, never a secret.
    public var debugDetails: String {
        var lines = [description]
        if attempts > 0 { lines.append("tried \(attempts == 1 ? "once" : "\(attempts) times")") }
        lines.append(
            isSafeToRetry ? "safe to repeat" : "not safe to repeat: look first whether the server has acted"
        )
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
            "the connection to the server broke before the answer was complete"
        case .notReachable, .timedOut, .responseLost, .responseTooLarge:
            transportError?.message ?? "the server was not reached"
        case .refused(let causes):
            "403, permission denied. "
                + (addressHint ?? "The server gives no reason; the likeliest first, it is one of these: "
                    + causes.enumerated().map { "(\($0.offset + 1)) \($0.element)" }.joined(separator: "; ")
                    + ".")
        case .notFound:
            (status == 500 ? "not found; the server fails on that (500). " : "404, not found. ")
                + (addressHint ?? notFoundHint
                    ?? "Check the ids, and that the API address has no path of its own.")
        case .conflict(.externalIDUsed):
            "the external id belongs to a document that is stored already. Look it up, or take another id."
        case .conflict(.messageIDUsed):
            "the message id belongs to a message that was sent already. Take another id for another message."
        case .conflict(.alreadyReplaced):
            "this version was replaced by a newer one. Fetch the newest version and change that."
        case .conflict(.deleted): "the document was deleted meanwhile. Add its content as a new one."
        case .invalid(_, let problems):
            "\(status ?? 400), the server refuses what was sent"
                + (safeMessage.isEmpty ? ", without a word." : ": \(Self.sentence(safeMessage))")
                + (problems.isEmpty
                    ? ""
                    : """
                     Look at \(Set(problems.map(\.place)).sorted().joined(separator: ", ")); \
                    debugDetails has more.
                    """)
        case .serverFailed(let status):
            """
            the server answered \(status). The fault is the server's, or a request it did not expect; \
            its log says more.
            """
        case .unexpectedStatus(let status):
            "the server answered \(status)" + (addressHint.map { ". " + $0 } ?? Self.advice(on: status))
        case .malformedResponse(let what):
            "the answer is not what this call gives: \(what). \(addressHint ?? Self.wrongServer)"
        case .login(let error): "\(error)"
        case .cancelled:
            "cancelled."
                + (attempts > 0 && !isSafeToRetry ? " The server may have acted on the request." : "")
        }
    }

    /// What to do about an outcome that is not known, where the explanation has no other advice.
    private var advice: String {
        switch reason {
        case .notReachable, .timedOut, .responseLost:
            RetryAdvice.text(mayHaveBeenDone: mayHaveBeenDone, isSafeToRetry: isSafeToRetry, changes: changes)
        default: ""
        }
    }

    /// A server's words, with an end.
    private static func sentence(_ words: String) -> String {
        words.last.map { ".!?…".contains($0) } == true ? words : words + "."
    }

    private static func advice(on status: Int) -> String {
        (300..<400).contains(status)
            ? """
             and names another address, which is not followed: a signature is good for one address only. \
            Check the API address.
            """
            : ", which this call does not know. \(wrongServer)"
    }

    private static let wrongServer =
        "Check that the API address is an Indivo server's, and not its UI server's or a proxy's."
}
