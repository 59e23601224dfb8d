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
    func send(
        _ call: IndivoCall, path: [String: String] = [:], query: FormParameters = [:], body: CallClient.Body? = nil
    ) async throws -> Answer {
        try await server.calls.send(
            call, as: credentials, path: variables.merging(path) { _, given in given }, query: query, body: body)
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

    /// The one document of a list, as the label calls give it.
    func soleMetadata() throws -> DocumentMetadata {
        let documents = try value(DocumentList.self, root: "Documents").documents
        guard documents.count == 1 else {
            throw malformed("it should hold one document, and holds \(documents.count)")
        }
        return documents[0]
    }
}
