import ArgumentParser
import Foundation
import Indivo
import IndivoBase
import OrderedJSON
import RecordCommands
import StudyDelivery

extension JSONMembers {
    /// The first name that an earlier member has, too.
    var firstNamedTwice: String? {
        var names: Set<String> = []
        return first { !names.insert($0.name).inserted }?.name
    }
}

/// The phone's configuration, phone.json: the study that a participant gives data to, and how it is
/// delivered.
///
/// ```json
/// {"study": "org.example.sleep", "subject": "0b6d…", "item": "diary", "protocol": "researchkit",
///  "server": "https://study.example.org/upload", "encrypt": ["certificate.pem"],
///  "cipher": "aes-128-cbc", "keyTransport": "rsa-pkcs1", "queue": "queue"}
/// ```
/// Of ResearchKit's protocol also `resume`; of C3-PRO's `keyID`, `envelopeForm` and `fhirVersion`. Paths are
/// relative to the file.
struct StudyConfiguration {
    enum Wire: String { case researchkit, c3pro }

    let study: String
    let subject: UUID
    let item: String
    let wire: Wire
    let server: String?
    private let canResume: Bool
    private let json: JSONValue
    private let folder: URL

    static let members: Set = [
        "study", "subject", "item", "protocol", "server", "encrypt", "cipher", "keyTransport", "keyID",
        "envelopeForm",
        "fhirVersion", "queue", "resume",
    ]

    init(_ path: String) throws {
        func refuse(_ reason: String) -> CommandFailure { CommandFailure("\(path): \(reason)") }
        json = try StudyFile.json(path)
        folder = URL(filePath: path).deletingLastPathComponent()
        guard let members = json.members else { throw refuse("it is no object") }
        if let unknown = members.first(where: { !Self.members.contains($0.name) }) {
            guard !StudyUpFile.members.contains(unknown.name) else {
                throw refuse(
                    "this is the configuration of a study's server, for indivo study up, since it has "
                        + "“\(unknown.name)”; the phone's, as in phone.json, has “study”, “subject” and "
                        + "“server” (indivo study submit --help)"
                )
            }
            throw refuse(
                "“\(unknown.name)” is not known; there are \(Self.members.sorted().joined(separator: ", "))"
            )
        }
        if let twice = members.firstNamedTwice { throw refuse("“\(twice)” is there twice") }
        guard let study = json["study"]?.string, !study.isEmpty else { throw refuse("“study” is missing") }
        guard let subject = json["subject"]?.string.flatMap({ UUID(uuidString: $0) }) else {
            throw refuse("“subject” is no UUID")
        }
        guard let wire = Wire(rawValue: json["protocol"]?.string ?? "researchkit") else {
            throw refuse("“protocol” is researchkit or c3pro")
        }
        self.study = study
        self.subject = subject
        self.wire = wire
        guard let canResume = json["resume"].map({ $0.boolean }) ?? false else {
            throw refuse("“resume” is true or false")
        }
        self.canResume = canResume
        item = json["item"]?.string ?? "files"
        server = json["server"]?.string
    }

    private func path(_ name: String) -> URL { URL(filePath: name, relativeTo: folder).absoluteURL }

    private func choice<Value: RawRepresentable>(_ name: String, _ standard: Value) throws -> Value
    where Value.RawValue == String {
        guard let text = json[name]?.string else { return standard }
        guard let value = Value(rawValue: text) else {
            throw CommandFailure("“\(text)” is no “\(name)” of a study")
        }
        return value
    }

    private var certificates: [StudyCertificate] {
        get throws {
            try json.elements(of: "encrypt").map { name in
                guard let name = name.string else {
                    throw CommandFailure("“encrypt” is a list of paths of certificates")
                }
                return try StudyCertificate(StudyFile.read(path(name).path, limit: 1 << 20))
            }
        }
    }

    // MARK: What it comes to

    func queue() throws -> StudyQueue {
        let folder =
            json["queue"]?.string.map { path($0) } ?? BaseFolder.data.indivo().appending(path: "study")
        return try StudyQueue(in: folder, study: study, subject: subject, keys: Self.keys)
    }

    /// The store of this device's participants, with the withdrawals that are under way.
    func participants() -> ParticipantStore {
        ParticipantStore(in: BaseFolder.data.indivo().appending(path: "study-participants"), keys: Self.keys)
    }

    var withdrawalForm: Withdrawal.ReportForm {
        switch wire {
        case .researchkit: .package
        case .c3pro: .resource
        }
    }

    func protection() throws -> StudyProtection {
        let certificates = try certificates
        guard let first = certificates.first else { return .none }
        switch wire {
        case .researchkit:
            return .cms(
                try CMSEncryption(
                    for: certificates,
                    cipher: choice("cipher", .aes256GCM),
                    keyTransport: choice("keyTransport", .oaepSHA256)
                )
            )
        case .c3pro:
            guard certificates.count == 1 else {
                throw CommandFailure("an envelope has one recipient; “encrypt” names \(certificates.count)")
            }
            return .c3ProEnvelope(
                for: first,
                keyID: try json["keyID"]?.string.map { try KeyID($0) },
                version: json["fhirVersion"]?.string ?? "4.0.1",
                form: try choice("envelopeForm", .first)
            )
        }
    }

    private static var keys: FileKeyStore {
        FileKeyStore(BaseFolder.configuration.indivo().appending(path: "study.key"))
    }

    /// Queues files: as one package, or as a resource each.
    func submit(_ files: [String], to queue: StudyQueue) async throws -> [(
        name: String, StudyQueue.Submitted
    )] {
        let protection = try protection()
        switch wire {
        case .researchkit:
            var archive = try StudyArchive(ArchiveInfo(study: study, item: item))
            for file in files { try archive.add(contentsOf: URL(filePath: file)) }
            return [(files.joined(separator: ", "), try await queue.submit(archive, protection: protection))]
        case .c3pro:
            var submitted: [(String, StudyQueue.Submitted)] = []
            for file in files {
                let resource = try StudyFile.read(file, limit: C3ProEnvelope.maximumBytes / 2)
                try check(resource, of: file)
                do {
                    let one = try await queue.submit(resource: resource, protection: protection)
                    submitted.append((file, one))
                } catch let error as StudyError {
                    guard case .malformed = error else { throw error }
                    throw CommandFailure("\(file): \(error)")
                }
            }
            return submitted
        }
    }

    /// Refuses answers of another participant: the study could not attribute them.
    private func check(_ resource: Data, of file: String) throws {
        guard let json = try? JSONValue(parsing: resource),
            json["resourceType"]?.string == "QuestionnaireResponse"
        else { return }
        let named = json["subject"]?["reference"]?.string
        let id = named.flatMap { $0.split(separator: "/").last }.flatMap { UUID(uuidString: String($0)) }
        guard id != subject else { return }
        let participant = subject.uuidString.lowercased()
        throw CommandFailure(
            "\(file): “subject” is \(named.map { "“\($0.prefix(100))”" } ?? "missing"), and the "
                + "participant of the configuration is \(participant): make it "
                + "{\"reference\": \"Patient/\(participant)\"}, "
                + "as indivo survey run --subject does"
        )
    }

    func endpoint(_ server: String?, plainHTTPHosts: Set<String>) throws -> any StudyEndpoint {
        guard let text = server ?? self.server, let url = URL(string: text) else {
            throw CommandFailure(
                """
                the study’s server is missing, or no URL; give it with --server or as “server” \
                in the configuration
                """
            )
        }
        switch wire {
        case .researchkit:
            return try ResearchKitEndpoint(url, canResume: canResume, plainHTTPHosts: plainHTTPHosts)
        case .c3pro:
            let environment = ProcessInfo.processInfo.environment
            guard let antispam = environment["INDIVO_STUDY_ANTISPAM"], !antispam.isEmpty else {
                throw CommandFailure(
                    "a receiver of C3-PRO asks for its anti-spam token; put it into INDIVO_STUDY_ANTISPAM"
                )
            }
            let receipt = environment["INDIVO_STUDY_RECEIPT"] ?? ""
            return try C3ProEndpoint(
                url,
                antispam: Secret(antispam),
                attestation: .receipt { receipt },
                clients: .file(BaseFolder.configuration.indivo().appending(path: "study-clients.json")),
                plainHTTPHosts: plainHTTPHosts
            )
        }
    }
}
