import ArgumentParser
import Indivo

struct DocumentsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a document to the record, and print what the server says of it.",
        discussion: """
            indivo documents add medication.xml --label 'Vitamin C'
            indivo document convert --to sdmx meds.json | indivo documents add -
            indivo documents add note.xml --related-to ID --as annotation

            The file is sent byte for byte, under an external id, so that a lost response adds nothing twice. \
            indivo document check tells before what a server would refuse.

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var file: DocumentFileOptions

    @Option(help: ArgumentHelp("An id of the app's own for it; one is made unless given.", valueName: "id"))
    var externalId: String?

    @Option(help: "The label under which people see it.")
    var label: String?

    @Option(help: ArgumentHelp("The document that it is about, with --as.", valueName: "id"))
    var relatedTo: String?

    @Option(name: .customLong("as"), help: ArgumentHelp("What it is to that document.", valueName: "relation"))
    var relation: DocumentRelation?

    func validate() throws {
        if (relatedTo == nil) != (relation == nil) { throw ValidationError("--related-to and --as go together.") }
    }

    func run() async throws {
        let content = try file.read(output.talk)
        let related = try relatedTo.map { try DocumentID($0).text }
        let record = try await connection.openRecord(output.talk)
        let document = FileDocument(content)
        do {
            if let related, let relation {
                try await FileDocument(id: related, in: record).addRelated(
                    document, as: relation, externalID: externalId.map { .chosen($0) } ?? .generated)
            } else {
                try await record.add(document, externalID: externalId.map { .chosen($0) } ?? .generated)
            }
        } catch let error as IndivoError {
            throw CommandFailure.refusing(file.path, error, output.talk)
        }
        if let label { try await document.setLabel(label) }
        try output.print(document.metadata)
    }
}

struct DocumentsReplaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replace",
        abstract: "Store a file as the new version of a document, and print what the server says of that.",
        discussion: """
            indivo documents get ID > document.xml
            indivo documents replace ID document.xml

            Only the newest version can be replaced. The new version has an id of its own; the old one stays among \
            the versions.

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The document's id.")
    var id: String

    @OptionGroup var file: DocumentFileOptions

    @Option(help: ArgumentHelp("An id of the app's own for the new version; one is made unless given.", valueName: "id"))
    var externalId: String?

    func run() async throws {
        let id = try DocumentID(id)
        let content = try file.read(output.talk)
        let record = try await connection.openRecord(output.talk)
        let document = FileDocument(id: id.text, in: record)
        // A server says 404 to an old version as it does to a wrong id.
        try await document.refreshMetadata()
        if let newest = document.metadata?.latest?.id ?? document.metadata?.replacedBy?.id, newest != id.text {
            throw CommandFailure(
                "\(id.text) was replaced already; the newest version is \(newest), and "
                    + "“indivo documents versions \(id.text)” "
                    + "lists them all", status: .refused)
        }
        document.content = content
        do {
            try await document.replace(externalID: externalId.map { .chosen($0) } ?? .generated)
        } catch let error as IndivoError where error.reason == .notFound {
            throw CommandFailure(
                "the server refuses the new content, and does not say why (404, though the document is there)\nnext: "
                    + "“indivo document check \(file.path == "-" ? "FILE" : file.path)” tells what a server would refuse",
                status: .refused)
        } catch let error as IndivoError {
            throw CommandFailure.refusing(file.path, error, output.talk)
        }
        try output.print(document.metadata)
    }
}

extension CommandFailure {
    /// A server's refusal of a file, with the command that tells what is wrong with it.
    fileprivate static func refusing(_ path: String, _ error: IndivoError, _ talk: TalkOptions) -> any Error {
        guard case .invalid = error.reason, path != "-" else { return error }
        return CommandFailure(error, isVerbose: talk.verbose).naming(path)
    }

    /// The same, where it is said how a file is checked.
    private func naming(_ path: String) -> CommandFailure {
        CommandFailure(description: description.replacing("document check FILE", with: "document check \(path)"), status: status)
    }
}

struct DocumentsLabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label",
        abstract: "Set the label under which people see a document.",
        discussion: "An empty label takes it away. \(ExitStatus.help)")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The document's id.")
    var id: String

    @Argument(help: "The label, at most 100 characters; - reads it from standard input.")
    var text: String

    func run() async throws {
        let id = try DocumentID(id)
        let label = try InputFile.argument(text)
        let record = try await connection.openRecord(output.talk)
        let document = FileDocument(id: id.text, in: record)
        try await document.setLabel(label)
        try output.print(document.metadata)
    }
}

struct DocumentsStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "Set a document's status: active, archived (right, but no longer current) or void (made in error).",
        discussion: ExitStatus.help)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The document's id.")
    var id: String

    @Argument(help: "The status.")
    var status: DocumentStatus

    @Option(help: "Why; - reads it from standard input.")
    var reason: String

    func run() async throws {
        let id = try DocumentID(id)
        let reason = try InputFile.argument(reason)
        guard !reason.isEmpty else {
            throw CommandFailure("a change of status needs a reason; give it with --reason")
        }
        let record = try await connection.openRecord(output.talk)
        let document = FileDocument(id: id.text, in: record)
        try await document.setStatus(status, reason: reason)
        if output.form == nil { return output.talk.note("The document is \(status.rawValue) now.") }
        try output.print(try await document.refreshMetadata())
    }
}

struct DocumentsRelateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relate",
        abstract: "Relate a document to another.",
        discussion: """
            indivo documents relate ID OTHER --as annotation

            says that OTHER is an annotation of ID.

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The document's id.")
    var id: String

    @Argument(help: "The id of the document that is related to it.")
    var other: String

    @Option(name: .customLong("as"), help: ArgumentHelp("What the other is to the document.", valueName: "relation"))
    var relation: DocumentRelation

    func run() async throws {
        let (id, other) = (try DocumentID(id), try DocumentID(other))
        let record = try await connection.openRecord(output.talk)
        try await FileDocument(id: id.text, in: record)
            .relate(to: FileDocument(id: other.text, in: record), as: relation)
        try output.printDone("The documents are related.")
    }
}
