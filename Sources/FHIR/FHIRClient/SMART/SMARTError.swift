#if SMART
import Foundation
import HTTPCalls
import IndivoBase

/// Why a launch, or something about its session, failed: at which step, what came back, and what to do next.
///
/// ```swift
/// do {
///     let launch = try await server.launch { url in await openURL(url) }
/// } catch let error as SMARTError {
///     switch error.reason {
///     case .cancelled, .denied: backToStart()
///     case .notReachable, .timedOut, .busy: offerToTryAgain()
///     default: show(error.description)
///     }
/// }
/// ```
/// ``description`` is for people and logs: no code, no token, no state and none of the server's words are in
/// it.
public struct SMARTError: Error, Sendable {
    /// What was being done.
    public enum Step: String, Sendable, Hashable {
        /// Reading the server's SMART configuration.
        case discovery
        /// The person's part, in the browser.
        case authorization
        /// Exchanging the code for tokens.
        case token
        /// Verifying the ID token.
        case identity
        /// Refreshing the access token.
        case refresh
        /// Revoking the tokens.
        case revocation
        /// Asking about the access token.
        case introspection
    }

    /// What kind of failure it is.
    public enum Reason: Sendable, Hashable {
        /// An argument that cannot be used; nothing was sent. The text says what to change.
        case badArgument(String)
        /// The server cannot be reached. Nothing was sent.
        case notReachable
        /// There was no complete response in time.
        case timedOut
        /// The connection broke before the response was complete.
        case responseLost
        /// The response is longer than is read.
        case responseTooLarge
        /// 429, 502, 503, 504: the server asks to come back later.
        case busy
        /// The FHIR server has no SMART configuration, and no addresses of OAuth in its CapabilityStatement.
        case notSMART
        /// The server does not support what the launch needs. The text says what.
        case notSupported(String)
        /// The response is not what it should be. The text says what is wrong with it.
        case malformedResponse(String)
        /// Another status than the step gives, a redirection too, which is not followed.
        case unexpectedStatus(Int)
        /// The authorization server sent the browser back with an error, such as `access_denied`.
        case denied(code: String?)
        /// An endpoint refused, with an error such as `invalid_client`.
        case refused(code: String?)
        /// The browser came back with another login's `state`, or none. The code was not used.
        case wrongState
        /// The browser came back from another authorization server (RFC 9207). The code was not used.
        case wrongIssuer
        /// The app was launched by another FHIR server than this one.
        case launchedByAnotherServer
        /// The ID token cannot be trusted. The text says why.
        case badIDToken(String)
        /// The server takes the session's refresh token no longer, or there is none: log in again.
        case sessionEnded
        /// The session cannot be kept or read. The text says why.
        case sessionNotKept(String)
        /// The login was given up, by the person or by the app.
        case cancelled
    }

    /// What was being done.
    public let step: Step
    /// What kind of failure it is.
    public internal(set) var reason: Reason
    /// Host and port of the server that it is about.
    public let server: String
    /// The HTTP status, where there was a response.
    public internal(set) var status: Int?
    /// Why there is no complete response; nil where there is one.
    public internal(set) var transportError: HTTPTransportError?
    /// How many times the request was sent, or tried to be.
    public package(set) var attempts = 0
    /// Whether the server may have done what was asked.
    public package(set) var mayHaveBeenDone = false
    /// How long the server asks to wait.
    public internal(set) var retryAfter: Duration?

    init(_ reason: Reason, _ step: Step, server: String) {
        self.reason = reason
        self.step = step
        self.server = server
    }
}

extension SMARTError.Reason: CallFailureReason {}

extension SMARTError: CallFailure {
    package var isBeforeSending: Bool { if case .badArgument = reason { true } else { false } }

    package func cancelled() -> SMARTError {
        var error = self
        error.reason = .cancelled
        return error
    }

    /// What was thrown while a request was sent.
    init(thrown error: any Error, _ step: Step, server: String) {
        switch error {
        case let error as SMARTError: self = error
        case is CancellationError: self.init(.cancelled, step, server: server)
        case let error as FHIRAuthorizationError:
            self.init(.malformedResponse(error.description), step, server: server)
        default:
            let failure = error as? HTTPTransportError ?? HTTPTransportError(foreign: error, server: server)
            self.init(Reason(failure), step, server: server)
            transportError = failure
            mayHaveBeenDone = failure.mayHaveReachedServer
        }
    }

    /// Whether it may pass by itself.
    var isTransient: Bool { reason == .busy || transportError?.isTransient == true }

    /// Whether nothing of the request went out.
    var isUnsent: Bool { status == nil && transportError?.mayHaveReachedServer == false }
}

extension SMARTError: CustomStringConvertible {
    public var description: String {
        var text = "\(task) (\(server)): \(explanation)"
        if attempts > 1 { text += ", after \(attempts) attempts" }
        return text.shown()
    }

    private var task: String {
        switch step {
        case .discovery: "SMART configuration"
        case .authorization: "login"
        case .token: "exchange of the code"
        case .identity: "ID token"
        case .refresh: "refresh of the access token"
        case .revocation: "revocation"
        case .introspection: "introspection"
        }
    }

    private var explanation: String {
        switch reason {
        case .badArgument(let what): what
        case .notReachable: transportError?.message ?? "the server cannot be reached"
        case .timedOut: "the server did not respond in time; try again"
        case .responseLost: "the connection broke before the response was complete; try again"
        case .responseTooLarge: "the response is longer than is read"
        case .busy:
            "the server is busy (\(status ?? 503)); try again "
                + (retryAfter.map { "in \($0.components.seconds) s" } ?? "later")
        case .notSMART:
            """
            the server has neither .well-known/smart-configuration nor OAuth's addresses in its \
            CapabilityStatement; check that the base URL is that of a FHIR server with SMART
            """
        case .notSupported(let what): "the server does not support \(what)"
        case .malformedResponse(let what): what
        case .unexpectedStatus(let status) where (300..<400).contains(status):
            "the server redirects (\(status)), which is not followed; check the address"
        case .unexpectedStatus(let status): "unexpected status \(status)"
        case .denied("access_denied"?): "the person did not allow it, or may not"
        case .denied(let code?):
            "the authorization server refused: \(code); check the app's registration, redirect URI and scopes"
        case .denied(nil): "the authorization server refused, with no reason"
        case .refused("invalid_client"?):
            "the server does not take the app's credentials (invalid_client); check its registration"
        case .refused("invalid_grant"?): "the server does not take the code (invalid_grant); log in again"
        case .refused(let code): "the server refuses (\(status ?? 400)): \(code ?? "no reason given")"
        case .wrongState:
            "the browser came back from another login than this one; its code was not used. Log in again"
        case .wrongIssuer:
            """
            the browser came back from another authorization server than it was sent to; \
            its code was not used. Log in again
            """
        case .launchedByAnotherServer:
            "the app was launched by another FHIR server; make a SMARTServer of the launch's iss"
        case .badIDToken(let why): "it cannot be trusted: \(why). Nobody was logged in"
        case .sessionEnded: "the session has ended; log in again"
        case .sessionNotKept(let why): why
        case .cancelled: "the login was cancelled before it was complete"
        }
    }
}
#endif
