import FHIR
import Foundation
import HealthKit
import Observation
import StudyDelivery
import Surveys

/// What a participant does: the schedule, a survey, and what the phone measures.
@MainActor @Observable
final class Participation {
    let schedule: ScheduleModel
    let delivery: Delivery
    private(set) var survey: SurveyModel?
    private(set) var status = ""

    private let enrolment: Enrolment
    private let state: ParticipantState
    private let health: HealthObserver
    private var task: String?

    /// Titles by the ids of tasks.
    private static let titles = ["sleep": "How did you sleep?"]

    init(
        _ enrolment: Enrolment,
        _ participants: ParticipantStore,
        _ state: ParticipantState,
        _ keys: any KeyStore
    ) throws {
        self.enrolment = enrolment
        self.state = state
        delivery = try Delivery(enrolment, participants, keys)
        schedule = try ScheduleModel(
            StudySchedule(parsing: Study.file("schedule")),
            enrolledAt: enrolment.enrolledAt.date,
            titles: Self.titles,
            completions: state.completions()
        )
        health = HealthObserver(
            subject: "Patient/\(enrolment.participant)",
            anchors: try participants.folder(of: enrolment).appending(path: "anchors"),
            delivery: delivery
        )
    }

    /// Asks for what the study needs, and begins to observe and to deliver.
    func begin() async {
        await remind()
        do {
            try await health.begin()
        } catch {
            status = "\(error)"
        }
        await deliver()
    }

    /// Ends observing and reminding, before everything is erased.
    func end() async {
        await health.end()
        Reminders.remove()
    }

    private func remind() async {
        let reminders = schedule.notifications()
        await Reminders.replace(by: reminders, titles: Self.titles, in: schedule.zone)
    }

    /// Shows what is due now.
    func refresh() {
        do {
            try schedule.refresh(in: .current)
        } catch {
            status = "\(error)"
        }
    }

    // MARK: Surveys

    /// Opens the survey of a task, where it was left.
    func open(_ item: ScheduleItem) {
        let task = item.occurrence.task.id
        do {
            let questionnaire = try Questionnaire(parsing: Study.file("questionnaire"))
            let state = state
            survey = SurveyModel(
                Survey(questionnaire),
                resuming: try state.response(to: task),
                subject: "Patient/\(enrolment.participant)"
            ) { response in
                try state.setResponse(response, to: task)
            }
            self.task = task
        } catch {
            status = "\(error)"
        }
    }

    /// Closes the survey; it can be gone on with.
    func close() async {
        await survey?.waitUntilSaved()
        survey = nil
    }

    /// Queues a completed response first, and only then forgets the draft and notes that the task is done:
    /// whatever is interrupted happens again, and the queue takes the same response once.
    func finish(_ response: QuestionnaireResponse) async {
        guard let task else { return }
        do {
            await survey?.waitUntilSaved()
            try await delivery.submit(response)
            try schedule.complete(task)
            try state.setCompletions(schedule.completions)
            try state.setResponse(nil, to: task)
            survey = nil
            await remind()
            await deliver()
        } catch {
            status = "\(error)"
        }
    }

    // MARK: Delivering

    /// Delivers what can be delivered now. The task may be cancelled at any moment.
    func deliver() async {
        do {
            status = "\(try await delivery.queue.deliver(to: delivery.endpoint))"
        } catch {
            status = "\(error)"
        }
        Delivery.scheduleInBackground()
    }
}
