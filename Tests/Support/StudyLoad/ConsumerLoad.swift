import FHIR
import Foundation
import StudyFormats
import StudyServer
import StudyWarehouse

/// Surveys of ten answers, or messages with the heart rates of a day, from a queue into a warehouse, as
/// `scripts/interop study-load --consumers` measures it.
enum ConsumerLoad {
    /// What the messages are.
    enum Kind: String {
        case surveys
        /// Envelopes of C3-PRO, which compress nothing.
        case samples
        /// Archives, as a phone of this package sends what was measured.
        case archives
    }

    private static let messagesOfAPerson = 20

    /// Makes a key, and puts the consents and messages of made-up participants into a queue, encrypted.
    ///
    /// - Parameter count: How many messages beside the consents.
    static func fill(_ queue: String, _ kind: Kind, keys folder: URL, count: Int) async throws {
        let id = try KeyID("key-1")
        let key = try StudyPrivateKey(bits: 2048)
        let certificate = try key.certificate(subject: "CN=Load", days: 2)
        let own = folder.appending(path: id.description)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        let file = own.appending(path: "private-key.pem").path(percentEncoded: false)
        let isMade = FileManager.default.createFile(
            atPath: file,
            contents: Data(key.pem.utf8),
            attributes: [.posixPermissions: 0o600]
        )
        guard isMade else { throw CocoaError(.fileWriteUnknown) }
        let queue = try await self.queue(queue)
        let people = (0..<max(1, count / messagesOfAPerson)).map { _ in UUID() }
        let encryption = try CMSEncryption(for: [certificate])
        let made = (0..<people.count + count).map { index -> @Sendable () throws -> StudyMessage in
            guard index >= people.count else {
                return { try envelope(contract(of: people[index]), certificate, id) }
            }
            let number = index - people.count
            let person = people[number % people.count]
            let day = number / people.count
            return switch kind {
            case .surveys: { try envelope(response(number, of: person), certificate, id) }
            case .samples: { try envelope(bundle(observations(of: day, person)), certificate, id) }
            case .archives: { try archive(observations(of: day, person), of: person, encryption, folder) }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    for index in stride(from: part, to: made.count, by: 4) {
                        try await queue.send(made[index]())
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static let received = "2026-12-02T00:00:00Z"

    private static func envelope(_ resource: String, _ certificate: StudyCertificate, _ key: KeyID)
        throws -> StudyMessage
    {
        StudyMessage(
            content: .envelope,
            received: received,
            client: StudyMessage.clientDigest("load"),
            body: try C3ProEnvelope(sealing: Data(resource.utf8), for: certificate, keyID: key).data
        )
    }

    /// A file with a resource on each line.
    private static func archive(
        _ resources: [String],
        of person: UUID,
        _ encryption: CMSEncryption,
        _ folder: URL
    ) throws -> StudyMessage {
        var archive = try StudyArchive(ArchiveInfo(study: "org.example.load", item: "heart-rate"))
        try archive.add("heart-rate.ndjson", Data(resources.map { $0 + "\n" }.joined().utf8))
        let file = folder.appending(path: "\(UUID()).cms")
        defer { try? FileManager.default.removeItem(at: file) }
        try archive.write(to: file, encryption: encryption)
        return StudyMessage(
            content: .package,
            subject: person.uuidString.lowercased(),
            received: received,
            body: try Data(contentsOf: file)
        )
    }

    /// Consumes a queue until it is empty, and prints what became of its messages, in how many seconds.
    ///
    /// - Parameter visibility: Seconds after which others get what this consumer has, where it is killed.
    static func consume(_ queue: String, into store: String, keys folder: URL, visibility: Int) async throws {
        let consumer = Consumer(
            queue: try await self.queue(queue),
            warehouse: try await warehouse(store),
            keys: try KeyRing(contentsOf: folder),
            visibility: visibility
        )
        let start = ContinuousClock.now
        let report = try await consumer.drain()
        let seconds = start.duration(to: .now) / .seconds(1)
        print(#"{"loaded": \#(report.loaded), "waiting": \#(report.waiting), "seconds": \#(seconds)}"#)
    }

    /// Opens a queue and a warehouse, which makes their tables.
    static func prepare(_ queue: String, _ store: String, _ kind: Kind) async throws {
        _ = try await self.queue(queue)
        let warehouse = try await warehouse(store)
        if kind != .surveys { try await warehouse.store(samplesAs: .table) }
    }

    private static func queue(_ url: String) async throws -> any MessageQueue {
        guard let file = file(url) else { return try await PostgreSQLMessageQueue(url) }
        return try SQLiteMessageQueue(file)
    }

    static func warehouse(_ url: String) async throws -> Warehouse {
        guard let file = file(url) else { return try await Warehouse(postgreSQL: url) }
        return try Warehouse(file)
    }

    private static func file(_ url: String) -> URL? {
        url.hasPrefix("sqlite:") ? URL(filePath: String(url.dropFirst("sqlite:".count))) : nil
    }

    // MARK: What participants give

    static func contract(of person: UUID) -> String {
        """
        {"resourceType": "Contract", "status": "executed", "applies": {"start": "2026-01-01T00:00:00Z"},
         "signer": [{"type": {"code": "CONSENTER"}, "party": {"reference": "Patient/\(person)"},
          "signature": [{"type": [{"code": "1.2.840.10065.1.12.1.7"}], "when": "2026-01-01T00:00:00Z",
           "who": {"reference": "Patient/\(person)"}}]}]}
        """
    }

    /// A thousand heart rates, one every 86 seconds.
    private static func observations(of day: Int, _ person: UUID) -> [String] {
        (0..<SampleLoad.samplesOfADay).map { number in
            let start = FHIRDateTime(
                Date(timeIntervalSince1970: Double(SampleLoad.firstSecond + day * 86_400 + number * 86))
            ).description
            let id = UUID().uuidString
            return """
                {"resourceType": "Observation", "id": "\(id)", "status": "final", \
                "identifier": [{"system": "urn:ietf:rfc:3986", "value": "urn:uuid:\(id)"}], \
                "category": [{"coding": [{"system": \
                "http://terminology.hl7.org/CodeSystem/observation-category", "code": "vital-signs"}]}], \
                "code": {"coding": [{"system": "http://loinc.org", "code": "8867-4", \
                "display": "Heart rate"}, {"system": "http://developer.apple.com/documentation/healthkit", \
                "code": "HKQuantityTypeIdentifierHeartRate", "display": "Heart Rate"}]}, \
                "subject": {"reference": "Patient/\(person)"}, \
                "effectiveDateTime": "\(start)", "issued": "\(start)", \
                "valueQuantity": {"value": \(60 + number % 40), "unit": "beats/minute", \
                "system": "http://unitsofmeasure.org", "code": "/min"}}
                """
        }
    }

    private static func bundle(_ resources: [String]) -> String {
        let entries = resources.map { #"{"resource": \#($0)}"# }.joined(separator: ", ")
        return #"{"resourceType": "Bundle", "type": "collection", "entry": [\#(entries)]}"#
    }

    /// Choices, numbers, a yes, and a text.
    private static func response(_ number: Int, of person: UUID) -> String {
        let choices = (0..<5).map { question in
            let code = "a\((number + question) % 4)"
            return
                #"{"linkId": "c\#(question)", "answer": [{"valueCoding": {"system": "urn:c", "code": "\#(code)"}}]}"#
        }
        let numbers = (0..<3).map { question in
            #"{"linkId": "n\#(question)", "answer": [{"valueInteger": \#((number + question) % 100)}]}"#
        }
        let others = [
            #"{"linkId": "b", "answer": [{"valueBoolean": \#(number % 2 == 0)}]}"#,
            #"{"linkId": "t", "answer": [{"valueString": "what somebody wrote, number \#(number)"}]}"#,
        ]
        return """
            {"resourceType": "QuestionnaireResponse", "identifier": {"system": "urn:load", "value": "\(number)"},
             "questionnaire": "http://example.org/Questionnaire/load", "status": "completed",
             "authored": "2026-03-01T10:00:00Z", "subject": {"reference": "Patient/\(person)"},
             "item": [\((choices + numbers + others).joined(separator: ", "))]}
            """
    }
}
