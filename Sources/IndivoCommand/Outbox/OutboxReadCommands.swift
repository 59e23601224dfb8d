import ArgumentParser
import Foundation
import IndivoOutbox

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
