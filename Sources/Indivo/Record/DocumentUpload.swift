import IndivoModel
import IndivoXML

/// Documents with the content in which they are sent, and what to do once the server has it.
struct DocumentUpload {
    /// They share the content, and its id afterwards.
    let documents: [any RecordDocument]
    let content: FileContent
    private let commit: () -> Void

    /// - Parameter commit: Makes the content what the documents compare themselves with.
    init(_ content: FileContent, of documents: [any RecordDocument], commit: @escaping () -> Void) {
        self.documents = documents
        self.content = content
        self.commit = commit
    }

    init(_ prepared: PreparedDocument, of documents: [IndivoDocument]) throws {
        try self.init(FileContent(prepared), of: documents, commit: prepared.commit)
    }

    /// What to send of a new document.
    init(new document: some RecordDocument, _ call: IndivoCall) throws {
        switch document {
        case let document as IndivoDocument: try self.init(PreparedDocument(new: document), of: [document])
        case let file as FileDocument: self = try file.upload()
        default:
            throw IndivoError.argument("the document is neither an IndivoDocument nor a FileDocument", call)
        }
    }

    /// What to send of a document's new version.
    init(versionOf document: some RecordDocument, in record: IndivoRecord, _ call: IndivoCall) async throws {
        guard let document = document as? IndivoDocument else {
            try self.init(new: document, call)
            return
        }
        let root: XMLNode
        if let storedRoot = document.storedRoot {
            root = storedRoot
        } else {
            let (_, id) = try document.stored(for: .recordSpecificDocument)
            root = try await record.content(
                .recordSpecificDocument, of: id, checkedBy: document.metadata,
                refresh: { try await document.refreshMetadata() }
            ).xml()
        }
        try self.init(PreparedDocument(replacing: document, in: root), of: [document])
    }

    /// The server has the documents now.
    /// - Parameter isAsItIs: Whether it has this content, and not what an earlier attempt sent.
    func confirm(_ metadata: DocumentMetadata, in record: IndivoRecord, isAsItIs: Bool = true) {
        if isAsItIs { commit() }
        for document in documents { document.confirm(id: metadata.id, metadata: metadata, in: record) }
    }
}
