import FHIR
import Foundation
import StudyServer
import StudyWarehouse
import Testing

/// Versions of a consent that a study requires from a time on.
@Suite struct ConsentVersionTests {
    private typealias Study = ProofTests.Study
    private let participant = UUID()

    private func study(_ kind: StoreKind, _ versions: [(String, String)]) async throws -> Study {
        try await Study(kind) { rules in
            rules.consents = RequiredConsents(
                versions.map { name, from in
                    .init(name, from: WarehouseTime(FHIRDateTime(text: from) ?? FHIRDateTime(Date())))
                }
            )
        }
    }

    private func contract(_ version: String) -> String {
        Given.contract(participant, signed: "2026-03-0\(version)T09:00:00Z", version: version)
    }

    @Test(
        "what arrives once a version is required waits until that one is signed",
        arguments: StoreKind.allCases
    )
    func heldBack(kind: StoreKind) async throws {
        let study = try await study(kind, [("2", "2026-04-01T00:00:00Z")])
        _ = try await study.deliver(contract("1"))
        let before = Given.response(participant, 1)
        #expect(try await study.deliver(before, received: "2026-03-31T23:59:59.999Z").loaded == 1)
        for number in 2...3 {
            let response = Given.response(participant, number)
            #expect(try await study.deliver(response, received: "2026-04-01T00:00:00Z").waiting == 1)
        }
        // It is not tried again and again.
        #expect(try await study.consumer.drain() == Consumer.Report())
        let facts = try await study.facts
        let report = try await study.deliver(contract("2"), received: "2026-04-02T00:00:00Z")
        #expect(report.loaded == 3)
        #expect(try await study.facts == 3 * facts)
        #expect(try await study.count("study_message WHERE state = 'waiting'") == 0)
    }

    @Test("a version that is required later counts for the time before", arguments: StoreKind.allCases)
    func laterVersions(kind: StoreKind) async throws {
        let study = try await study(
            kind,
            [("3", "2026-05-01T00:00:00Z"), ("2", "2026-04-01T00:00:00Z")]
        )
        _ = try await study.deliver(contract("1"))
        let april = "2026-04-10T00:00:00Z"
        let may = "2026-05-10T00:00:00Z"
        #expect(try await study.deliver(Given.response(participant, 1), received: april).waiting == 1)
        #expect(try await study.deliver(Given.response(participant, 2), received: may).waiting == 1)
        // The second version lets April in, and not May.
        #expect(try await study.deliver(contract("2"), received: may).loaded == 2)
        #expect(try await study.consumer.drain() == Consumer.Report())
        #expect(try await study.deliver(contract("3"), received: may).loaded == 2)
        // Who signed the last version alone has signed enough.
        let other = UUID()
        let signed = Given.contract(other, signed: "2026-03-03T09:00:00Z", version: "3")
        _ = try await study.deliver(signed)
        #expect(try await study.deliver(Given.response(other, 1), received: april).loaded == 1)
    }

    @Test("what comes in one message with an earlier version waits for the required one")
    func oneMessage() async throws {
        let study = try await study(.sqlite, [("2", "2026-01-01T00:00:00Z")])
        let both = Given.bundle([contract("1"), Given.response(participant)])
        #expect(try await study.deliver(both).waiting == 1)
        #expect(try await study.count("study_consent") == 1)
        #expect(try await study.deliver(contract("2")).loaded == 2)
        #expect(try await study.count("study_consent") == 2)
        #expect(try await study.facts > 0)
    }

    @Test("each version that one message has is signed, whichever is the last", arguments: StoreKind.allCases)
    func severalVersions(kind: StoreKind) async throws {
        let study = try await study(kind, [("2", "2026-01-01T00:00:00Z")])
        let later = Given.contract(participant, signed: "2026-03-08T09:00:00Z", version: "data sharing")
        let both = Given.bundle([later, contract("2"), contract("2")])
        #expect(try await study.deliver(both, received: "2026-03-09T00:00:00Z").loaded == 1)
        #expect(try await study.count("study_consent") == 2)
        #expect(try await study.deliver(Given.response(participant)).loaded == 1)
        let inForce = try await study.warehouse.read { try $0.consents() }
        #expect(inForce.map(\.version) == ["data sharing"] && inForce.first?.first == "2026-03-02 09:00:00")
        let person = UUID()
        let ofOne = (0..<101).map {
            Given.contract(person, signed: "2026-03-01T09:00:00Z", version: "\($0)")
        }
        #expect(try await study.deliver(Given.bundle(ofOne)).failed == 1)
        let reasons = try await study.warehouse.read { try $0.failedMessages().map(\.state.reason) }
        #expect(reasons == ["it has more than 100 consents"])
    }

    @Test("versions are the same by their bytes, whether somebody waits or comes later")
    func bytes() async throws {
        let study = try await study(.sqlite, [("caf\u{E9}", "2026-01-01T00:00:00Z")])
        _ = try await study.deliver(Given.response(participant))
        _ = try await study.deliver(Given.contract(participant, version: "cafe\u{301}"))
        #expect(try await study.deliver(Given.response(participant, 2)).waiting == 1)
        let signed = "2026-02-02T00:00:00Z"
        _ = try await study.deliver(Given.contract(participant, signed: signed, version: "caf\u{E9}"))
        #expect(try await study.count("study_message WHERE state = 'waiting'") == 0)
    }

    @Test("a phone is known once approved, also while its message waits for a version")
    func approvedWhileItWaits() async throws {
        let study = try await study(.sqlite, [("2", "2026-03-05T00:00:00Z")])
        _ = try await study.deliver(contract("1"))
        _ = try await study.deliver(Given.response(participant))
        let correction = Given.response(participant, text: "corrected", authored: "2026-03-06T10:00:00Z")
        let later = "2026-03-06T12:00:00Z"
        let phone = ProofTests.stranger
        let consent = Given.contract(participant, signed: "2026-03-06T09:00:00Z", version: "1.1")
        let both = Given.bundle([correction, consent])
        #expect(try await study.deliver(both, client: phone, received: later).pending == 1)
        let id = try #require(try await study.pending.first?.id)
        #expect(try await study.warehouse.transaction { try $0.approve(id) })
        #expect(try await study.consumer.drain().waiting == 1)
        let required = Given.contract(participant, signed: "2026-03-07T00:00:00Z", version: "2")
        let report = try await study.deliver(required, client: phone, received: "2026-03-07T00:00:00Z")
        #expect(report.loaded == 2 && report.pending == 0)
        #expect(try await study.texts == ["corrected"])
    }

    @Test("a consent without a version, or none, lets nothing in where one is required")
    func withoutVersion() async throws {
        let study = try await study(.sqlite, [("2", "2026-01-01T00:00:00Z")])
        let unnamed = contract("1").replacing(#""version": "1","#, with: "")
        #expect(try await study.deliver(unnamed).loaded == 1)
        #expect(try await study.deliver(Given.response(participant)).waiting == 1)
        #expect(try await study.deliver(Given.response(UUID())).waiting == 1)
        #expect(try await study.facts == 0)
    }
}
