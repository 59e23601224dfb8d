import OAuth1

/// Something that calls are made on: a record, a carenet, an account, an app.
protocol CallScope: Sendable {
    var server: IndivoServer { get }
    /// Whom its calls are signed for.
    var credentials: OAuthCredentials? { get }
    /// The values of the path variables that it stands for.
    var variables: [String: String] { get }
    /// The record to which the documents belong that it gives, where the token is for all of it.
    var record: IndivoRecord? { get }
}

extension CallScope {
    var record: IndivoRecord? { nil }

    /// Where the documents are that it gives.
    var stage: DocumentStage { record.map { .inRecord($0) } ?? .inNoRecord }

    /// Sends a call with the scope's credentials and ids; see ``CallClient/Outgoing``.
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

    /// Sends what a server keeps, and checks by what it says of it that it is what was sent.
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

    /// What a call gives, or `nil` where the server says that there is no such thing.
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
        -> CallClient.Outgoing
    {
        CallClient.Outgoing(
            call: call,
            credentials: credentials,
            path: variables.merging(path) { _, given in given },
            body: body
        )
    }

    /// Fetches a document's content, and checks it against its metadata, which is asked for where neither the
    /// response nor the metadata at hand says that the content is whole, or where it may have changed.
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
        guard fresh.tellsContent else { return try await sendUntilWhole(call, path: path) }
        if fresh.mismatch(with: response.body) == nil { return response }
        let again = try await send(call, path: path, expecting: fresh)
        try fresh.verify(again)
        return again
    }
}
