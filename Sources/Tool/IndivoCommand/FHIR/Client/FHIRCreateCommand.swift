import ArgumentParser
import FHIR
import FHIRClient
import RecordCommands

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

    @Option(help: .value("query", "Store nothing where a resource meets this condition."))
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
