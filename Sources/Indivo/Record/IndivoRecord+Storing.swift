import IndivoModel

/// Storing documents so that each is stored once, also where nobody knows whether an earlier attempt arrived.
extension IndivoRecord {
    /// What became of a document that was to be stored.
    enum Stored {
        /// The server has it as it is now.
        case asItIs
        /// An earlier attempt stored it as it was then.
        case asItWas
    }

    /// Adds a document under an external id.
    func addNew(
        _ document: some RecordDocument, _ call: IndivoCall, path: [String: String] = [:], externalID: String?
    ) async throws {
        try checkNew(document, call)
        let upload = try DocumentUpload(new: document, call)
        if try await store(upload, of: [document], call, path: path, externalID: externalID) == .asItWas {
            try await document.replace()
        }
    }

    func addNewWithoutExternalID(
        _ document: some RecordDocument, _ call: IndivoCall, path: [String: String] = [:]
    ) async throws {
        try checkNew(document, call)
        try await storeWithoutExternalID(DocumentUpload(new: document, call), of: document, call, path: path)
    }

    /// Stores a new version of a document.
    /// - Parameter upload: Gives what to send, from what is stored.
    func replace(
        _ document: some RecordDocument, externalID: String?, upload: (IndivoRecord) async throws -> DocumentUpload
    ) async throws {
        let call = IndivoCall.documentVersionByExternalID
        let path = ["document": try document.stored(for: call).1]
        let upload = try await version(of: document, call, upload)
        if try await store(upload, of: [document], call, path: path, externalID: externalID) == .asItWas {
            try await document.replace()
        }
    }

    func replaceWithoutExternalID(
        _ document: some RecordDocument, upload: (IndivoRecord) async throws -> DocumentUpload
    ) async throws {
        let call = IndivoCall.documentVersion
        let path = ["document": try document.stored(for: call).1]
        try await storeWithoutExternalID(try await version(of: document, call, upload), of: document, call, path: path)
    }

    /// What to send of a new version, once it is sure that the document may be replaced.
    private func version(
        of document: some RecordDocument, _ call: IndivoCall, _ upload: (IndivoRecord) async throws -> DocumentUpload
    ) async throws -> DocumentUpload {
        let former = try idle(document, call)
        // What replaced it may be the version that was sent before.
        if former == nil { try document.checkNewest(call) }
        return try await sending([document], former) {
            if document is IndivoDocument, document.documentPlace.metadata == nil {
                // What came from a report knows nothing of its versions.
                try await document.refreshMetadata()
                if former == nil { try document.checkNewest(call) }
            }
            return try await upload(self)
        }
    }

    // MARK: Sending

    /// Stores content under an external id. Where an earlier attempt may have stored it, looks for that first.
    ///
    /// - Parameter documents: What the content is of; they share its id afterwards.
    /// - Throws: ``IndivoError``. Where it is not known whether the content was stored, the documents remember its id.
    func store(
        _ upload: DocumentUpload, of documents: [any RecordDocument], _ call: IndivoCall, path: [String: String] = [:],
        externalID: String?
    ) async throws -> Stored {
        let former = try former(documents, call, path, externalID)
        if let former, let metadata = try await sending(documents, former, { try await find(former, call) }) {
            let isSame =
                metadata.tellsContent
                ? metadata.mismatch(with: upload.content.data) == nil : former.contents == [upload.content]
            if isSame { upload.settle() }
            note(path["document"], replacedBy: metadata)
            for document in documents { document.settle(metadata, in: self) }
            return isSame ? .asItIs : .asItWas
        }
        // Nobody sent it: then it must be the newest version that is replaced.
        if former != nil, path["document"] != nil, call == .documentVersionByExternalID {
            for document in documents { try document.checkNewest(call) }
        }
        let id = former?.externalID ?? externalID.map { .chosen($0) } ?? .made()
        let body = try upload.content.body(for: call)
        let write = former?.adding(upload.content) ?? UnresolvedWrite(upload.content, to: self, call, path, as: id)
        let metadata = try await sending(documents, former, orElse: write) {
            try await send(call, path: path, body: body, externalID: id).metadata()
        }
        try finish(upload, documents, metadata, call, path)
        return .asItIs
    }

    private func storeWithoutExternalID(
        _ upload: DocumentUpload, of document: some RecordDocument, _ call: IndivoCall, path: [String: String]
    ) async throws {
        guard try former([document], call, path, nil) == nil else { throw mayBeStored(document, call) }
        let body = try upload.content.body(for: call)
        let metadata = try await sending([document], nil) { try await send(call, path: path, body: body).metadata() }
        try finish(upload, [document], metadata, call, path)
    }

    private func finish(
        _ upload: DocumentUpload, _ documents: [any RecordDocument], _ metadata: DocumentMetadata, _ call: IndivoCall,
        _ path: [String: String]
    ) throws {
        upload.settle()
        if call == .documentVersion || call == .documentVersionByExternalID {
            note(path["document"], replacedBy: metadata)
        }
        for document in documents { document.settle(metadata, in: self) }
        try metadata.verify(upload.content, sentWith: call)
    }

    private func note(_ document: String?, replacedBy metadata: DocumentMetadata) {
        if let document { versions.note(document, replacedBy: metadata.id) }
    }

    /// Marks documents as being sent while `work` runs.
    ///
    /// - Parameters:
    ///   - former: What was not known of them before, and is not afterwards unless `work` finds it out.
    ///   - write: What is not known of them when `work` leaves it open.
    private func sending<Result>(
        _ documents: [any RecordDocument], _ former: UnresolvedWrite?, orElse write: UnresolvedWrite? = nil,
        _ work: () async throws -> Result
    ) async throws -> Result {
        func mark(_ transit: DocumentTransit) { for document in documents { document.documentPlace.transit = transit } }
        mark(.beingSent)
        do {
            let result = try await work()
            mark(former.map { .unresolved($0) } ?? .none)
            return result
        } catch {
            let isUnknown = (error as? IndivoError)?.isOutcomeUnknown ?? true
            mark((isUnknown ? write ?? former : former).map { .unresolved($0) } ?? .none)
            guard var error = error as? IndivoError, isUnknown, write != nil, documents.isEmpty else { throw error }
            // There is no document that could remember the id.
            error.isSafeToRepeat = false
            throw error
        }
    }

    // MARK: Earlier attempts

    /// What is not known of documents of which all have to stand alike.
    /// - Throws: ``IndivoError`` when one is on its way, or may be stored otherwise already.
    private func former(
        _ documents: [any RecordDocument], _ call: IndivoCall, _ path: [String: String], _ externalID: String?
    ) throws -> UnresolvedWrite? {
        let former = try documents.map { try idle($0, call) }
        for (document, write) in zip(documents, former) {
            guard let write else { continue }
            guard write.isSame(as: call, path, in: self, externalID: externalID),
                former.allSatisfy({ $0?.externalID == write.externalID })
            else { throw mayBeStored(document, call) }
        }
        return former.first ?? nil
    }

    private func idle(_ document: any RecordDocument, _ call: IndivoCall) throws -> UnresolvedWrite? {
        switch document.documentPlace.transit {
        case .none: return nil
        case .unresolved(let write): return write
        case .beingSent:
            throw IndivoError.argument("the \(document.kind) is on its way to the server already", call)
        }
    }

    private func mayBeStored(_ document: any RecordDocument, _ call: IndivoCall) -> IndivoError {
        IndivoError.argument(
            "the \(document.kind) may be stored already, by a call whose outcome is not known; make that call again to find "
                + "out, or send a copy() of it", call)
    }

    func checkNew(_ document: any RecordDocument, _ call: IndivoCall) throws {
        if document.documentPlace.id != nil {
            throw IndivoError.argument(
                "the \(document.kind) is on the server already; call its replace() to store a new version", call)
        }
        _ = try idle(document, call)
    }

    /// Looks for what an earlier attempt may have stored.
    /// - Returns: What the server says of it; `nil` when it is not there.
    /// - Throws: A conflict when something else is stored under the id.
    private func find(_ write: UnresolvedWrite, _ call: IndivoCall) async throws -> DocumentMetadata? {
        guard let metadata = try await documentMetadata(externalID: write.externalID.text) else { return nil }
        guard write.contents.contains(where: { metadata.mismatch(with: $0.data) == nil }) else {
            throw IndivoError(.conflict(.externalIDUsed), call: call)
        }
        return metadata
    }
}
