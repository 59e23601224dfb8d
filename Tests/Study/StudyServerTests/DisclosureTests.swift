import FHIR
import Foundation
import OrderedJSON
import StudyServer
import Testing

@testable import StudyWarehouse

/// What of a resource stands beside a pseudonym.
@Suite struct DisclosureTests {
    private let participant = UUID()

    /// A study with one participant, who sent a resource; the warehouse's own text of it, and its export's.
    private func kept(
        _ resource: String,
        freeText: ResponseMapper.FreeText = .loaded,
        identities: Disclosure.Identities = .removed
    ) async throws -> (stored: String, exported: String, facts: String) {
        let queue = try SQLiteMessageQueue(nil)
        let warehouse = try Warehouse(nil)
        let consumer = Consumer(
            queue: queue,
            warehouse: warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key]),
            mapper: ResponseMapper(freeText: freeText),
            identities: identities
        )
        for text in [Given.contract(participant), resource] { try await queue.send(Given.message(text)) }
        let loaded = try await consumer.drain().loaded
        #expect(try await warehouse.read { try $0.failedMessages().compactMap(\.state.reason) } == [])
        #expect(loaded == 2)
        return try await warehouse.read { warehouse in
            let stored = try warehouse.db.rows("SELECT json FROM study_resource").compactMap {
                try StoredResource.json($0.values[0])
            }.joined()
            var exported = ""
            for type in try warehouse.resourceTypes() {
                try warehouse.eachResource(type, Disclosure(freeText: freeText, identities: identities)) {
                    exported += $0
                }
            }
            var facts = ""
            try warehouse.eachFact { facts += $0.joined(separator: "|") + "\n" }
            try warehouse.writePDO { facts += $0 }
            return (stored, exported, facts)
        }
    }

    private var response: String {
        """
        {"resourceType": "QuestionnaireResponse", "id": "ada-lovelace-1",
         "meta": {"source": "http://adas-phone.local", "lastUpdated": "2026-03-01T10:00:00Z"},
         "text": {"status": "generated", "div": "<div xmlns=\\"http://www.w3.org/1999/xhtml\\">said Ada, \
        narrated</div>"},
         "contained": [
          {"resourceType": "Device", "id": "d", "serialNumber": "SERIAL-123", "modelNumber": "Watch6,1",
           "deviceName": [{"name": "Ada's watch", "type": "user-friendly-name"}], "note": [{"text": "a \
        device note"}]},
          {"resourceType": "Patient", "id": "p", "name": [{"family": "Lovelace"}], "birthDate": "1985-12-10",
           "telecom": [{"system": "phone", "value": "555-1234"}], "gender": "female"}],
         "extension": [
          {"url": "http://example.org/who", "valueHumanName": {"text": "Name in an extension"}},
          {"url": "http://example.org/id", "valueIdentifier": {"value": "123-45-6789"}},
          {"url": "http://example.org/uuid", "valueUuid": "urn:uuid:0b1e7c52-9be2-4a43-9a0d-7a3f1c1c9a11"},
          {"url": "http://example.org/meta/HKDeviceSerialNumber", "valueString": "SERIAL-456"},
          {"url": "http://example.org/text", "valueString": "words in an extension"},
          {"url": "http://example.org/device", "valueReference": {"reference": "#d", "display": "the watch \
        of Ada"}},
          {"url": "http://example.org/count", "valueInteger": 77}],
         "identifier": {"system": "urn:x", "value": "adas-diary-1"},
         "questionnaire": "http://example.org/Questionnaire/diary", "status": "completed", "authored": \
        "2026-03-01T10:00:00Z",
         "subject": {"reference": "Patient/\(participant.uuidString)", "display": "Ada the subject",
          "identifier": {"value": "MRN-998"}},
         "author": {"reference": "Practitioner/dr-byron", "display": "Dr Byron"},
         "source": {"reference": "#p"},
         "item": [
          {"linkId": "score", "text": "How is it, Ada?", "answer": [{"valueInteger": 3}]},
          {"linkId": "note", "answer": [{"valueString": "my name is Ada, answered"}]},
          {"linkId": "file", "answer": [{"valueAttachment": {"contentType": "text/plain", "data": "QWRh", \
        "title": "ada.txt"}}]},
          {"linkId": "page", "answer": [{"valueUri": "http://ada.example.org"}]},
          {"linkId": "open", "answer": [{"valueCoding": {"display": "an open choice"}}]},
          {"linkId": "who", "answer": [{"valueReference": {"reference": "RelatedPerson/r1", "display": "Aunt \
        Annabella"},
            "item": [{"linkId": "deep", "answer": [{"valueString": "words deep in it"}]}]}]}]}
        """
    }

    private static let identities = [
        "ada-lovelace", "adas-phone", "narrated", "SERIAL-123", "Ada's watch", "Lovelace", "1985", "555-1234",
        "Name in an extension", "123-45-6789", "0b1e7c52", "SERIAL-456", "Ada the subject", "the watch of",
        "MRN-998", "dr-byron", "Dr Byron",
        "Annabella", "RelatedPerson/r1", "adas-diary",
    ]
    private static let texts = [
        "a device note", "words in an extension", "How is it", "my name is Ada, answered", "QWRh", "ada.txt",
        "ada.example.org",
        "an open choice", "words deep in it",
    ]

    @Test("names, identifiers, contacts, narratives and devices stand beside no pseudonym")
    func identitiesAreRemoved() async throws {
        let kept = try await kept(response)
        for name in Self.identities {
            #expect(!kept.stored.contains(name), "stored: \(name)")
            #expect(!kept.exported.contains(name), "exported: \(name)")
            #expect(!kept.facts.contains(name), "facts: \(name)")
        }
        for text in Self.texts where text != "a device note" {
            #expect(kept.stored.contains(text), "\(text)")
        }
        for text in [
            "Watch6,1", #""valueInteger":3"#, #""valueInteger":77"#, "http://example.org/Questionnaire/diary",
        ] {
            #expect(kept.exported.contains(text), "\(text)")
        }
    }

    @Test("free text that is omitted is nowhere: not in facts, resources or exports")
    func textsAreOmitted() async throws {
        let kept = try await kept(response, freeText: .omitted)
        for text in Self.identities + Self.texts {
            #expect(!kept.stored.contains(text), "stored: \(text)")
            #expect(!kept.exported.contains(text), "exported: \(text)")
            #expect(!kept.facts.contains(text), "facts: \(text)")
        }
        // That there was an answer is known, and numbers and structure are as they were.
        let json = try JSONValue(parsing: kept.stored)
        let items = Array(try #require(json["item"]?.elements))
        #expect(items.map { $0["linkId"]?.string } == ["score", "note", "file", "page", "open", "who"])
        let note = items[1]["answer"]?[0]?["_valueString"]?["extension"]?[0]
        #expect(note?["valueCode"]?.string == "masked")
        #expect(items[0]["answer"]?[0]?["valueInteger"]?.integer == 3)
        #expect(items[5]["answer"]?[0]?["item"]?[0]?["linkId"]?.string == "deep")
    }

    @Test("a documented switch keeps the names, but not the phone's id")
    func identitiesAreKeptOnDemand() async throws {
        let kept = try await kept(response, identities: .kept)
        for name in ["SERIAL-123", "Ada the subject", "Dr Byron", "narrated"] {
            #expect(kept.exported.contains(name), "\(name)")
        }
        #expect(!kept.stored.lowercased().contains(participant.uuidString.lowercased()))
    }

    @Test("texts and notes of an observation are omitted, its numbers are not")
    func observation() async throws {
        let code =
            """
            "code": {"coding": [{"system": "http://loinc.org", "code": "8302-2", "display": "what Ada calls \
            it"}]}
            """
        let part = #""code": {"coding": [{"system": "http://loinc.org", "code": "29463-7"}]}"#
        let observation = """
            {"resourceType": "Observation", "status": "final", \(code),
             "subject": {"reference": "Patient/\(participant.uuidString)"}, "effectiveDateTime": \
            "2026-03-01T10:00:00Z",
             "note": [{"text": "call me at 555", "authorString": "Ada"}], "valueString": "words of an \
            observation",
             "device": {"reference": "Device/SERIAL-123", "display": "Ada's iPhone"},
             "component": [{\(part), "valueQuantity": {"value": 12.50, "unit": "kg"}},
              {\(part), "valueSampledData": {"origin": {"value": 0}, "period": 10, "dimensions": 1, "data": \
            "1 2 3"}}]}
            """
        let omitted = try await kept(observation, freeText: .omitted)
        for text in ["call me", "Ada", "words of", "SERIAL-123"] {
            #expect(!omitted.stored.contains(text), "\(text)")
            #expect(!omitted.facts.contains(text), "\(text)")
        }
        #expect(omitted.stored.contains("12.50") && omitted.stored.contains("1 2 3"))
        let loaded = try await kept(observation)
        #expect(loaded.stored.contains("call me at 555") && loaded.facts.contains("words of an observation"))
        for text in ["SERIAL-123", "Ada's iPhone", #""Ada""#] {
            #expect(!loaded.stored.contains(text), "\(text)")
        }
    }

    @Test("an export leaves out names that an earlier version has stored")
    func earlierResources() async throws {
        let warehouse = try Warehouse(nil)
        let resource = try JSONValue(parsing: response)
        let texts = try await warehouse.transaction { warehouse in
            let now = WarehouseTime(try #require(FHIRDateTime(text: "2026-03-01T10:00:00Z")))
            let person = try warehouse.participant("digest", now: now)
            let set = FactSet(StudyVisit(id: "v", start: now))
            try warehouse.store(
                [set],
                (resource, "QuestionnaireResponse"),
                of: person,
                label: "m",
                written: now,
                now: now
            )
            var texts: [String] = []
            try warehouse.eachResource("QuestionnaireResponse") { texts.append($0) }
            return texts.joined()
        }
        for name in Self.identities { #expect(!texts.contains(name), "\(name)") }
        #expect(texts.contains(#""valueInteger":3"#))
    }

    @Test("the phone's id is replaced however it is spelled, in values and member names")
    func spellings() async throws {
        let id = participant.uuidString.lowercased()
        let bare = id.filter { $0 != "-" }
        let escaped = id.unicodeScalars.map {
            "\\u" + String(repeating: "0", count: 2) + String($0.value, radix: 16)
        }.joined()
        let spellings = [
            escaped, id.uppercased(), bare, bare.uppercased(), id.replacing("-", with: "%2D"),
            "urn:uuid:\(id)",
            id.replacing("-", with: "%252d"), id.utf8.map { "%" + String($0, radix: 16) }.joined(),
            id.replacing("-", with: "\u{2010}"),
            id.replacing("-", with: " "),
        ]
        let items = spellings.enumerated().map { number, text in
            #"""
            {"linkId": "i\#(number)-\#(number == 2 ? bare : "")", "answer": [{"valueString": "see \#
            \#(text)!"}]}
            """#
        }
        let text = """
            {"resourceType": "QuestionnaireResponse", "questionnaire": \
            "http://example.org/Questionnaire/diary",
             "identifier": {"value": "\(bare)-1"}, "status": "completed", "authored": "2026-03-01T10:00:00Z",
             "subject": {"reference": "Patient/\(escaped)"}, "item": [\(items.joined(separator: ", "))]}
            """
        for identities in Disclosure.Identities.allCases {
            let kept = try await kept(text, identities: identities)
            for shown in [kept.stored, kept.exported, kept.facts] {
                let digits = shown.replacing("%25", with: "%").lowercased()
                let plain = digits.removingPercentEncoding ?? digits
                #expect(!plain.filter { $0.isHexDigit }.contains(bare))
                #expect(!shown.contains("\\u00"))
            }
            #expect(kept.stored.contains("see "))
        }
    }
}
