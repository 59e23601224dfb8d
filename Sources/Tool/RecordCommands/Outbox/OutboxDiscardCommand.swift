import ArgumentParser
import Foundation
import Indivo
import IndivoOutbox
import IndivoXML
import OrderedJSON

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
