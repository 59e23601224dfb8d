import FHIR
import HTTPCalls

/// Why an interaction with a FHIR server failed: what was asked, what came back, and whether a retry is safe.
///
/// ```swift
/// do {
///     try await client.create(observation)
/// } catch let error as FHIRClientError {
///     switch error.reason {
///     case .notReachable, .timedOut, .responseLost, .busy: offerToTryAgain(safely: error.isSafeToRetry)
///     case .unauthorized: askToLogInAgain()
///     case .conflict, .preconditionFailed: readTheNewestVersion()
///     case .invalid: show(error.outcome)
///     default: show(error.description)
///     }
/// }
/// ```
/// ``description`` is for people and logs: no token, no id, no search value and none of the server's words
/// are in it, because a server may quote what was sent. ``outcome`` has the server's own words; it may hold
/// data about a patient.
public struct FHIRClientError: Error, Sendable {
    /// What kind of failure it is.
    public enum Reason: Sendable, Hashable {
        /// An argument that no server would accept; nothing was sent. The text says what to change.
        case badArgument(String)
        /// The server cannot be reached. Nothing was sent.
        case notReachable
        /// There was no complete response in time.
        case timedOut
        /// The connection broke before the response was complete.
        case responseLost
        /// The response is longer than the transport takes.
        case responseTooLarge
        /// 401: the server wants other credentials, also after they were renewed.
        case unauthorized
        /// 403: these credentials do not permit it.
        case forbidden
        /// 404: there is no such resource, or the server does not support the type.
        case notFound
        /// 410: the resource was deleted.
        case deleted
        /// 409: another version is stored already, or the resource is in use.
        case conflict
        /// 412: the version is not the newest, or several resources match a condition.
        case preconditionFailed
        /// 400, 422: the server refuses what was sent.
        case invalid
        /// 405, 406, 415, 501: the server does not support the interaction or the format.
        case notSupported
        /// 429, 503: the server asks to come back later.
        case busy
        /// Another 5xx: the server failed.
        case serverFailed(status: Int)
        /// Another status that is not a success; redirections are not followed.
        case unexpectedStatus(Int)
        /// The response is not what the interaction returns. The text says what is wrong with it.
        case malformedResponse(String)
        /// A link to a next page leads to another server. It was not followed.
        case foreignLink
        /// The links to next pages lead in a circle, or there are more than
        /// ``FHIRClient/Options/maximumPages``.
        case endlessPages
        /// There is no token. The text says why.
        case authorization(String)
        /// The task was cancelled. The server may have acted on the request or not.
        case cancelled
    }

    /// What kind of failure it is.
    public internal(set) var reason: Reason
    /// The interaction by FHIR's name, such as `create`, `search-type` or `$everything`.
    public let interaction: String
    /// Method and path without ids and values, such as `PUT Patient/[id]`.
    public let request: String
    /// The HTTP status, where there was a response.
    public internal(set) var status: Int?
    /// What the server says about it. It may quote what was sent.
    public internal(set) var outcome: OperationOutcome?
    /// Why there is no complete response; nil where there is one.
    public internal(set) var transportError: HTTPTransportError?
    /// How many times the request was sent, or tried to be.
    public package(set) var attempts = 0
    /// Whether the server may have done what was asked, in this attempt or an earlier one.
    public package(set) var mayHaveBeenDone: Bool
    /// How long the server asks to wait (RFC 9110, section 10.2.3).
    public internal(set) var retryAfter: Duration?

    let retryRule: RetryRule
    /// Whether the interaction may change something on the server.
    let changes: Bool

    /// Whether the same request may be sent again without doing anything twice. It may still fail then.
    public var isSafeToRetry: Bool { retryRule != .never || !mayHaveBeenDone }

    init(_ reason: Reason, _ request: FHIRRequest, mayHaveBeenDone: Bool? = nil) {
        self.reason = reason
        interaction = request.interaction
        self.request = "\(request.method) \(request.shape)"
        retryRule = request.retry
        changes = request.changes
        self.mayHaveBeenDone = mayHaveBeenDone ?? reason.leavesOutcomeUnknown
    }
}

extension FHIRClientError.Reason {
    /// Whether the server may have done what was asked.
    fileprivate var leavesOutcomeUnknown: Bool {
        switch self {
        case .timedOut, .responseLost, .responseTooLarge, .serverFailed, .unexpectedStatus,
            .malformedResponse, .cancelled:
            true
        case .badArgument, .notReachable, .unauthorized, .forbidden, .notFound, .deleted, .conflict,
            .preconditionFailed,
            .invalid, .notSupported, .busy, .foreignLink, .endlessPages, .authorization:
            false
        }
    }

    /// The reason for a status that is not a success.
    init(status: Int) {
        self =
            switch status {
            case 400, 422: .invalid
            case 401: .unauthorized
            case 403: .forbidden
            case 404: .notFound
            case 405, 406, 415, 501: .notSupported
            case 409: .conflict
            case 410: .deleted
            case 412: .preconditionFailed
            case 429, 503: .busy
            case 500...: .serverFailed(status: status)
            default: .unexpectedStatus(status)
            }
    }
}
