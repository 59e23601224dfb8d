import ArgumentParser
import FHIR
import Foundation
import HTTPCalls
import RecordCommands
import StudyDelivery

struct StudyWithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Leave a study: empty the queue, and tell the study’s server.",
        discussion: """
            The decision is stored first; then everything that waits for the study is discarded, \
            and the server is sent a revoked Contract with the participant’s random id. \
            What was interrupted goes on when the command runs again. A participant who left can submit \
            nothing more until the server knows. A second withdrawal of one subject with the same --data is \
            the first one again, for the server too: who enrols anew gets another subject. \
            \(ExitStatus.help)
            """
    )

    @OptionGroup var study: StudyOptions
    @OptionGroup var server: StudyServerOptions

    @Option(
        help: .value(
            "erased|kept",
            "What the study does with the data that it has: erased, or kept; left to the study if not given."
        )
    )
    var data: WithdrawnData?

    @Flag(help: "Confirm: what waits for delivery is lost.")
    var yes = false

    func run() async throws {
        let configuration = try StudyConfiguration(study.config)
        let endpoint = try server.endpoint(configuration)
        let protection = try configuration.protection()
        let queue = try configuration.queue()
        let participants = configuration.participants()
        if let begun = try configuration.withdrawal(in: participants) {
            guard data == nil || data == begun.data else {
                throw CommandFailure(
                    "the withdrawal that is being reported has another --data; run this without it first"
                )
            }
            // The server may be another one by now, or its address right.
            if case .refused = begun.state { try participants.retry(begun) }
        } else {
            let waiting = try await queue.items().count
            guard yes else {
                throw CommandFailure(
                    "\(waiting) submissions wait for delivery and would be gone; say --yes to withdraw"
                )
            }
            // Somebody else of the study may be enrolled still, whose withdrawal was interrupted.
            while try configuration.withdrawal(in: participants) == nil {
                // Each of one participant is the same withdrawal: nothing here knows when they enrolled.
                _ = try participants.enrol(
                    in: configuration.study,
                    as: configuration.subject,
                    at: FHIRInstant(Date(timeIntervalSince1970: 0))
                )
                try participants.withdraw(from: configuration.study, data: data)
            }
        }
        var problem: (any Error)?
        let results = try await participants.finishWithdrawals(
            emptying: { withdrawal in
                guard withdrawal.participant == configuration.subject else { throw OtherParticipant() }
                _ = try await queue.discardAll()
            },
            reporting: { withdrawal in
                do {
                    return try await withdrawal.report(
                        to: endpoint,
                        as: configuration.withdrawalForm,
                        protection: protection
                    )
                } catch {
                    problem = error
                    throw error
                }
            }
        )
        switch results.first(where: { $0.withdrawal.participant == configuration.subject })?.result {
        case .finished: study.console.note("Withdrawn: nothing is kept here, and the server knows.")
        case .refused(let reason):
            throw CommandFailure(
                "nothing is kept here; the server refuses the report: \(reason). Run this again to retry.",
                status: .refused
            )
        case .pending(let reason):
            throw CommandFailure(
                "nothing is kept here, and the server does not know yet: \(reason). Run this again.",
                status: problem is StudyServerProblem ? .refused : .notReached
            )
        case nil:
            throw CommandFailure("another process is withdrawing just now")
        }
    }

    /// A withdrawal of another configuration, which knows its server.
    private struct OtherParticipant: Error {}
}

extension StudyConfiguration {
    /// The withdrawal of the participant, as long as the server does not know.
    func withdrawal(in participants: ParticipantStore) throws -> Withdrawal? {
        try participants.withdrawals().first { $0.participant == subject && $0.study == study }
    }

    /// - Throws: ``CommandFailure`` when the participant is withdrawing.
    func refuseWithdrawn() throws {
        guard try withdrawal(in: participants()) != nil else { return }
        throw CommandFailure(
            """
            the participant withdrew from \(study), and nothing more is submitted; \
            indivo study withdraw tells the server
            """
        )
    }
}
