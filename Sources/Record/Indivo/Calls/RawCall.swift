import HTTPTypes
import OAuth1

extension IndivoRecord {
    /// Makes any call with the record's token, and returns the response unchanged: for calls that the library
    /// has no method for.
    ///
    /// ```swift
    /// let answer = try await record.call(.get, "/records/\(record.id)/documents/", query: ["limit": "5"])
    /// ```
    /// - Parameters:
    ///   - path: The path, without a query, and with nothing escaped: a `%` in it stands for itself.
    ///   - query: For `GET` only.
    ///   - body: The body; a form has the type `application/x-www-form-urlencoded`.
    /// - Throws: ``IndivoError``. If the response is lost, a `GET` is retried, and so is a call of
    ///   ``IndivoCall/all`` that is retryable (``IndivoCall/isRetryable``), after a lookup of what is stored
    ///   under its external id. Nothing else is sent twice.
    @discardableResult
    public func call(
        _ method: HTTPRequest.Method,
        _ path: String,
        query: FormParameters = [:],
        body: FileContent? = nil
    ) async throws -> FileContent { try await server.call(method, path, query, body, as: credentials) }
}

extension IndivoServer {
    /// Makes any call in the app's own name (two-legged), as ``IndivoRecord/call(_:_:query:body:)`` does for
    /// a record.
    /// - Parameter signed: Whether the call is signed; some calls are open to anyone.
    /// - Throws: ``IndivoError``.
    @discardableResult
    public func call(
        _ method: HTTPRequest.Method,
        _ path: String,
        query: FormParameters = [:],
        body: FileContent? = nil,
        signed: Bool = true
    ) async throws -> FileContent { try await call(method, path, query, body, as: signed ? twoLegged : nil) }

    fileprivate func call(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ query: FormParameters,
        _ body: FileContent?,
        as credentials: OAuthCredentials?
    ) async throws -> FileContent {
        let known = IndivoCall.matching(method, path)
        // A call that the table knows gives better errors.
        var call = known ?? IndivoCall(IndivoCall.unknownName, method, path, .content, "")
        call.path = path
        try call.require(path.hasPrefix("/"), "the path “\(path)” does not begin with “/”")
        try call.require(
            !path.utf8.contains(UInt8(ascii: "?")),
            "the path has a “?”; a query is given apart from it"
        )
        // Escaped, it has no braces that could be taken for a variable.
        call.path = try CallPath.escape(path, of: call)
        try call.require(
            query.isEmpty || method == .get,
            "a server does not sign the query of \(method); send a body instead"
        )
        let sent: CallClient.Body? = body.map { body in
            switch body.contentType {
            case FormParameters.contentType: .form(FormParameters(decoding: body.data))
            // As a label, it is checked for characters that XML cannot contain.
            case "text/plain" where known?.body == .text: .text(body.text)
            default: .data(body.data, type: body.contentType)
            }
        }
        let place = known?.variables(in: path) ?? [:]
        let outgoing = CallClient.OutgoingCall(
            call: call,
            credentials: credentials,
            path: place,
            query: query,
            body: sent
        )
        return try await calls.sendUntilWhole(outgoing).content
    }
}
