import ArgumentParser
import Indivo

struct DocumentsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "add",
        "Add a document to the record, and print its metadata.",
        discussion: """
            indivo documents add medication.xml --label 'Vitamin C'
            indivo document convert --to sdmx meds.json | indivo documents add -
            indivo documents add note.xml --related-to ID --as annotation

            The file is sent byte for byte, under an external id, so that a lost response adds nothing \
            twice. indivo document check tells before what a server would refuse.
            """
    )

    @OptionGroup var options: RecordOptions
    @OptionGroup var file: DocumentFileOptions

    @Option(help: .value("id", "An id of the app's own for it; one is made unless given.")) var externalId:
        String?

    @Option(help: "The label under which people see it.") var label: String?

    @Option(help: .value("id", "The document that it is about, with --as.")) var relatedTo: String?

    @Option(name: .customLong("as"), help: .value("relation", "What it is to that document.")) var relation:
        DocumentRelation?

    func validate() throws {
        if (relatedTo == nil) != (relation == nil) {
            throw ValidationError("--related-to and --as go together.")
        }
    }

    func run() async throws {
        let content = try file.read(options.console)
        let related = try relatedTo.map(documentID)
        let record = try await options.open()
        let document = FileDocument(content)
        let externalID = externalId.map { .chosen($0) } ?? ExternalID.generated
        do {
            if let related, let relation {
                try await FileDocument(id: related, in: record).addRelated(
                    document,
                    as: relation,
                    externalID: externalID
                )
            } else {
                try await record.add(document, externalID: externalID)
            }
        } catch let error as IndivoError {
            throw CommandFailure.refusing(file.path, error, options.console)
        }
        if let label { try await document.setLabel(label) }
        try options.output.print(document.metadata)
    }
}
