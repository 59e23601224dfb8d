import DurableQueue
import Foundation
import HTTPCalls
import IndivoBase
import IndivoTesting
import OrderedJSON
import StudyDelivery

/// What a client process of a study is told to do; it reads it from a file. A seed determines what it
/// submits.
struct DeliveryPlan: Codable {
    static let study = "org.example.soak"

    enum Wire: String, Codable { case researchKit, c3pro }

    var role = World.Role.both
    var wire: Wire
    var server: URL
    var subject: UUID
    var folder: String
    var seed: UInt64
    var epoch: Int
    /// Counts the participants of a world from 0.
    var participant: Int
    var count: Int
    var deadline: Double
    var disk = World.DiskPlan()

    /// What nobody may read, on the disk or on the wire; it is in every submission.
    var planted: String {
        var generator = SeededGenerator(seed: seed, part: epoch, 21)
        return "planted-\(String(UInt64.random(in: .min ... .max, using: &generator), radix: 36))"
    }

    /// Those that the server refuses as too large.
    func isDoomed(_ index: Int) -> Bool {
        var generator = SeededGenerator(seed: seed, part: epoch, participant, 22, index)
        return generator.happens(0.03)
    }

    /// A submission: what was answered, and what was recorded.
    func content(_ index: Int) -> (answers: Data, recording: Data) {
        var generator = SeededGenerator(seed: seed, part: epoch, participant, 23, index)
        let size = isDoomed(index) ? DeliveryServer.largest : Int.random(in: 0..<20_000, using: &generator)
        let words = (0..<size / 8 + 1).map { _ in UInt64.random(in: .min ... .max, using: &generator) }
        let recording = words.withUnsafeBytes { Data($0) }
        let answers: JSONValue = [
            "resourceType": "QuestionnaireResponse", "status": "completed",
            "participant": JSONValue(participant),
            "index": JSONValue(index), "answer": JSONValue("\(planted) \(index)"),
        ]
        return (Data(answers.utf8()), recording)
    }

    var certificateFile: URL { URL(filePath: folder).appending(path: "certificate.pem") }

    func openQueue(diskFault: @escaping @Sendable (DiskStep) -> Int32 = { _ in 0 }) throws -> StudyQueue {
        var policy = DeliveryPolicy(
            attempts: 4,
            firstDelay: .milliseconds(2),
            maximumDelay: .milliseconds(20),
            networkFailures: 1 << 20,
            receipts: 1 << 20
        )
        policy.diskFault = diskFault
        let root = URL(filePath: folder)
        return try StudyQueue(
            in: root.appending(path: "queues"),
            study: Self.study,
            subject: subject,
            keys: FileKeyStore(root.appending(path: "key")),
            policy: policy
        )
    }

    func submit(_ index: Int, to queue: StudyQueue) async throws -> StudyQueue.Submitted {
        let certificate = try StudyCertificate(Data(contentsOf: certificateFile))
        let (answers, recording) = content(index)
        switch wire {
        case .researchKit:
            var archive = try StudyArchive(ArchiveInfo(study: Self.study, item: "\(planted)-item"))
            try archive.add("\(planted).json", answers)
            try archive.add("recording.bin", recording)
            // Both kinds of encryption have to hold.
            let encryption =
                try index.isMultiple(of: 2)
                ? CMSEncryption(for: [certificate]) : CMSEncryption.researchKit([certificate])
            return try await queue.submit(archive, protection: .cms(encryption))
        case .c3pro:
            var resource = try JSONValue(parsing: answers)
            resource["recording"] = JSONValue(recording.base64EncodedString())
            let protection = StudyProtection.c3ProEnvelope(
                for: certificate,
                keyID: try KeyID("soak"),
                form: index.isMultiple(of: 2) ? .second : .first
            )
            return try await queue.submit(
                resource: Data(resource.utf8()),
                protection: protection
            )
        }
    }

    func endpoint() throws -> any StudyEndpoint {
        #if canImport(CLibCurl)
        let transport = CurlTransport(limits: HTTPLimits(deadline: .seconds(deadline)))
        #else
        let transport = URLSessionTransport(limits: HTTPLimits(deadline: .seconds(deadline)))
        #endif
        switch wire {
        case .researchKit:
            return try ResearchKitEndpoint(server.appending(path: "upload"), transport: transport)
        case .c3pro:
            return try C3ProEndpoint(
                server.appending(path: "c3pro"),
                antispam: "antispam-of-the-app",
                attestation: .receipt { "cmVjZWlwdA==" },
                clients: .file(URL(filePath: folder).appending(path: "clients.json")),
                transport: transport
            )
        }
    }
}
