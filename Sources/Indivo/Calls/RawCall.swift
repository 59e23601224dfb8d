import Foundation
import HTTPTypes
import OAuth1

extension IndivoRecord {
    /// Makes any call with the record's token, and gives the answer as it came: for calls that the library has no method
    /// for.
    ///
    /// ```swift
    /// let answer = try await record.call(.get, "/records/\(record.id)/documents/", query: ["limit": "5"])
    /// ```
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The path, as it goes into the request line: without a query, and with nothing escaped.
    ///   - query: For `GET` only.
    ///   - body: The body; a form has the type `application/x-www-form-urlencoded`.
    /// - Throws: ``IndivoError``. Nothing but a `GET` is repeated when its answer is lost.
    @discardableResult
    public func call(
        _ method: HTTPRequest.Method, _ path: String, query: FormParameters = [:], body: FileContent? = nil
    ) async throws -> FileContent {
        try await server.raw(method, path, query, body, as: credentials)
    }
}

extension IndivoServer {
    /// Makes any call in the app's own name (two-legged), and gives the answer as it came; see
    /// ``IndivoRecord/call(_:_:query:body:)``.
    /// - Parameter signed: Whether the call is signed; some calls answer anyone.
    /// - Throws: ``IndivoError``.
    @discardableResult
    public func call(
        _ method: HTTPRequest.Method, _ path: String, query: FormParameters = [:], body: FileContent? = nil,
        signed: Bool = true
    ) async throws -> FileContent {
        try await raw(method, path, query, body, as: signed ? twoLegged : nil)
    }

    func raw(
        _ method: HTTPRequest.Method, _ path: String, _ query: FormParameters, _ body: FileContent?,
        as credentials: OAuthCredentials?
    ) async throws -> FileContent {
        let known = IndivoCall.matching(method, path)
        // The path goes out as it is; what the table knows of the call makes the errors better.
        let call = IndivoCall(
            known?.number, known?.name ?? "call", method, path, known?.answer ?? .content, known?.swift ?? "",
            repeated: known?.repetition, notFoundHint: known?.notFoundHint)
        guard path.hasPrefix("/") else { throw IndivoError.argument("the path “\(path)” does not begin with “/”", call) }
        if let bad = path.first(where: { !CallPath.isLiteral($0) && $0 != "/" }) {
            throw IndivoError.argument(
                "the path has “\(bad)”, which an Indivo server cannot take there; a query is given apart from it", call)
        }
        if !query.isEmpty && method != .get {
            throw IndivoError.argument("a server does not sign the query of \(method); send a body instead", call)
        }
        return try await calls.send(
            call, as: credentials, path: known?.variables(in: path) ?? [:], query: query,
            body: body.map { body in
                switch body.contentType {
                case FormParameters.contentType: .form(FormParameters(decoding: body.data))
                // A label: what is sent is looked at like any other.
                case "text/plain" where known?.body == .text: .text(body.text)
                default: .data(body.data, type: body.contentType)
                }
            }
        ).content
    }
}
