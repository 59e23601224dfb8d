import FHIR
import Foundation
import StudyServer
import Testing

@testable import StudyDelivery

/// What an app reports, as the study's consumer takes it.
@Suite struct AppWithdrawalTests {
    private typealias BackEnd = ConsumerTests.BackEnd

    @Test("the report of a withdrawal that an app makes removes what its participant gave")
    func report() async throws {
        let folder = try Folder()
        let study = try BackEnd(folder)
        let participant = UUID()
        _ = try await study.deliver([
            Given.contract(participant), Given.response(participant, text: "what only one wrote"),
        ])
        #expect(try folder.contains("what only one wrote"))
        let withdrawal = Withdrawal(study: "study", participant: participant, date: FHIRInstant(Date()))
        #expect(try await study.deliver([withdrawal.contract.text()]).refused == 1)
        #expect(try !folder.contains("what only one wrote"))
        #expect(try await study.facts == 0)
    }

    @Test("a consent that names its subject and has no signature is none")
    func unsigned() async throws {
        let study = try BackEnd()
        let contract = """
            {"resourceType": "Contract", "status": "executed", "applies": {"start": "2026-02-01T09:00:00Z"}, \
            "subject": [{"reference": "Patient/\(UUID().uuidString)"}]}
            """
        #expect(try await study.deliver([contract]).failed == 1)
        #expect(try await study.count("SELECT count(*) FROM study_consent") == 0)
    }
}
