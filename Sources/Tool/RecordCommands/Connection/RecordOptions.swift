import ArgumentParser
import Indivo

/// What commands on a record take: which record, and how the result is printed.
struct RecordOptions: ParsableArguments {
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    var console: MessageOptions { output.console }

    func open() async throws -> IndivoRecord { try await connection.record(console) }
}

extension CommandConfiguration {
    /// Of a command that asks a server: its help ends with the note and what the exit status means.
    init(asking name: String, _ abstract: String, discussion: String? = nil, note: String? = nil) {
        self.init(
            commandName: name,
            abstract: abstract,
            discussion: (discussion.map { "\($0)\n\n" } ?? "") + (note.map { "\($0) " } ?? "")
                + ExitStatus.help
        )
    }
}
