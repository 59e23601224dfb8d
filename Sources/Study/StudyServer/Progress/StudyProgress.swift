import Foundation
import StudyFormats
import StudyWarehouse

/// How participants keep up with a study: when they enrolled, which questionnaires they answered in each week
/// since then, and what became of what the schedule asked for.
///
/// ```swift
/// let progress = try await warehouse.read { try $0.progress(schedule) }
/// for week in progress.enrolments { print(week.monday, week.total) }
/// ```
/// Weeks are counted from 1 since each participant's enrolment, and from Monday in the calendar's, in UTC.
public struct StudyProgress: Sendable, Hashable, Codable {
    /// The participants who enrolled in a week of the calendar.
    public struct Enrolment: Sendable, Hashable, Codable {
        /// The week's Monday, as in `2026-03-02`.
        public let monday: String
        /// How many enrolled in it.
        public internal(set) var new = 0
        /// How many had enrolled by its end.
        public internal(set) var total = 0
    }

    /// A week since the enrolment.
    public struct Week: Sendable, Hashable, Codable {
        /// The participants whose enrolment is so long ago that the week has begun.
        public internal(set) var reached = 0
        /// Those of them who answered in it.
        public internal(set) var answered = 0
    }

    /// What became of the occurrences of a task that were due in a week since the enrolment.
    public struct Due: Sendable, Hashable, Codable {
        /// They were done.
        public internal(set) var completed = 0
        /// They are due today.
        public internal(set) var due = 0
        /// Their day is over, and they can still be done.
        public internal(set) var late = 0
        /// They can no longer be done.
        public internal(set) var missed = 0
        /// All that were due.
        public var total: Int { completed + due + late + missed }
    }

    /// A task of a participant that is due or late.
    public struct OpenTask: Sendable, Hashable {
        /// The participant's pseudonym.
        public let pseudonym: String
        /// The task at its date.
        public let occurrence: TaskOccurrence
        /// Due or late.
        public let state: TaskOccurrence.State
    }

    /// The most weeks that are counted; what is later counts in the last.
    public static let maximumWeeks = 260
    /// The most questionnaires that are counted, those that most participants answered: phones name them.
    static let maximumQuestionnaires = 300
    /// The most questionnaires among which those are looked for that the schedule asks for.
    static let maximumListed = 10_000

    /// The participants who take part.
    public private(set) var participants = 0
    /// The weeks of the calendar from the first enrolment to the last, with those in which nobody enrolled.
    public private(set) var enrolments: [Enrolment] = []
    /// The weeks since the enrolment, by the questionnaire's URL.
    public private(set) var answers: [String: [Week]] = [:]
    /// The weeks since the enrolment, by the task's id.
    public private(set) var tasks: [String: [Due]] = [:]
    /// How many answered each questionnaire at all.
    public private(set) var respondents: [String: Int] = [:]

    /// Participants by the week that they are in.
    private var inWeek: [Int] = []
    /// Participants by the calendar's week in which they enrolled.
    private var newByWeek: [Int: Int] = [:]

    private enum CodingKeys: CodingKey {
        case participants, enrolments, answers, tasks, respondents
    }

    init() {}

    // MARK: Counting

    /// Counts a participant; of one who stopped, what was until then.
    ///
    /// - Parameters:
    ///   - schedule: What the participants are asked for; its surveys have the questionnaires' URLs, or the
    ///     last parts of these, as ids.
    ///   - questionnaires: Whose answers are counted; `nil` for all.
    ///   - now: The time. What happens later is not counted.
    /// - Throws: `StudyError`.
    mutating func add(
        _ course: ParticipantTimeline,
        _ schedule: StudySchedule? = nil,
        of questionnaires: Set<String>? = nil,
        at now: Date
    ) throws(StudyError) {
        guard course.enrolled <= now else { return }
        let stopped = course.stopped.flatMap { $0 <= now ? $0 : nil }
        // Who had not agreed any more when they enrolled, by the phone's clock, was there for a moment.
        let now = max(stopped ?? now, course.enrolled)
        // An answer may say its day alone.
        let seconds = course.enrolled.timeIntervalSince1970
        let firstDay = Date(timeIntervalSince1970: (seconds / 86_400).rounded(.down) * 86_400)
        if stopped == nil { participants += 1 }
        newByWeek[Self.weekOfCalendar(course.enrolled), default: 0] += 1
        Self.at(Self.week(of: now, since: course.enrolled), of: &inWeek, else: 0) { $0 += 1 }
        for (questionnaire, responses) in Dictionary(grouping: course.responses, by: \.questionnaire) {
            guard questionnaires?.contains(questionnaire) != false else { continue }
            let given = responses.filter { $0.date <= now && $0.date >= firstDay }
            let weeks = Set(given.map { Self.week(of: $0.date, since: course.enrolled) })
            guard !weeks.isEmpty else { continue }
            respondents[questionnaire, default: 0] += 1
            for week in weeks {
                Self.at(week, of: &answers[questionnaire, default: []], else: Week()) { $0.answered += 1 }
            }
        }
        guard let schedule else { return }
        for occurrence in try Self.occurrences(of: course, schedule) {
            // Its day counts as a whole: that begins at midnight, before the hour of the enrolment.
            let week = Self.week(of: occurrence.lateAt.addingTimeInterval(-1), since: course.enrolled)
            let count: WritableKeyPath<Due, Int>
            switch occurrence.state(at: now) {
            case .upcoming: continue
            // Nobody asks them any more.
            case .due where stopped != nil, .late where stopped != nil: continue
            case .completed: count = \.completed
            case .due: count = \.due
            case .late: count = \.late
            case .expired: count = \.missed
            }
            Self.at(week, of: &tasks[occurrence.task.id, default: []], else: Due()) {
                $0[keyPath: count] += 1
            }
        }
    }

    /// Changes the counts of a week; those up to it are made where they are not there.
    private static func at<Counts>(
        _ week: Int,
        of counts: inout [Counts],
        else none: Counts,
        _ change: (inout Counts) -> Void
    ) {
        counts += Array(repeating: none, count: max(0, week + 1 - counts.count))
        change(&counts[week])
    }

    /// Makes the sums, when all participants are counted.
    mutating func finish() {
        // Whoever is in a week has reached all weeks before it.
        var reached = 0
        for week in inWeek.indices.reversed() {
            reached += inWeek[week]
            for questionnaire in answers.keys {
                Self.at(week, of: &answers[questionnaire, default: []], else: Week()) { $0.reached = reached }
            }
        }
        guard let first = newByWeek.keys.min(), let last = newByWeek.keys.max() else { return }
        // Older weeks than fit count in the first that is shown.
        let start = max(first, last - Self.maximumWeeks + 1)
        var total = newByWeek.filter { $0.key < start }.values.reduce(0, +)
        enrolments = (start...last).map { week in
            let new = newByWeek[week] ?? 0
            total += new
            return Enrolment(monday: Self.monday(of: week), new: new, total: total)
        }
    }

    /// What a participant is asked for now, and has not done; nothing of one who stopped.
    ///
    /// - Throws: `StudyError`.
    public static func open(
        _ course: ParticipantTimeline,
        _ schedule: StudySchedule,
        at now: Date
    ) throws(StudyError) -> [OpenTask] {
        if let stopped = course.stopped, stopped <= now { return [] }
        return try occurrences(of: course, schedule).compactMap { occurrence in
            let state = occurrence.state(at: now)
            guard state == .due || state == .late else { return nil }
            return OpenTask(pseudonym: course.pseudonym, occurrence: occurrence, state: state)
        }
    }

    /// The consent was given with the enrolment. Days are UTC's, as C3-PRO counts them.
    private static func occurrences(of course: ParticipantTimeline, _ schedule: StudySchedule)
        throws(StudyError) -> [TaskOccurrence]
    {
        var completions: [TaskCompletion] = []
        for task in schedule.tasks {
            switch task.kind {
            case .consent: completions.append(TaskCompletion(taskID: task.id, date: course.enrolled))
            case .survey:
                for response in course.responses where task.asks(for: response.questionnaire) {
                    completions.append(TaskCompletion(taskID: task.id, date: response.date))
                }
            }
        }
        return try schedule.occurrences(enrolledAt: course.enrolled, in: .gmt, completions: completions)
    }

    /// The questionnaires that are counted: first those that the schedule asks for, since participants may
    /// send any number of others.
    ///
    /// - Parameter answered: Those that most participants answered first.
    static func questionnaires(of answered: [String], _ schedule: StudySchedule?) -> Set<String> {
        let asked = answered.filter { url in schedule?.tasks.contains { $0.asks(for: url) } ?? false }
        var counted = Set(asked.prefix(maximumQuestionnaires))
        for url in answered where counted.count < maximumQuestionnaires { counted.insert(url) }
        return counted
    }

    // MARK: Weeks

    private static let secondsPerWeek = 604_800.0

    private static func week(of date: Date, since enrolment: Date) -> Int {
        let weeks = (date.timeIntervalSince(enrolment) / secondsPerWeek).rounded(.down)
        return Int(min(max(weeks, 0), Double(maximumWeeks - 1)))
    }

    /// 1970-01-01 was a Thursday, the fourth day of its week.
    private static let secondsToMonday = 3 * 86_400.0

    private static func weekOfCalendar(_ date: Date) -> Int {
        Int(((date.timeIntervalSince1970 + secondsToMonday) / secondsPerWeek).rounded(.down))
    }

    private static func monday(of week: Int) -> String {
        let date = Date(timeIntervalSince1970: Double(week) * secondsPerWeek - secondsToMonday)
        return String(date.formatted(.iso8601).prefix(10))
    }
}

extension WarehouseTransaction {
    /// How participants keep up, counted now.
    ///
    /// - Throws: `StudyError`, the database's error.
    public func progress(_ schedule: StudySchedule? = nil, at now: Date = Date()) throws -> StudyProgress {
        let answered = try answeredQuestionnaires(limit: StudyProgress.maximumListed)
        let questionnaires = StudyProgress.questionnaires(of: answered, schedule)
        var progress = StudyProgress()
        try eachCourse { try progress.add($0, schedule, of: questionnaires, at: now) }
        progress.finish()
        return progress
    }

    /// How participants keep up, as it is shown: the same until five of them enrolled, answered or left.
    ///
    /// - Returns: `nil` while fewer than five have enrolled.
    /// - Throws: `StudyError`, the database's error.
    func publishedProgress(_ schedule: StudySchedule?, at now: Date) throws -> StudyProgress? {
        try published("progress", marks: timelineFingerprints()) { try progress(schedule, at: now) }
    }
}
