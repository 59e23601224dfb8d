import Foundation
import HTTPTypes
import Indivo
import IndivoSandbox
import IndivoTesting
import Testing

/// Records the main job, and does it again from the recording alone.
@Suite("The main job from a recording")
struct RecordedJobTests {
    /// What the job finds, to be compared.
    private struct Findings: Equatable {
        var record: String
        var label: String
        var drugs: [String?]
        var added: [String?]
        var versions: [String]
        var refused: IndivoError.Reason?
    }

    private func job(_ record: IndivoRecord) async throws -> Findings {
        let information = try await record.information()
        let drugs = try await record.reports(of: Medication.self).all().map { $0.drugName?.title }
        let vitaminC = Medication()
        vitaminC.drugName = CodedValue(title: "Vitamin C 500 MG", system: .rxNorm, identifier: "316153")
        vitaminC.startDate = "2026-11-21"
        try await record.add(vitaminC)
        let first = vitaminC.id
        vitaminC.instructions = "one a day, & <no> more"
        try await vitaminC.replace()
        let second = vitaminC.id
        try await vitaminC.setLabel("Ünïted")
        try await vitaminC.setStatus(.archived, reason: "finished & done = yes")
        let versions = try await vitaminC.versions().map(\.id)
        var refused: IndivoError.Reason?
        do {
            let long = Medication()
            long.drugName = vitaminC.drugName
            long.startDate = vitaminC.startDate
            long.instructions = String(repeating: "x", count: 300)
            try await record.add(long)
        } catch let error as IndivoError {
            refused = error.reason
        }
        return Findings(
            record: information.id,
            label: information.label,
            drugs: drugs,
            added: [first, second],
            versions: versions,
            refused: refused
        )
    }

    @Test("a recording of login and main job is a HAR file without secrets and plays again")
    func recordAndReplay() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "job-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        let recorder = try RecordingTransport(.system, to: file)
        var expected: Findings?
        var secrets: [String] = ["demo-secret"]
        try await SandboxServer.run(transport: recorder) { place in
            expected = try await job(place.record)
            secrets += [place.record.token.value, place.record.token.secret.reveal()]
        }
        let written = try String(contentsOf: file, encoding: .utf8)
        for secret in secrets { #expect(!written.contains(secret)) }
        #expect(written.contains("\"version\": \"1.2\"") && written.contains("Vitamin C 500 MG"))
        let signatures = written.matches(of: #/oauth_signature=\\"([^\\]*)\\"/#).map { $0.1 }
        #expect(!signatures.isEmpty && signatures.allSatisfy { $0.hasPrefix("redacted") })

        let recording = try Recording(contentsOf: file)
        let replay = ReplayTransport(recording, order: .asRecorded)
        let nowhere = URL(string: "https://indivo.invalid")!  // An address that nobody has.
        let server = IndivoServer(
            api: nowhere,
            ui: nowhere,
            app: AppCredentials(
                id: "demo@apps.example.org",
                consumerKey: "demo@apps.example.org",
                consumerSecret: "not the secret"
            ),
            transport: replay
        )
        let recordID = expected?.record
        let record = try await server.selectRecord(
            callback: OutOfBandReceiver { step in step == .record ? recordID : "a code" }
        ) { _ in }
        #expect(try await job(record) == expected)
        #expect(replay.remaining.isEmpty)
    }
}
