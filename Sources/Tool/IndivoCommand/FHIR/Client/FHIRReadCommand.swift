import ArgumentParser
import FHIR
import FHIRClient
import FHIRTables
import OrderedJSON
import RecordCommands

struct FHIRReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Print a resource of a FHIR server.",
        discussion: """
            indivo fhir read Patient/7
            indivo fhir read Patient/7/_history/2

            \(FHIRClientHelp.connection)
            """
    )

    @Argument(help: "Type and id, as in Patient/7; /_history/2 behind it for a version.")
    var address: FHIRAddress

    @Argument(help: .hidden) var separateID: String?

    @Flag(help: "Print JSON without white space.")
    var compact = false

    @OptionGroup var connection: FHIRConnectionOptions

    func validate() throws {
        guard let separateID else { return }
        throw ValidationError("Type and id are one argument: \(address.type)/\(separateID)")
    }

    func run() async throws {
        let id = try address.requiredID()
        let client = try connection.client()
        let resource: AnyResource
        do {
            if let version = address.version {
                resource = try await client.read(address.type, id: id, version: version)
            } else {
                resource = try await client.read(address.type, id: id)
            }
        } catch let error as FHIRClientError {
            throw CommandFailure(error, hints: FHIRSearchHints.hints(type: address.type, parameters: []))
        }
        try StandardStreams.say(resource.tree.text(compact ? .compact : .pretty))
    }
}
