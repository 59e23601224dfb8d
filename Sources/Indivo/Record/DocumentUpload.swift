import IndivoModel

/// A document's content on its way to a server, and what to do when it has arrived.
struct DocumentUpload {
    let content: FileContent
    private let arrived: (FileContent) -> Void

    init(_ content: FileContent, arrived: @escaping (FileContent) -> Void) {
        self.content = content
        self.arrived = arrived
    }

    init(_ prepared: PreparedDocument) throws {
        try self.init(FileContent(prepared)) { _ in prepared.adopt() }
    }

    /// What to send of a new document.
    init(new document: some RecordDocument, _ call: IndivoCall) throws {
        switch document {
        case let document as IndivoDocument: try self.init(PreparedDocument(new: document))
        case let file as FileDocument: self = try file.upload()
        default:
            throw IndivoError.argument("the document is neither an IndivoDocument nor a FileDocument", call)
        }
    }

    /// The server has it.
    func settle() { arrived(content) }
}
