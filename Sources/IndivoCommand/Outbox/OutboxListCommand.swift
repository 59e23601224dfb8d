#if Tool && Sandbox && Outbox
import ArgumentParser
import Foundation
import IndivoOutbox

struct OutboxListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is queued and what was set aside.",
        discussion: "The exit status is 1 when something was set aside. Nothing of the documents' content is printed.")

    @OptionGroup var options: OutboxOptions

    @Flag(help: "List what was delivered as well, as far as it is remembered.")
    var all = false

    @Flag(help: "Print JSON, one array of objects.")
    var json = false

    func run() async throws {
        let items = try await options.open().telling { try await $0.items() }.filter { all || !$0.isDelivered }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            try StandardStreams.say(String(decoding: try encoder.encode(items.map(ItemLine.init)), as: UTF8.self))
        } else if items.isEmpty {
            try StandardStreams.say("Nothing is queued.")
        } else {
            var table = TextTable("ID", "CHANGE", "MODEL", "BYTES", "QUEUED", "STATE")
            table.rows = items.map { item in
                [
                    item.id, "\(item.change)", item.model ?? "", item.byteCount == 0 ? "" : "\(item.byteCount)",
                    item.queuedAt.formatted(.iso8601), ItemLine(item).state,
                ]
            }
            for line in table.lines { try StandardStreams.say(line) }
        }
        if let aside = items.first(where: { ItemLine($0).reason != nil }) {
            StandardStreams.complain("Something was set aside. See why: indivo outbox show \(aside.id)")
            throw ExitCode(1)
        }
    }
}

/// An item as the tool tells of it.
struct ItemLine: Encodable {
    let id: String
    let change: String
    let target: String?
    let model: String?
    let bytes: Int
    let queued: Date
    let state: String
    let reason: String?

    init(_ item: OutboxItem) {
        id = item.id
        change = "\(item.change)"
        target =
            switch item.target {
            case .document(let id)?: "document \(id)"
            case .item(let id)?: "item \(id)"
            case nil: nil
            }
        model = item.model
        bytes = item.byteCount
        queued = item.queuedAt
        switch item.state {
        case .queued: (state, reason) = ("queued", nil)
        case .waiting(let culprit): (state, reason) = ("waiting for \(culprit)", nil)
        case .setAside(let why): (state, reason) = ("set aside", why)
        case .delivered(let document): (state, reason) = ("delivered as \(document)", nil)
        }
    }
}

extension OutboxItem {
    var isDelivered: Bool {
        if case .delivered = state { true } else { false }
    }
}
#endif
