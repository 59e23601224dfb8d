import ArgumentParser
import Foundation
import IndivoOutbox

/// Which outbox a command is about.
struct OutboxOptions: ParsableArguments {
    @OptionGroup var connection: ConnectionOptions

    @Option(help: "The folder of the outboxes; that of this person unless given.", completion: .directory)
    var folder: String?

    @Option(help: "The file of the key; that of this person unless given.", completion: .file())
    var keyFile: String?

    /// Does with the outbox what a command asks for, and tells errors as the tool does.
    /// - Parameter isOnline: Whether the server will be asked; otherwise no secret needs to be known.
    func with<Result>(
        _ talk: TalkOptions, isOnline: Bool = false, _ body: (Outbox) async throws -> Result
    ) async throws -> Result {
        let record = try await connection.openRecord(talk, isOnline: isOnline)
        do {
            let outbox = try record.outbox(
                in: folder.map { URL(filePath: $0, directoryHint: .isDirectory) },
                keys: keyFile.map { FileKeyStore(URL(filePath: $0)) } ?? .standard)
            return try await body(outbox)
        } catch let error as OutboxError {
            throw CommandFailure("\(error)")
        }
    }
}

/// Which item of the outbox a command is about.
struct OutboxItemChoice: ParsableArguments {
    @Argument(help: "The item's id, as list prints it.")
    var id: String
}
