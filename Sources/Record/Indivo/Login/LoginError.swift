extension IndivoError {
    /// Why a login did not end with a record: the reason of an ``IndivoError/Reason/login(_:)``.
    ///
    /// Nothing was given to the app in any of these cases; the login can be begun again.
    public enum LoginError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The browser came back without a record's id.
        case noRecordChosen
        /// The browser came back with a part of a record (a carenet), which is not opened by a login.
        case carenetChosen
        /// The callback's address is not the one made for this login: another's, or one of a login that was
        /// given up.
        case wrongState
        /// The callback, or the launch, was used before.
        case callbackReplayed
        /// The callback belongs to another request token than this login's.
        case callbackForAnotherToken
        /// The callback has no verifier: the authorisation was not completed.
        case noVerifier
        /// The server gave a token for another record than was chosen.
        case tokenForAnotherRecord
        /// The login was given up, by the person or by the app, before it was complete.
        case cancelled
        /// The callback's address, or the pages', cannot be used, or is the API server's; the text says why
        /// and what to do.
        case badCallback(String)
        /// The URL that the app was launched with holds no credentials, or they cannot be read.
        case launchWithoutCredentials
        /// The credentials in the URL that the app was launched with are not signed with the app's secret.
        case launchNotGenuine(String)
        /// The app was launched by the UI of another API server than this one, or for another app.
        case launchForAnotherServer
        /// The session was ended with ``IndivoRecord/logOut()``: nothing is sent with its token any more.
        case loggedOut
        /// The session store does not keep sessions, or does not give or forget them; the text says why.
        case sessionNotKept(String)

        public var description: String {
            switch self {
            case .noRecordChosen:
                "the server sent the browser back without a record_id; register the app's start URL with "
                    + "record_id={record_id} in its query"
            case .carenetChosen:
                """
                a carenet was chosen, which holds only a part of a record; \
                choose a record that is one's own or shared in full
                """
            case .wrongState:
                """
                the callback is not the one that was made for this login; it was not used. \
                Begin the login again
                """
            case .callbackReplayed:
                "the callback was used before; it was not used again. Begin the login again"
            case .callbackForAnotherToken:
                "the callback belongs to another login; it was not used. Begin the login again"
            case .noVerifier:
                """
                the callback has no oauth_verifier; the authorisation was not completed. \
                Begin the login again
                """
            case .tokenForAnotherRecord:
                """
                the server's token is for another record than was chosen; it was not used. \
                Begin the login again
                """
            case .cancelled: "the login was cancelled before it was complete"
            case .badCallback(let why): why
            case .launchWithoutCredentials:
                """
                the URL that the app was opened with holds no oauth_header with credentials; \
                log in with selectRecord
                """
            case .launchNotGenuine(let why):
                """
                the credentials in the URL that the app was opened with were not used: \(why). \
                Log in with selectRecord
                """
            case .launchForAnotherServer:
                "the app was opened by another Indivo server than the one it is set up for, or for "
                    + "another app; its credentials were not used. Check the API address and the app's id"
            case .loggedOut: "the app has logged out of this record; log in again with selectRecord"
            case .sessionNotKept(let why): why
            }
        }
    }
}
