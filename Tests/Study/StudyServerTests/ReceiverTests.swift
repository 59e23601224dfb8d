import DurableQueue
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import OrderedJSON
import StudyServer
import StudyTesting
import Synchronization
import Testing

@testable import StudyDelivery
@testable import StudyFormats

@Suite struct ReceiverTests {
    func with(
        _ configuration: ReceiverConfiguration = .open(),
        queue: SQLiteMessageQueue? = nil,
        clients: URL? = nil,
        _ body: (Phone, SQLiteMessageQueue) async throws -> Void
    ) async throws {
        let queue = try queue ?? SQLiteMessageQueue(nil)
        let receiver = try await Receiver.start(
            queue: queue,
            clients: clients.map { .file($0) } ?? .besideQueue,
            configuration
        )
        do {
            try await body(Phone(url: receiver.url), queue)
        } catch {
            await receiver.stop()
            throw error
        }
        await receiver.stop()
    }

    func bearer(_ phone: Phone, receipt: String = "NO-APP-RECEIPT") async throws -> [String: String] {
        let token = try #require(try await phone.token(receipt: receipt))
        return [
            "Authorization": "Bearer \(token)", "Content-Type": "application/fhir+json; charset=utf-8",
            "Prefer": "return=minimal",
        ]
    }

    // MARK: C3-PRO

    @Test("a phone registers, gets a token and delivers an envelope once")
    func delivery() async throws {
        try await with { phone, queue async throws in
            let fields = try await bearer(phone)
            let envelope = try Given.envelope(Given.response(UUID()))
            let answer = try await phone.send(.post, "/c3pro/encfhir/QuestionnaireResponse", fields, envelope)
            #expect(answer.status == 200)
            #expect(answer.text.isEmpty)
            // The response got lost: the same bytes again.
            #expect(
                try await phone.send(.post, "/c3pro/encfhir/QuestionnaireResponse", fields, envelope).status
                    == 200
            )
            #expect(try await queue.status().depth == 1)
            #expect(try await queue.receive(limit: 1, visibility: 9).first?.message.body == envelope)
        }
    }

    @Test("another body under one Idempotency-Key is refused with 409 and changes nothing")
    func otherBody() async throws {
        try await with { phone, queue async throws in
            var fields = try await bearer(phone)
            fields["Idempotency-Key"] = UUID().uuidString
            let bodies = try (1...2).map { _ in try Given.envelope(Given.response(UUID())) }
            for (body, status) in [(bodies[0], 200), (bodies[1], 409), (bodies[1], 409), (bodies[0], 200)] {
                #expect(try await phone.send(.put, "/c3pro/encfhir/Patient/7", fields, body).status == status)
            }
            #expect(try await queue.status().depth == 1)
            // What was refused is a message of its own under a key of its own.
            fields["Idempotency-Key"] = UUID().uuidString
            #expect(try await phone.send(.put, "/c3pro/encfhir/Patient/7", fields, bodies[1]).status == 200)
            #expect(try await queue.status().depth == 2)
        }
    }

    @Test("an Idempotency-Key is its client's own")
    func keysOfTwoClients() async throws {
        try await with { phone, queue async throws in
            let key = UUID().uuidString
            for _ in 1...2 {
                var fields = try await bearer(phone)
                fields["Idempotency-Key"] = key
                let envelope = try Given.envelope(Given.response(UUID()))
                #expect(try await phone.send(.post, "/c3pro/encfhir", fields, envelope).status == 200)
            }
            let messages = try await queue.receive(limit: 9, visibility: 60).map(\.message)
            #expect(messages.count == 2 && Set(messages.map(\.client)).count == 2)
        }
    }

    @Test("a resource in clear that is sent again is known, and another one is refused")
    func resourceInClearAgain() async throws {
        let sealing = ReceiverConfiguration.Sealing(try StudyKeys.certificate(), keyID: StudyKeys.id)
        try await with(.open { $0.sealing = sealing }) { phone, queue async throws in
            var fields = try await bearer(phone)
            fields["Idempotency-Key"] = UUID().uuidString
            let responses = [1, 2].map { Given.response(UUID(), $0) }
            for (text, status) in [(responses[0], 201), (responses[0], 201), (responses[1], 409)] {
                #expect(
                    try await phone.send(.post, "/c3pro/fhir/QuestionnaireResponse", fields, text).status
                        == status
                )
            }
            #expect(try await queue.status().depth == 1)
        }
    }

    @Test("a receiver that takes no packages closes the way without a login")
    func noPackages() async throws {
        try await with(.open { $0.takesPackages = false }) { phone, queue async throws in
            #expect(try await phone.send(.post, "/api/upload", upload(), package).status == 403)
            #expect(try await queue.status().depth == 0)
            let envelope = try Given.envelope(Given.response(UUID()))
            #expect(try await phone.send(.post, "/c3pro/encfhir", bearer(phone), envelope).status == 200)
        }
    }

    @Test("a patient in clear is encrypted before queueing and counted for its state")
    func patient() async throws {
        let sealing = ReceiverConfiguration.Sealing(try StudyKeys.certificate(), keyID: StudyKeys.id)
        let folder = try Folder()
        let queue = try SQLiteMessageQueue(folder.file("queue.sqlite"))
        try await with(.open { $0.sealing = sealing }, queue: queue, clients: folder.file("clients.sqlite")) {
            phone,
            queue async throws in
            let fields = try await bearer(phone)
            let id = UUID().uuidString
            let address = #"[{"country":"US","state":"District of Columbia"}]"#
            let patient = #"{"resourceType":"Patient","id":"\#(id)","gender":"female","address":\#(address)}"#
            let before = try await phone.send(.get, "/c3pro/map.svg").text
            for _ in 1...2 {
                #expect(
                    try await phone.send(.put, "/c3pro/fhir/Patient/\(id)", fields, patient).status == 200
                )
            }
            let message = try #require(try await queue.receive(limit: 1, visibility: 9).first?.message)
            #expect(try C3ProEnvelope(parsing: message.body).open(with: StudyKeys.key) == Data(patient.utf8))
            let map = try await phone.send(.get, "/c3pro/map.svg")
            #expect(map.fields[.contentType] == "image/svg+xml")
            // Nobody sees the first participant of a state; five are seen.
            #expect(map.text == before && map.text.contains("DC: &lt; 5"))
            for _ in 1...4 {
                let id = UUID().uuidString
                let another = patient.replacing(/"id":"[^"]*"/, with: #""id":"\#(id)""#)
                #expect(
                    try await phone.send(.put, "/c3pro/fhir/Patient/\(id)", fields, another).status == 200
                )
            }
            #expect(try await phone.send(.get, "/c3pro/map.svg").text.contains("DC: 5+"))
            // Type and id of what is in an authenticated envelope stand outside of it; nothing else does.
            #expect(try !folder.contains("columbia") && !folder.contains("female"))
        }
    }

    @Test("created resources have a location, and wrong ones are refused")
    func created() async throws {
        let sealing = ReceiverConfiguration.Sealing(try StudyKeys.certificate(), keyID: StudyKeys.id)
        try await with(.open { $0.sealing = sealing }) { phone, queue async throws in
            let fields = try await bearer(phone)
            let created = try await phone.send(.post, "/c3pro/fhir/Contract", fields, Given.contract(UUID()))
            #expect(created.status == 201)
            #expect(created.fields[.location]?.hasPrefix("/c3pro/fhir/Contract/") == true)
            let body = #"{"resourceType":"Patient","id":"x"}"#
            #expect(try await phone.send(.post, "/c3pro/fhir/Contract", fields, body).status == 400)
            #expect(try await phone.send(.put, "/c3pro/fhir/Patient/x", fields, body).status == 400)
            #expect(try await phone.send(.post, "/c3pro/fhir/Observation", fields, "{").status == 400)
            #expect(try await phone.send(.delete, "/c3pro/fhir/Patient/x", fields).status == 405)
            #expect(try await phone.send(.post, "/c3pro/fhir/Binary", fields, "{}").status == 404)
            #expect(
                try await phone.send(.get, "/c3pro/fhir/metadata", fields).json?["resourceType"]?.string
                    == "CapabilityStatement"
            )
            #expect(try await queue.status().depth == 1)
        }
    }

    @Test("nothing is taken in clear without the study's certificate")
    func withoutCertificate() async throws {
        try await with { phone, queue async throws in
            let fields = try await bearer(phone)
            #expect(
                try await phone.send(.post, "/c3pro/fhir/Contract", fields, Given.contract(UUID())).status
                    == 403
            )
            #expect(try await queue.status().depth == 0)
        }
    }

    @Test("questionnaires are served by their ids, and nothing else is")
    func questionnaires() async throws {
        try await with(
            .open { $0.questionnaires = ["phq9": Data(#"{"resourceType":"Questionnaire"}"#.utf8)] }
        ) {
            phone,
            _ async throws in
            let fields = try await bearer(phone)
            #expect(try await phone.send(.get, "/c3pro/fhir/Questionnaire/phq9", fields).status == 200)
            for path in ["other", "..%2F..%2Fetc%2Fpasswd", "%00"] {
                #expect(try await phone.send(.get, "/c3pro/fhir/Questionnaire/\(path)", fields).status == 404)
            }
        }
    }

    @Test(
        "what is no envelope is refused with a status that says so",
        arguments: [
            "{", "[]", "{}", #"{"key_id":"a/../b","symmetric_key":"","message":"","version":""}"#,
            #"{"key_id":"k","symmetric_key":"AA==","message":"AA==","version":"1"}"#,
            #"{"key_id":1,"symmetric_key":"AA==","message":"AA==","version":"1"}"#,
        ]
    )
    func noEnvelope(body: String) async throws {
        try await with { phone, queue async throws in
            let answer = try await phone.send(.post, "/c3pro/encfhir", bearer(phone), body)
            #expect(answer.status == 400)
            #expect(answer.json?["error"]?.string == "invalid_request")
            #expect(try await queue.status().depth == 0)
        }
    }

    @Test("registration is closed unless it is asked for")
    func closed() async throws {
        try await with(.open { $0.attestation = nil }) { phone, _ async throws in
            #expect(try await phone.token() == nil)
        }
    }

    @Test("neither the original's back door nor a wrong antispam token lets in")
    func backDoor() async throws {
        let codes = try CodeAttestation(["a code by post"])
        try await with(.open { $0.attestation = codes }) { phone, _ async throws in
            #expect(try await phone.token(receipt: "NO-APP-RECEIPT") == nil)
            #expect(try await phone.token(antispam: "wrong", receipt: "a code by post") == nil)
            #expect(try await phone.token(antispam: "", receipt: "a code by post") == nil)
            #expect(try await phone.token(receipt: "a code by post") != nil)
        }
        try await with(.open { $0.antispam = [] }) { phone, _ async throws in
            #expect(try await phone.token(antispam: "") == nil)
        }
    }

    @Test("nothing is taken without a token")
    func noToken() async throws {
        try await with { phone, queue async throws in
            for value in ["", "Bearer", "Bearer x", "Basic eDp5", "Bearer ' OR 1=1 --"] {
                let answer = try await phone.send(
                    .post,
                    "/c3pro/encfhir",
                    ["Authorization": value],
                    Given.envelope(Given.response(UUID()))
                )
                #expect(answer.status == 401)
            }
            #expect(try await queue.status().depth == 0)
        }
    }

    @Test("old clients get the original's answers")
    func originalAnswers() async throws {
        try await with(.open { $0.answers = .original }) { phone, _ async throws in
            let client = try await phone.send(
                .post,
                "/c3pro/register",
                ["Antispam": "spam-secret"],
                #"{"receipt-data":"x"}"#
            )
            let basic = Data(
                "\(client.json?["client_id"]?.string ?? ""):\(client.json?["client_secret"]?.string ?? "")"
                    .utf8
            )
            .base64EncodedString()
            let token = try await phone.send(
                .post,
                "/c3pro/oauth?grant_type=CLIENT_CREDENTIALS",
                ["Authorization": "Basic \(basic)"]
            )
            #expect(token.status == 202)
            #expect(token.json?["expires_in"]?.integer == 1800)
            let fields = ["Authorization": "Bearer \(token.json?["access_token"]?.string ?? "")"]
            #expect(try await phone.send(.put, "/c3pro/encfhir/Patient/1", fields, "{}").status == 405)
            #expect(try await phone.send(.get, "/c3pro/map.svg").fields[.contentType] == "image/svg-xml")
        }
    }

    @Test("the files of the receiver have neither secrets nor content")
    func files() async throws {
        let folder = try Folder()
        let queue = try SQLiteMessageQueue(folder.file("queue.sqlite"))
        try await with(queue: queue, clients: folder.file("clients.sqlite")) { phone, _ async throws in
            let fields = try await bearer(phone)
            let envelope = try Given.envelope(Given.response(UUID(), text: "a private thought"))
            #expect(try await phone.send(.post, "/c3pro/encfhir", fields, envelope).status == 200)
            #expect(try !folder.contains("a private thought"))
            #expect(try !folder.contains(String(fields["Authorization"]?.dropFirst(7) ?? "")))
            #expect(try folder.contains("symmetric_key"))
        }
    }

    // MARK: Both ends of this package

    @Test("the package's own endpoints deliver to it")
    func ownEndpoints() async throws {
        let folder = try Folder()
        try await with { phone, queue async throws in
            let subject = UUID()
            let study = try StudyQueue(
                in: folder.file("phone"),
                study: "org.example.sleep",
                subject: subject,
                keys: FileKeyStore(folder.file("phone.key"))
            )
            try await study.submit(
                resource: Data(Given.response(subject).utf8),
                protection: .c3ProEnvelope(for: StudyKeys.certificate(), keyID: StudyKeys.id)
            )
            let endpoint = try C3ProEndpoint(
                phone.url.appending(path: "c3pro"),
                antispam: "spam-secret",
                attestation: .receipt { "receipt" },
                clients: .file(folder.file("clients.json"))
            )
            #expect(try await study.deliver(to: endpoint).delivered.count == 1)
            var archive = try StudyArchive(ArchiveInfo(study: "org.example.sleep", item: "diary"))
            try archive.add("response.json", Data(Given.response(subject).utf8))
            try await study.submit(archive, protection: .cms(CMSEncryption(for: [StudyKeys.certificate()])))
            let report = try await study.deliver(
                to: ResearchKitEndpoint(phone.url.appending(path: "api/upload"))
            )
            #expect(report.delivered.count == 1)
            #expect(try await queue.status().depth == 2)
        }
    }

    @Test("an app that a receiver has forgotten registers again, once")
    func forgottenApp() async throws {
        let folder = try Folder()
        let clients = OneClient(C3ProClient(id: "of an earlier start", secret: Secret("gone")))
        try await with { phone, queue async throws in
            let endpoint = try C3ProEndpoint(
                phone.url.appending(path: "c3pro"),
                antispam: "spam-secret",
                attestation: .receipt { "receipt" },
                clients: clients.store
            )
            let study = try StudyQueue(
                in: folder.file("phone"),
                study: "org.example.sleep",
                subject: UUID(),
                keys: FileKeyStore(folder.file("phone.key"))
            )
            try await study.submit(
                resource: Data(Given.response(UUID()).utf8),
                protection: .c3ProEnvelope(for: StudyKeys.certificate(), keyID: StudyKeys.id)
            )
            #expect(try await study.deliver(to: endpoint).delivered.count == 1)
            #expect(clients.client?.id != "of an earlier start")
        }
    }

    // MARK: ResearchKit

    func upload(_ upload: UUID = UUID(), _ subject: UUID = UUID()) -> [String: String] {
        [
            "X-ResearchKit-UploadUUID": upload.uuidString, "X-ResearchKit-SubjectUUID": subject.uuidString,
            "X-ResearchKit-StudyIdentifier": "org.example.sleep",
        ]
    }

    var package: Data {
        get throws {
            try CMSEncryption(for: [StudyKeys.certificate()]).encrypt { try $0(Data("PK..".utf8)) }.data()
        }
    }

    @Test("an upload is taken once for each participant")
    func uploads() async throws {
        try await with { phone, queue async throws in
            let id = UUID()
            let subject = UUID()
            let first = try await phone.send(.post, "/api/upload", upload(id, subject), package)
            let second = try await phone.send(.post, "/api/upload", upload(id, subject), package)
            #expect(first.status == 200)
            #expect(second.status == 200 && second.text == first.text)
            #expect(try await queue.status().depth == 1)
            #expect(try await phone.send(.post, "/api/upload", upload(id, UUID()), package).status == 200)
            #expect(try await queue.status().depth == 2)
        }
    }

    @Test("uploads that are none are refused")
    func noUploads() async throws {
        try await with(.open { $0.studies = ["org.example.sleep"] }) { phone, queue async throws in
            #expect(try await phone.send(.post, "/api/upload", [:], package).status == 400)
            #expect(try await phone.send(.post, "/api/upload", upload(), Data()).status == 400)
            #expect(
                try await phone.send(.post, "/api/upload", upload(), Data("PK\u{3}\u{4}".utf8)).status == 415
            )
            #expect(try await phone.send(.post, "/api/upload", upload(), Data("0....".utf8)).status == 422)
            #expect(try await phone.send(.put, "/api/upload", upload(), package).status == 405)
            var foreign = upload()
            foreign["X-ResearchKit-StudyIdentifier"] = "org.example.other"
            #expect(try await phone.send(.post, "/api/upload", foreign, package).status == 404)
            #expect(try await queue.status().depth == 0)
        }
    }

    // MARK: For those who run it

    @Test("metrics are for this machine and name nobody")
    func metrics() async throws {
        try await with { phone, _ async throws in
            let subject = UUID()
            #expect(
                try await phone.send(.post, "/api/upload", upload(UUID(), subject), package).status == 200
            )
            #expect(try await phone.send(.get, "/health").json?["status"]?.string == "ok")
            let metrics = try await phone.send(.get, "/metrics")
            #expect(metrics.text.contains("study_requests_total{route=\"upload\",status=\"200\"} 1\n"))
            #expect(metrics.text.contains("study_queue_depth 1\n"))
            #expect(!metrics.text.contains(subject.uuidString))
            #expect(try await phone.send(.get, "/metrics", ["X-Forwarded-For": "6.6.6.6"]).status == 403)
        }
    }

    @Test("an app that registered at one receiver is known to the others")
    func otherReceivers() async throws {
        guard let url = try await TestDatabase.emptySchema() else { try Test.cancel("\(TestDatabase.hint)") }
        let first = try await Receiver.start(queue: PostgreSQLMessageQueue(url), .open())
        let second = try await Receiver.start(queue: PostgreSQLMessageQueue(url), .open())
        // As with a queue of SQS, which has no tables.
        let third = try await Receiver.start(
            queue: SQLiteMessageQueue(nil),
            clients: .postgreSQL(url),
            .open()
        )
        let fields = try await bearer(Phone(url: first.url))
        for receiver in [first, second, third] {
            let answer = try await Phone(url: receiver.url).send(
                .post,
                "/c3pro/encfhir",
                fields,
                Given.envelope(Given.response(UUID()))
            )
            #expect(answer.status == 200)
        }
        let wrong = try await Phone(url: second.url).send(
            .post,
            "/c3pro/oauth",
            ["Authorization": "Basic " + Data("a\0b:c".utf8).base64EncodedString()],
            "grant_type=client_credentials"
        )
        #expect(wrong.status == 401)
        for receiver in [first, second, third] { await receiver.stop() }
    }

    @Test("tokens and clients outlive a restart")
    func restart() async throws {
        let folder = try Folder()
        var fields: [String: String] = [:]
        try await with(clients: folder.file("clients.sqlite")) { phone, _ async throws in
            fields = try await bearer(phone)
        }
        try await with(clients: folder.file("clients.sqlite")) { phone, _ async throws in
            #expect(
                try await phone.send(.post, "/c3pro/encfhir", fields, Given.envelope(Given.response(UUID())))
                    .status == 200
            )
        }
    }
}

/// The client of an app, in memory.
private final class OneClient: Sendable {
    private let kept: Mutex<C3ProClient?>

    init(_ client: C3ProClient) { kept = Mutex(client) }

    var client: C3ProClient? { kept.withLock { $0 } }

    var store: C3ProClientStore {
        C3ProClientStore { _ in
            self.client
        } keep: { client, _ in
            self.kept.withLock { $0 = client }
        }
    }
}
