import IndivoModel
import OAuth1

/// Something that calls are made on: a record, a carenet, an account, an app.
protocol CallScope: Sendable {
    var server: IndivoServer { get }
    /// Whom its calls are signed for.
    var credentials: OAuthCredentials? { get }
    /// The values of the path variables that it stands for.
    var variables: [String: String] { get }
}

extension CallScope {
    /// - Parameters:
    ///   - externalID: The id that a document is stored under.
    ///   - mayHaveBeenSentBefore: Whether an earlier call may have sent the same.
    ///   - metadata: What content is checked against, where the response cannot be seen to be whole.
    func send(
        _ call: IndivoCall, path: [String: String] = [:], query: FormParameters = [:], body: CallClient.Body? = nil,
        externalID: SentID? = nil, mayHaveBeenSentBefore: Bool = false, expecting metadata: DocumentMetadata? = nil
    ) async throws -> CallResponse {
        var outgoing = outgoing(call, path, body)
        outgoing.path["external"] = externalID?.text ?? outgoing.path["external"]
        (outgoing.query, outgoing.externalID, outgoing.expected) = (query, externalID, metadata)
        outgoing.mayHaveBeenSentBefore = mayHaveBeenSentBefore
        return try await server.calls.send(outgoing)
    }

    /// Sends a call that gives text or content; see ``CallClient/sendUntilWhole(_:)``.
    func sendUntilWhole(_ call: IndivoCall, path: [String: String] = [:]) async throws -> CallResponse {
        try await server.calls.sendUntilWhole(outgoing(call, path))
    }

    func outgoing(_ call: IndivoCall, _ path: [String: String], _ body: CallClient.Body? = nil) -> CallClient.Outgoing {
        CallClient.Outgoing(call: call, credentials: credentials, path: variables.merging(path) { _, given in given }, body: body)
    }

    /// Fetches a document's content, and checks it against its metadata. Where neither the response nor the metadata at hand
    /// says that the content is whole, the metadata is asked for.
    /// - Parameters:
    ///   - metadata: What is known of the document.
    ///   - canChange: Whether the content may have changed since.
    ///   - refresh: Asks for the metadata.
    /// - Throws: ``IndivoError``.
    func content(
        _ call: IndivoCall, of document: String, checkedBy metadata: DocumentMetadata?, canChange: Bool = false,
        refresh: () async throws -> DocumentMetadata
    ) async throws -> CallResponse {
        let path = ["document": document]
        let response = try await send(call, path: path, expecting: canChange ? nil : metadata)
        if response.end == .whole {
            guard let metadata, metadata.mismatch(with: response.body) != nil else { return response }
            if !canChange { try metadata.verify(response) }
        }
        let fresh = try await refresh()
        guard fresh.tellsContent else { return try await sendUntilWhole(call, path: path) }
        if fresh.mismatch(with: response.body) == nil { return response }
        let again = try await send(call, path: path, expecting: fresh)
        try fresh.verify(again)
        return again
    }
}

extension IndivoError {
    /// An argument that no server would take: nothing was sent.
    static func argument(_ why: String, _ call: IndivoCall) -> IndivoError { IndivoError(.badArgument(why), call: call) }

    var isNotFound: Bool { reason == .notFound }
}

extension IndivoCall {
    /// - Throws: ``IndivoError`` for a text that is too long; a server responds with 500 to it.
    func check(_ text: String, _ what: String = "a label", atMost limit: Int = 100) throws {
        // A server counts as its database does, by code points.
        let count = text.unicodeScalars.count
        guard count <= limit else { throw IndivoError.argument("\(what) has at most \(limit) characters, this one \(count)", self) }
    }
}
