import FHIR
import Foundation
import StudyDelivery
import StudyFormats
import StudyServer
import StudyWarehouse
import Surveys

/// An answer of a survey on its way from the app to its fact, through a receiver on loopback, as
/// `scripts/journeys` counts what it passes.
enum AnswerJourney {
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Answers surveys one after the other; each is a fact before the next is asked.
    ///
    /// - Parameters:
    ///   - folder: Where queues and the warehouse are.
    ///   - rounds: How many surveys, 1 to 9.
    static func run(in folder: URL, rounds: Int) async throws {
        let key = try StudyPrivateKey(bits: 2048)
        let id = try KeyID("key-1")
        let certificate = try key.certificate(subject: "CN=Journey", days: 2)
        let messages = try SQLiteMessageQueue(folder.appending(path: "messages.sqlite"))
        let warehouse = try Warehouse(folder.appending(path: "warehouse.sqlite"))
        let consumer = Consumer(queue: messages, warehouse: warehouse, keys: KeyRing([id: key]))
        var configuration = ReceiverConfiguration()
        configuration.port = 0
        configuration.antispam = ["journey"]
        configuration.attestation = NoAttestation()
        let receiver = try await Receiver.start(
            queue: messages,
            clients: .file(folder.appending(path: "clients.sqlite")),
            configuration
        )
        let participant = UUID()
        let phone = try StudyQueue(
            in: folder.appending(path: "phone"),
            study: "org.example.journey",
            subject: participant,
            keys: FileKeyStore(folder.appending(path: "phone.key"))
        )
        let endpoint = try C3ProEndpoint(
            receiver.url.appending(path: "c3pro"),
            antispam: "journey",
            attestation: .receipt { "" },
            clients: .file(folder.appending(path: "clients.json"))
        )
        let protection = StudyProtection.c3ProEnvelope(for: certificate, keyID: id)

        func store(_ resource: some FHIRResource) async throws {
            try await phone.submit(resource, protection: protection)
            let sent = try await phone.deliver(to: endpoint).delivered.count
            let loaded = try await consumer.drain().loaded
            guard sent == 1, loaded == 1 else { throw Failure(description: "\(sent) sent, \(loaded) loaded") }
        }

        let consent = Data(ConsumerLoad.contract(of: participant).utf8)
        try await store(AnyResource(parsing: consent))
        let survey = Survey(try Questionnaire(parsing: Data(questionnaire.utf8)))
        for day in 1...rounds {
            var session = SurveySession(survey, context: SurveyContext(now: "2026-03-0\(day)T10:00:00Z"))
            for visible in session.visibleItems {
                try session.answer(visible.occurrence, with: .boolean(true))
            }
            guard session.problems().isEmpty else { throw Failure(description: "\(session.problems())") }
            var response = session.response(.completed)
            response.subject = Reference("Patient/\(participant)")
            try await store(response)
        }
        await receiver.stop()
    }

    private static let questionnaire = """
        {"resourceType": "Questionnaire", "url": "http://example.org/Questionnaire/journey",
         "status": "active", "item": [{"linkId": "slept", "text": "Did you sleep well?", "type": "boolean"}]}
        """
}
