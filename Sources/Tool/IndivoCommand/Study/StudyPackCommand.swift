import ArgumentParser
import Foundation
import HTTPCalls
import RecordCommands
import StudyDelivery

struct StudyPackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Make a package of files, encrypted or not.",
        discussion: """
            A package is a zip archive with info.json, encrypted as a CMS message when there are recipients. \
            With --envelope it is C3-PRO’s envelope of one FHIR resource. OUTPUT is never overwritten. \
            \(ExitStatus.help)
            """
    )

    enum Format: String, EnumerableFlag { case cms, envelope }

    @Argument(help: "The files.", completion: .file())
    var files: [String]

    @Option(help: "The study, as in org.example.sleep.")
    var study: String?

    @Option(help: "What was asked or measured, as in task_001.step_001.")
    var item: String?

    @Option(help: "The run of the task, a UUID.")
    var taskRun: String?

    @Flag(exclusivity: .exclusive, help: "How it is encrypted.")
    var format: Format?

    @Option(help: "The id of the key that an envelope names; it may be left out where the study has one key.")
    var keyID: String?

    @Option(help: "The form of an envelope: 1, which C3-PRO’s servers read, or 2, which is authenticated.")
    var envelopeForm: C3ProEnvelope.Form = .first

    @Option(help: "The FHIR version that an envelope names.")
    var fhirVersion = "4.0.1"

    @OptionGroup var encryption: StudyEncryptionOptions

    @Option(name: .shortAndLong, help: "The package.", completion: .file())
    var output: String

    @OptionGroup var console: MessageOptions

    func validate() throws {
        switch format ?? .cms {
        case .cms:
            guard study != nil, item != nil else {
                throw ValidationError("A package needs --study and --item.")
            }
            guard taskRun.map({ UUID(uuidString: $0) != nil }) ?? true else {
                throw ValidationError("--task-run is no UUID.")
            }
            guard format == nil || !encryption.recipients.isEmpty else {
                throw ValidationError("A CMS message needs a recipient; give --encrypt, or leave out --cms.")
            }
        case .envelope:
            guard files.count == 1 else {
                throw ValidationError("An envelope holds one resource; name one file.")
            }
            guard encryption.recipients.count == 1 else {
                throw ValidationError("An envelope has one recipient; give --encrypt once.")
            }
        }
    }

    func run() async throws {
        try await encryption.verify()
        let file = URL(filePath: output)
        switch format ?? .cms {
        case .envelope:
            let envelope = try C3ProEnvelope(
                sealing: StudyFile.read(files[0], limit: C3ProEnvelope.maximumBytes / 2),
                for: encryption.certificates[0],
                keyID: keyID.map { try KeyID($0) },
                version: fhirVersion,
                form: envelopeForm,
                allowsExpired: encryption.allowExpired
            )
            try NewFile(file).write { try $0(envelope.data) }
        case .cms:
            var archive = try StudyArchive(
                ArchiveInfo(
                    study: study ?? "",
                    item: item ?? "",
                    taskRun: taskRun.flatMap { UUID(uuidString: $0) }
                )
            )
            for path in files { try archive.add(contentsOf: URL(filePath: path)) }
            let encryption = try encryption.encryption()
            try archive.write(to: file, encryption: encryption)
            if encryption == nil { console.note("not encrypted: everybody who gets \(output) can read it") }
        }
    }
}
