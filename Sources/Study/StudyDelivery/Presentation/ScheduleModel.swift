import FHIR
import Foundation
import Observation

/// A task of a schedule at one of its dates, as it is drawn.
public struct ScheduleItem: Sendable, Hashable, Identifiable {
    /// Unique in the schedule, and the same after a restart: the task's id and the occurrence's number.
    public var id: String { "\(occurrence.task.id)#\(occurrence.index)" }
    /// The task and its dates.
    public let occurrence: TaskOccurrence
    /// The state at the model's time.
    public let state: TaskOccurrence.State
    /// A title for people.
    public let title: String
}

/// A participant's schedule for SwiftUI: what is to be done now, what comes, what was done.
///
/// ```swift
/// let model = try ScheduleModel(schedule, enrolledAt: enrolment.enrolledAt.date, completions: stored)
/// ForEach(model.open) { item in Button(item.title) { begin(item) } }
/// try model.complete("diary")
/// ```
@MainActor @Observable
public final class ScheduleModel {
    public let schedule: StudySchedule
    /// All occurrences, by date.
    public private(set) var items: [ScheduleItem] = []
    /// What was done: keep it, by ``ParticipantState/setCompletions(_:)``.
    public private(set) var completions: [TaskCompletion]
    /// The time that states are of.
    public private(set) var now: Date
    /// Where the participant is.
    public private(set) var zone: TimeZone

    private let enrolledAt: Date
    private let titles: [String: String]
    private var occurrences: [TaskOccurrence] = []

    /// The schedule of a participant.
    ///
    /// - Parameters:
    ///   - titles: Titles by the tasks' ids, such as those of the questionnaires; else the task's own, else
    ///     its id.
    ///   - completions: What was done before.
    /// - Throws: ``/StudyFormats/StudyError``.
    public init(
        _ schedule: StudySchedule,
        enrolledAt: Date,
        in zone: TimeZone = .current,
        titles: [String: String] = [:],
        completions: [TaskCompletion] = [],
        now: Date = Date()
    ) throws(StudyError) {
        self.schedule = schedule
        self.enrolledAt = enrolledAt
        self.zone = zone
        self.titles = titles
        self.completions = completions
        self.now = now
        try plan()
    }

    // MARK: Looking

    /// What can be done now, the earliest first: what is due today, and what is late.
    public var open: [ScheduleItem] { items.filter { $0.state == .due || $0.state == .late } }

    /// What comes, the next first.
    public var upcoming: [ScheduleItem] { items.filter { $0.state == .upcoming } }

    /// What was done.
    public var completed: [ScheduleItem] { items.filter { $0.state == .completed } }

    /// The part of what was due until now that was done, from 0 to 1; 1 where nothing was due.
    public var adherence: Double {
        let past = items.filter { $0.state != .upcoming }
        return past.isEmpty ? 1 : Double(past.count { $0.state == .completed }) / Double(past.count)
    }

    /// The reminders from now on, for the system; see
    /// ``/StudyFormats/StudySchedule/notifications(_:from:in:hour:limit:)``.
    public func notifications(hour: Int = 9, limit: Int = 64) -> [TaskNotification] {
        schedule.notifications(occurrences, from: now, in: zone, hour: hour, limit: limit)
    }

    /// The title of a task.
    public func title(of task: ScheduledTask) -> String { titles[task.id] ?? task.title ?? task.id }

    // MARK: Changing

    /// Notes that a task was done: its earliest occurrence that is open then.
    ///
    /// - Returns: whether one was open.
    /// - Throws: ``/StudyFormats/StudyError``; then nothing was noted.
    @discardableResult
    public func complete(_ taskID: String, at date: Date = Date()) throws(StudyError) -> Bool {
        let before = completions
        let done = occurrences.count { $0.completedAt != nil }
        completions.append(TaskCompletion(taskID: taskID, date: date))
        now = max(now, date)
        do {
            try plan()
        } catch {
            completions = before
            throw error
        }
        guard occurrences.count(where: { $0.completedAt != nil }) > done else {
            completions = before
            return false
        }
        return true
    }

    /// Looks again: when the app comes to the front, at midnight, or in another zone.
    ///
    /// - Throws: ``/StudyFormats/StudyError``.
    public func refresh(at date: Date = Date(), in zone: TimeZone? = nil) throws(StudyError) {
        now = date
        if let zone, zone != self.zone {
            self.zone = zone
            try plan()
        } else {
            present()
        }
    }

    private func plan() throws(StudyError) {
        occurrences = try schedule.occurrences(enrolledAt: enrolledAt, in: zone, completions: completions)
        present()
    }

    private func present() {
        items = occurrences.map {
            ScheduleItem(occurrence: $0, state: $0.state(at: now), title: title(of: $0.task))
        }
    }
}
