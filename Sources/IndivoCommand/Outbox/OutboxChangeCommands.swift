import ArgumentParser
import IndivoOutbox

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
