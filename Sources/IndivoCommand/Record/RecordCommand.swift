import ArgumentParser
import Foundation
import Indivo

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Show what the server says of the record: its label, and when it was made.",
        discussion: ExitStatus.help)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let record = try await connection.openRecord(output.talk)
        try output.print(RecordListings.information(try await record.information()), none: "")
    }
}

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "List who asked the server for what in the record, the newest first.",
        discussion: """
            indivo audit --limit 20
            indivo audit --document 2b1c… --call record_specific_document

            The request for the list is in it too. Fields for --filter, --order and --group-by: documentID, \
            externalID, date, function, effective, proxied. The dates of --from and --to are those of the requests.

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var query: ReportQueryOptions

    @Option(help: ArgumentHelp("Only requests on this document.", valueName: "id"))
    var document: String?

    @Option(help: ArgumentHelp("Only requests of this call, as indivo calls names it.", valueName: "name"))
    var call: String?

    func run() async throws {
        var wanted = try query.query(of: .audit, dateField: "date")
        if let document { wanted = wanted.filter("documentID", equals: .text(try DocumentID(document).text)) }
        if let call { wanted = wanted.filter("function", equals: .text(call)) }
        let record = try await connection.openRecord(output.talk)
        if let aggregate = try query.aggregate() {
            let results = try await record.aggregate(aggregate, over: .audit, matching: wanted)
            return try output.print(AggregateListing.listing(of: results), none: "No request fits.")
        }
        let entries = try await output.talk.fetch(record.audit(matching: wanted), "requests")
        try output.print(RecordListings.audits(entries), none: "No request fits.")
    }
}

struct DemographicsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demographics",
        abstract: "Show or set who the patient is.",
        discussion: """
            indivo demographics --xml > me.xml
            indivo demographics set me.xml
            """,
        subcommands: [DemographicsShowCommand.self, DemographicsSetCommand.self],
        defaultSubcommand: DemographicsShowCommand.self)
}

struct DemographicsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show who the patient is.",
        discussion: """
            --xml prints the document that indivo demographics set takes, --json what the server gives as SDMJ.

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let record = try await connection.openRecord(output.talk)
        var sdmj = Data()
        if output.form == .json {
            let path = "/records/\(record.id)/demographics"
            sdmj = try await record.call(.get, path, query: ["response_format": "application/json"]).data
        }
        let demographics = try await record.demographics()
        try output.print(RecordListings.demographics(demographics, sdmj: { [sdmj] in sdmj }), none: "")
    }
}

struct DemographicsSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set who the patient is, from a Demographics document.",
        discussion: "Prints what the server says of the new document. \(ExitStatus.help)")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The XML file; - for standard input.", completion: .file(extensions: ["xml"]))
    var file: String

    func run() async throws {
        let input = InputFile(path: file)
        let root = try input.parse()
        let demographics: Demographics
        do {
            demographics = try Demographics.read(from: root)
        } catch let error as DocumentError {
            throw CommandFailure("\(error); what it should be, “indivo demographics --xml” shows", at: input.place(error.line))
        }
        let record = try await connection.openRecord(output.talk)
        try await record.setDemographics(demographics)
        try output.print(demographics.metadata)
    }
}

/// What a server says of a record, for printing.
enum RecordListings {
    static func information(_ record: RecordInformation) -> Listing {
        Listing(
            columns: [
                .init("id", "record"), .init("label", "label"), .init("created_at", "created"),
                .init("created_by", "by"), .init("demographics_id", "demographics"),
            ],
            rows: [
                [
                    record.id, record.label, record.created?.at?.lexical ?? "", record.created?.by ?? "",
                    record.demographics?.documentID ?? "",
                ]
            ],
            isSingle: true, json: { try record.json() }, xml: { try record.xml().file() })
    }

    static func audits(_ entries: [AuditEntry]) -> Listing {
        Listing(
            columns: [
                .init("date", "date"), .init("call", "call"), .init("principal", "by"), .init("app", "app"),
                .init("document_id", "document"), .init("external_id"), .init("message_id"), .init("method"),
                .init("path"), .init("ip_address"), .init("succeeded"), .init("status", "status"),
            ],
            rows: entries.map { entry in
                [
                    entry.basic?.date?.lexical, entry.basic?.function, entry.principal?.effective,
                    entry.principal?.proxied, entry.resources?.documentID, entry.resources?.externalID,
                    entry.resources?.messageID, entry.request?.method, entry.request?.path,
                    entry.request?.ipAddress,
                    entry.basic?.succeeded?.lexical, entry.response?.status.map { "\($0)" },
                ].map { $0 ?? "" }
            },
            json: { try entries.json() },
            xml: { try list("AuditEntries", entries.map { try $0.xml() }).file() })
    }

    /// Elements under one root.
    static func list(_ name: String, _ elements: [XMLNode]) -> XMLNode {
        let root = XMLNode(name)
        for element in elements { root.append(element) }
        return root
    }

    static func demographics(_ demographics: Demographics, sdmj: @escaping () throws -> Data) -> Listing {
        let telephones = demographics.telephones
        func phone(_ index: Int) -> String {
            guard telephones.indices.contains(index) else { return "" }
            let parts = [telephones[index].number, telephones[index].kind.map { "(\($0.lexical))" }]
            return parts.compactMap(\.self).joined(separator: " ")
        }
        let name = demographics.name
        let address = demographics.address
        return Listing(
            columns: [
                .init("name", "name"), .init("date_of_birth", "born"), .init("gender", "gender"),
                .init("email", "e-mail"), .init("ethnicity", "ethnicity"), .init("race", "race"),
                .init("preferred_language", "language"), .init("telephone_1", "telephone"),
                .init("telephone_2", "telephone 2"), .init("address", "address"),
            ],
            rows: [
                [
                    [name?.prefix, name?.givenName, name?.middleName, name?.familyName, name?.suffix].joined(" "),
                    demographics.dateOfBirth?.lexical ?? "", demographics.gender?.lexical ?? "",
                    demographics.email ?? "",
                    demographics.ethnicity ?? "", demographics.race ?? "", demographics.preferredLanguage ?? "",
                    phone(0), phone(1),
                    [address?.street, address?.postalCode, address?.city, address?.region, address?.country].joined(", "),
                ]
            ],
            isSingle: true, json: sdmj, xml: { try demographics.xml().file() })
    }
}

extension [String?] {
    fileprivate func joined(_ separator: String) -> String {
        compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }.joined(separator: separator)
    }
}
