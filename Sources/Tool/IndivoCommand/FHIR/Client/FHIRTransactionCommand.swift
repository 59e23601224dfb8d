import ArgumentParser
import FHIR
import FHIRClient
import RecordCommands

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
                connection.console.note("entry \(index): \(issue.message)")
            }
        }
        if !results.allSatisfy(\.isSuccess) { throw ExitCode.refused }
    }
}
