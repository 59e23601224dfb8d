import ArgumentParser
import Indivo

struct DocumentsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "add",
        "Add a document to the record, and print its metadata.",
        discussion: """
            indivo documents add medication.xml --label 'Vitamin C'
            indivo document convert --to sdmx meds.json | indivo documents add -
            indivo documents add note.xml --related-to ID --as annotation

            The file is sent byte for byte, under an external id, so that a lost response adds nothing \
            twice. indivo document check tells before what a server would refuse.
            """
    )

    @OptionGroup var options: RecordOptions
    @OptionGroup var file: DocumentFileOptions

    @Option(help: .value("id", "An id of the app's own for it; one is made unless given.")) var externalId:
        String?

    @Option(help: "The label under which people see it.") var label: String?

    @Option(help: .value("id", "The document that it is about, with --as.")) var relatedTo: String?

    @Option(name: .customLong("as"), help: .value("relation", "What it is to that document.")) var relation:
        DocumentRelation?

    func validate() throws {
        if (relatedTo == nil) != (relation == nil) {
            throw ValidationError("--related-to and --as go together.")
        }
    }

    func run() async throws {
        let content = try file.read(options.talk)
        let related = try relatedTo.map(documentID)
        let record = try await options.open()
        let document = FileDocument(content)
        let externalID = externalId.map { .chosen($0) } ?? ExternalID.generated
        do {
            if let related, let relation {
                try await FileDocument(id: related, in: record).addRelated(
                    document,
                    as: relation,
                    externalID: externalID
                )
            } else {
                try await record.add(document, externalID: externalID)
            }
        } catch let error as IndivoError {
            throw CommandFailure.refusing(file.path, error, options.talk)
        }
        if let label { try await document.setLabel(label) }
        try options.output.print(document.metadata)
    }
}

struct DocumentsReplaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "replace",
        "Store a file as the new version of a document, and print its metadata.",
        discussion: """
            indivo documents get ID > document.xml
            indivo documents replace ID document.xml

            Only the newest version can be replaced. The new version has an id of its own; \
            the old one stays among the versions.
            """
    )

    @OptionGroup var options: RecordOptions

    @Argument(help: "The document's id.") var id: String

    @OptionGroup var file: DocumentFileOptions

    @Option(help: .value("id", "An id of the app's own for the new version; one is made unless given."))
    var externalId: String?

    func run() async throws {
        let id = try documentID(id)
        let content = try file.read(options.talk)
        let document = FileDocument(id: id, in: try await options.open())
        // A server says 404 to an old version as it does to a wrong id.
        try await document.refreshMetadata()
        if let newest = document.metadata?.latest?.id ?? document.metadata?.replacedBy?.id, newest != id {
            throw CommandFailure(
                "\(id) was replaced already; the newest version is \(newest), and "
                    + "“indivo documents versions \(id)” lists them all",
                status: .refused
            )
        }
        document.content = content
        do {
            try await document.replace(externalID: externalId.map { .chosen($0) } ?? .generated)
        } catch let error as IndivoError where error.reason == .notFound {
            throw CommandFailure(
                """
                the server refuses the new content, and does not say why (404, though the document is there)
                next: “indivo document check \(file.path == "-" ? "FILE" : file.path)” tells what \
                a server would refuse
                """,
                status: .refused
            )
        } catch let error as IndivoError {
            throw CommandFailure.refusing(file.path, error, options.talk)
        }
        try options.output.print(document.metadata)
    }
}

extension CommandFailure {
    /// A server's refusal of a file, with the command that tells what is wrong with it.
    fileprivate static func refusing(_ path: String, _ error: IndivoError, _ talk: MessageOptions)
        -> any Error
    {
        guard case .invalid = error.reason, path != "-" else { return error }
        let failure = CommandFailure(error, isVerbose: talk.verbose)
        let description = failure.description.replacing("document check FILE", with: "document check \(path)")
        return CommandFailure(description: description, status: failure.status)
    }
}

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

struct DocumentsStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "status",
        "Set a document's status: active, archived (right, but no longer current) or void (made in error)."
    )

    @OptionGroup var options: RecordOptions

    @Argument(help: "The document's id.") var id: String

    @Argument(help: "The status.") var status: DocumentStatus

    @Option(help: "Why; - reads it from standard input.") var reason: String

    func run() async throws {
        let id = try documentID(id)
        let reason = try InputFile.argument(reason)
        if reason.isEmpty { throw CommandFailure("a change of status needs a reason; give it with --reason") }
        let document = FileDocument(id: id, in: try await options.open())
        try await document.setStatus(status, reason: reason)
        if options.output.form == nil { return options.talk.note("The document is \(status.rawValue) now.") }
        try options.output.print(try await document.refreshMetadata())
    }
}

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
