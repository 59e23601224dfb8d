import Foundation
import StudyServer
import Testing

@testable import StudyWarehouse

/// Resources with one identifier, in one message and in several.
extension ConsumerTests {
    private struct Measured {
        var identifier = "m"
        var value: Int
        var status = "final"
        var updated: String?
        var version: String?

        func entry(_ participant: UUID) -> String {
            let number = version.map { #", "versionId": "\#($0)""# } ?? ""
            let meta = updated.map { #""meta": {"lastUpdated": "\#($0)"\#(number)},"# } ?? ""
            return """
                {"resource": {"resourceType": "Observation", \(meta) "status": "\(status)",
                 "identifier": [{"value": "\(identifier)"}], "code": {"coding": [{"system": \
                "http://loinc.org", "code": "8867-4"}]},
                 "effectiveDateTime": "2026-03-01T10:00:00Z", "subject": {"reference": \
                "Patient/\(participant.uuidString)"},
                 "valueQuantity": {"value": \(value), "system": "http://unitsofmeasure.org", "code": "/min"}}}
                """
        }
    }

    private func bundle(_ participant: UUID, _ measured: [Measured]) -> String {
        let entries = measured.map { $0.entry(participant) }.joined(separator: ", ")
        return #"{"resourceType": "Bundle", "type": "collection", "entry": [\#(entries)]}"#
    }

    private func values(_ study: BackEnd) async throws -> [Int] {
        try await study.warehouse.read { warehouse in
            try warehouse.db.rows(
                """
                SELECT CAST(nval_num AS INTEGER) FROM observation_fact WHERE modifier_cd = '@' ORDER BY 1
                """
            )
            .compactMap { $0.integer(0) }
        }
    }

    private static let corrections: [(parts: [Measured], left: [Int])] = [
        ([Measured(value: 70), Measured(value: 99, status: "amended")], [99]),
        ([Measured(value: 99, status: "corrected"), Measured(value: 70)], [99]),
        (
            [
                Measured(value: 55),
                Measured(value: 55, status: "entered-in-error", updated: "2026-03-01T11:00:00Z"),
            ], []
        ),
        (
            [
                Measured(value: 70, status: "amended", updated: "2026-03-01T11:00:00Z"),
                Measured(value: 80, updated: "2026-03-01T12:00:00Z"),
            ], [80]
        ),
        // The phone's own sequence counts more than its clock.
        (
            [
                Measured(value: 61, updated: "2026-03-01T11:00:00Z", version: "2"),
                Measured(value: 60, updated: "2026-03-01T13:00:00Z", version: "1"),
            ], [61]
        ),
        ([Measured(value: 60, status: "preliminary"), Measured(value: 61)], [61]),
        ([Measured(value: 60), Measured(value: 61), Measured(value: 61)], [60, 61]),
        (
            [
                Measured(identifier: "m", value: 60), Measured(identifier: "m#equal-2", value: 61),
                Measured(value: 62),
            ], [60, 61, 62]
        ),
    ]

    @Test("a correction in the same message replaces what it corrects", arguments: corrections.indices)
    func sameMessage(index: Int) async throws {
        let study = try BackEnd()
        let participant = UUID()
        let (parts, left) = Self.corrections[index]
        #expect(
            try await study.deliver([Given.contract(participant), bundle(participant, parts)]).loaded == 2
        )
        #expect(try await values(study) == left)
    }

    @Test("a later message replaces all that an identifier had")
    func laterMessage() async throws {
        let study = try BackEnd()
        let participant = UUID()
        let both = bundle(
            participant,
            [Measured(value: 60), Measured(value: 70), Measured(identifier: "n", value: 5)]
        )
        #expect(try await study.deliver([Given.contract(participant), both]).loaded == 2)
        #expect(try await values(study) == [5, 60, 70])
        let later = "2026-04-01T00:00:00Z"
        let retraction = bundle(
            participant,
            [Measured(value: 60, status: "entered-in-error", updated: later)]
        )
        #expect(try await study.deliver([retraction]).loaded == 1)
        #expect(try await values(study) == [5])
        #expect(
            try await study.count("SELECT count(*) FROM study_resource WHERE visit LIKE '%#equal-%'") == 0
        )
        // What is older comes late, and changes nothing, its second visit neither.
        let older = "2026-02-01T00:00:00Z"
        let late = bundle(participant, [1, 2, 3].map { Measured(value: $0, updated: older) })
        #expect(try await study.deliver([late]).loaded == 1)
        #expect(try await values(study) == [5])
        let newest = bundle(participant, [8, 9].map { Measured(value: $0, updated: "2026-05-01T00:00:00Z") })
        #expect(try await study.deliver([newest]).loaded == 1)
        #expect(try await values(study) == [5, 8, 9])
    }

    @Test("a message of more participants than it can be filed under is not kept")
    func tooManyPeople() async throws {
        let study = try BackEnd()
        let people = (0...100).map { _ in UUID() }
        func message(_ people: [UUID]) -> String { Given.bundle(people.map { Given.response($0) }) }
        #expect(try await study.deliver([message(people), message(people.dropLast())]).failed == 2)
        let forgotten =
            "SELECT count(*) FROM study_message WHERE body IS NULL AND reason LIKE '%more than 100%'"
        #expect(try await study.count(forgotten) == 1)
        // The other one goes with any of them.
        _ = try await study.consumer.withdraw(people[99])
        #expect(try await study.count("SELECT count(*) FROM study_message WHERE body IS NOT NULL") == 0)
    }

    @Test("a phone whose clock is ahead keeps no later correction out")
    func phoneAhead() async throws {
        let study = try BackEnd()
        let participant = UUID()
        try await study.queue.send(Given.message(Given.contract(participant)))
        let ahead = bundle(participant, [Measured(value: 60, updated: "2031-01-01T00:00:00Z")])
        try await study.queue.send(Given.message(ahead, received: "2026-03-02T00:00:00Z"))
        let corrected = bundle(
            participant,
            [Measured(value: 61, status: "corrected", updated: "2026-03-03T09:00:00Z")]
        )
        try await study.queue.send(Given.message(corrected, received: "2026-03-03T10:00:00Z"))
        #expect(try await study.consumer.drain().loaded == 3)
        #expect(try await values(study) == [61])
    }

    /// What was changed when by the phone's clock, and when it was received; the first one 5 hours ahead.
    private static let clocks:
        [(changed: String, received: String, status: String, version: String?, left: [Int])] = [
            // Both are received before the wrong time has come.
            ("2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z", "amended", nil, [61]),
            ("2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z", "final", nil, [61]),
            // They are received when it has passed: a correction is one all the same.
            ("2026-03-02T09:00:00Z", "2026-03-02T20:00:00Z", "amended", nil, [61]),
            // Nothing says that it is not an old delivery.
            ("2026-03-02T09:00:00Z", "2026-03-02T20:00:00Z", "final", nil, [60]),
            // The phone's own sequence does.
            ("2026-03-02T09:00:00Z", "2026-03-02T20:00:00Z", "final", "2", [61]),
            ("2026-03-02T15:00:00Z", "2026-03-02T20:00:00Z", "final", "0", [60]),
        ]

    @Test("a clock that was ahead keeps no correction out", arguments: clocks.indices)
    func clockWasAhead(index: Int) async throws {
        let study = try BackEnd()
        let participant = UUID()
        let (changed, received, status, version, left) = Self.clocks[index]
        try await study.queue.send(Given.message(Given.contract(participant)))
        let first = bundle(participant, [Measured(value: 60, updated: "2026-03-02T13:00:00Z", version: "1")])
        try await study.queue.send(Given.message(first, received: received))
        let second = Measured(value: 61, status: status, updated: changed, version: version ?? "x")
        let later = received.replacing(":00:00Z", with: ":00:01Z")
        try await study.queue.send(Given.message(bundle(participant, [second]), received: later))
        #expect(try await study.consumer.drain().loaded == 3)
        #expect(try await values(study) == left)
    }

    @Test("a time after its receipt becomes the receipt's and stays in a modifier")
    func futureTime() async throws {
        let study = try BackEnd()
        let participant = UUID()
        try await study.queue.send(Given.message(Given.contract(participant)))
        let ahead = bundle(participant, [Measured(value: 60)]).replacing(
            "2026-03-01T10",
            with: "2099-03-01T10"
        )
        try await study.queue.send(Given.message(ahead, received: "2026-03-02T00:00:00Z"))
        #expect(try await study.consumer.drain().loaded == 2)
        #expect(
            try await study.text("SELECT start_date FROM observation_fact WHERE modifier_cd = '@'")
                == "2026-03-02 00:00:00"
        )
        #expect(
            try await study.text("SELECT tval_char FROM observation_fact WHERE modifier_cd = 'SURVEY:CLOCK'")
                == "2099-03-01T10:00:00Z"
        )
    }

    /// Signed, and whether it shares.
    private static let consents: [(consents: [(String, Bool)], signed: String, shares: Int)] = [
        ([("2026-02-02T09:00:00Z", false), ("2026-02-01T09:00:00Z", true)], "2026-02-02 09:00:00", 0),
        ([("2026-02-01T09:00:00Z", true), ("2026-02-02T09:00:00Z", false)], "2026-02-02 09:00:00", 0),
        ([("2026-02-01T09:00:00Z", false), ("2026-02-02T09:00:00Z", true)], "2026-02-02 09:00:00", 1),
        ([("2026-02-01T09:00:00Z", true), ("2026-02-01T09:00:00Z", false)], "2026-02-01 09:00:00", 0),
        // Signed after it was received: a clock that is ahead.
        ([("2031-01-01T09:00:00Z", true)], "2026-03-02 00:00:00", 1),
    ]

    @Test("of several consents in one message the one signed last is in force", arguments: consents.indices)
    func lastSigned(index: Int) async throws {
        let study = try BackEnd()
        let participant = UUID()
        let (consents, signed, shares) = Self.consents[index]
        let entries = consents.map { signed, shares in
            """
            {"resource": {"resourceType": "Consent", "status": "active", "dateTime": "\(signed)",
             "patient": {"reference": "Patient/\(participant.uuidString)"},
             "provision": {"provision": [{"type": "\(shares ? "permit" : "deny")"}]}}}
            """
        }
        let message =
            #"""
            {"resourceType": "Bundle", "type": "collection", "entry": [\#(entries.joined(separator: ", "))]}
            """#
        #expect(try await study.deliver([message, Given.response(participant)]).loaded == 2)
        let inForce = try #require(try await study.warehouse.read { try $0.consents() }.first)
        #expect(inForce.signed == signed && inForce.shares == (shares == 1))
    }
}
