import ArgumentParser
import FHIR
import Foundation
import OrderedJSON
import RecordCommands
import StudyDelivery
import StudyServer
import StudyWarehouse

struct StudyProgressCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "progress",
        abstract: "Count how participants keep up, and list who is due or late.",
        discussion: """
            indivo study progress --store sqlite:study.sqlite
            indivo study progress --schedule schedule.json --open

            For each questionnaire and each week since the enrolment: how many participants are in it or \
            were, and how many of them answered. With the schedule also what it asked for, and what of \
            that is done, due, late and missed; its surveys have the last part of a questionnaire's URL \
            as id. With --open the tasks that are due or late, by the pseudonym that the exports have.

            The numbers are exact: they are for those who may see the warehouse. The pages round them. \
            Days and weeks are counted in UTC, as the warehouse has no participant's time zone. \
            \(ExitStatus.help)
            """
    )

    @OptionGroup var store: StudyStoreOptions

    @Option(
        help: .value("file", "The study's schedule."),
        completion: .json
    )
    var schedule: String?

    @Flag(help: "List the tasks that are due or late; needs --schedule.")
    var open = false

    @Option(help: .value("date", "The time that counts as now."))
    var at: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let schedule = try schedule.map { try StudyDueCommand.schedule(in: $0) }
        let now = try at.map { try StudyDueCommand.date($0, "--at", .gmt) } ?? Date()
        guard open else { return try await count(schedule, now) }
        guard let schedule else { throw ValidationError("--open needs --schedule.") }
        let warehouse = try await store.open(makes: false)
        try StudyAudit.record("list open tasks", ["source": warehouse.source])
        let tasks = try await warehouse.read { warehouse in
            var tasks: [StudyProgress.OpenTask] = []
            try warehouse.eachCourse { tasks += try StudyProgress.open($0, schedule, at: now) }
            return tasks
        }
        let rows = tasks.map { task -> [JSONValue] in
            [
                JSONValue(task.pseudonym), JSONValue(task.occurrence.task.id), JSONValue(task.state.rawValue),
                JSONValue("\(task.occurrence.dueDay)"),
                task.occurrence.expiresAt.map { JSONValue("\(FHIRDateTime($0))") } ?? .null,
            ]
        }
        let columns: Listing.Columns = [
            "participant": "PARTICIPANT", "task": "TASK", "state": "STATE", "due": "DUE",
            "expires": "EXPIRES",
        ]
        try Listing(columns, rows).print(asJSON: json)
        if rows.isEmpty { StandardStreams.printError("Nothing is due or late.") }
    }

    private func count(_ schedule: StudySchedule?, _ now: Date) async throws {
        let progress = try await store.open(makes: false).read { try $0.progress(schedule, at: now) }
        var rows: [[JSONValue]] = []
        for (questionnaire, weeks) in progress.answers.sorted(by: { $0.key < $1.key }) {
            for (index, week) in weeks.enumerated() {
                let counts = [index + 1, week.reached, week.answered].map { JSONValue($0) }
                rows.append([JSONValue(questionnaire)] + counts + [.null, .null, .null])
            }
        }
        for task in schedule?.tasks ?? [] {
            for (index, week) in (progress.tasks[task.id] ?? []).enumerated() {
                let counts = [index + 1, week.total, week.completed, week.due, week.late, week.missed]
                rows.append([JSONValue("task \(task.id)")] + counts.map { JSONValue($0) })
            }
        }
        let columns: Listing.Columns = [
            "what": "QUESTIONNAIRE OR TASK", "week": "WEEK", "asked": "ASKED", "done": "DONE", "due": "DUE",
            "late": "LATE", "missed": "MISSED",
        ]
        try Listing(columns, rows).print(asJSON: json)
        if rows.isEmpty {
            StandardStreams.printError(
                "\(progress.participants) participants are enrolled, and none has answered a questionnaire."
            )
        }
    }
}
