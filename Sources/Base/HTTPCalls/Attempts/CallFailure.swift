import Foundation
import HTTPTypes
import IndivoBase

/// The error of a client, as far as the engine has to know it.
package protocol CallFailure: Error {
    /// How many times the call was sent, or tried to be.
    var attempts: Int { get set }
    /// Whether the server may have done what was asked, in this attempt or an earlier one.
    var mayHaveBeenDone: Bool { get set }
    /// How long the server asks to wait before another attempt.
    var retryAfter: Duration? { get }
    /// Whether the client itself refused to send the request.
    var isBeforeSending: Bool { get }

    /// The same call, cancelled.
    func cancelled() -> Self
}

/// What a failed attempt leads to.
package enum NextStep<Response> {
    /// The call has failed.
    case fail
    /// The call is attempted again, if there were fewer attempts than this, and the policy permits.
    case retry(below: Int)
    /// The failure itself shows that an earlier attempt was done.
    case done(Response)
    /// First, the client looks up whether the call was carried out.
    indirect case lookUp(orElse: NextStep)

    /// The call is attempted again, as often as the policy permits.
    package static var retry: NextStep { .retry(below: .max) }
}

/// The reasons of a client's errors. Each client has these among its own.
package protocol CallFailureReason {
    static func badArgument(_ why: String) -> Self
    static var notReachable: Self { get }
    static var timedOut: Self { get }
    static var responseLost: Self { get }
    static var responseTooLarge: Self { get }
    static func malformedResponse(_ why: String) -> Self
}

extension CallFailureReason {
    /// What a failure of the transport means to the caller of a client.
    package init(_ failure: HTTPTransportError) {
        self =
            switch failure.kind {
            case .invalidRequest: .badArgument(failure.detail ?? "the request is not valid")
            case .hostNotFound, .cannotConnect, .tls, .other:
                failure.mayHaveReachedServer ? .responseLost : .notReachable
            case .timedOut: .timedOut
            case .responseLost: .responseLost
            case .responseTooLarge: .responseTooLarge
            case .malformedResponse: .malformedResponse("it is not HTTP")
            }
    }
}

extension HTTPTransportError {
    /// Whether the failure is transient. A certificate does not become acceptable by waiting.
    package var isTransient: Bool {
        switch kind {
        case .hostNotFound, .cannotConnect, .other, .timedOut, .responseLost: true
        case .tls: mayHaveReachedServer
        case .invalidRequest, .responseTooLarge, .malformedResponse: false
        }
    }

    /// The error for a different one that a custom transport threw. Its text may contain anything, and is
    /// left out.
    package init(foreign error: any Error, server: String) {
        self.init(kind: .other, server: server, mayHaveReachedServer: true, detail: "\(type(of: error))")
    }
}

extension HTTPAnswer {
    /// Whether a server or proxy is busy, which passes by itself.
    package var isBusy: Bool { [429, 502, 503, 504].contains(status) }

    /// How long the server asks to wait before another attempt, in seconds or until a date (RFC 9110, section
    /// 10.2.3).
    package func retryAfter(now: Date) -> Duration? {
        guard let text = response.headerFields[.retryAfter] else { return nil }
        let year = 31_536_000
        if let seconds = Int(text) { return .seconds(min(max(0, seconds), year)) }
        guard let date = CivilDateTime(httpDate: text)?.seconds else { return nil }
        return .seconds(min(max(0, Double(date) - now.timeIntervalSince1970), Double(year)))
    }
}

/// How the errors of all clients end: what to do about an outcome that is not known.
package enum RetryAdvice {
    /// - Parameter changes: Whether the call may change something on the server; one that only reads may
    ///   always be made again.
    package static func text(mayHaveBeenDone: Bool, isSafeToRetry: Bool, changes: Bool) -> String {
        guard mayHaveBeenDone, changes else { return "" }
        return isSafeToRetry
            ? "; the server may have acted on the request, and a retry does no harm"
            : "; the server may have acted on the request: look before you retry"
    }
}
