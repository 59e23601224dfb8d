import BackgroundTasks
import FHIR
import Foundation
import StudyDelivery

/// The queue of a participant and the study's server.
struct Delivery: Sendable {
    let queue: StudyQueue
    let endpoint: C3ProEndpoint
    let protection: StudyProtection

    init(_ enrolment: Enrolment, _ participants: ParticipantStore, _ keys: any KeyStore) throws {
        let folder = try participants.folder(of: enrolment)
        queue = try StudyQueue(in: folder, study: Study.id, subject: enrolment.participant, keys: keys)
        protection = try Self.protection()
        endpoint = try Self.endpoint()
    }

    static func protection() throws -> StudyProtection {
        let certificate = try StudyCertificate(Study.file("certificate", "pem"))
        return .c3ProEnvelope(for: certificate, keyID: try KeyID("key-1"), form: .second)
    }

    /// The registration with the server stands beside the participants' folders, which leaving erases: a
    /// withdrawal is believed from the app that enrolled.
    static func endpoint() throws -> C3ProEndpoint {
        try C3ProEndpoint(
            Study.receiver,
            antispam: Study.antispam,
            attestation: .receipt { "" },
            clients: .file(try Study.folder().appending(path: "clients.json"))
        )
    }

    /// On the disk, encrypted for the study, when it returns.
    func submit(_ resource: some FHIRResource) async throws {
        try await queue.submit(resource, protection: protection)
    }

    // MARK: In the background

    /// The identifier in Info.plist under BGTaskSchedulerPermittedIdentifiers.
    static let taskIdentifier = "org.example.sleep.delivery"

    /// Asks for some time in the background, in which the scene's `backgroundTask` delivers.
    static func scheduleInBackground() {
        let request = BGAppRefreshTaskRequest(identifier: taskIdentifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 3_600)
        // Not allowed in the settings, or in a simulator: what waits is delivered when the app is opened.
        try? BGTaskScheduler.shared.submit(request)
    }
}
