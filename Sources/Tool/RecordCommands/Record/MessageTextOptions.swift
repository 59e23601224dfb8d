import ArgumentParser
import Foundation

/// Where a text for people comes from. What is about a patient is better not an argument, which shells
/// remember.
struct MessageTextOptions: ParsableArguments {
    @Option(
        help: "The text. Shells keep it in their history: prefer --body-file for what is about a patient."
    ) var body: String?

    @Option(
        help: .value("file", "The file with the text; standard input when left out or -."),
        completion: .file()
    )
    var bodyFile: String?

    func validate() throws {
        if body != nil && bodyFile != nil {
            throw ValidationError("--body and --body-file exclude each other.")
        }
    }

    /// The text, without white space around it.
    func text() throws -> String {
        let input = InputFile(path: bodyFile ?? "-")
        if body == nil, input.path == "-", StandardStreams.inputIsTerminal {
            StandardStreams.printError("Write the text, and end it with Control-D on a line of its own:")
        }
        let text = try (body ?? input.text()).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else {
            let source = body == nil ? input.name : "--body"
            throw CommandFailure(
                "\(source): there is no text; write it on standard input, or name its file with --body-file"
            )
        }
        return text
    }
}
