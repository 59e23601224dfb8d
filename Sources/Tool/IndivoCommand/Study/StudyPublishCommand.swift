import ArgumentParser
import FHIR
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON
import RecordCommands
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
            in force each time: what is not named is published no more, a consent included. Publish again \
            before the list expires; phones go on with what they have, and take nothing from a server \
            that is expired.
            """
    )

    @Argument(help: "The folder, made when it is not there.", completion: .directory)
    var folder: String

    @OptionGroup var signing: StudySigningOptions

    @Option(
        name: .customLong("questionnaire"),
        help: "A questionnaire with url and version; may be repeated.",
        completion: .file()
    )
    var questionnaires: [String] = []

    @Option(
        help: "The schedule: C3-PRO's, or a PlanDefinition.",
        completion: .json
    )
    var schedule: String?

    @Option(help: "The consent document that is in force.", completion: .json)
    var consent: String?

    @Option(
        help: .value(
            "date",
            "From when on the app needs this version signed; the server itself holds nothing back."
        )
    )
    var consentRequiredFrom: String?

    @Option(name: .customLong("list-version"), help: "The list’s version; the next one without it.")
    var version: Int?

    @Flag(help: "Sign with another key than the list before; apps need its certificate.")
    var changeKey = false

    @OptionGroup var console: MessageOptions

    func run() throws {
        let questionnaires = try StudyBackEnd.questionnaires(questionnaires)
        var items = try questionnaires.map { try StudyContentsFolder.Item($0) }
        if let schedule { items.append(try item(schedule: schedule, asking: questionnaires)) }
        let inForce = try consentInForce()
        if let inForce { items.append(.init(consent: inForce.content, inForce.consent)) }
        guard !items.isEmpty else {
            throw ValidationError("Name what is published: --questionnaire, --schedule, --consent.")
        }
        let key = try signing.key()
        try StudyAudit.record("publish contents", ["folder": folder])
        let contents = try StudyContentsFolder(URL(filePath: folder, directoryHint: .isDirectory)).publish(
            items,
            consent: inForce?.consent,
            study: signing.study,
            signedBy: key,
            version: version,
            days: signing.days,
            changesKey: changeKey
        )
        try StandardStreams.say("version \(contents.version)")
        console.note("\(contents.files.count) files; publish again before \(contents.expires)")
        if let consent = inForce?.consent, let from = consent.requiredFrom {
            console.note(
                "phones ask for consent \(consent.version); the study holds back what comes without it "
                    + "where indivo study consume has --require-consent '\(consent.version)=\(from)'"
            )
        }
    }

    /// The schedule; a task without a questionnaire is told.
    private func item(schedule path: String, asking questionnaires: [Questionnaire]) throws
        -> StudyContentsFolder.Item
    {
        for task in try StudyDueCommand.schedule(in: path).tasks where task.kind == .survey {
            guard !questionnaires.contains(where: { $0.url.map { task.asks(for: $0.rawValue) } ?? false })
            else { continue }
            StandardStreams.printError(
                "warning: \(path): the task \(task.id) asks for a questionnaire that is not published"
            )
        }
        return try .init(schedule: StudyFile.read(path, limit: StudyContents.maximumFileSize))
    }

    private func consentInForce() throws -> (consent: StudyContents.Consent, content: Data)? {
        guard let consent else {
            guard consentRequiredFrom == nil else {
                throw ValidationError("--consent-required-from needs --consent.")
            }
            return nil
        }
        let from = try consentRequiredFrom.map {
            StudyTime(try StudyDueCommand.date($0, "--consent-required-from", .gmt))
        }
        let (data, document) = try InputFile(path: consent).studyFile { data in
            (data, try ConsentDocument(parsing: data))
        }
        guard document.study == signing.study else {
            throw CommandFailure("\(consent) is of the study \(document.study)")
        }
        let version = StudyContents.Consent(
            document: document.id,
            version: document.version,
            requiredFrom: from
        )
        return (version, data)
    }
}
