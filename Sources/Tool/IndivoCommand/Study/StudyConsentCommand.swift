import ArgumentParser
import ConsentForm
import FHIR
import Foundation
import OrderedJSON
import StudyDelivery

struct StudyConsentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consent",
        abstract: "Make the signed form of a consent, and its resources.",
        discussion: """
            indivo study consent consent.json --answers answers.json --output signed

            Writes form.pdf, Contract.json and Consent.json (FHIR R4), Contract-c3pro.json as C3-PRO's \
            phones send it (STU3), and Contract-dstu2.json as its published consumer stores it, with mode \
            0600 into a folder with mode 0700 that must not have them yet. \
            The formats of the two files are in the documentation of StudyDelivery.

            The exit status is 0 when it was signed, 1 when it was not (what is missing or against it is \
            printed), 2 when a file is not what it should be.
            """
    )

    @Argument(help: "The consent document; - for standard input.", completion: .file(extensions: ["json"]))
    var document: String

    @Option(
        help: ArgumentHelp("What was answered.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var answers: String

    @Option(help: ArgumentHelp("The folder to write to.", valueName: "folder"), completion: .directory)
    var output: String

    @Option(
        help: ArgumentHelp("The drawn signature, a PNG, when the answers have none.", valueName: "file"),
        completion: .file(extensions: ["png"])
    )
    var signature: String?

    func run() throws {
        let document = try InputFile(path: document).studyFile { try ConsentDocument(parsing: $0) }
        var answers = try InputFile(path: answers).studyFile {
            try ConsentAnswers(parsing: $0, for: document)
        }
        for warning in document.warnings { StandardStreams.printError("\(self.document): \(warning)") }
        for warning in answers.warnings { StandardStreams.printError("\(self.answers): \(warning)") }
        if let signature {
            guard answers.signature == nil else {
                throw CommandFailure(
                    "there is a signature in \(self.answers) and another in \(signature); leave one out"
                )
            }
            let image = try InputFile(path: signature).read()
            if let problem = SignatureImage.problem(image) {
                throw CommandFailure("\(signature): \(problem)")
            }
            answers.signature = image
        }
        switch document.decision(answers) {
        case .signed(let consent): try write(consent)
        case .incomplete(let elements):
            try refuse("missing from the answers: \(elements.joined(separator: ", "))")
        case .ineligible(let criterion): try refuse("not eligible: \(criterion)")
        case .notUnderstood(let questions):
            try refuse("not answered correctly: \(questions.joined(separator: ", "))")
        case .declined: try refuse("the participant does not agree")
        }
    }

    private func refuse(_ reason: String) throws {
        StandardStreams.printError("not signed: \(reason)")
        throw ExitCode(ExitStatus.nothingFound.rawValue)
    }

    private func write(_ consent: SignedConsent) throws {
        let form: ConsentForm
        do { form = try ConsentForm(consent) } catch { throw CommandFailure("\(error)") }
        if form.missingCharacters > 0 {
            StandardStreams.printError(
                "warning: no installed font has \(form.missingCharacters) of the form's characters"
            )
        }
        let files = [
            ("form.pdf", form.pdf), ("Contract.json", consent.contract().json(.pretty)),
            ("Contract-c3pro.json", Data(consent.c3ProContract().utf8(.pretty))),
            ("Contract-dstu2.json", Data(consent.dstu2Contract().utf8(.pretty))),
            ("Consent.json", consent.consent().json(.pretty)),
        ]
        try NewFile.write(files, in: URL(filePath: output, directoryHint: .isDirectory))
        for (name, _) in files { try StandardStreams.say("\(output)/\(name)") }
    }
}

extension InputFile {
    /// Reads a file of a study.
    /// - Throws: ``CommandFailure`` with all its problems.
    func studyFile<Value>(_ read: (Data) throws -> Value) throws -> Value {
        do {
            return try read(try self.read())
        } catch let error as JSONError {
            throw CommandFailure("\(error.reason)", at: place(error.location.line, error.location.column))
        } catch let error as StudyFormatError {
            let lines = error.problems.map { problem in
                let text = (problem.path.isEmpty ? "" : problem.path + ": ") + problem.text
                return place(
                    problem.location?.line,
                    problem.location?.column
                ) + " \(problem.isError ? "error" : "warning"): \(text)"
            }
            throw CommandFailure(description: lines.joined(separator: "\n"), status: .wrongUse)
        }
    }
}

struct StudyDueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "due",
        abstract: "List what a study's schedule asks for, and where it stands.",
        discussion: """
            indivo study due schedule.json --enrolled 2026-03-01T10:00:00+01:00 \\
                --at 2026-03-29 --zone Europe/Berlin

            The schedule is C3-PRO's, or a PlanDefinition of FHIR R4. A date without a time is the beginning \
            of that day in the zone. Listed is what is due or late, and with --all everything.

            The exit status is 0 when something is listed, 1 when nothing is, 2 when a file or option is \
            not what it should be.
            """
    )

    @Argument(help: "The schedule; - for standard input.", completion: .file(extensions: ["json"]))
    var schedule: String

    @Option(help: ArgumentHelp("When the participant enrolled.", valueName: "date"))
    var enrolled: String

    @Option(help: ArgumentHelp("The time that counts as now.", valueName: "date"))
    var at: String?

    @Option(
        help: ArgumentHelp(
            "The participant's time zone, as in Europe/Berlin. C3-PRO counts days in UTC.",
            valueName: "zone"
        )
    )
    var zone = "UTC"

    @Option(
        help: ArgumentHelp(
            "Something that was done, as in survey=2026-03-02T18:00:00Z.",
            valueName: "task=date"
        )
    )
    var done: [String] = []

    @ArgumentParser.Flag(help: "List everything, with what is done, expired and to come.")
    var all = false

    @ArgumentParser.Flag(help: "List reminders from now on instead.")
    var notifications = false

    @ArgumentParser.Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        guard let zone = TimeZone(identifier: zone) else {
            throw ValidationError("--zone needs a name of the time zone database, such as Europe/Berlin.")
        }
        let schedule = try InputFile(path: schedule).studyFile { try StudySchedule(parsing: $0) }
        for warning in schedule.warnings { StandardStreams.printError("\(self.schedule): \(warning)") }
        let now = try at.map { try date($0, "--at", zone) } ?? Date()
        let completions = try done.map { text in
            // A date has no equals sign, an id may.
            guard let sign = text.lastIndex(of: "="), sign > text.startIndex else {
                throw ValidationError("--done needs task=date, as in survey=2026-03-02T18:00:00Z.")
            }
            let id = String(text[..<sign])
            guard schedule.tasks.contains(where: { $0.id == id }) else {
                throw ValidationError("--done: the schedule has no task \(id).")
            }
            return TaskCompletion(
                taskID: id,
                date: try date(String(text[text.index(after: sign)...]), "--done", zone)
            )
        }
        let occurrences: [TaskOccurrence]
        do {
            occurrences = try schedule.occurrences(
                enrolledAt: try date(enrolled, "--enrolled", zone),
                in: zone,
                completions: completions
            )
        } catch let error as ScheduleError {
            throw CommandFailure("\(self.schedule): \(error)")
        }
        let rows =
            notifications
            ? schedule.notifications(occurrences, from: now, in: zone).map {
                notification -> [(String, String)] in
                [
                    ("date", text(notification.date, zone)),
                    ("kind", notification.isReminder ? "reminder" : "due"),
                    ("task", notification.taskID),
                ]
            }
            : occurrences.filter { all || [.due, .late].contains($0.state(at: now)) }.map { occurrence in
                [
                    ("due", "\(occurrence.dueDay)"), ("state", occurrence.state(at: now).rawValue),
                    ("expires", occurrence.expiresAt.map { text($0, zone) } ?? ""),
                    ("kind", occurrence.task.kind.rawValue),
                    ("task", occurrence.task.id),
                ]
            }
        try print(rows)
    }

    private func print(_ rows: [[(String, String)]]) throws {
        if json {
            let objects = rows.map { row in
                JSONValue(members: row.map { JSONMember(name: $0, value: JSONValue($1)) })
            }
            try StandardStreams.say(JSONValue(objects).text(.pretty))
        } else if let first = rows.first {
            let table = TextTable(header: first.map(\.0), rows: rows.map { $0.map(\.1) })
            for line in table.lines(width: StandardStreams.outputWidth) { try StandardStreams.say(line) }
        }
        guard rows.isEmpty else { return }
        StandardStreams.printError("nothing")
        throw ExitCode(ExitStatus.nothingFound.rawValue)
    }

    private func text(_ date: Date, _ zone: TimeZone) -> String {
        FHIRDateTime(date, offset: zone.secondsFromGMT(for: date) / 60).description
    }

    /// A date, or a date with a time and zone.
    private func date(_ text: String, _ option: String, _ zone: TimeZone) throws -> Date {
        if let time = FHIRDateTime(text: text) {
            if let instant = time.instant { return instant }
            if let date = StudySchedule.beginning(of: time.date, in: zone) { return date }
        }
        throw ValidationError(
            """
            \(option) needs a date, as in 2026-03-29, or a time with a zone, \
            as in 2026-03-29T10:00:00+02:00.
            """
        )
    }
}
