import FHIR
import Foundation
import HealthSamples
import StudyDelivery
import Surveys

// usage: Study URL, with the address that “indivo study serve” prints
guard CommandLine.arguments.count == 2, let server = URL(string: CommandLine.arguments[1]) else {
    print("usage: Study URL-OF-THE-RECEIVER")
    exit(2)
}
func file(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: name)) }

do {
    // 1. The participant: a random id, kept on this device under a key (on Apple's systems, the keychain).
    let device = URL(filePath: "device", directoryHint: .isDirectory)
    let keys = FileKeyStore(device.appending(path: "key"))
    let participants = ParticipantStore(in: device.appending(path: "participants"), keys: keys)
    let enrolment = try participants.enrol(in: "org.example.sleep")
    let patient = "Patient/\(enrolment.participant)"

    // 2. The consent, signed once for each version of the document.
    var resources: [AnyResource] = []
    let document = try ConsentDocument(parsing: file("consent.json"))
    if document.needsSignature(of: enrolment) {
        var answers = ConsentAnswers()
        answers.participant = enrolment.participant
        answers.givenName = "Ada"  // for the form; in no resource
        answers.familyName = "Lovelace"
        answers.eligibility = ["adult": true]
        answers.agrees = true
        answers.signedAt = FHIRInstant(Date())
        switch document.decision(answers) {
        case .signed(let consent): resources.append(AnyResource(consent.contract()))
        case let decision:
            print("not signed: \(decision)")
            exit(1)
        }
    }

    // 3. The survey.
    var session = SurveySession(Survey(try Questionnaire(parsing: file("questionnaire.json"))))
    session.header.subject = Reference(patient)
    for visible in session.visibleItems { print("\(visible.item.linkId): \(visible.item.text?.plain ?? "")") }
    try session.answer("hours", with: .decimal(7.5))
    try session.answer("rested", with: .boolean(true))
    let problems = session.problems()
    guard problems.isEmpty else {
        print(problems)
        exit(1)
    }
    resources.append(AnyResource(session.response(.completed)))

    // 4. A sample, as a watch gives it.
    let pulse = Sample(
        type: "HKQuantityTypeIdentifierHeartRate",
        uuid: "0b6d0c1e-0000-4000-8000-000000000001",
        start: "2026-11-22T07:05:00+01:00",
        end: "2026-11-22T07:05:00+01:00",
        value: .quantity(SampleQuantity(value: 61, unit: .healthKit("count/min")))
    )
    resources.append(try SampleConverter(subject: patient).resource(of: pulse))

    // 5. Encrypted for the study and written to the disk; a network is not needed for that.
    let certificate = try StudyCertificate(file("keys/key-1/certificate.pem"))
    let protection = StudyProtection.c3ProEnvelope(
        for: certificate,
        keyID: try KeyID("key-1"),
        form: .second
    )
    let queue = try StudyQueue(
        in: participants.folder(of: enrolment),
        study: enrolment.study,
        subject: enrolment.participant,
        keys: keys
    )
    for resource in resources {
        try await queue.submit(resource: resource.json(), protection: protection)
    }
    try participants.setConsentVersion(document.version, of: enrolment)

    // 6. Delivered, once and in order.
    let endpoint = try C3ProEndpoint(
        server.appending(path: "c3pro"),
        antispam: "the app's anti-spam token",
        attestation: .receipt { "" },
        clients: .file(device.appending(path: "clients.json"))
    )
    print(try await queue.deliver(to: endpoint))
} catch {
    print("\(error)")
    exit(1)
}
