import Foundation
import IndivoSandbox
import Testing

/// Replays what a real server was asked, in order, and compares the answers.
@Suite("The sandbox answers as a real server did", .enabled(if: Recording.isAvailable, "the recordings are not here"))
struct SandboxDifferentialTests {
    @Test("every recorded exchange is answered the same, or the difference has a reason")
    func replay() async throws {
        let recording = try Recording.load()
        try #require(!recording.exchanges.isEmpty)
        let replay = Replay(recording)
        let sandbox = try await replay.start()
        var comparison = AnswerComparison()
        let explanations = ExplainedDifferences(recording)
        var agreed = 0
        var explained: [String: [String]] = [:]
        for exchange in recording.exchanges {
            let answer: RawHTTP.Answer
            do {
                answer = try await replay.send(exchange, to: sandbox)
            } catch {
                Issue.record("\(exchange.sequence) \(exchange.name) could not be sent: \(error)")
                continue
            }
            let difference = comparison.difference(exchange, answer, base: sandbox.apiURL.absoluteString)
            guard !recording.context.contains(exchange.sequence) else { continue }
            guard let difference else {
                agreed += 1
                continue
            }
            if let reason = explanations.reason(exchange, answer) {
                explained[reason, default: []].append("\(exchange.name): \(difference)")
            } else {
                Issue.record("\(exchange.sequence) \(exchange.name): \(difference)")
            }
        }
        await sandbox.stop()
        // ASCII only: the runner drops what it reads of the output in a piece that ends inside a character.
        func print(_ line: String) {
            Swift.print(line.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())
        }
        for (reason, differences) in explained.sorted(by: { $0.key < $1.key }) {
            print("explained, \(reason):")
            for difference in differences { print("    \(difference)") }
        }
        let number = explained.values.reduce(0) { $0 + $1.count }
        print("agreed \(agreed) of \(recording.exchanges.count - recording.context.count), \(number) explained")
        // The runner does not, when its output goes to a file or a pipe.
        fflush(nil)
    }
}
