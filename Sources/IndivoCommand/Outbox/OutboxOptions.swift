#if Tool && Sandbox && Outbox
import ArgumentParser
import Foundation
import Indivo
import IndivoOutbox
import OAuth1

/// Which outbox a command is about.
struct OutboxOptions: ParsableArguments {
    @Option(help: "The folder of the outboxes; that of this person unless given.", completion: .directory)
    var folder: String?

    @Option(help: "The file of the key; that of this person unless given.", completion: .file())
    var keyFile: String?

    /// Opens the outbox.
    /// - Parameter online: Whether the server will be asked, and so secrets and token are needed.
    func open(online: Bool = false) throws -> Outbox {
        let record = try record(online: online)
        do {
            return try record.outbox(
                in: folder.map { URL(filePath: $0, directoryHint: .isDirectory) },
                keys: keyFile.map { FileKeyStore(URL(filePath: $0)) } ?? .standard)
        } catch let error as OutboxError {
            throw CommandFailure("\(error)")
        }
    }

    private func record(online: Bool) throws -> IndivoRecord {
        let address = try variable("INDIVO_API")
        guard let api = URL(string: address), api.host() != nil else {
            throw CommandFailure("INDIVO_API is “\(address)”; it looks like https://indivo.example.org:8000")
        }
        let key = try variable("INDIVO_CONSUMER_KEY")
        let app = AppCredentials(
            id: environment["INDIVO_APP"] ?? key, consumerKey: key,
            consumerSecret: Secret(try variable("INDIVO_CONSUMER_SECRET", needed: online)))
        let token = OAuthToken(
            value: try variable("INDIVO_TOKEN", needed: online),
            secret: Secret(try variable("INDIVO_TOKEN_SECRET", needed: online)))
        return IndivoServer(api: api, ui: api, app: app).record(id: try variable("INDIVO_RECORD"), token: token)
    }

    private var environment: [String: String] { ProcessInfo.processInfo.environment }

    private func variable(_ name: String, needed: Bool = true) throws -> String {
        if let value = environment[name], !value.isEmpty { return value }
        guard needed else { return "" }
        throw CommandFailure("the environment has no \(name); indivo outbox --help lists what it needs")
    }
}

extension Outbox {
    /// Does what a command asks for, and tells errors as the tool does.
    func telling<Result>(_ body: (Outbox) async throws -> Result) async throws -> Result {
        do {
            return try await body(self)
        } catch let error as OutboxError {
            throw CommandFailure("\(error)")
        }
    }
}
#endif
