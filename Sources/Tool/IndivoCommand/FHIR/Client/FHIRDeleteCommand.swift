import ArgumentParser
import FHIR
import FHIRClient
import RecordCommands

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

    @Option(help: .value("version", "Only where this is the newest version."))
    var ifMatch: String?

    @OptionGroup var connection: FHIRConnectionOptions

    func run() async throws {
        let targets = try addresses.map { (type: $0.type, id: try $0.requiredID()) }
        if ifMatch != nil, targets.count > 1 { throw CommandFailure("--if-match is for one resource") }
        let client = try connection.client()
        for target in targets {
            let outcome = try await client.delete(target.type, id: target.id, ifMatch: ifMatch)
            for issue in outcome?.issue ?? [] where connection.console.verbose {
                connection.console.note(issue.message)
            }
            connection.console.note("deleted \(target.type)/\(target.id)")
        }
    }
}
