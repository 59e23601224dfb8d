import Synchronization

/// Stores each document exactly once, even if it is not known whether an earlier attempt arrived.
extension IndivoRecord {
    /// Adds a document, by the call with an external id or the one without.
    func addNew(
        _ document: some RecordDocument,
        _ calls: (withID: IndivoCall, withoutID: IndivoCall),
        path: [String: String] = [:],
        _ externalID: ExternalID,
        _ validation: DocumentValidation
    ) async throws {
        let call = externalID == .none ? calls.withoutID : calls.withID
        try checkNew(document, call)
        try document.check(validation)
        // If an earlier attempt arrived and the document has changed since, the change becomes a new version.
        let isCurrent = try await store(DocumentUpload(new: document, call), call, path, externalID)
        if !isCurrent { try await document.replace(validation: .none) }
    }

    /// Stores a new version of a document.
    func replace(_ document: some RecordDocument, _ externalID: ExternalID, _ validation: DocumentValidation)
        async throws
    {
        let call: IndivoCall = externalID == .none ? .documentVersion : .documentVersionByExternalID
        let path = ["document": try document.stored(for: call).1]
        if let refusal = document.refusalToReplace { throw call.refused(refusal) }
        try document.check(validation, isNewVersion: true)
        let isCurrent = try await store(version(of: document, call, validation), call, path, externalID)
        if !isCurrent { try await document.replace(validation: validation) }
    }

    /// The upload of a new version, after a check that the document may be replaced.
    private func version(
        of document: some RecordDocument,
        _ call: IndivoCall,
        _ validation: DocumentValidation
    ) async throws -> DocumentUpload {
        let former = try idle(document, call)
        // After an attempt with an unknown outcome, the newer version may be the one that was sent then.
        if former == nil { try document.checkNewest(call) }
        return try await sending([document]) {
            if document is IndivoDocument, document.documentPlace.metadata == nil {
                // A document from a report has no metadata, and so knows nothing of its versions.
                try await document.refreshMetadata()
                if former == nil { try document.checkNewest(call) }
            }
            return try await DocumentUpload(versionOf: document, call, isChecked: validation == .model)
        }
    }

    // MARK: Sending

    /// Stores content. Where an earlier attempt may have stored it under an external id, searches for it
    /// first.
    /// - Returns: Whether the server has it as it is now, and not as it was when an earlier attempt stored
    ///   it.
    /// - Throws: ``IndivoError``. Where it is not known whether the content was stored, the documents
    ///   remember its id.
    func store(
        _ upload: DocumentUpload,
        _ call: IndivoCall,
        _ path: [String: String] = [:],
        _ externalID: ExternalID
    ) async throws -> Bool {
        let former = try former(upload.documents, call, path, externalID.chosen)
        let content = upload.content.data
        if let former, let metadata = try await sending(upload.documents, { try await find(former, call) }) {
            let isSame =
                metadata.identifiesContent
                ? metadata.mismatch(with: content) == nil : former.contents == [content]
            noteReplaced(path["document"])
            upload.confirm(metadata, in: self, isCurrent: isSame)
            return isSame
        }
        // The earlier attempt did not arrive, so the version to replace must be the newest.
        if former != nil, path["document"] != nil, call == .documentVersionByExternalID {
            for document in upload.documents { try document.checkNewest(call) }
        }
        let body = try upload.content.body(for: call, isWritten: upload.isWritten)
        let write: SentWrite? =
            externalID == .none
            ? nil
            : former?.adding(content)
                ?? SentWrite(
                    content,
                    record: id,
                    call: call.name,
                    path: path,
                    externalID: externalID.chosen ?? ExternalID.made()
                )
        let hasOwnID = former != nil || externalID == .generated
        let metadata = try await sending(upload.documents, orElse: write) {
            let path = path.merging(write.map { ["external": $0.externalID] } ?? [:]) { $1 }
            return try await send(call, path: path, body: body, hasOwnID: hasOwnID).metadata()
        }
        if call == .documentVersion || call == .documentVersionByExternalID { noteReplaced(path["document"]) }
        upload.confirm(metadata, in: self)
        try metadata.verify(upload.content, sentWith: call)
        return true
    }

    /// Remembers that a version was replaced.
    func noteReplaced(_ document: String?) {
        if let document { _ = replacedVersions.withLock { $0.insert(document) } }
    }

    /// Marks documents as being sent while `work` runs. Afterwards they have their former stage again, unless
    /// the outcome of `write` is unknown.
    private func sending<Result>(
        _ documents: [any RecordDocument],
        orElse write: SentWrite? = nil,
        _ work: () async throws -> Result
    ) async throws -> Result {
        let before = documents.map(\.documentPlace.stage)
        for (document, before) in zip(documents, before) {
            document.documentPlace.stage = .beingSent(from: before)
        }
        var after = before
        defer { for (document, after) in zip(documents, after) { document.documentPlace.stage = after } }
        do {
            return try await work()
        } catch {
            let isUnknown = (error as? IndivoError)?.mayHaveBeenDone ?? true
            if let write, isUnknown { after = before.map { $0.unconfirmed(write) } }
            guard var error = error as? IndivoError, isUnknown, write != nil, documents.isEmpty else {
                throw error
            }
            // There is no document that could remember the id.
            error.isSafeToRetry = false
            throw error
        }
    }

    // MARK: Earlier attempts

    /// The earlier write whose outcome is unknown, if there is one.
    /// - Throws: ``IndivoError`` if a document is being sent, or if a different call may have stored it.
    private func former(
        _ documents: [any RecordDocument],
        _ call: IndivoCall,
        _ path: [String: String],
        _ externalID: String?
    ) throws -> SentWrite? {
        let former = try documents.map { try idle($0, call) }
        for case (let document, let write?) in zip(documents, former) {
            let isSame = write.isSame(as: call, path, in: self, externalID: externalID)
            try call.require(
                isSame && former.allSatisfy { $0?.externalID == write.externalID },
                document.mayBeStoredMessage
            )
        }
        return former.first ?? nil
    }

    private func idle(_ document: any RecordDocument, _ call: IndivoCall) throws -> SentWrite? {
        switch document.documentPlace.stage {
        case .inNoRecord, .inRecord: return nil
        case .unconfirmed(let write, _): return write
        case .beingSent, .queued:
            throw call.refused("the \(document.kind) is on its way to the server already")
        }
    }

    func checkNew(_ document: any RecordDocument, _ call: IndivoCall) throws {
        let isNew = document.documentPlace.id == nil
        try call.require(
            isNew,
            "the \(document.kind) is on the server already; call its replace() to store a new version"
        )
        _ = try idle(document, call)
    }

    /// The metadata of a document that an earlier write may have stored; `nil` if it did not.
    /// - Throws: A conflict if something else is stored under its id.
    private func find(_ write: SentWrite, _ call: IndivoCall) async throws -> DocumentMetadata? {
        guard let metadata = try await documentMetadata(externalID: write.externalID) else { return nil }
        guard write.contents.contains(where: { metadata.mismatch(with: $0) == nil }) else {
            throw IndivoError(.conflict(.externalIDUsed), call: call)
        }
        return metadata
    }
}

extension SentWrite {
    /// Whether a call does what this one did.
    func isSame(as call: IndivoCall, _ path: [String: String], in record: IndivoRecord, externalID: String?)
        -> Bool
    {
        self.record == record.id && self.call == call.name && self.path == path
            && (externalID == nil || externalID == self.externalID)
    }

    /// Whether it adds a document to a record, and nothing else.
    package func adds(to record: IndivoRecord) -> Bool {
        isSame(as: .documentCreateByExternalID, [:], in: record, externalID: nil)
    }

    /// Whether it replaces a document of a record.
    package func replaces(_ document: String, in record: IndivoRecord) -> Bool {
        isSame(as: .documentVersionByExternalID, ["document": document], in: record, externalID: nil)
    }
}

extension DocumentStage {
    /// Where a document is after a write with an unknown outcome.
    fileprivate func unconfirmed(_ write: SentWrite) -> DocumentStage {
        if case .unconfirmed(_, let before) = self {
            .unconfirmed(write, from: before)
        } else {
            .unconfirmed(write, from: self)
        }
    }
}

extension RecordDocument {
    /// Why a document may not be sent by another call while the outcome of the first is unknown.
    package var mayBeStoredMessage: String {
        "the \(kind) may be stored already, by a call whose outcome is not known; "
            + "make that call again to find out, or send a copy() of it"
    }
}

/// Documents with the content in which they are sent, and what to do once the server has it.
struct DocumentUpload {
    /// The documents in the content. They share its id once it is stored.
    let documents: [any RecordDocument]
    let content: FileContent
    /// Whether the content was written from a tree.
    var isWritten = false
    /// Makes the content the one that later changes of the documents are compared with.
    let commit: () -> Void
}

extension DocumentUpload {
    init(_ prepared: PreparedDocument, of documents: [IndivoDocument]) throws {
        try self.init(
            documents: documents,
            content: FileContent(prepared),
            isWritten: true,
            commit: prepared.commit
        )
    }

    /// What to send of a new document.
    init(new document: some RecordDocument, _ call: IndivoCall) throws {
        switch document {
        case let document as IndivoDocument:
            self = try call.converting("the \(document.kind) cannot be written") {
                try DocumentUpload(PreparedDocument(new: document), of: [document])
            }
        case let file as FileDocument: self = try file.upload()
        default:
            self = try call.converting("the document cannot be written") {
                try DocumentUpload(documents: [document], content: document.contentToStore(), commit: {})
            }
        }
    }

    /// What to send of a document's new version.
    init(versionOf document: some RecordDocument, _ call: IndivoCall, isChecked: Bool) async throws {
        guard let document = document as? IndivoDocument else {
            try self.init(new: document, call)
            return
        }
        let root = if let root = document.storedRoot { root } else { try await document.fetchStored().xml() }
        self = try call.converting("the \(document.kind) cannot be written into what is stored") {
            let prepared = try PreparedDocument(replacing: document, in: root, isChecked: isChecked)
            return try DocumentUpload(prepared, of: [document])
        }
    }

    /// Records that the server has the documents: with this content, or, unless `isCurrent`, with an earlier
    /// one.
    func confirm(_ metadata: DocumentMetadata, in record: IndivoRecord, isCurrent: Bool = true) {
        if isCurrent { commit() }
        for document in documents { document.confirm(id: metadata.id, metadata: metadata, in: record) }
    }
}
