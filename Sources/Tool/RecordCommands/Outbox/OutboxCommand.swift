import ArgumentParser
import Foundation
import Indivo
import IndivoOutbox
import IndivoXML

struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "List, retry and remove changes that wait for delivery to a record.",
        discussion: """
            Apps queue changes while there is no network; they wait in a folder of this person, \
            sealed under a key. Only flush asks the server, and needs secrets and a token; \
            the others need to know whose outbox is meant.
            """,
        subcommands: [
            OutboxListCommand.self, OutboxShowCommand.self, OutboxFlushCommand.self, OutboxRetryCommand.self,
            OutboxDiscardCommand.self,
        ]
    )
}

struct OutboxOptions: ParsableArguments {
    @OptionGroup var connection: ConnectionOptions

    @Option(help: "The folder of the outboxes; that of this person unless given.", completion: .directory)
    var folder: String?

    @Option(help: "The file of the key; that of this person unless given.", completion: .file()) var keyFile:
        String?

    @OptionGroup var output: OutputOptions

    func open(isOnline: Bool = false) async throws -> Outbox {
        try await connection.open(output.console).record(isOnline: isOnline).outbox(
            in: folder.map { URL(filePath: $0, directoryHint: .isDirectory) },
            keys: keyFile.map { FileKeyStore(URL(filePath: $0)) } ?? .standard
        )
    }
}
