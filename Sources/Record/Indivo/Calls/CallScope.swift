import OAuth1

/// Something that calls are made on: a record, a carenet, an account, an app.
protocol CallScope: Sendable {
    var server: IndivoServer { get }
    /// Whom its calls are signed for.
    var credentials: OAuthCredentials? { get }
    /// The values of the path variables that it stands for.
    var variables: [String: String] { get }
    /// The record of the documents that the calls return, if the token is for the whole record.
    var record: IndivoRecord? { get }
}

extension CallScope {
    var record: IndivoRecord? { nil }

    /// The stage of the documents that the calls return.
    var stage: DocumentStage { record.map { .inRecord($0) } ?? .inNoRecord }

    /// Sends a call with the scope's credentials and ids; see ``CallClient/OutgoingCall``.
    func send(
        _ call: IndivoCall,
        path: [String: String] = [:],
        query: FormParameters = [:],
        body: CallClient.Body? = nil,
        hasOwnID: Bool = false,
        mayHaveBeenSentBefore: Bool = false,
        expecting metadata: DocumentMetadata? = nil
    ) async throws -> CallResponse {
        var outgoing = outgoing(call, path, body)
        outgoing.query = query
        outgoing.expected = metadata
        outgoing.hasOwnID = hasOwnID
        outgoing.mayHaveBeenSentBefore = mayHaveBeenSentBefore
        return try await server.calls.send(outgoing)
    }

    /// Stores content, and checks the metadata that the server returns against what was sent.
    func store(_ content: FileContent, _ call: IndivoCall, path: [String: String] = [:]) async throws
        -> DocumentMetadata
    {
        let metadata = try await send(call, path: path, body: content.body(for: call)).metadata()
        try metadata.verify(content, sentWith: call)
        return metadata
    }

    /// Sets the label of a document that the path names.
    func setLabel(_ label: String, _ call: IndivoCall, path: [String: String]) async throws
        -> DocumentMetadata
    {
        try call.check(label)
        return try await send(call, path: path, body: .text(label)).labelledMetadata()
    }

    /// The result of a call; `nil` if the server responds with 404.
    func ifFound<Value>(_ ask: () async throws -> Value) async throws -> Value? {
        do { return try await ask() } catch let error as IndivoError where error.reason == .notFound {
            return nil
        }
    }

    /// Sends a call that gives text or content; see ``CallClient/sendUntilWhole(_:)``.
    func sendUntilWhole(_ call: IndivoCall, path: [String: String] = [:]) async throws -> CallResponse {
        try await server.calls.sendUntilWhole(outgoing(call, path))
    }

    func outgoing(_ call: IndivoCall, _ path: [String: String], _ body: CallClient.Body? = nil)
        -> CallClient.OutgoingCall
    {
        CallClient.OutgoingCall(
            call: call,
            credentials: credentials,
            path: variables.merging(path) { _, given in given },
            body: body
        )
    }

    /// Fetches a document's content, and checks it against its metadata. The metadata is fetched again if the
    /// content may have changed, or if nothing shows that the content is complete.
    func content(
        _ call: IndivoCall,
        of document: String,
        checkedBy metadata: DocumentMetadata?,
        canChange: Bool = false,
        refresh: () async throws -> DocumentMetadata
    ) async throws -> CallResponse {
        let path = ["document": document]
        let response = try await send(call, path: path, expecting: canChange ? nil : metadata)
        if response.end == .whole {
            guard let metadata, metadata.mismatch(with: response.body) != nil else { return response }
            if !canChange { try metadata.verify(response) }
        }
        let fresh = try await refresh()
        guard fresh.identifiesContent else { return try await sendUntilWhole(call, path: path) }
        if fresh.mismatch(with: response.body) == nil { return response }
        let again = try await send(call, path: path, expecting: fresh)
        try fresh.verify(again)
        return again
    }
}
