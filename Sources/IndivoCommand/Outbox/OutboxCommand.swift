import ArgumentParser
import Foundation
import Indivo
import IndivoOutbox
import IndivoXML
import OrderedJSON

struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Look after changes that wait to be delivered to a record.",
        discussion: """
            Apps queue changes while there is no network; they wait in a folder of this person, sealed under a key. Only \
            flush asks the server, and needs secrets and a token; the others need to know whose outbox is meant.
            """,
        subcommands: [
            OutboxListCommand.self, OutboxShowCommand.self, OutboxFlushCommand.self, OutboxRetryCommand.self,
            OutboxDiscardCommand.self,
        ])
}

/// Which outbox a command is about.
struct OutboxOptions: ParsableArguments {
    @OptionGroup var connection: ConnectionOptions

    @Option(help: "The folder of the outboxes; that of this person unless given.", completion: .directory)
    var folder: String?

    @Option(help: "The file of the key; that of this person unless given.", completion: .file())
    var keyFile: String?

    /// Does with the outbox what a command asks for, and tells errors as the tool does.
    /// - Parameter isOnline: Whether the server will be asked; otherwise no secret needs to be known.
    func with<Result>(_ talk: TalkOptions, isOnline: Bool = false, _ body: (Outbox) async throws -> Result) async throws -> Result {
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

struct OutboxListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is queued and what was set aside.",
        discussion: "Nothing that the documents say is printed. \(ExitStatus.help)")

    @OptionGroup var options: OutboxOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "List what was delivered as well, as far as it is remembered.")
    var all = false

    func run() async throws {
        let items = try await options.with(output.talk) { try await $0.items() }.filter { all || !$0.isDelivered }
        if let aside = items.first(where: \.isSetAside) {
            output.talk.note("Something was set aside. See why: indivo outbox show \(aside.id)")
        }
        try output.print(OutboxListing.many(items), none: "Nothing is queued.")
    }
}

struct OutboxShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an item: what it would change, and why it was set aside.",
        discussion: ExitStatus.help)

    @OptionGroup var options: OutboxOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Print what it holds instead: the document, the label, or the reason for a change of status.")
    var content = false

    @OptionGroup var item: OutboxItemChoice

    func run() async throws {
        try await options.with(output.talk) { outbox in
            let found = try await outbox.item(item.id)
            guard content else { return try output.print(OutboxListing.one(found), none: "") }
            switch found.change {
            case .add, .replace: try StandardStreams.write(try await outbox.content(of: found).data)
            case .setLabel(let label): try StandardStreams.say(label)
            case .setStatus(_, let reason): try StandardStreams.say(reason)
            }
        }
    }
}

struct OutboxFlushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush",
        abstract: "Deliver what can be delivered now, and list what was.",
        discussion: """
            The exit status is 0 when nothing is left, 1 when something was set aside, 3 when the server does not take \
            the token, 4 when it is not reached.
            """)

    @OptionGroup var options: OutboxOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (report, items) = try await options.with(output.talk, isOnline: true) { outbox in
            (try await outbox.flush(), try await outbox.items())
        }
        let done = report.delivered + report.setAside
        if !done.isEmpty { try output.print(OutboxListing.many(done), none: "") }
        let left = items.count { !$0.isDelivered }
        for skipped in report.skipped { output.talk.note("\(skipped.item) stays queued: \(skipped.reason)") }
        output.talk.note("\(report.delivered.count) delivered, \(left) left.")
        switch report.stop {
        case .loginNeeded(let error)?: throw CommandFailure(error)
        case .unreachable(let error)?:
            let failure = CommandFailure(error)
            throw CommandFailure(description: failure.description, status: .notReached)
        case nil: if left > 0 { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        }
    }
}

struct OutboxRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Put an item that was set aside back into the queue.",
        discussion: ExitStatus.help)

    @OptionGroup var options: OutboxOptions
    @OptionGroup var output: OutputOptions

    @OptionGroup var item: OutboxItemChoice

    func run() async throws {
        try await options.with(output.talk) { try await $0.retry(item.id) }
        try output.printDone("Queued again. Deliver it: indivo outbox flush")
    }
}

struct OutboxDiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard", abstract: "Take an item out of the outbox for good.", discussion: ExitStatus.help)

    @OptionGroup var options: OutboxOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Really do it: what the item holds is gone afterwards.")
    var yes = false

    @OptionGroup var item: OutboxItemChoice

    func run() async throws {
        try await options.with(output.talk) { outbox in
            let found = try await outbox.item(item.id)
            guard yes || found.isDelivered else {
                throw CommandFailure("\(found) was not delivered, and what it holds would be gone; say --yes to discard it")
            }
            try await outbox.discard(item.id)
        }
        try output.printDone("Discarded.")
    }
}

/// What waits in an outbox, for printing. Of the documents themselves it says nothing.
enum OutboxListing {
    private static let columns: [Listing.Column] = [
        .init("id", "item"), .init("change", "change"), .init("model", "model"), .init("size", "bytes"),
        .init("queued_at", "queued"), .init("state", "state"), .init("reason"), .init("of"), .init("document"),
    ]

    static func many(_ items: [OutboxItem]) -> Listing {
        Listing(
            columns: columns, rows: items.map(row), json: { JSONValue(items.map(object)).fileData },
            xml: { try RecordListings.list("Outbox", items.map(element)).file() })
    }

    /// All there is to say of one.
    static func one(_ item: OutboxItem) -> Listing {
        Listing(
            columns: columns.map { .init($0.name, $0.title ?? $0.name) }, rows: [row(item)], isSingle: true,
            json: { object(item).fileData }, xml: { try element(item).file() })
    }

    private static func row(_ item: OutboxItem) -> [String] {
        let target: String? =
            switch item.target {
            case .document(let id)?: "document \(id)"
            case .item(let id)?: "item \(id)"
            case nil: nil
            }
        var (state, reason, document): (String, String?, String?)
        switch item.state {
        case .queued: (state, reason, document) = ("queued", nil, nil)
        case .waiting(let culprit): (state, reason, document) = ("waiting", "for item \(culprit)", nil)
        case .setAside(let why): (state, reason, document) = ("set aside", why, nil)
        case .delivered(let id): (state, reason, document) = ("delivered", nil, id)
        }
        return [
            item.id, "\(item.change)", item.model, item.byteCount == 0 ? nil : "\(item.byteCount)",
            item.queuedAt.formatted(.iso8601), state, reason, target, document,
        ].map { $0 ?? "" }
    }

    private static func object(_ item: OutboxItem) -> JSONValue {
        JSONValue(
            members: zip(columns, row(item)).map { column, value in
                JSONMember(name: column.name, value: value.isEmpty ? .null : JSONValue(value))
            })
    }

    private static func element(_ item: OutboxItem) -> XMLNode {
        let element = XMLNode("Item")
        for (column, value) in zip(columns, row(item)) where !value.isEmpty { element.attr(column.name, value) }
        return element
    }
}

extension OutboxItem {
    var isDelivered: Bool {
        if case .delivered = state { true } else { false }
    }

    var isSetAside: Bool {
        if case .setAside = state { true } else { false }
    }
}
