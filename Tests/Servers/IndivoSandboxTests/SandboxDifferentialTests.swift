import Foundation
import IndivoSandbox
import TestSupport
import Testing

/// Replays what a real server was asked, in order, and compares the answers.
@Suite(
    "The sandbox answers as a real server did",
    .enabled(if: ServerRecordings.areWanted, "the recordings are not here")
)
struct SandboxDifferentialTests {
    /// The digest of the recording beside the package whose numbers are known.
    private static let knownDigest = "981b4a1d9fcea5d05bdd19633a5216d6a5d7fdd042359c970b48ee15b3d2eca0"

    @Test("every recorded exchange is answered the same, or the difference has a reason")
    func replay() async throws {
        let recording = try Recording.load()
        try #require(!recording.exchanges.isEmpty)
        let replay = Replay(recording)
        let sandbox = try await replay.start()
        var comparison = AnswerComparison(recording)
        let explanations = ExplainedDifferences(recording)
        var agreed = 0
        var explained: [String: [String]] = [:]
        var notReplayable: [String: [String]] = [:]
        for exchange in recording.exchanges {
            let answer: RawHTTP.Answer
            do {
                answer = try await replay.send(exchange, to: sandbox)
            } catch {
                Issue.record("\(exchange.seq) \(exchange.name) could not be sent: \(error)")
                continue
            }
            let difference = comparison.difference(exchange, answer, base: sandbox.apiURL.absoluteString)
            guard !recording.context.contains(exchange.seq) else { continue }
            guard let difference else {
                agreed += 1
                continue
            }
            if comparison.isSameButForTies(exchange, answer, base: sandbox.apiURL.absoluteString) {
                explained[AnswerComparison.ties, default: []].append("\(exchange.name): \(difference)")
                continue
            }
            switch explanations.difference(exchange, answer) {
            case .explained(let reason):
                explained[reason, default: []].append("\(exchange.name): \(difference)")
            case .notReplayable(let reason):
                notReplayable[reason, default: []].append("\(exchange.name): \(difference)")
            case nil:
                Issue.record("\(exchange.seq) \(exchange.name): \(difference)")
            }
        }
        await sandbox.stop()
        // ASCII only: the runner drops what it reads of the output in a piece that ends inside a character.
        func print(_ line: String) {
            Swift.print(line.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())
        }
        for (kind, reasons) in [("explained", explained), ("not replayable", notReplayable)] {
            for (reason, differences) in reasons.sorted(by: { $0.key < $1.key }) {
                print("\(kind), \(reason):")
                for difference in differences { print("    \(difference)") }
            }
        }
        func count(_ reasons: [String: [String]]) -> Int { reasons.values.reduce(0) { $0 + $1.count } }
        let total = recording.exchanges.count - recording.context.count
        let comparable = total - count(notReplayable)
        print(
            """
            agreed \(agreed) of \(comparable), \(count(explained)) explained; \(count(notReplayable)) of \
            \(total) not replayable
            """
        )
        #expect(Double(agreed) >= 0.9 * Double(comparable))
        #expect(Double(count(notReplayable)) <= 0.3 * Double(total), "there is enough left to compare")
        if try recording.context.isEmpty && Recording.digest() == Self.knownDigest {
            #expect(agreed >= 415 && comparable >= 415, "\(agreed) of \(comparable)")
        }
        // The runner does not, when its output goes to a file or a pipe.
        fflush(nil)
    }
}
