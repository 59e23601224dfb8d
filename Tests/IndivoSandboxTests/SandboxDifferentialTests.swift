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
        var agreed = 0
        var explained = 0
        for exchange in recording.exchanges {
            let answer: RawHTTP.Answer
            do {
                answer = try await replay.send(exchange, to: sandbox)
            } catch {
                Issue.record("\(exchange.sequence) \(exchange.name) could not be sent: \(error)")
                continue
            }
            guard let difference = comparison.difference(exchange, answer, base: sandbox.apiURL.absoluteString) else {
                agreed += 1
                continue
            }
            if ExplainedDifferences.reason(exchange, answer) != nil {
                explained += 1
            } else {
                Issue.record("\(exchange.sequence) \(exchange.name): \(difference)")
            }
        }
        await sandbox.stop()
        print("agreed \(agreed) of \(recording.exchanges.count), \(explained) explained")
    }
}
