import ArgumentParser
import Indivo

struct DocumentsLabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "label",
        "Set the label under which people see a document.",
        note: "An empty label takes it away."
    )

    @OptionGroup var options: RecordOptions
    @OptionGroup var wanted: LabelOptions

    func run() async throws {
        let (id, label) = try wanted.read()
        let document = FileDocument(id: id, in: try await options.open())
        try await document.setLabel(label)
        try options.output.print(document.metadata)
    }
}

struct LabelOptions: ParsableArguments {
    @Argument(help: "The document's id.") var id: String

    @Argument(help: "The label, at most 100 characters; - reads it from standard input.") var text: String

    func read() throws -> (id: String, label: String) { (try documentID(id), try InputFile.argument(text)) }
}
