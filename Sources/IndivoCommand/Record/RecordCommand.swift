import ArgumentParser
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
