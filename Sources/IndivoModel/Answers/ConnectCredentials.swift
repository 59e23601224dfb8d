/// The credentials with which a page that hosts an app signs calls for it (element `ConnectCredentials`, call
/// `get_connect_credentials`).
///
/// It holds secrets: they are in no description of it, and belong into no log.
public struct ConnectCredentials: CompoundValue {
    /// The app that the credentials are for.
    public struct App: CompoundValue {
        /// The app's id, in the form of an e-mail address.
        @Field(in: .attribute) public var id: String

        /// An app without an id.
        public init() {}
    }

    /// The app that the credentials are for.
    @Field("App") public var app: App?
    /// The token with which the hosting page signs its calls.
    @Field("ConnectToken") public var connectToken: String?
    /// The secret of ``connectToken``.
    @Field("ConnectSecret") public var connectSecret: String?
    /// The address of the API.
    @Field("APIBase") public var apiBase: String?
    /// The token with which the app's own server signs its calls.
    @Field("RESTToken") public var restToken: String?
    /// The secret of ``restToken``.
    @Field("RESTSecret") public var restSecret: String?
    /// The `Authorization` header that hands all of it to the app; it holds ``restSecret``.
    @Field("OAuthHeader") public var oauthHeader: String?
    /// When the credentials end.
    @Field("ExpiresAt") public var expiresAt: XMLDateTime?

    /// No credentials.
    public init() {}
}

extension ConnectCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The app and the end of the credentials; no token and no secret.
    public var description: String {
        "credentials for \(app?.id ?? "no app")" + (expiresAt.map { " until \($0)" } ?? "")
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// What `dump` shows: neither tokens nor secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["app": app?.id as Any, "expiresAt": expiresAt as Any], displayStyle: .struct)
    }
}
