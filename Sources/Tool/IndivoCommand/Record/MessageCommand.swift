import ArgumentParser
import Foundation
import Indivo
import OrderedJSON

struct MessageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "message",
        "Send a message to the people who look after the record.",
        discussion: """
            indivo message --subject 'Your results' --body-file - < letter.txt

            Without --subject the first line of the text is the subject. Prints the message's id: \
            the server takes each only once, so that a message of which it is not known whether it arrived \
            can be sent again with its --id.
            """
    )

    @OptionGroup var options: RecordOptions
    @OptionGroup var content: MessageTextOptions

    @Option(help: "The subject, at most 100 characters; the text's first line unless given.") var subject:
        String?

    @Flag(help: "The text is Markdown.") var markdown = false

    @Option(help: "How urgent it is.") var severity = OutgoingMessage.Severity.low

    @Option(
        help: .value("file", "An XML document to go with it; may be given several times."),
        completion: .file(extensions: ["xml"])
    )
    var attach: [String] = []

    @Option(help: "The message's id, unique among the app's; one is made unless given.") var id: String?

    func run() async throws {
        let attachments = try attach.map { path in
            let input = InputFile(path: path)
            _ = try input.parse()
            return FileContent(try input.read(), contentType: "application/xml")
        }
        let (subject, body) = try parts(of: content.text())
        let record = try await options.open()
        var message = OutgoingMessage(
            subject: subject,
            body: body,
            bodyType: markdown ? .markdown : .plaintext,
            severity: severity,
            attachments: attachments
        )
        if let id { message.id = id }
        try await record.send(message)
        try options.output.print(
            Listing(
                ["id": "message", "attachments": "attachments"],
                [[JSONValue(message.id), JSONValue(attachments.count)]],
                isSingle: true,
                list: "Messages",
                element: "Message"
            )
        )
        options.talk.note("The message is sent.")
    }

    private func parts(of text: String) throws -> (subject: String, body: String) {
        if let subject { return (subject, text) }
        // By scalars: CRLF is one character, and none that a line's end equals.
        let lines = text.unicodeScalars.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        let body = lines.count > 1 ? lines[1].trimmingCharacters(in: .whitespacesAndNewlines) : ""
        guard !body.isEmpty else {
            throw CommandFailure(
                "the message has one line only; give the --subject, or write it above the text"
            )
        }
        return (lines[0].trimmingCharacters(in: .whitespacesAndNewlines), body)
    }
}

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

extension OutgoingMessage.Severity: ExpressibleByArgument {}

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
