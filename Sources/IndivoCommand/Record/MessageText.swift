import ArgumentParser
import Foundation

/// Where a text for people comes from. What is about a patient is better not an argument, which shells remember.
struct MessageTextOptions: ParsableArguments {
    @Option(help: "The text. Shells keep it in their history: prefer --body-file for what is about a patient.")
    var body: String?

    @Option(
        help: ArgumentHelp("The file with the text; standard input when left out or -.", valueName: "file"),
        completion: .file())
    var bodyFile: String?

    func validate() throws {
        if body != nil && bodyFile != nil { throw ValidationError("--body and --body-file exclude each other.") }
    }

    /// The text, without white space around it.
    /// - Throws: ``CommandFailure`` for no text, or what is none.
    func text() throws -> String {
        if let body { return try checked(body, "--body") }
        let input = InputFile(path: bodyFile ?? "-")
        if input.path == "-", StandardStreams.inputIsTerminal {
            StandardStreams.complain("Write the text, and end it with Control-D on a line of its own:")
        }
        guard let text = String(validating: try input.read(), as: UTF8.self) else {
            throw CommandFailure("\(input.name): this is no text in UTF-8")
        }
        return try checked(text, input.name)
    }

    private func checked(_ text: String, _ source: String) throws -> String {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else {
            throw CommandFailure(
                "\(source): there is no text; write it on standard input, or name its file with --body-file")
        }
        return text
    }
}
