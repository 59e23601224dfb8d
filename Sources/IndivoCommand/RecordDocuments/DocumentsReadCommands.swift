import ArgumentParser
import Indivo

struct DocumentsGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print a document as it is stored, byte for byte.",
        discussion: "What comes is checked against the server's digest. \(ExitStatus.help)")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var talk: TalkOptions
    @OptionGroup var document: DocumentChoice
    @OptionGroup var destination: ContentOutputOptions

    func run() async throws {
        let record = try await connection.openRecord(talk)
        let document = try await document.find(in: record)
        // The digest to check against.
        try await document.refreshMetadata()
        try destination.write(try await document.fetchContent())
    }
}

struct DocumentsMetaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "meta",
        abstract: "Show what the server says of a document: who made it and when, label, status, versions.",
        discussion: ExitStatus.help)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var document: DocumentChoice

    func run() async throws {
        let record = try await connection.openRecord(output.talk)
        let metadata = try await document.find(in: record).refreshMetadata()
        try output.print(metadata)
    }
}

struct DocumentsRelatedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "related",
        abstract: "List the documents that stand in a relation to one.",
        discussion: """
            indivo documents related ID --as annotation

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var document: DocumentChoice

    @Option(name: .customLong("as"), help: ArgumentHelp("What they are to the document.", valueName: "relation"))
    var relation: DocumentRelation

    @Option(help: "Only documents of this status.")
    var status = DocumentStatus.active

    func run() async throws {
        let record = try await connection.openRecord(output.talk)
        let related = try await document.find(in: record).related(as: relation, status: status)
        try output.print(
            MetadataListing.many(related.compactMap(\.metadata)),
            none: "Nothing is related to it as \(relation.rawValue).")
    }
}

struct DocumentsCarenetsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carenets",
        abstract: "List the carenets in which a document is shared.",
        discussion: ExitStatus.help)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var document: DocumentChoice

    func run() async throws {
        let record = try await connection.openRecord(output.talk)
        let carenets = try await document.find(in: record).carenets()
        try output.print(
            Listing(
                columns: [.init("id", "carenet"), .init("name", "name")],
                rows: carenets.map { [$0.id, $0.name ?? ""] },
                json: { try carenets.json() },
                xml: {
                    var list = Carenets()
                    list.recordID = record.id
                    list.carenets = carenets
                    return try list.xml().file()
                }), none: "The document is shared in no carenet.")
    }
}
