import ArgumentParser
import FHIR
import FHIRClient
import OrderedJSON
import RecordCommands

struct FHIRCapabilitiesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capabilities",
        abstract: "Print what a FHIR server says it can do.",
        discussion: """
            indivo fhir capabilities --base https://fhir.example.org/r4

            \(FHIRClientHelp.connection)
            """
    )

    @Flag(help: "Print JSON without white space.")
    var compact = false

    @OptionGroup var connection: FHIRConnectionOptions

    func run() async throws {
        let statement = try await connection.client().capabilities()
        try StandardStreams.say(statement.tree.text(compact ? .compact : .pretty))
    }
}
