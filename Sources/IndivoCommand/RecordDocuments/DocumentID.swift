import ArgumentParser
import Indivo

/// An id as an argument: whatever a server can have in a path, and nothing else.
struct DocumentID: Hashable {
    let text: String

    /// - Throws: ``CommandFailure``.
    init(_ text: String) throws {
        let isPlausible =
            !text.isEmpty
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
                    || $0 == 0x5F
            }
        guard isPlausible else {
            throw CommandFailure(
                "“\(text)” is no id of a document, which looks like 6f9619ff-8b86-4d01-b42d-00cf4fc964ff; "
                    + "“indivo documents list” lists the ids")
        }
        self.text = text
    }
}

/// Which document a command is about: by its id, or by the app's own.
struct DocumentChoice: ParsableArguments {
    @Argument(help: "The document's id.")
    var id: String?

    @Option(help: ArgumentHelp("The app's own id of the document, instead of its id.", valueName: "id"))
    var externalId: String?

    func validate() throws {
        if (id == nil) == (externalId == nil) {
            throw ValidationError(
                "Name the document, by its id or with --external-id; “indivo documents list” lists the ids.")
        }
    }

    /// The document's id, looked up where the app's own is given.
    func find(in record: IndivoRecord) async throws -> FileDocument {
        if let id { return FileDocument(id: try DocumentID(id).text, in: record) }
        let external = externalId ?? ""
        guard let metadata = try await record.documentMetadata(externalID: external) else {
            throw CommandFailure(
                "this app has no document with the external id \(external); “indivo documents list” lists the ids",
                status: .nothingFound)
        }
        return FileDocument(id: metadata.id, in: record)
    }
}

extension DocumentStatus: ExpressibleByArgument {
    public init?(argument: String) { self.init(rawValue: argument) }
}

extension DocumentRelation: ExpressibleByArgument {
    public init?(argument: String) { self.init(rawValue: argument) }
}
