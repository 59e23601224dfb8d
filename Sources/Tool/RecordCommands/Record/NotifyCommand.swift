import ArgumentParser
import Indivo

struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "notify",
        "Notify the people who look after the record.",
        discussion: "echo 'New results are here.' | indivo notify --document 2b1c…"
    )

    @OptionGroup var options: RecordOptions
    @OptionGroup var content: MessageTextOptions

    @Option(help: .value("id", "The document of the record that it is about.")) var document: String?

    @Option(help: .value("path", "Where the app shows more, relative to its start page.")) var appUrl: String?

    func run() async throws {
        let text = try content.text()
        let document = try document.map(documentID)
        let record = try await options.open()
        try await record.notify(
            text,
            about: document.map { FileDocument(id: $0, in: record) },
            appURL: appUrl
        )
        try options.output.printDone("The notification is sent.")
    }
}
