import ArgumentParser
import Indivo

struct DocumentsRelateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "relate",
        "Relate a document to another.",
        discussion: """
            indivo documents relate ID OTHER --as annotation

            says that OTHER is an annotation of ID.
            """
    )

    @OptionGroup var options: RecordOptions

    @Argument(help: "The document's id.") var id: String

    @Argument(help: "The id of the document that is related to it.") var other: String

    @Option(name: .customLong("as"), help: .value("relation", "What the other is to the document."))
    var relation: DocumentRelation

    func run() async throws {
        let id = try documentID(id)
        let other = try documentID(other)
        let record = try await options.open()
        try await FileDocument(id: id, in: record).relate(
            to: FileDocument(id: other, in: record),
            as: relation
        )
        try options.output.printDone("The documents are related.")
    }
}
