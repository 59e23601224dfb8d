#if Tool && Sandbox && Outbox
import ArgumentParser
import Foundation
import IndivoModel
import IndivoOutbox

struct OutboxShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an item: what it would change, and why it was set aside.")

    @OptionGroup var options: OutboxOptions

    @Flag(help: "Print the document itself instead.")
    var document = false

    @Argument(help: "The item's id, as list prints it.")
    var id: String

    func run() async throws {
        try await options.open().telling { outbox in
            let item = try await outbox.item(id)
            if document { return try StandardStreams.write(try await outbox.content(of: item).data) }
            let line = ItemLine(item)
            var lines = [("id", line.id), ("change", line.change), ("state", line.state)]
            if let reason = line.reason { lines.append(("reason", reason)) }
            if let target = line.target { lines.append(("of", target)) }
            switch item.change {
            case .setStatus(_, let reason): lines.append(("because", reason))
            case .setLabel(let label): lines.append(("label", label))
            case .add, .replace: lines.append(("model", "\(line.model ?? ""), \(line.bytes) bytes"))
            }
            lines.append(("queued", item.queuedAt.formatted(.iso8601)))
            for (name, value) in lines {
                try StandardStreams.say(name.padding(toLength: 9, withPad: " ", startingAt: 0) + value)
            }
        }
    }
}

struct OutboxFlushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush", abstract: "Deliver what can be delivered now.",
        discussion: "The exit status is 1 when something is left in the outbox.")

    @OptionGroup var options: OutboxOptions

    func run() async throws {
        let outbox = try options.open(online: true)
        let (report, items) = try await outbox.telling { (try await $0.flush(), try await $0.items()) }
        for item in report.delivered { try StandardStreams.say("delivered \(item)") }
        for item in report.setAside { try StandardStreams.say("set aside \(item): \(ItemLine(item).reason ?? "")") }
        if let stop = report.stop { StandardStreams.complain("\(stop)") }
        let left = items.count { !$0.isDelivered }
        try StandardStreams.say("\(report.delivered.count) delivered, \(left) left.")
        if left > 0 { throw ExitCode(1) }
    }
}

struct OutboxRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Put an item that was set aside back into the queue.")

    @OptionGroup var options: OutboxOptions

    @Argument(help: "The item's id, as list prints it.")
    var id: String

    func run() async throws {
        try await options.open().telling { try await $0.retry(id) }
        try StandardStreams.say("Queued again. Deliver it: indivo outbox flush")
    }
}

struct OutboxDiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard", abstract: "Take an item out of the outbox for good.")

    @OptionGroup var options: OutboxOptions

    @Flag(help: "Really do it: what the item holds is gone afterwards.")
    var yes = false

    @Argument(help: "The item's id, as list prints it.")
    var id: String

    func run() async throws {
        let outbox = try options.open()
        let item = try await outbox.telling { try await $0.item(id) }
        guard yes || item.isDelivered else {
            throw CommandFailure("\(item) was not delivered, and what it holds would be gone; say --yes to discard it")
        }
        try await outbox.telling { try await $0.discard(id) }
        try StandardStreams.say("Discarded \(item).")
    }
}
#endif
