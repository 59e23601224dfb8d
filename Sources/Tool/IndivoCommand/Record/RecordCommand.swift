import ArgumentParser
import Foundation
import Indivo

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "record",
        "Show the record's label, and when it was made."
    )

    @OptionGroup var options: RecordOptions

    func run() async throws { try options.output.print(.record(try await options.open().information())) }
}

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "audit",
        "List the requests to the record and who sent them, the newest first.",
        discussion: """
            indivo audit --limit 20
            indivo audit --document 2b1c… --call record_specific_document

            The request for the list is in it too. Fields for --filter, --order and --group-by: \
            documentID, externalID, date, function, effective, proxied. The dates of --from and --to are \
            those of the requests.
            """
    )

    @OptionGroup var options: RecordOptions
    @OptionGroup var query: ReportQueryOptions

    @Option(help: .value("id", "Only requests on this document.")) var document: String?

    @Option(help: .value("name", "Only requests of this call, as indivo calls names it.")) var call: String?

    func run() async throws {
        var wanted = try query.query(of: .audit, dateField: "date")
        if let document { wanted = wanted.filter("documentID", equals: .text(try documentID(document))) }
        if let call { wanted = wanted.filter("function", equals: .text(call)) }
        let record = try await options.open()
        if let aggregate = try query.aggregate() {
            let results = try await record.aggregate(aggregate, over: .audit, matching: wanted)
            return try options.output.print(.aggregates(results), none: "No request fits.")
        }
        let entries = try await options.talk.fetch(record.audit(matching: wanted), "requests")
        try options.output.print(.audits(entries), none: "No request fits.")
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
        defaultSubcommand: DemographicsShowCommand.self
    )
}

struct DemographicsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "show",
        "Show who the patient is.",
        discussion:
            """
            --xml prints the document that indivo demographics set takes, --json what the \
            server gives as SDMJ.
            """
    )

    @OptionGroup var options: RecordOptions

    func run() async throws {
        let record = try await options.open()
        var sdmj = Data()
        if options.output.form == .json {
            let path = "/records/\(record.id)/demographics"
            sdmj = try await record.call(.get, path, query: ["response_format": "application/json"]).data
        }
        try options.output.print(.demographics(try await record.demographics(), sdmj: sdmj))
    }
}

struct DemographicsSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "set",
        "Set who the patient is, from a Demographics document.",
        note: """
            Prints what the server says of the new document. What a server would refuse, \
            or could not report, such as a birth date before 1900, is not sent.
            """
    )

    @OptionGroup var options: RecordOptions

    @Argument(help: "The XML file; - for standard input.", completion: .file(extensions: ["xml"])) var file:
        String

    @Flag(help: "Send also what reports could not contain: the server alone decides.") var unchecked = false

    func run() async throws {
        let input = InputFile(path: file)
        let root = try input.parse()
        let demographics = try input.locating(
            advice: "; what it should be, “indivo demographics --xml” shows"
        ) {
            try Demographics.read(from: root)
        }
        try await options.open().setDemographics(demographics, validation: unchecked ? .none : .model)
        try options.output.print(demographics.metadata)
    }
}

extension Listing {
    static func record(_ record: RecordInformation) -> Listing {
        Listing(
            columns: [
                "id": "record", "label": "label", "created_at": "created", "created_by": "by",
                "demographics_id": "demographics",
            ],
            rows: [
                [
                    record.id, record.label, record.created?.at?.lexical, record.created?.by,
                    record.demographics?.documentID,
                ]
            ],
            isSingle: true,
            json: { try record.json() },
            xml: { try record.xml().file() }
        )
    }

    fileprivate static func audits(_ entries: [AuditEntry]) -> Listing {
        Listing(
            columns: [
                "date": "date", "call": "call", "principal": "by", "app": "app", "document_id": "document",
                "external_id": nil,
                "message_id": nil, "method": nil, "path": nil, "ip_address": nil, "succeeded": nil,
                "status": "status",
            ],
            rows: entries.map { entry in
                [
                    entry.basic?.date?.lexical, entry.basic?.function, entry.principal?.effective,
                    entry.principal?.proxied,
                    entry.resources?.documentID, entry.resources?.externalID, entry.resources?.messageID,
                    entry.request?.method,
                    entry.request?.path, entry.request?.ipAddress, entry.basic?.succeeded?.lexical,
                    entry.response?.status.map { "\($0)" },
                ]
            },
            json: { try entries.json() },
            xml: { try XMLNode.list("AuditEntries", entries.map { try $0.xml() }).file() }
        )
    }

    fileprivate static func demographics(_ demographics: Demographics, sdmj: Data) -> Listing {
        let telephones = demographics.telephones.map {
            [$0.number, $0.kind.map { "(\($0.lexical))" }].joined(" ")
        }
        let name = demographics.name
        let address = demographics.address
        return Listing(
            columns: [
                "name": "name", "date_of_birth": "born", "gender": "gender", "email": "e-mail",
                "ethnicity": "ethnicity",
                "race": "race", "preferred_language": "language", "telephone_1": "telephone",
                "telephone_2": "telephone 2",
                "address": "address",
            ],
            rows: [
                [
                    [name?.prefix, name?.givenName, name?.middleName, name?.familyName, name?.suffix].joined(
                        " "
                    ),
                    demographics.dateOfBirth?.lexical, demographics.gender?.lexical, demographics.email,
                    demographics.ethnicity,
                    demographics.race, demographics.preferredLanguage, telephones.first,
                    telephones.dropFirst().first,
                    [address?.street, address?.postalCode, address?.city, address?.region, address?.country]
                        .joined(", "),
                ]
            ],
            isSingle: true,
            json: { sdmj },
            xml: { try demographics.xml().file() }
        )
    }
}

extension [String?] {
    fileprivate func joined(_ separator: String) -> String {
        compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }.joined(separator: separator)
    }
}
