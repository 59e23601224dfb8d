import ArgumentParser
import FHIR
import Foundation
import OrderedJSON
import RecordCommands
import StudyDelivery

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

    @Argument(help: "The schedule; - for standard input.", completion: .json)
    var schedule: String

    @Option(help: .value("date", "When the participant enrolled."))
    var enrolled: String

    @Option(help: .value("date", "The time that counts as now."))
    var at: String?

    @Option(
        help: .value(
            "zone",
            "The participant's time zone, as in Europe/Berlin. C3-PRO counts days in UTC."
        )
    )
    var zone = "UTC"

    @Option(
        help: .value(
            "task=date",
            "Something that was done, as in survey=2026-03-02T18:00:00Z."
        )
    )
    var done: [String] = []

    @Flag(help: "List everything, with what is done, expired and to come.")
    var all = false

    @Flag(help: "List reminders from now on instead.")
    var notifications = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        guard let zone = TimeZone(identifier: zone) else {
            throw ValidationError("--zone needs a name of the time zone database, such as Europe/Berlin.")
        }
        let schedule = try Self.schedule(in: schedule)
        let now = try at.map { try Self.date($0, "--at", zone) } ?? Date()
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
                date: try Self.date(String(text[text.index(after: sign)...]), "--done", zone)
            )
        }
        let occurrences: [TaskOccurrence]
        do {
            occurrences = try schedule.occurrences(
                enrolledAt: try Self.date(enrolled, "--enrolled", zone),
                in: zone,
                completions: completions
            )
        } catch let error as StudyError {
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

    /// Reads a schedule, a file or the one in a folder of what a study publishes; what is odd in it is told.
    static func schedule(in path: String) throws -> StudySchedule {
        if let folder = StudyBackEnd.published(path) {
            return try StudyBackEnd.naming(path) { try folder.schedule() }.orFail(
                "\(path): the study publishes no schedule",
                .wrongUse
            )
        }
        let schedule = try InputFile(path: path).studyFile { try StudySchedule(parsing: $0) }
        for warning in schedule.warnings { StandardStreams.printError("\(path): \(warning)") }
        return schedule
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
        throw ExitCode.nothingFound
    }

    private func text(_ date: Date, _ zone: TimeZone) -> String {
        FHIRDateTime(date, offset: zone.secondsFromGMT(for: date) / 60).description
    }

    /// A date, or a date with a time and zone.
    static func date(_ text: String, _ option: String, _ zone: TimeZone) throws -> Date {
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
