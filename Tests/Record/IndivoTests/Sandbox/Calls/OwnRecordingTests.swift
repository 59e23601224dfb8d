import Foundation
import Indivo
import IndivoTesting
import Testing

/// Makes the recording that the replay tests have of their own,
/// `Tests/Record/IndivoTests/Fixtures/sandbox.har`.
@Suite("A recording of our own")
struct OwnRecordingTests {
    private static let isWanted = ProcessInfo.processInfo.environment["INDIVO_RECORD_SANDBOX"] != nil

    @Test(
        "is made anew from the calls on a record",
        .enabled(if: isWanted, "set INDIVO_RECORD_SANDBOX to make the recording anew")
    )
    func record() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Fixtures").standardized
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let recorder = try RecordingTransport(.system, to: folder.appending(path: "sandbox.har"))
        let names: Set = [
            "documents", "externalIDs", "versions", "status", "relations", "appDocuments", "demographics",
            "messages",
            "carenets",
        ]
        let scenarios = CallScenario.all.filter { names.contains($0.name) }
        #expect(scenarios.count == names.count)
        for scenario in scenarios {
            try await TestRecord.run(through: recorder) { try await scenario.run($0) }
        }
    }
}
