import ArgumentParser
import Indivo
import IndivoOutbox
import IndivoXML

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
            options.output.console.note("Something was set aside. See why: indivo outbox show \(aside.id)")
        }
        try options.output.print(.outbox(items), none: "Nothing is queued.")
    }
}
