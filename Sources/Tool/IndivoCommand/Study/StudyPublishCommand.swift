import ArgumentParser
import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import StudyDelivery
import StudyServer

struct StudyPublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Sign the questionnaires, the schedule and the consent that phones fetch.",
        discussion: """
            indivo study publish published --study org.example.sleep \\
                --signing-key signing/private-key.pem --questionnaire diary.json \\
                --schedule schedule.json --consent consent.json

            FOLDER gets the files, each under its SHA-256, and contents.jwt, a list of them signed as JWS, \
            by the key that signs the list of keys, too (indivo study keys publish). Each list has a \
            version, one more than that of the list before; phones take no older one. The receiver serves \
            the folder where its configuration has "contents": FOLDER; \
            --questionnaires FOLDER and --schedule FOLDER of the other commands read it. Name all that is \
            in force each time: what is not named is published no more. Publish again before the list \
            expires; phones go on with what they have, and take nothing from a server that is expired.
            """
    )

    @Argument(help: "The folder, made when it is not there.", completion: .directory)
    var folder: String

    @Option(help: "The study’s identifier, as the app has it.")
    var study: String

    @Option(
        help: "The private key that signs lists; a pass phrase comes from INDIVO_KEY_PASSPHRASE.",
        completion: .file()
    )
    var signingKey: String

    @Option(
        name: .customLong("questionnaire"),
        help: "A questionnaire with url and version; may be repeated.",
        completion: .file()
    )
    var questionnaires: [String] = []

    @Option(
        help: "The schedule: C3-PRO's, or a PlanDefinition.",
        completion: .file(extensions: ["json"])
    )
    var schedule: String?

    @Option(help: "The consent document that is in force.", completion: .file(extensions: ["json"]))
    var consent: String?

    @Option(
        help: ArgumentHelp(
            "From when on the app needs this version signed; the server itself holds nothing back.",
            valueName: "date"
        )
    )
    var consentRequiredFrom: String?

    @Option(name: .customLong("list-version"), help: "The list’s version; the next one without it.")
    var version: Int?

    @Option(help: "How many days phones take the list.")
    var days = 90

    @OptionGroup var talk: MessageOptions

    func run() throws {
        guard (1...3650).contains(days) else { throw CommandFailure("--days is a number from 1 to 3650") }
        let passphrase = ProcessInfo.processInfo.environment["INDIVO_KEY_PASSPHRASE"].map { Secret($0) }
        let key = try StudyPrivateKey(StudyFile.read(signingKey, limit: 1 << 16), passphrase: passphrase)
        let questionnaires = try StudyBackEnd.questionnaires(questionnaires)
        var items = try questionnaires.map { try StudyContentsFolder.Item($0) }
        if let schedule {
            let tasks = try StudyDueCommand.schedule(in: schedule).tasks
            for task in tasks where task.kind == .survey {
                guard !questionnaires.contains(where: { $0.url.map { task.asks(for: $0.rawValue) } ?? false })
                else { continue }
                StandardStreams.printError(
                    "warning: \(schedule): the task \(task.id) asks for a questionnaire that is not published"
                )
            }
            items.append(try .init(schedule: StudyFile.read(schedule, limit: StudyContents.maximumFileSize)))
        }
        let from = try consentRequiredFrom.map {
            StudyTime(try StudyDueCommand.date($0, "--consent-required-from", .gmt))
        }
        var inForce: StudyContents.Consent?
        if let consent {
            let data = try StudyFile.read(consent, limit: StudyContents.maximumFileSize)
            let document = try InputFile(path: consent).studyFile { _ in try ConsentDocument(parsing: data) }
            guard document.study == study else {
                throw CommandFailure("\(consent) is of the study \(document.study)")
            }
            let version = StudyContents.Consent(
                document: document.id,
                version: document.version,
                requiredFrom: from
            )
            items.append(.init(consent: data, version))
            inForce = version
        } else if from != nil {
            throw ValidationError("--consent-required-from needs --consent.")
        }
        guard !items.isEmpty else {
            throw ValidationError("Name what is published: --questionnaire, --schedule, --consent.")
        }
        try StudyAudit.record("publish contents", ["folder": folder])
        let contents = try StudyContentsFolder(URL(filePath: folder, directoryHint: .isDirectory)).publish(
            items,
            consent: inForce,
            study: study,
            signedBy: key,
            version: version,
            days: days
        )
        try StandardStreams.say("version \(contents.version)")
        talk.note("\(contents.files.count) files; publish again before \(contents.expires)")
    }
}
