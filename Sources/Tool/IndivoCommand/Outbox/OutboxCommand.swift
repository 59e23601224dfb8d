import ArgumentParser
import Foundation
import Indivo
import IndivoOutbox
import IndivoXML
import OrderedJSON

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
        try await connection.open(output.talk).record(isOnline: isOnline).outbox(
            in: folder.map { URL(filePath: $0, directoryHint: .isDirectory) },
            keys: keyFile.map { FileKeyStore(URL(filePath: $0)) } ?? .standard
        )
    }
}

struct OutboxListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "list",
        "List what is queued and what was set aside.",
        note: "Nothing that the documents say is printed."
    )

    @OptionGroup var options: OutboxOptions

    @Flag(help: "List what was delivered as well, as far as it is remembered.") var all = false

    func run() async throws {
        let outbox = try await options.open()
        let items = try await all ? outbox.itemsAndDelivered() : outbox.items()
        if let aside = items.first(where: { if case .setAside = $0.state { true } else { false } }) {
            options.output.talk.note("Something was set aside. See why: indivo outbox show \(aside.id)")
        }
        try options.output.print(.outbox(items), none: "Nothing is queued.")
    }
}

struct OutboxShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "show",
        "Show an item: what it would change, and why it was set aside."
    )

    @OptionGroup var options: OutboxOptions

    @Flag(help: "Print what it holds instead: the document, the label, or the reason for a change of status.")
    var content = false

    @Argument(help: "The item's id, as list prints it.") var id: String

    func run() async throws {
        let outbox = try await options.open()
        let found = try await outbox.item(id)
        guard content else { return try options.output.print(.outbox([found], isSingle: true)) }
        switch found.change {
        case .add, .replace: try StandardStreams.write(try await outbox.content(of: found).data)
        case .setLabel(let text), .setStatus(_, let text): try StandardStreams.say(text)
        }
    }
}

struct OutboxFlushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush",
        abstract: "Deliver what can be delivered now, and list what was.",
        discussion: """
            The exit status is 0 when nothing is left, 1 when something was set aside, \
            3 when the server does not take the token, 4 when it is not reached.
            """
    )

    @OptionGroup var options: OutboxOptions

    func run() async throws {
        let outbox = try await options.open(isOnline: true)
        let report = try await outbox.flush()
        let left = try await outbox.items().count
        let done = report.delivered + report.setAside
        if !done.isEmpty { try options.output.print(.outbox(done)) }
        for skipped in report.skipped {
            options.output.talk.note(
                "\(skipped.item.change) \(skipped.item.id) stays queued: \(skipped.reason)"
            )
        }
        options.output.talk.note("\(report.delivered.count) delivered, \(left) left.")
        switch report.stop {
        case .loginNeeded(let error)?: throw CommandFailure(error)
        case .unreachable(let error)?:
            throw CommandFailure(description: CommandFailure(error).description, status: .notReached)
        case nil: if left > 0 { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        }
    }
}

struct OutboxRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "retry",
        "Put an item that was set aside back into the queue."
    )

    @OptionGroup var options: OutboxOptions
    @Argument(help: "The item's id, as list prints it.") var id: String

    func run() async throws {
        try await options.open().retry(id)
        try options.output.printDone("Queued again. Deliver it: indivo outbox flush")
    }
}

struct OutboxDiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "discard",
        "Remove an item from the outbox for good."
    )

    @OptionGroup var options: OutboxOptions

    @Flag(help: "Confirm: the content of the item is lost.") var yes = false

    @Argument(help: "The item's id, as list prints it.") var id: String

    func run() async throws {
        let outbox = try await options.open()
        let found = try await outbox.item(id)
        guard yes || found.isDelivered else {
            throw CommandFailure(
                """
                \(found.change) \(found.id) was not delivered, and what it holds would be gone; \
                say --yes to discard it
                """
            )
        }
        try await outbox.discard(id)
        try options.output.printDone("Discarded.")
    }
}

extension Listing {
    /// What waits in an outbox. Of the documents themselves it says nothing.
    fileprivate static func outbox(_ items: [OutboxItem], isSingle: Bool = false) -> Listing {
        let rows = items.map { item in
            let target: String? =
                switch item.target {
                case .document(let id)?: "document \(id)"
                case .item(let id)?: "item \(id)"
                case nil: nil
                }
            let (state, reason, document): (String, String?, String?) =
                switch item.state {
                case .queued: ("queued", nil, nil)
                case .waiting(let blocker): ("waiting", "for item \(blocker)", nil)
                case .setAside(let why): ("set aside", why, nil)
                case .delivered(let id): ("delivered", nil, id)
                }
            return [
                item.id, "\(item.change)", item.model, item.byteCount == 0 ? nil : "\(item.byteCount)",
                item.queuedAt.formatted(.iso8601), state, reason, target, document,
            ].map { JSONValue($0.flatMap { $0.isEmpty ? nil : $0 }) }
        }
        return Listing(
            [
                "id": "item", "change": "change", "model": "model", "size": "bytes", "queued_at": "queued",
                "state": "state",
                "reason": nil, "of": nil, "document": nil,
            ],
            rows,
            isSingle: isSingle,
            list: "Outbox",
            element: "Item"
        )
    }
}
