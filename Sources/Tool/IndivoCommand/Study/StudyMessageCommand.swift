import ArgumentParser
import Foundation
import OrderedJSON
import RecordCommands
import StudyDelivery
import StudyServer
import StudyWarehouse

struct StudyMessageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "List the messages that could not be processed; look at one, or get its content.",
        subcommands: [
            StudyMessageListCommand.self, StudyMessageShowCommand.self, StudyMessageSaveCommand.self,
        ]
    )
}

struct StudyMessageListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the messages that could not be processed, and why.",
        discussion: """
            Each is a line: its id, when it was received, and the reason. They stay, encrypted, until they \
            are processed again with what helps: indivo study consume --reprocess, or a button on the pages. \
            indivo study pending lists those that wait for a decision. \(ExitStatus.help)
            """
    )

    @OptionGroup var store: StudyStoreOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let messages = try await store.open(makes: false).read { try $0.failedMessages(limit: .max) }
        let columns: Listing.Columns = ["id": "MESSAGE", "received": "RECEIVED", "reason": "REASON"]
        let rows = messages.map { message in
            [JSONValue(message.id), JSONValue(message.received), JSONValue(message.state.reason ?? "")]
        }
        try Listing(columns, rows).print(asJSON: json)
        if rows.isEmpty { StandardStreams.printError("No message failed.") }
    }
}

struct StudyMessageShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what a message is and what became of it.",
        discussion: """
            Prints JSON: the id, when it was received, its state and the reason for it, and how many bytes \
            are kept. With --keys also what is in it: the study, the item, the run, and the names, types and \
            sizes of its files. The ids are those of indivo study message list and pending, and of the \
            manifest of indivo study export --files. \(ExitStatus.help)
            """
    )

    @Argument(help: "The message's id.")
    var id: String

    @OptionGroup var store: StudyStoreOptions

    @Option(help: "The folder of private keys.", completion: .directory)
    var keys: String?

    @OptionGroup var envelopes: StudyPKCS1Options

    func run() async throws {
        try StudyAudit.record("show message", ["message": id, "opened": keys == nil ? "no" : "yes"])
        let message = try await StudyMessages.message(id, try await store.open(makes: false))
        var json: JSONValue = [
            "id": JSONValue(message.id), "kind": JSONValue(message.kind),
            "received": JSONValue(message.received), "state": JSONValue(message.state.name),
            "bytes": JSONValue(message.body?.count ?? 0),
        ]
        if let reason = message.state.reason { json["reason"] = JSONValue(reason) }
        if let keys, let body = message.body {
            do {
                let contents = try StudyBackEnd.keys(keys, allowsPKCS1: envelopes.allowsPKCS1).open(body)
                json["study"] = JSONValue(contents.info.study)
                json["item"] = JSONValue(contents.info.item)
                json["run"] = JSONValue(contents.info.taskRun)
                json["files"] = JSONValue(
                    try contents.files.map { file in
                        var size = 0
                        try file.read { size += $0.count }
                        return [
                            "name": JSONValue(file.info.name),
                            "contentType": JSONValue(file.info.contentType), "bytes": JSONValue(size),
                        ] as JSONValue
                    }
                )
            } catch let error as StudyError {
                throw CommandFailure("\(id): \(error)")
            }
        }
        try StandardStreams.say(json.text(.pretty))
    }
}

struct StudyMessageSaveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "save",
        abstract: "Decrypt a message into a new folder.",
        discussion: """
            A package gives its files and info.json, an envelope its resource. \(ExitStatus.help)
            """
    )

    @Argument(help: "The message's id.")
    var id: String

    @OptionGroup var store: StudyStoreOptions

    @Option(help: "The folder of private keys.", completion: .directory)
    var keys: String

    @OptionGroup var envelopes: StudyPKCS1Options

    @Option(name: .shortAndLong, help: "The new folder.", completion: .directory)
    var output: String

    func run() async throws {
        try StudyAudit.record("save message", ["message": id, "folder": output])
        let message = try await StudyMessages.message(id, try await store.open(makes: false))
        guard let body = message.body else {
            throw CommandFailure(
                "\(id): its content is not kept (\(message.state.name))",
                status: .nothingFound
            )
        }
        do {
            try StudyBackEnd.keys(keys, allowsPKCS1: envelopes.allowsPKCS1).open(body).write(
                to: URL(filePath: output, directoryHint: .isDirectory)
            )
        } catch let error as StudyError {
            throw CommandFailure("\(id): \(error)")
        }
        try StandardStreams.say(output)
    }
}

struct StudyDecryptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Decrypt all messages of a queue or a warehouse into folders.",
        discussion: """
            DIR gets a folder for each message, named after a digest of its id, with the files of a package \
            or the resource of an envelope. A folder that is there is left as it is, so that the command can \
            be repeated. Of a warehouse, a message stays encrypted unless everybody whom it names has \
            agreed, and as long as nobody knows whose it is (indivo study message save decrypts one of \
            them); a queue is looked at and left as it was (if the command is killed, after an hour), and \
            no consent is known there: it is for tests, and for a study without a warehouse. The exit \
            status is 1 when a message cannot be opened, with the reason. \
            \(ExitStatus.help)
            """
    )

    @Option(help: .value("url", "The warehouse: sqlite:FILE or postgresql://…."))
    var store: String?

    @Option(help: .value("url", "The queue: sqlite:FILE or postgresql://…."))
    var queue: String?

    @Option(help: "The study’s code in the warehouse; without it that of the warehouse, STUDY in a new one.")
    var source: String?

    @Option(help: "The folder of private keys.", completion: .directory)
    var keys: String

    @OptionGroup var envelopes: StudyPKCS1Options

    @Option(name: .shortAndLong, help: "Where the folders are made.", completion: .directory)
    var output: String

    func validate() throws {
        guard (store == nil) != (queue == nil) else {
            throw ValidationError("Give either --store or --queue.")
        }
    }

    func run() async throws {
        try StudyAudit.record("decrypt", ["folder": output])
        let ring = try StudyBackEnd.keys(keys, allowsPKCS1: envelopes.allowsPKCS1)
        let folder = URL(filePath: output, directoryHint: .isDirectory)
        try PrivateFolder.make(folder)
        var counts = (done: 0, failed: 0)
        func open(_ id: String, _ body: Data) throws {
            let name = String(StudyMessage.digest(of: Data(id.utf8)).split(separator: ":")[1].prefix(16))
            let place = folder.appending(path: name)
            guard !place.filePath.fileExists else { return }
            do {
                try ring.open(body).write(to: place)
                counts.done += 1
            } catch let error as StudyError {
                if case .storage = error { throw CommandFailure("\(error)") }
                counts.failed += 1
                StandardStreams.printError("\(id): \(error)")
            }
        }
        if let store {
            var options = StudyStoreOptions()
            options.store = store
            options.source = source
            let warehouse = try await options.open(makes: false)
            var last = ""
            while true {
                let after = last
                let ids = try await warehouse.read { try $0.keptMessages(after: after, limit: 100) }
                guard let end = ids.last else { break }
                for id in ids {
                    if let body = try await warehouse.read({ try $0.message(id)?.body }) {
                        try open(id, body)
                    }
                }
                last = end
            }
        } else if let queue {
            guard !queue.hasPrefix("sqs:") else {
                throw CommandFailure(
                    "--queue is sqlite:FILE or postgresql://…; SQS gives no message back unchanged"
                )
            }
            var options = StudyQueueURLOptions()
            options.queue = queue
            try await look(at: try await options.open()) { try open($0.id, $0.body) }
        }
        try StandardStreams.say("\(counts.done) decrypted in \(output)")
        if counts.failed > 0 { throw ExitCode.nothingFound }
    }

    /// Looks at the messages of a queue, and gives them back.
    private func look(at queue: any MessageQueue, _ body: (StudyMessage) throws -> Void) async throws {
        var held: [ReceivedMessage] = []
        var failure: (any Error)?
        do {
            // They stay out of the way until all were seen.
            while failure == nil {
                let batch = try await queue.receive(limit: 10, visibility: 3600)
                if batch.isEmpty { break }
                held += batch.map {
                    ReceivedMessage($0.message.withoutBody, receiveCount: $0.receiveCount, lease: $0.lease)
                }
                for received in batch where failure == nil {
                    do { try body(received.message) } catch { failure = error }
                }
            }
        } catch {
            failure = error
        }
        for received in held { try await queue.release(received, after: 0, reason: nil) }
        if let failure { throw failure }
    }
}

enum StudyMessages {
    static func message(_ id: String, _ warehouse: Warehouse) async throws -> StoredMessage {
        guard let message = try await warehouse.read({ try $0.message(id) }) else {
            throw CommandFailure("\(id): the warehouse has no such message", status: .nothingFound)
        }
        return message
    }
}

extension StudyMessage {
    /// The message without its bytes, which a queue does not need to take it back.
    fileprivate var withoutBody: StudyMessage {
        StudyMessage(
            id: id,
            content: content,
            subject: subject,
            received: received,
            client: client,
            body: Data()
        )
    }
}
