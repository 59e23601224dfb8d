import ArgumentParser
import Indivo
import IndivoOutbox
import IndivoXML

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
