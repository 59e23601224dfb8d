import OrderedJSON

/// The tasks of a study and their times, counted from a participant's enrolment.
///
/// ```swift
/// let schedule = try StudySchedule(parsing: data)
/// for occurrence in try schedule.occurrences(enrolledAt: date, in: .current) {
///     print(occurrence.task.id, occurrence.dueDay, occurrence.state(at: .now))
/// }
/// ```
/// ``init(parsing:)`` reads C3-PRO's `schedule.json` and FHIR's PlanDefinition.
public struct StudySchedule: Sendable, Hashable {
    /// The tasks, in order.
    public var tasks: [ScheduledTask] = []
    /// How many days of activity are reported with a survey; 0 for none.
    public var activitySampleDays = 0
    /// Warnings about the file that it was read from.
    public internal(set) var warnings: [StudyFormatProblem] = []

    /// The most tasks of a schedule.
    public static let maximumTasks = 1_000
    /// The most occurrences of all tasks together.
    public static let maximumOccurrences = 100_000

    /// A schedule without tasks.
    public init() {}

    /// Reads C3-PRO's JSON, or a PlanDefinition of FHIR R4.
    ///
    /// - Throws: `JSONError`, ``StudyFormatError`` with all problems.
    public init(parsing data: some Sequence<UInt8>) throws {
        let json = try JSONValue(parsing: data, limits: .studyFile)
        var problems = ObjectReader.Problems()
        if json["resourceType"] == nil {
            self.init(c3Pro: json, &problems)
        } else {
            self.init(planDefinition: json, &problems)
        }
        if Set(tasks.map(\.id)).count != tasks.count { problems.add("two tasks have the same id", "", json) }
        try problems.check()
        warnings = problems.all
    }
}

/// A task of a schedule.
public struct ScheduledTask: Sendable, Hashable {
    /// What is to be done.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Reading and signing the consent.
        case consent
        /// Answering a survey.
        case survey
    }
    /// How the participant is reminded.
    public enum Notification: String, Sendable, Hashable, CaseIterable {
        /// Never.
        case none
        case once
        /// Again each day, until it is done.
        case delayable
    }

    /// The task's id: the survey's.
    public var id: String
    /// What is to be done.
    public var kind: Kind
    /// A title for people; `nil` in C3-PRO's form.
    public var title: String?
    /// How the participant is reminded.
    public var notification = Notification.none
    /// From enrolment to the first occurrence.
    public var starts = CalendarSpan()
    /// From one to the next; `nil` for a single occurrence. Counted from the enrolment, not from the first
    /// occurrence.
    public var repeats: CalendarSpan?
    /// From enrolment to the end of recurrence.
    public var expires: CalendarSpan?
    /// How long after its time an occurrence can be done; `nil` until the next one is due.
    public var delayMax: CalendarSpan?

    /// A task that is due at enrolment, once.
    public init(id: String, kind: Kind) {
        self.id = id
        self.kind = kind
    }

    /// Whether a questionnaire is what the task asks for: the task's id is its URL, or the URL's last part.
    ///
    /// - Parameter url: The questionnaire's URL, without a version.
    public func asks(for url: String) -> Bool { url == id || url.hasSuffix("/" + id) }
}

extension StudySchedule {
    /// Reads C3-PRO's form: all values are strings.
    init(c3Pro json: JSONValue, _ problems: inout ObjectReader.Problems) {
        self.init()
        guard var reader = ObjectReader(json, "", &problems) else { return }
        if let value = reader.value("activitySampleDays") {
            if let days = value.string.flatMap({ Int($0) }) ?? value.integer, (0...366).contains(days) {
                activitySampleDays = days
            } else {
                problems.add("a number of days from 0 to 366 is expected", "activitySampleDays", value)
            }
        }
        if json["tasks"] == nil { problems.add("tasks is missing", "", json) }
        for (json, path) in reader.list("tasks", limit: Self.maximumTasks, &problems) {
            guard var reader = ObjectReader(json, path, &problems) else { continue }
            let id = reader.text("taskId", limit: TextLimits.title, required: true, &problems)
            let kind = Self.code(ScheduledTask.Kind.self, "taskType", required: true, &reader, &problems)
            var task = ScheduledTask(id: id ?? "", kind: kind ?? .survey)
            task.notification =
                Self.code(ScheduledTask.Notification.self, "notificationType", &reader, &problems)
                ?? ScheduledTask.Notification.none
            task.starts = Self.span("starts", &reader, &problems) ?? CalendarSpan()
            task.repeats = Self.span("repeats", &reader, &problems)
            task.expires = Self.span("expires", &reader, &problems)
            task.delayMax = Self.span("delayMax", &reader, &problems)
            task.check(json, path, &problems)
            reader.reportUnknown(&problems)
            if id != nil, kind != nil { tasks.append(task) }
        }
        reader.reportUnknown(&problems)
    }

    private static func code<Code: RawRepresentable<String> & CaseIterable>(
        _ type: Code.Type,
        _ name: String,
        required: Bool = false,
        _ reader: inout ObjectReader,
        _ problems: inout ObjectReader.Problems
    ) -> Code? {
        guard let text = reader.text(name, limit: 40, required: required, &problems) else { return nil }
        if let code = Code(rawValue: text) { return code }
        let known = Code.allCases.map(\.rawValue).joined(separator: ", ")
        problems.add("it is not one of \(known)", reader.path(name), reader.json[name])
        return nil
    }

    private static func span(
        _ name: String,
        _ reader: inout ObjectReader,
        _ problems: inout ObjectReader.Problems
    ) -> CalendarSpan? {
        guard let text = reader.text(name, limit: 64, &problems) else { return nil }
        if let span = CalendarSpan(text: text) { return span }
        problems.add(
            "a length of time of at most a century is expected, such as 2d or 1m 12h (h, d, m for months, y)",
            reader.path(name),
            reader.json[name]
        )
        return nil
    }
}

extension ScheduledTask {
    /// What holds for a task however it was written.
    func check(_ json: JSONValue, _ path: String, _ problems: inout ObjectReader.Problems) {
        if let repeats {
            if repeats.isZero { problems.add("it repeats without any time between", path, json) }
            if expires == nil { problems.add("it repeats, but has no end", path, json) }
        } else if expires != nil {
            problems.add(
                "it has an end of repeating, but does not repeat; the end was ignored",
                path,
                json,
                isError: false
            )
        }
    }
}
