import Foundation
import OrderedJSON
import StudyServer
import Testing

@testable import StudyWarehouse

/// Texts of strangers in every place that a database has for them.
@Suite struct HostileTextTests {
    private static let texts = [
        "'; DROP TABLE study_message; --", #"\"; DELETE FROM observation_fact; --"#, "$1 ? :name %s \\\\",
        #"\u0000"#, #"a\u0000b"#,
        #"\uFFFE\uFFFF"#, #"\uDBFF\uDFFF"#, "%_\\\\%", String(repeating: "x", count: 5_000),
        String(repeating: "é", count: 300), "\u{202E}",
    ]
    private static let numbers = [
        "1e308", "-1e-300", String(repeating: "9", count: 30), "0." + String(repeating: "3", count: 30),
        "1e38", "9999999999999.99999",
        "99999999999999", "-0.000001",
    ]

    private func resources(_ participant: UUID) -> [String] {
        let subject = #""subject": {"reference": "Patient/\#(participant.uuidString)"}"#
        let texts = Self.texts.enumerated().flatMap { number, text -> [String] in
            let answer =
                #"""
                [{"valueString": "\#(text)"}, {"valueCoding": {"code": "\#(text)", "system": "\#(text)", \#
                "display": "\#(text)"}}]
                """#
            let head =
                #"""
                "resourceType": "QuestionnaireResponse", "status": "completed", "authored": \#
                "2026-03-01T10:00:00Z", \#(subject)
                """#
            return [
                // The answer, the identifier, the link id, the questionnaire, and a unit, each alone.
                #"""
                {\#(head), "questionnaire": "http://x/q", "item": [{"linkId": "a", "answer": \#(answer)}]}
                """#,
                #"{\#(head), "questionnaire": "http://x/q", "identifier": {"value": "\#(number)\#(text)"}}"#,
                #"""
                {\#(head), "questionnaire": "http://x/q", "item": [{"linkId": "\#(text)", "answer": \#
                [{"valueInteger": 1}]}]}
                """#,
                #"""
                {\#(head), "questionnaire": "http://x/\#(text)", "item": [{"linkId": "b", "answer": \#
                [{"valueInteger": 1}]}]}
                """#,
                #"""
                {\#(head), "questionnaire": "http://x/q", "item": [{"linkId": "c", "answer": \#
                [{"valueQuantity": {"value": 1, "unit": "\#(text)"}}]}]}
                """#,
            ]
        }
        let numbers = Self.numbers.map { number in
            """
            {"resourceType": "Observation", "status": "final", "effectiveDateTime": "2026-03-01T10:00:00Z", \
            \(subject),
             "code": {"coding": [{"system": "http://loinc.org", "code": "8302-2"}]}, "valueQuantity": \
            {"value": \(number), "unit": "kg"}}
            """
        }
        return texts + numbers
    }

    @Test(
        "no text or number of a stranger breaks a table or holds up what is behind it",
        arguments: QueueKind.allCases,
        StoreKind.allCases
    )
    func everyPlace(queueKind: QueueKind, storeKind: StoreKind) async throws {
        let queue = try await TestQueue(queueKind).queue
        let warehouse = try await storeKind.warehouse()
        let consumer = Consumer(
            queue: queue,
            warehouse: warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        let participant = UUID()
        let resources = resources(participant)
        try await queue.send(Given.message(Given.contract(participant)))
        for resource in resources { try await queue.send(Given.message(resource)) }
        let report = try await consumer.drain()
        #expect(report.loaded + report.failed == resources.count + 1)
        // Most of it has a form: what has none is kept with its reason.
        #expect(report.loaded > resources.count / 2)
        try await queue.send(Given.message(Given.response(participant)))
        #expect(try await consumer.drain().loaded == 1)
        #expect(try await queue.status().depth == 0)
        try await warehouse.read { db in
            for message in try db.failedMessages() {
                #expect(!(message.state.reason ?? "").contains("DROP TABLE"))
            }
            var rows = 0
            try db.eachFact { _ in rows += 1 }
            for type in try db.resourceTypes() {
                try db.eachResource(type) { _ = try JSONValue(parsing: $0) }
            }
            try db.writePDO { _ in }
            #expect(rows > resources.count / 2)
        }
        // Whoever leaves takes all of it with them.
        #expect(try await consumer.withdraw(participant) > 0)
        #expect(
            try await warehouse.read { try $0.db.number("SELECT count(*) FROM study_resource") } == 0
        )
    }

    @Test(
        "a message id that no database takes is refused or kept, and changes nothing else",
        arguments: QueueKind.allCases
    )
    func ids(kind: QueueKind) async throws {
        let queue = try await TestQueue(kind).queue
        for text in ["'; DROP TABLE message; --", String(repeating: "i", count: 2000), "\u{202E}"] {
            let message = StudyMessage(
                id: text,
                content: .envelope,
                subject: text,
                received: text,
                client: text,
                body: Data(text.utf8)
            )
            try await queue.send(message)
            let received = try #require(try await queue.receive(limit: 1, visibility: 60).first)
            #expect(received.message == message)
            try await queue.delete([received])
        }
        #expect(try await queue.status().depth == 0)
    }
}
