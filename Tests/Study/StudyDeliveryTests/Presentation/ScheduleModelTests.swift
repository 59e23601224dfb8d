import FHIR
import Foundation
import Observation
import StudyDelivery
import Testing

/// A schedule as a view has it.
@MainActor struct ScheduleModelTests {
    private let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    private func date(_ text: String) throws -> Date { try #require(FHIRDateTime(text: text)?.instant) }
    private func schedule(_ tasks: String) throws -> StudySchedule {
        try StudySchedule(parsing: Data(#"{"tasks": [\#(tasks)]}"#.utf8))
    }

    private func model(completions: [TaskCompletion] = [], now: String) throws -> ScheduleModel {
        try ScheduleModel(
            schedule(
                """
                {"taskId": "diary", "taskType": "survey", "notificationType": "delayable", "repeats": "1d", \
                "expires": "3d", "delayMax": "2d"},
                {"taskId": "end", "taskType": "survey", "starts": "30d"}
                """
            ),
            enrolledAt: date("2026-11-22T09:00:00+01:00"),
            in: berlin,
            titles: ["diary": "Diary"],
            completions: completions,
            now: date(now)
        )
    }

    @Test("what is open, coming and done follows the time and what was completed")
    func states() throws {
        let model = try model(now: "2026-11-23T10:00:00+01:00")
        #expect(model.open.map(\.id) == ["diary#0", "diary#1"])
        #expect(model.open.map(\.state) == [.late, .due] && model.open.first?.title == "Diary")
        #expect(model.upcoming.map(\.id) == ["diary#2", "diary#3", "end#0"])
        #expect(model.upcoming.last?.title == "end" && model.adherence == 0)
        #expect(try model.complete("diary", at: date("2026-11-23T11:00:00+01:00")))
        #expect(model.completed.map(\.id) == ["diary#0"] && model.open.map(\.id) == ["diary#1"])
        #expect(model.adherence == 0.5)
        try model.refresh(at: date("2026-11-25T10:00:00+01:00"))
        #expect(model.items.first { $0.id == "diary#1" }?.state == .expired)
        #expect(model.adherence == 0.25)
    }

    @Test("nothing is noted where nothing is open")
    func notOpen() throws {
        let model = try model(now: "2026-11-22T10:00:00+01:00")
        #expect(try !model.complete("end", at: date("2026-11-22T11:00:00+01:00")))
        #expect(try !model.complete("nothing", at: date("2026-11-22T11:00:00+01:00")))
        #expect(model.completions.isEmpty && model.completed.isEmpty)
    }

    @Test("a model with the completions of another one is the same, and reminds of the same")
    func resuming() throws {
        let model = try model(now: "2026-11-23T10:00:00+01:00")
        try model.complete("diary", at: date("2026-11-23T11:00:00+01:00"))
        let again = try self.model(completions: model.completions, now: "2026-11-23T11:00:00+01:00")
        #expect(again.items == model.items && again.notifications() == model.notifications())
        #expect(!model.notifications().contains { $0.id.hasPrefix("diary#0#") })
        #expect(model.notifications(limit: 1).map(\.id) == ["diary#1#1"])
    }

    @Test("in another zone days begin at other moments, and what was done stays done")
    func zones() throws {
        let model = try model(now: "2026-11-23T10:00:00+01:00")
        try model.complete("diary", at: date("2026-11-23T10:00:00+01:00"))
        let auckland = try #require(TimeZone(identifier: "Pacific/Auckland"))
        try model.refresh(at: model.now, in: auckland)
        #expect(model.zone == auckland && model.completed.map(\.id) == ["diary#0"])
        #expect(
            model.items[1].occurrence.dueAt
                < (try self.model(now: "2026-11-23T10:00:00Z").items[1].occurrence.dueAt)
        )
    }

    @Test("a schedule without end is an error, and no half model")
    func tooManyOccurrences() throws {
        let tooMany = StudyError.tooLarge(
            what: "the occurrences of the schedule, counted up to the task t",
            limit: StudySchedule.maximumOccurrences
        )
        #expect(throws: tooMany) {
            try ScheduleModel(
                schedule(#"{"taskId": "t", "taskType": "survey", "repeats": "1h", "expires": "100y"}"#),
                enrolledAt: date("2026-11-22T09:00:00Z")
            )
        }
    }

    @Test("a view is told when something was done")
    func observing() async throws {
        let model = try model(now: "2026-11-23T10:00:00+01:00")
        try await confirmation { changed in
            withObservationTracking {
                _ = model.open
            } onChange: {
                changed()
            }
            try model.complete("diary", at: date("2026-11-23T11:00:00+01:00"))
        }
    }
}
