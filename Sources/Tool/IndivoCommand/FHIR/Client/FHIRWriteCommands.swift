import ArgumentParser
import FHIR
import FHIRClient

struct FHIRCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Store new resources on a FHIR server.",
        discussion: """
            indivo fhir create patient.json
            indivo fhir create --if-none-exist 'identifier=urn:example|12' patient.json

            The address of each resource that is stored is a line. With --if-none-exist it \
            is the address of the one that is stored already, where the condition finds one; \
            only then is a request retried whose response was lost.

            \(FHIRClientHelp.connection)
            """
    )

    @Argument(help: "The files; standard input when left out or -.", completion: .file())
    var files: [String] = []

    @Option(help: ArgumentHelp("Store nothing where a resource meets this condition.", valueName: "query"))
    var ifNoneExist: String?

    @OptionGroup var connection: FHIRConnectionOptions

    func run() async throws {
        if ifNoneExist != nil, files.count > 1 { throw CommandFailure("--if-none-exist is for one resource") }
        let resources = try InputFile.all(files).map(ResourceFile.resource)
        let client = try connection.client()
        for resource in resources {
            try await connection.report(
                client.create(resource, ifNoneExist: ifNoneExist.map { FHIRSearch(query: $0.escapingPlus) }),
                of: resource
            )
        }
    }
}

struct FHIRUpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Store a new version of a resource on a FHIR server.",
        discussion: """
            indivo fhir read Patient/7 > patient.json
            indivo fhir update --if-match 3 patient.json

            The address of the version that is stored is printed.

            \(FHIRClientHelp.connection)
            """
    )

    @Argument(help: "The file; standard input when left out or -.", completion: .file())
    var file: String = "-"

    @Option(help: ArgumentHelp("Only where this is the newest version.", valueName: "version"))
    var ifMatch: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "The one resource that meets this condition, or a new one, not that of the id.",
            valueName: "query"
        )
    )
    var condition: String?

    @OptionGroup var connection: FHIRConnectionOptions

    func run() async throws {
        if ifMatch != nil, condition != nil {
            throw CommandFailure("--if-match and --where exclude each other")
        }
        let resource = try ResourceFile.resource(InputFile(path: file))
        let client = try connection.client()
        if let condition {
            try await connection.report(
                client.update(resource, where: FHIRSearch(query: condition.escapingPlus)),
                of: resource
            )
        } else {
            try await connection.report(client.update(resource, ifMatch: ifMatch), of: resource)
        }
    }
}

struct FHIRDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete resources of a FHIR server.",
        discussion: """
            indivo fhir delete Observation/8

            \(FHIRClientHelp.connection)
            """
    )

    @Argument(help: "Types and ids.")
    var addresses: [FHIRAddress]

    @Option(help: ArgumentHelp("Only where this is the newest version.", valueName: "version"))
    var ifMatch: String?

    @OptionGroup var connection: FHIRConnectionOptions

    func run() async throws {
        let targets = try addresses.map { (type: $0.type, id: try $0.requiredID()) }
        if ifMatch != nil, targets.count > 1 { throw CommandFailure("--if-match is for one resource") }
        let client = try connection.client()
        for target in targets {
            let outcome = try await client.delete(target.type, id: target.id, ifMatch: ifMatch)
            for issue in outcome?.issue ?? [] where connection.talk.verbose {
                connection.talk.note(issue.message)
            }
            connection.talk.note("deleted \(target.type)/\(target.id)")
        }
    }
}

extension FHIRConnectionOptions {
    /// Prints where a resource is stored, and what the server says about it on standard error.
    fileprivate func report<Resource: FHIRResource>(_ written: FHIRWritten<Resource>, of resource: Resource)
        throws
    {
        for issue in written.outcome?.issue ?? [] { talk.note(issue.message) }
        switch written.change {
        case .created: talk.note("created")
        case .updated: talk.note("updated")
        case .existing: talk.note("found, nothing was stored")
        case .accepted: talk.note("accepted, to be done later")
        }
        guard let id = written.id else { return }
        let version = written.versionID.map { "/_history/\($0)" } ?? ""
        try StandardStreams.say("\(resource.resourceType ?? "")/\(id)\(version)")
    }
}

extension String {
    /// A query as people type it: a `+` is a plus, and not a space.
    fileprivate var escapingPlus: String { replacing("+", with: "%2B") }
}

struct FHIRTransactionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transaction",
        abstract: "Send a transaction or batch to a FHIR server.",
        discussion: """
            indivo fhir transaction bundle.json

            A bundle of type transaction is done as a whole or not at all, one of type batch entry by entry. \
            For each entry its status and address are a line, in the order of the entries; \
            what the server says about one stands on standard error. A transaction whose response was lost \
            is retried only where nothing of it can be done twice.

            \(FHIRClientHelp.connection) It is 3, too, when an entry of a batch fails.
            """
    )

    @Argument(help: "The file; standard input when left out or -.", completion: .file())
    var file: String = "-"

    @OptionGroup var connection: FHIRConnectionOptions

    func run() async throws {
        let input = InputFile(path: file)
        guard let bundle = try ResourceFile.resource(input).as(FHIRBundle.self),
            bundle.type == .transaction || bundle.type == .batch
        else { throw CommandFailure("this is no bundle of type transaction or batch", at: input.place(1, 1)) }
        let transaction = try FHIRTransaction(bundle)
        let client = try connection.client()
        let results =
            bundle.type == .batch
            ? try await client.batch(transaction) : try await client.transaction(transaction)
        for (index, result) in results.enumerated() {
            try StandardStreams.say("\(result.status) \(result.location?.rawValue ?? "-")")
            for issue in result.outcome?.issue ?? [] {
                connection.talk.note("entry \(index): \(issue.message)")
            }
        }
        if !results.allSatisfy(\.isSuccess) { throw ExitCode(ExitStatus.refused.rawValue) }
    }
}
