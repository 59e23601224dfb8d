/// A possible cause of a 403, the status with which an Indivo server refuses everything that it does not allow.
public enum RefusalCause: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The token was removed, with the app from the record or in a clean-up: log in again.
    case tokenGone
    /// The app, or the person who logged in, may not do this: another record, another app's documents, or a call that
    /// is not open to user apps.
    case notAllowed
    /// The consumer key or the consumer secret is not the app's.
    case wrongConsumer
    /// The person has not authorised the app, or the verifier is another's: begin the login again.
    case notAuthorized
    /// The device's clock is more than five minutes slow, and the server's time is not known.
    case slowClock
    /// The request that arrived is not the one that was signed: something on the way changed the host name, the path or a
    /// header, or the addresses are not those that the server has of itself.
    case changedOnTheWay

    public var description: String {
        switch self {
        case .tokenGone: "the token has expired or was revoked (log in again with selectRecord)"
        case .notAllowed: "this app or account may not do this"
        case .wrongConsumer: "the consumer key or secret is wrong"
        case .notAuthorized: "the app was not authorised, or the verifier is another's (begin the login again)"
        case .slowClock: "this device's clock is more than five minutes slow"
        case .changedOnTheWay:
            "the request was changed on the way, or the API address is not the one that the server has of itself"
        }
    }
}
