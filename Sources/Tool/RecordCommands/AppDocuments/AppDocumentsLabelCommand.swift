import ArgumentParser
import Indivo

struct AppDocumentsLabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "label",
        "Set the label of one of the app's documents.",
        note: "An empty label takes it away."
    )

    @OptionGroup var options: AppOptions
    @OptionGroup var wanted: LabelOptions

    func run() async throws {
        let (id, label) = try wanted.read()
        let document = AppDocuments.Document(id: id, in: try await options.open())
        try await document.setLabel(label)
        try options.output.print(document.metadata)
    }
}
