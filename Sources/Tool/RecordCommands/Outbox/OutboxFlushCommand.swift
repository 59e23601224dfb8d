import ArgumentParser
import Foundation
import Indivo
import IndivoOutbox
import IndivoXML

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
            options.output.console.note(
                "\(skipped.item.change) \(skipped.item.id) stays queued: \(skipped.reason)"
            )
        }
        options.output.console.note("\(report.delivered.count) delivered, \(left) left.")
        switch report.stop {
        case .loginNeeded(let error)?: throw CommandFailure(error)
        case .unreachable(let error)?:
            throw CommandFailure(description: CommandFailure(error).description, status: .notReached)
        case nil: if left > 0 { throw ExitCode.nothingFound }
        }
    }
}
