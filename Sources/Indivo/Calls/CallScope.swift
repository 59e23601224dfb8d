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
    ) async throws -> Answer {
        var path = variables.merging(path) { _, given in given }
        path["external"] = externalID?.text ?? path["external"]
        return try await server.calls.send(
            CallClient.Outgoing(
                call: call, credentials: credentials, path: path, query: query, body: body,
                signing: OAuthSigner.Options(), externalID: externalID, mayHaveBeenSentBefore: mayHaveBeenSentBefore,
                expected: metadata))
    }

    /// Sends a call that gives text or content; see ``CallClient/sendUntilWhole(_:)``.
    func sendUntilWhole(_ call: IndivoCall, path: [String: String] = [:]) async throws -> Answer {
        try await server.calls.sendUntilWhole(
            CallClient.Outgoing(
                call: call, credentials: credentials, path: variables.merging(path) { _, given in given }, query: [:],
                signing: OAuthSigner.Options()))
    }
}

extension IndivoError {
    /// An argument that no server would take: nothing was sent.
    static func argument(_ why: String, _ call: IndivoCall) -> IndivoError { IndivoError(.badArgument(why), call: call) }

    var isNotFound: Bool {
        if case .notFound = reason { true } else { false }
    }
}

extension Answer {
    var content: FileContent { FileContent(body, contentType: contentType) }

    /// The metadata in it.
    func metadata() throws -> DocumentMetadata { try value(DocumentMetadata.self, root: "Document") }

    /// The one document of a list, as the label calls give it, or the document by itself, as a search for it gives it.
    func labelledMetadata() throws -> DocumentMetadata {
        if try xml().name == "Document" { return try metadata() }
        let documents = try value(DocumentList.self, root: "Documents").documents
        guard documents.count == 1 else {
            throw malformed("it should hold one document, and holds \(documents.count)")
        }
        return documents[0]
    }
}
