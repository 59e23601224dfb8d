import FHIR
import Foundation

/// A task at one of its dates.
public struct TaskOccurrence: Sendable, Hashable {
    public let task: ScheduledTask
    /// Which of the task's occurrences it is, from 0.
    public let index: Int
    /// The day on which it is due, where the participant is.
    public let dueDay: FHIRDate
    /// The beginning of that day.
    public let dueAt: Date
    /// The end of that day.
    public let lateAt: Date
    /// When it can no longer be done; `nil` for never.
    public let expiresAt: Date?
    /// When it was done.
    public internal(set) var completedAt: Date?

    /// The state of an occurrence.
    public enum State: String, Sendable, Hashable {
        /// Its day has not come.
        case upcoming
        /// It is due today.
        case due
        /// Its day is over, and it can still be done.
        case late
        /// It can no longer be done.
        case expired
        /// It was done.
        case completed
    }

    /// The state at a moment: due on its day, late after it, expired at the end.
    public func state(at date: Date) -> State {
        if let completedAt, completedAt <= date { return .completed }
        if date < dueAt { return .upcoming }
        if let expiresAt, date >= expiresAt { return .expired }
        return date < lateAt ? .due : .late
    }

    /// Whether it can be done at a moment.
    func isOpen(at date: Date) -> Bool { dueAt <= date && expiresAt.map { date < $0 } ?? true }
}

/// The completion of a task.
public struct TaskCompletion: Sendable, Hashable, Codable {
    /// The task's id.
    public var taskID: String
    /// When.
    public var date: Date

    /// A completion.
    public init(taskID: String, date: Date) {
        self.taskID = taskID
        self.date = date
    }
}

extension StudySchedule {
    /// All occurrences for a participant, by date.
    ///
    /// The first is `starts` after the enrolment; others are whole multiples of `repeats` after the
    /// enrolment, as long as the one before lies before `expires`. An occurrence is due on its calendar day,
    /// from midnight on, and expires `delayMax` after its time of day; without `delayMax` when the next one
    /// of the task is due.
    ///
    /// - Parameters:
    ///   - zone: Where the participant is. C3-PRO counts days in UTC.
    ///   - completions: What was done: each counts for one occurrence, the earliest that was open then.
    /// - Throws: ``StudyError`` for more than ``maximumOccurrences`` of all tasks together, and for an
    ///   enrolment that is not in the years 1900 to 2200.
    public func occurrences(
        enrolledAt: Date,
        in zone: TimeZone,
        completions: [TaskCompletion] = []
    ) throws(StudyError) -> [TaskOccurrence] {
        guard (-2_208_988_800...7_289_654_400).contains(enrolledAt.timeIntervalSince1970) else {
            throw .badInput(reason: "the enrolment is not in the years 1900 to 2200")
        }
        var total = 0
        var result: [TaskOccurrence] = []
        let done = Dictionary(grouping: completions, by: \.taskID)
        for task in tasks {
            let dates = try dates(of: task, enrolledAt, zone, &total)
            var occurrences = dates.enumerated().map { index, date -> TaskOccurrence in
                let day = LocalTime(date, in: zone).day
                let next =
                    index + 1 < dates.count
                    ? LocalTime(day: LocalTime(dates[index + 1], in: zone).day).date(in: zone) : nil
                return TaskOccurrence(
                    task: task,
                    index: index,
                    dueDay: FHIRDate(text: LocalTime(day: day).dateText)
                        ?? FHIRDate(stringLiteral: "9999-12-31"),
                    dueAt: LocalTime(day: day).date(in: zone),
                    lateAt: LocalTime(day: day + 1).date(in: zone),
                    expiresAt: task.delayMax.map { date.adding($0, in: zone) } ?? next
                )
            }
            Self.complete(&occurrences, (done[task.id] ?? []).map(\.date).sorted())
            result += occurrences
        }
        return result.enumerated().sorted { ($0.element.dueAt, $0.offset) < ($1.element.dueAt, $1.offset) }
            .map(\.element)
    }

    private static func tooMany(_ task: ScheduledTask) -> StudyError {
        .tooLarge(
            what: "the occurrences of the schedule, counted up to the task \(task.id)",
            limit: maximumOccurrences
        )
    }

    private func dates(
        of task: ScheduledTask,
        _ enrolledAt: Date,
        _ zone: TimeZone,
        _ total: inout Int
    ) throws(StudyError) -> [Date] {
        var dates = [enrolledAt.adding(task.starts, in: zone)]
        total += 1
        guard let repeats = task.repeats, let expires = task.expires, !repeats.isZero else { return dates }
        let end = enrolledAt.adding(expires, in: zone)
        var count = 0
        while let last = dates.last, last < end {
            count += 1
            // Multiples before the first occurrence are passed over, and they are bounded too.
            guard count <= Self.maximumOccurrences else { throw Self.tooMany(task) }
            let next = enrolledAt.adding(repeats * count, in: zone)
            guard next > last else { continue }
            total += 1
            guard total <= Self.maximumOccurrences else { throw Self.tooMany(task) }
            dates.append(next)
        }
        return dates
    }

    /// Gives each completion to the earliest occurrence that was open then and is not done. Both are in
    /// order.
    private static func complete(_ occurrences: inout [TaskOccurrence], _ dates: [Date]) {
        var first = 0
        for date in dates {
            // What is done or has expired by now is for no later completion either.
            while first < occurrences.count,
                occurrences[first].completedAt != nil
                    || occurrences[first].expiresAt.map({ $0 <= date }) ?? false
            {
                first += 1
            }
            guard first < occurrences.count, occurrences[first].isOpen(at: date) else { continue }
            occurrences[first].completedAt = date
        }
    }
}

/// A reminder, for the app to hand to the system.
public struct TaskNotification: Sendable, Hashable {
    /// Unique and the same each time, so that it replaces itself.
    public let id: String
    public let taskID: String
    /// When it is shown.
    public let date: Date
    /// Whether an earlier reminder was for the same occurrence.
    public let isReminder: Bool
}

extension StudySchedule {
    /// The reminders from a moment on, by date: on the day on which something is due, and for what can be
    /// delayed on each following day until it is done or expires, thirty days at most.
    ///
    /// - Parameters:
    ///   - hour: The hour of the day, 0 to 23, where the participant is.
    ///   - limit: How many; systems keep 64.
    public func notifications(
        _ occurrences: [TaskOccurrence],
        from date: Date,
        in zone: TimeZone,
        hour: Int = 9,
        limit: Int = 64
    ) -> [TaskNotification] {
        let second = min(max(hour, 0), 23) * 3_600
        var result: [TaskNotification] = []
        for occurrence in occurrences
        where occurrence.task.notification != .none && occurrence.completedAt == nil {
            let day = LocalTime(occurrence.dueAt, in: zone).day
            for number in 0...(occurrence.task.notification == .delayable ? 30 : 0) {
                let moment = LocalTime(day: day + number, second: second).date(in: zone)
                // One that expires before the hour is announced when it is due.
                let shown =
                    number == 0 && occurrence.expiresAt.map { $0 <= moment } ?? false
                    ? occurrence.dueAt : moment
                if let expiry = occurrence.expiresAt, shown >= expiry { break }
                guard shown >= date else { continue }
                result.append(
                    TaskNotification(
                        id: "\(occurrence.task.id)#\(occurrence.index)#\(number)",
                        taskID: occurrence.task.id,
                        date: shown,
                        isReminder: number > 0
                    )
                )
            }
        }
        return Array(result.sorted { ($0.date, $0.id) < ($1.date, $1.id) }.prefix(max(0, limit)))
    }
}
