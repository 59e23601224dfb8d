import Crypto
import CryptoExtras
import FHIR
import Foundation
import OrderedJSON
import StudyDelivery
import StudyServer
import Testing

@testable import StudyWarehouse

private let observationWithoutCode = """
    {"resourceType": "Observation", "status": "final", "subject": {"reference": \
    "Patient/5B9B1A56-0E0E-4C43-8F0B-000000000001"}}
    """

private let offeredContract = """
    {"resourceType": "Contract", "status": "offered", "signer": [{"party": {"reference": \
    "Patient/5B9B1A56-0E0E-4C43-8F0B-000000000001"}}]}
    """

@Suite struct ConsumerTests {
    /// A study's back end behind the receiver.
    struct BackEnd {
        let queue: SQLiteMessageQueue
        let warehouse: Warehouse
        let consumer: Consumer

        init(_ folder: Folder? = nil, keys: [KeyID: StudyPrivateKey] = [StudyKeys.id: StudyKeys.key]) throws {
            queue = try SQLiteMessageQueue(nil)
            warehouse = try Warehouse(folder?.file("study.sqlite"))
            consumer = Consumer(queue: queue, warehouse: warehouse, keys: KeyRing(keys))
        }

        func deliver(_ resources: [String]) async throws -> Consumer.Report {
            for resource in resources { try await queue.send(Given.message(resource)) }
            return try await consumer.drain()
        }

        func count(_ sql: String) async throws -> Int {
            try await warehouse.read { try $0.db.number(sql) }
        }
        func text(_ sql: String) async throws -> String? {
            try await warehouse.read {
                try $0.db.row(sql).flatMap { try StoredResource.json($0.values[0]) }
            }
        }
        var facts: Int {
            get async throws {
                try await count("SELECT count(*) FROM observation_fact WHERE modifier_cd = '@'")
            }
        }
    }

    @Test("a response of a participant who agreed becomes facts")
    func agreed() async throws {
        let study = try BackEnd()
        let participant = UUID()
        let report = try await study.deliver([Given.contract(participant), Given.response(participant)])
        #expect(report.loaded == 2)
        // The response, its score, its note.
        #expect(try await study.facts == 3)
        #expect(
            try await study.count("SELECT nval_num FROM observation_fact WHERE concept_cd LIKE '%:score'")
                == 1
        )
        #expect(try await study.queue.status().depth == 0)
    }

    @Test("messages without a consent wait, and are loaded with it")
    func withoutConsent() async throws {
        let study = try BackEnd()
        let participant = UUID()
        #expect(
            try await study.deliver([Given.response(participant, 1), Given.response(participant, 2)]).waiting
                == 2
        )
        #expect(try await study.facts == 0)
        #expect(try await study.count("SELECT count(*) FROM patient_dimension") == 0)
        #expect(try await study.deliver([Given.contract(UUID())]).loaded == 1)
        #expect(try await study.facts == 0)
        #expect(try await study.deliver([Given.contract(participant)]).loaded == 3)
        #expect(try await study.facts == 6)
    }

    @Test("a message that is delivered again changes nothing")
    func redelivered() async throws {
        let study = try BackEnd()
        let participant = UUID()
        let messages = try [
            Given.message(Given.contract(participant)), Given.message(Given.response(participant)),
        ]
        for message in messages { try await study.queue.send(message) }
        _ = try await study.consumer.drain()
        let before = try await study.count("SELECT count(*) FROM upload_status")
        // As from a queue that knows nothing of what was in it.
        let again = try SQLiteMessageQueue(nil)
        for message in messages.reversed() { try await again.send(message) }
        let consumer = Consumer(
            queue: again,
            warehouse: study.warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        #expect(try await consumer.drain().repeated == 2)
        #expect(try await study.facts == 3)
        #expect(try await study.count("SELECT count(*) FROM upload_status") == before)
    }

    @Test("the same response in another envelope replaces itself")
    func otherEnvelope() async throws {
        let study = try BackEnd()
        let participant = UUID()
        _ = try await study.deliver([
            Given.contract(participant), Given.response(participant), Given.response(participant),
        ])
        #expect(try await study.facts == 3)
        #expect(try await study.count("SELECT count(*) FROM visit_dimension") == 1)
    }

    @Test("the phone's id is nowhere in the warehouse")
    func phoneID() async throws {
        let folder = try Folder()
        let study = try BackEnd(folder)
        let participant = UUID()
        let patient =
            #"""
            {"resourceType":"Patient","id":"\#(participant.uuidString)","name":[{"family":"Miller"}],\#
            "birthDate":"1930-05-06","gender":"male","address":[{"country":"US","state":"MA",\#
            "postalCode":"02115","city":"Boston"}]}
            """#
        let report = try await study.deliver([
            Given.contract(participant), Given.response(participant), patient,
        ])
        #expect(report.loaded == 3)
        for text in [participant.uuidString, "Miller", "Boston"] {
            #expect(try !folder.contains(text), "\(text)")
        }
        // The oldest are a group: 90 years before the day of the message.
        let row = try await study.text(
            "SELECT sex_cd || '|' || birth_date || '|' || statecityzip_path FROM patient_dimension"
        )
        #expect(row == #"M|1936-01-01 00:00:00|MA\021"#)
        // Resources have the pseudonym.
        let pseudonym = try await study.text("SELECT pseudonym FROM study_participant")
        let json = try await study.text(
            "SELECT json FROM study_resource WHERE type = 'QuestionnaireResponse'"
        )
        #expect(json?.contains("Patient/\(pseudonym ?? "-")") == true)
    }

    @Test("withdrawal removes everything, and late messages are refused")
    func withdrawal() async throws {
        let folder = try Folder()
        let study = try BackEnd(folder)
        let participant = UUID()
        let other = UUID()
        _ = try await study.deliver([
            Given.contract(participant), Given.response(participant, text: "what only one wrote"),
            Given.contract(other),
            Given.response(other),
        ])
        #expect(try folder.contains("what only one wrote"))
        #expect(try await study.deliver([Given.contract(participant, status: "revoked")]).refused == 1)
        #expect(try !folder.contains("what only one wrote"))
        #expect(try await study.facts == 3)
        #expect(try await study.count("SELECT count(*) FROM study_withdrawal") == 1)
        #expect(try await study.count("SELECT count(*) FROM study_message WHERE body IS NOT NULL") == 2)
        // A response that was on its way, and a consent that is signed again under the old id.
        #expect(
            try await study.deliver([
                Given.response(participant, 2), Given.contract(participant, signed: "2027-01-01T00:00:00Z"),
            ])
            .refused == 2
        )
        #expect(try await study.facts == 3)
        #expect(try await study.consumer.withdraw(other) > 0)
        #expect(try await study.facts == 0)
    }

    @Test("who withdrew may agree anew and is then somebody new")
    func agreedAnew() async throws {
        let study = try BackEnd()
        let participant = UUID()
        #expect(
            try await study.deliver([Given.contract(participant), Given.response(participant)]).loaded == 2
        )
        let before = try await study.text("SELECT pseudonym FROM study_participant")
        let leaving = try Given.message(
            Given.contract(participant, status: "revoked"),
            received: "2026-04-01T00:00:00Z"
        )
        try await study.queue.send(leaving)
        #expect(try await study.consumer.drain().refused == 1)
        // Signed before the withdrawal, or received before it.
        for (signed, received) in [
            ("2026-03-30T00:00:00Z", "2026-04-02T00:00:00Z"),
            ("2026-03-31T00:00:00Z", "2026-03-31T00:00:00Z"),
        ] {
            try await study.queue.send(
                Given.message(Given.contract(participant, signed: signed), received: received)
            )
        }
        #expect(try await study.consumer.drain().refused == 2)
        let again = Given.contract(participant, signed: "2026-05-01T00:00:00Z")
        try await study.queue.send(Given.message(again, received: "2026-05-01T00:00:10Z"))
        try await study.queue.send(
            Given.message(Given.response(participant, 5), received: "2026-05-02T00:00:00Z")
        )
        // What was under way when they left.
        try await study.queue.send(
            Given.message(Given.response(participant, 9), received: "2026-03-30T00:00:00Z")
        )
        let report = try await study.consumer.drain()
        #expect(report.loaded == 2)
        #expect(report.refused == 1)
        #expect(try await study.facts == 3)
        let after = try await study.text("SELECT pseudonym FROM study_participant")
        #expect(after != nil && after != before)
        #expect(try await study.warehouse.read { try $0.consents().map(\.earlierWithdrawals) } == [1])
        // They may leave again.
        let last = Given.contract(participant, status: "revoked", signed: "2026-06-01T00:00:00Z")
        try await study.queue.send(Given.message(last, received: "2026-06-01T00:00:00Z"))
        #expect(try await study.consumer.drain().refused == 1)
        #expect(try await study.facts == 0)
    }

    @Test("a withdrawal processed late leaves what came after a new consent")
    func lateWithdrawal() async throws {
        let study = try BackEnd()
        let participant = UUID()
        #expect(
            try await study.deliver([Given.contract(participant), Given.response(participant)]).loaded == 2
        )
        let again = Given.contract(participant, signed: "2026-05-01T00:00:00Z")
        try await study.queue.send(Given.message(again, received: "2026-05-01T00:00:10Z"))
        try await study.queue.send(
            Given.message(Given.response(participant, 5), received: "2026-05-02T00:00:00Z")
        )
        #expect(try await study.consumer.drain().loaded == 2)
        let leaving = Given.contract(participant, status: "revoked")
        try await study.queue.send(Given.message(leaving, received: "2026-04-01T00:00:00Z"))
        #expect(try await study.consumer.drain().refused == 1)
        #expect(try await study.facts == 3)
        #expect(try await study.warehouse.read { try $0.consents().map(\.earlierWithdrawals) } == [1])
        let kept = try await study.text(
            "SELECT max(received) FROM study_message WHERE state = 'refused' AND body IS NULL"
        )
        #expect(kept == "2026-04-01T00:00:00Z")
    }

    private static let newConsents = [
        // A clock that is two minutes behind, or ten.
        ("2026-04-01T11:58:00Z", 1), ("2026-04-01T11:50:00Z", 0),
        // The day of the withdrawal, or the one before.
        ("2026-04-01", 1), ("2026-03-31", 0),
    ]

    @Test("a new consent may be signed by a slow clock or on the same day", arguments: newConsents.indices)
    func slowClock(index: Int) async throws {
        let study = try BackEnd()
        let participant = UUID()
        #expect(try await study.deliver([Given.contract(participant)]).loaded == 1)
        let leaving = Given.contract(participant, status: "revoked")
        try await study.queue.send(Given.message(leaving, received: "2026-04-01T12:00:00Z"))
        #expect(try await study.consumer.drain().refused == 1)
        let (signed, loaded) = Self.newConsents[index]
        let again = Given.contract(participant, signed: signed)
        try await study.queue.send(Given.message(again, received: "2026-04-01T12:01:00Z"))
        #expect(try await study.consumer.drain().loaded == loaded)
    }

    @Test("messages of nobody who agreed stay encrypted")
    func nobody() async throws {
        let study = try BackEnd()
        let participant = UUID()
        let messages = [Given.contract(participant), Given.response(participant)]
        #expect(try await study.deliver(messages).loaded == 2)
        let unreadable = StudyMessage(
            content: .envelope,
            received: "2026-03-02T00:00:00Z",
            body: Data("no envelope".utf8)
        )
        try await study.queue.send(unreadable)
        #expect(try await study.consumer.drain().failed == 1)
        #expect(try await study.count("SELECT count(*) FROM study_message WHERE body IS NOT NULL") == 3)
        #expect(try await study.warehouse.read { try $0.keptMessages(limit: 10) }.count == 2)
    }

    @Test("a dictionary for researchers has no concept that only others have")
    func dictionary() async throws {
        let study = try BackEnd()
        let participant = UUID()
        let response = Given.response(participant).replacing("\"score\"", with: "\"own-score\"")
        #expect(try await study.deliver([Given.contract(participant), response]).loaded == 2)
        let (all, sharing) = try await study.warehouse.read { warehouse in
            (
                try warehouse.dictionary().map { $0.joined(separator: " ") },
                try warehouse.dictionary(of: .sharing).map { $0.joined(separator: " ") }
            )
        }
        #expect(all.contains { $0.contains("own-score") })
        #expect(!sharing.contains { $0.contains("own-score") })
    }

    @Test("a withdrawal that comes before its consent is kept")
    func withdrawalFirst() async throws {
        let study = try BackEnd()
        let participant = UUID()
        let report = try await study.deliver([
            Given.contract(participant, status: "terminated"), Given.contract(participant),
            Given.response(participant),
        ])
        // It waits until the consent shows whose app sent it.
        #expect(report.pending == 1 && report.refused == 1)
        #expect(try await study.facts == 0)
        #expect(try await study.count("SELECT count(*) FROM study_message WHERE body IS NOT NULL") == 0)
        #expect(try await study.count("SELECT count(*) FROM study_withdrawal") == 1)
    }

    @Test("what cannot be processed is kept with its reason until its key is there")
    func lateKey() async throws {
        let study = try BackEnd(keys: [StudyKeys.id: StudyKeys.other])
        let participant = UUID()
        let report = try await study.deliver([Given.contract(participant), Given.response(participant)])
        #expect(report.failed == 2)
        let failed = try await study.warehouse.read { try $0.failedMessages() }
        #expect(
            failed.map(\.state)
                == Array(
                    repeating: .failed(
                        reason: "it is not decrypted: it cannot be decrypted: wrong key or damaged"
                    ),
                    count: 2
                )
        )
        #expect(try await study.queue.status() == MessageQueueStatus(depth: 0, dead: 0, age: 0, bytes: 0))
        let consumer = Consumer(
            queue: study.queue,
            warehouse: study.warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        #expect(try await consumer.reprocessFailed().failed == 0)
        _ = try await consumer.drain()
        #expect(try await study.facts == 3)
        #expect(try await study.warehouse.read { try $0.failedMessages() }.isEmpty)
    }

    @Test("a running consumer processes again what the team asks for")
    func askedAgain() async throws {
        let study = try BackEnd(keys: [:])
        let participant = UUID()
        #expect(
            try await study.deliver([Given.contract(participant), Given.response(participant)]).failed == 2
        )
        #expect(try await study.warehouse.transaction { try $0.requestReprocessing(nil) } == 2)
        // Without another key it fails again, once.
        #expect(try await study.consumer.drain().failed == 2)
        let id = try #require(try await study.warehouse.read { try $0.failedMessages().first?.id })
        #expect(try await study.warehouse.transaction { try $0.requestReprocessing(id) } == 1)
        let consumer = Consumer(
            queue: study.queue,
            warehouse: study.warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        let report = try await consumer.drain()
        #expect(report.failed == 0 && report.loaded + report.waiting == 1)
        #expect(try await study.warehouse.transaction { try $0.requestReprocessing("no such message") } == 0)
    }

    @Test("two keys overlap while they are rotated")
    func rotation() async throws {
        let newer = StudyKeys.known("key-2")
        let study = try BackEnd(keys: [StudyKeys.id: StudyKeys.key, newer: StudyKeys.other])
        let participant = UUID()
        for (key, id, resource) in [
            (StudyKeys.key, StudyKeys.id, Given.contract(participant)),
            (StudyKeys.other, newer, Given.response(participant)),
        ] {
            let body = try Given.envelope(resource, key: key, id: id, form: .second)
            try await study.queue.send(
                StudyMessage(content: .envelope, received: "2026-03-02T00:00:00Z", body: body)
            )
        }
        #expect(try await study.consumer.drain().loaded == 2)
    }

    @Test(
        "mistakes are named without content",
        arguments: [
            (#"{"resourceType": "Binary"}"#, "resources of type"),
            (#"{"resourceType": "Observation", "status": "final"}"#, "without a participant"),
            (
                #"{"resourceType": "Observation", "status": "final", "subject": {"reference": "Patient/7"}}"#,
                "is no UUID"
            ),
            (
                observationWithoutCode,
                "no valid resource"
            ),
            (
                offeredContract,
                "is no consent"
            ),
        ]
    )
    func mistakes(resource: String, reason: String) async throws {
        let study = try BackEnd()
        #expect(try await study.deliver([resource]).failed == 1)
        let failed = try await study.warehouse.read { try $0.failedMessages() }
        guard case .failed(let text)? = failed.first?.state else {
            return #expect(Bool(false), "nothing failed")
        }
        #expect(text.contains(reason), "\(text)")
    }

    @Test("a bundle of several participants is refused")
    func several() async throws {
        let study = try BackEnd()
        let bundle = Given.bundle([Given.contract(UUID()), Given.contract(UUID())])
        #expect(try await study.deliver([bundle]).failed == 1)
        #expect(try await study.count("SELECT count(*) FROM study_consent") == 0)
    }

    @Test("a file of a package that cannot be read is not passed over")
    func unreadableFile() async throws {
        let study = try BackEnd()
        let participant = UUID()
        var archive = try StudyArchive(ArchiveInfo(study: "org.example.sleep", item: "diary"))
        try archive.add("contract.json", Data(Given.contract(participant).utf8))
        try archive.add("response.json", Data(Given.response(participant).utf8.dropLast(3)))
        let folder = try Folder()
        try archive.write(to: folder.file("p.cms"), encryption: CMSEncryption(for: [StudyKeys.certificate()]))
        let body = try Data(contentsOf: folder.file("p.cms"))
        try await study.queue.send(
            StudyMessage(
                content: .package,
                subject: participant.uuidString,
                received: "2026-03-02T00:00:00Z",
                body: body
            )
        )
        #expect(try await study.consumer.drain().failed == 1)
    }

    @Test("a bundle of several participants goes when any of them leaves")
    func severalLeaving() async throws {
        for leaver in 0...1 {
            let study = try BackEnd()
            let people = [UUID(), UUID()]
            let bundle = Given.bundle(people.map { Given.response($0) })
            #expect(try await study.deliver(people.map { Given.contract($0) } + [bundle]).failed == 1)
            let failed = try await study.warehouse.read { try $0.failedMessages().map(\.state) }
            #expect(failed == [.failed(reason: "it names several participants")])
            #expect(try await study.facts == 0)
            _ = try await study.consumer.withdraw(people[leaver])
            #expect(
                try await study.count(
                    "SELECT count(*) FROM study_message WHERE state = 'refused' AND body IS NULL"
                ) == 2
            )
            // One that comes after somebody of it has left is not kept either.
            #expect(try await study.deliver([bundle]).refused == 1)
        }
    }

    @Test("two measurements with one identifier in one bundle are both kept")
    func sharedIdentifier() async throws {
        let study = try BackEnd()
        let participant = UUID()
        func measured(_ value: Int, _ identifier: String = "m") -> String {
            """
            {"resource": {"resourceType": "Observation", "status": "final", "identifier": [{"value": \
            "\(identifier)"}],
             "code": {"coding": [{"system": "http://loinc.org", "code": "8867-4"}]}, "effectiveDateTime": \
            "2026-03-01T10:00:00Z",
             "subject": {"reference": "Patient/\(participant.uuidString)"},
             "valueQuantity": {"value": \(value), "system": "http://unitsofmeasure.org", "code": "/min"}}}
            """
        }
        let parts = [measured(60), measured(70), measured(70), measured(80, "m#2")].joined(separator: ", ")
        let bundle = #"{"resourceType": "Bundle", "type": "collection", "entry": [\#(parts)]}"#
        #expect(try await study.deliver([Given.contract(participant), bundle]).loaded == 2)
        #expect(try await study.facts == 3)
        #expect(try await study.count("SELECT sum(nval_num) FROM observation_fact") == 210)
        #expect(try await study.count("SELECT count(*) FROM study_resource WHERE type = 'Observation'") == 3)
        // In another envelope it is the same three visits.
        #expect(try await study.deliver([bundle]).loaded == 1)
        #expect(try await study.facts == 3)
    }

    @Test("packages of ResearchKit are opened and their resources loaded")
    func researchKit() async throws {
        let study = try BackEnd()
        let participant = UUID()
        var archive = try StudyArchive(ArchiveInfo(study: "org.example.sleep", item: "diary"))
        try archive.add("contract.json", Data(Given.contract(participant).utf8))
        try archive.add("response.json", Data(Given.response(participant).utf8))
        try archive.add("result.json", Data(#"{"items": [{"x": 1}]}"#.utf8))
        let folder = try Folder()
        try archive.write(to: folder.file("p.cms"), encryption: CMSEncryption(for: [StudyKeys.certificate()]))
        let body = try Data(contentsOf: folder.file("p.cms"))
        try await study.queue.send(
            StudyMessage(
                id: "upload:1",
                content: .package,
                subject: participant.uuidString,
                received: "2026-03-02T00:00:00Z",
                body: body
            )
        )
        #expect(try await study.consumer.drain().loaded == 1)
        #expect(try await study.facts == 3)
        #expect(
            try await study.count(
                "SELECT count(*) FROM study_message WHERE id LIKE '%\(participant.uuidString)%'"
            ) == 0
        )
        // The header names somebody else.
        try archive.add("more.json", Data("{}".utf8))
        try archive.write(to: folder.file("q.cms"), encryption: CMSEncryption(for: [StudyKeys.certificate()]))
        try await study.queue.send(
            StudyMessage(
                id: "upload:2",
                content: .package,
                subject: UUID().uuidString,
                received: "2026-03-02T00:00:00Z",
                body: Data(contentsOf: folder.file("q.cms"))
            )
        )
        #expect(try await study.consumer.drain().failed == 1)
    }

    @Test("a contract that others signed too is the participant's")
    func otherSigners() async throws {
        let study = try BackEnd()
        let participant = UUID()
        let contract = """
            {"resourceType": "Contract", "status": "executed", "signer": [
             {"party": {"reference": "Patient/\(participant.uuidString)"}, "signature": [{"who": \
            {"reference": "Patient/\(participant.uuidString)"}}]},
             {"party": {"reference": "Practitioner/7"}, "signature": [{"who": {"reference": \
            "Practitioner/7"}}]}]}
            """
        #expect(try await study.deliver([contract, Given.response(participant)]).loaded == 2)
    }

    // MARK: What older software wrote

    /// As C3-PRO's receiver encrypts: AES-128 in CBC mode with an IV of zeros, the key by OAEP with SHA-1.
    private func originalEnvelope(_ resource: String, version: String) throws -> Data {
        let key = SymmetricKey(size: .bits128)
        let message = try AES._CBC.encrypt(
            Data(resource.utf8),
            using: key,
            iv: AES._CBC.IV(ivBytes: Data(count: 16))
        )
        let wrapped = try _RSA.Encryption.PublicKey(derRepresentation: StudyKeys.key.publicKeyDER).encrypt(
            key.withUnsafeBytes { Data($0) },
            padding: .PKCS1_OAEP
        )
        let json: JSONValue = [
            "key_id": JSONValue(StudyKeys.id.description),
            "symmetric_key": JSONValue(wrapped.base64EncodedString()),
            "message": JSONValue(message.base64EncodedString()), "version": JSONValue(version),
        ]
        return Data(json.utf8())
    }

    @Test("messages of the original receiver are consumed")
    func firstReceiver() async throws {
        let study = try BackEnd()
        let participant = UUID()
        let contract = """
            {"resourceType": "Contract", "applies": {"start": "2016-01-02T03:04:05.64"}, "signer": [{"type": \
            [{"system": "urn:iso-astm:E1762-95:2013",
             "code": "1.2.840.10065.1.12.1.7"}], "party": {"reference": \
            "Patient/\(participant.uuidString)"}, "signature": "\(participant.uuidString)"}]}
            """
        let response = """
            {"resourceType": "QuestionnaireResponse", "status": "completed", "questionnaire": {"reference": \
            "org.chip.c3-pro.activity"},
             "subject": {"reference": "Patient/\(participant.uuidString)"}, "encounter": {"reference": \
            "#period"},
             "contained": [{"resourceType": "Encounter", "id": "period", "status": "finished",
              "period": {"start": "2016-01-01T00:00:00Z", "end": "2016-01-02T00:00:00Z"}}],
             "group": {"question": [{"linkId": "motion-coprocessor.walking", "answer": [{"valueQuantity": \
            {"value": 42, "unit": "minute"}}]}],
              "group": [{"linkId": "inner", "question": [{"linkId": "q", "answer": [{"valueBoolean": \
            true}]}]}]}}
            """
        for resource in [contract, response] {
            let body = try originalEnvelope(resource, version: "1.0.2")
            try await study.queue.send(
                StudyMessage(content: .envelope, received: "2016-01-02T04:00:00Z", body: body)
            )
        }
        let report = try await study.consumer.drain()
        let failed = try await study.warehouse.read { try $0.failedMessages().map(\.state) }
        #expect(failed == [] && report.loaded == 2)
        #expect(
            try await study.count(
                """
                SELECT nval_num FROM observation_fact JOIN concept_dimension USING (concept_cd) WHERE \
                concept_blob LIKE '%|motion-coprocessor.walking'
                """
            )
                == 42
        )
        #expect(
            try await study.count(
                "SELECT count(*) FROM observation_fact WHERE concept_cd LIKE '%:q=true' AND modifier_cd = '@'"
            )
                == 1
        )
        #expect(
            try await study.count(
                "SELECT count(*) FROM visit_dimension WHERE start_date = '2016-01-01 00:00:00'"
            ) == 1
        )
    }

    @Test("consents made by this package are understood")
    func ownConsents() async throws {
        let document = try ConsentDocument(
            parsing: Data(
                """
                {"study": "org.example.sleep", "id": "sleep", "version": "2", "language": "en", "title": \
                "Sleep",
                 "organization": "Example Hospital", "requiresSignatureImage": false,
                 "sections": [{"kind": "Overview", "title": "Overview", "text": "We ask."}]}
                """.utf8
            )
        )
        for make in [
            { Data($0.c3ProContract().utf8()) }, { Data($0.dstu2Contract().utf8()) },
            { $0.contract().json() }, { $0.consent().json() },
        ]
            as [(SignedConsent) -> Data]
        {
            let study = try BackEnd()
            let participant = UUID()
            var answers = ConsentAnswers()
            answers.agrees = true
            answers.participant = participant
            answers.givenName = "A"
            answers.familyName = "B"
            answers.signedAt = "2026-02-01T09:00:00Z"
            guard case .signed(let consent) = document.decision(answers) else {
                return #expect(Bool(false), "it is not signed")
            }
            let report = try await study.deliver([
                String(decoding: make(consent), as: UTF8.self), Given.response(participant),
            ])
            let failed = try await study.warehouse.read { try $0.failedMessages().map(\.state) }
            #expect(failed == [] && report.loaded == 2)
        }
    }

    // MARK: Order

    /// Whatever the order of deliveries, and however often, the warehouse is the same.
    @Test("the order of deliveries does not matter", arguments: 1...5)
    func order(seed: UInt64) async throws {
        var state = seed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let study = try BackEnd()
        let participants = (0..<4).map { _ in UUID() }
        var messages = try participants.flatMap { participant in
            try [Given.message(Given.contract(participant))]
                + (1...5).map { try Given.message(Given.response(participant, $0)) }
        }
        messages += messages
        for index in messages.indices.reversed() { messages.swapAt(index, random(index + 1)) }
        while !messages.isEmpty {
            // A queue that forgot, as after a lost deletion.
            let queue = try SQLiteMessageQueue(nil)
            for message in messages.prefix(7) { try await queue.send(message) }
            messages.removeFirst(min(7, messages.count))
            _ = try await Consumer(
                queue: queue,
                warehouse: study.warehouse,
                keys: KeyRing([StudyKeys.id: StudyKeys.key])
            ).drain()
        }
        #expect(try await study.facts == 4 * 5 * 3)
        #expect(try await study.count("SELECT count(DISTINCT patient_num) FROM observation_fact") == 4)
        #expect(
            try await study.count(
                "SELECT sum(nval_num) FROM observation_fact WHERE concept_cd LIKE '%:score'"
            ) == 4 * 15
        )
    }
}
