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
                isSingle: true
            )
        )
        options.console.note("The message is sent.")
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

extension OutgoingMessage.Severity: ExpressibleByArgument {}
