import ArgumentParser
import Indivo
import IndivoOutbox
import IndivoXML

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
