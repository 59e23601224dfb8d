/// Why a login did not end with a record.
public enum LoginError: Error, Hashable, CustomStringConvertible {
    /// The browser came back without a record's id.
    case noRecordChosen
    /// The callback belongs to another request token than this login's.
    case callbackForAnotherToken
    /// The callback has no verifier.
    case noVerifier
    /// The server gave a token for another record than was chosen.
    case tokenForAnotherRecord
    /// The login was given up before the browser came back.
    case cancelled
    /// The callback address cannot be used.
    case badCallback(String)

    public var description: String {
        switch self {
        case .noRecordChosen:
            "the server sent the browser back without a record_id; register the app's start URL with "
                + "record_id={record_id} in its query"
        case .callbackForAnotherToken:
            "the callback belongs to another login; it was not used. Begin the login again"
        case .noVerifier:
            "the callback has no oauth_verifier; the authorisation was not completed. Begin the login again"
        case .tokenForAnotherRecord:
            "the server's token is for another record than was chosen; it was not used. Begin the login again"
        case .cancelled:
            "the login was cancelled before the browser came back"
        case .badCallback(let why):
            why
        }
    }
}
