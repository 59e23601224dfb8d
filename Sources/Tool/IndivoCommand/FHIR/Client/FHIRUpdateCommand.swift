import ArgumentParser
import FHIR
import FHIRClient
import RecordCommands

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

    @Option(help: .value("version", "Only where this is the newest version."))
    var ifMatch: String?

    @Option(
        name: .customLong("where"),
        help: .value(
            "query",
            "The one resource that meets this condition, or a new one, not that of the id."
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
