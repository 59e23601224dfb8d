/// An HTTP request as a signature sees it: the parts exactly as they go over the wire.
///
/// Nothing is parsed or normalised on the way in, so what is signed is what is sent: give the path and the
/// query with their percent-escapes, and the authority as the `Host` header carries it.
public struct OAuthRequest: Sendable, Hashable {
    /// `GET`, `POST`, …
    public var method: String
    /// `http` or `https`.
    public var scheme: String
    /// The `Host` header: host, and port if it is sent.
    public var authority: String
    /// The path as sent, percent-escapes included, without the query.
    public var path: String
    /// The query as sent, without the `?`; nil if there is no `?`.
    public var query: String?
    /// The `Content-Type` header as sent.
    public var contentType: String?
    /// The body; may be left out when signing, unless it is a form's, or its hash is asked for.
    public var body: [UInt8]?

    /// A request, as far as signing needs to know it.
    public init(
        method: String,
        scheme: String,
        authority: String,
        path: String,
        query: String? = nil,
        contentType: String? = nil,
        body: [UInt8]? = nil
    ) {
        self.method = method
        self.scheme = scheme
        self.authority = authority
        self.path = path
        self.query = query
        self.contentType = contentType
        self.body = body
    }

    /// A request from its target, as it stands in the request line: path, and `?` with the query if there is
    /// one.
    public init(
        method: String,
        scheme: String,
        authority: String,
        target: String,
        contentType: String? = nil,
        body: [UInt8]? = nil
    ) {
        let parts = target.utf8.split(
            separator: UInt8(ascii: "?"),
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        self.init(
            method: method,
            scheme: scheme,
            authority: authority,
            path: String(Substring(parts[0])),
            query: parts.count == 2 ? String(Substring(parts[1])) : nil,
            contentType: contentType,
            body: body
        )
    }

    /// Whether the body is a form: by the RFC whatever the parameters and the letter case of its type, for
    /// Indivo to the letter.
    func isForm(by rule: SignatureRule) -> Bool {
        let type =
            rule == .indivo
            ? contentType : contentType?.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        return type == FormParameters.contentType
    }
}
