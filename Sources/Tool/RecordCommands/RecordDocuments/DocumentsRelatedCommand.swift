import ArgumentParser
import Indivo

struct DocumentsRelatedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "related",
        "List the documents that stand in a relation to one.",
        discussion: "indivo documents related ID --as annotation"
    )

    @OptionGroup var document: DocumentOptions

    @Option(name: .customLong("as"), help: .value("relation", "What they are to the document.")) var relation:
        DocumentRelation

    @Option(help: "Only documents of this status.") var status = DocumentStatus.active

    func run() async throws {
        let related = try await document.find().related(as: relation, status: status).compactMap(\.metadata)
        try document.output.print(
            .documents(related),
            none: "Nothing is related to it as \(relation.rawValue)."
        )
    }
}
