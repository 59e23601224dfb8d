import FHIR
import Foundation
import OrderedJSON
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// What is due when.
struct ScheduleTests {
    private let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    private func date(_ text: String) throws -> Date { try #require(FHIRDateTime(text: text)?.instant) }
    private func c3Pro(_ members: String) throws -> StudySchedule {
        try StudySchedule(
            parsing: Data(#"{"tasks": [{"taskId": "t", "taskType": "survey", \#(members)}]}"#.utf8)
        )
    }
    private func days(_ schedule: StudySchedule, _ enrolled: String, _ zone: TimeZone = .gmt) throws
        -> [String]
    {
        try schedule.occurrences(enrolledAt: date(enrolled), in: zone).map(\.dueDay.description)
    }

    @Test("the documented examples are read without a remark")
    func examples() throws {
        let schedule = try StudySchedule(parsing: FormatExamples.read("schedule"))
        #expect(schedule.warnings.isEmpty && schedule.activitySampleDays == 7)
        #expect(
            try days(schedule, "2026-01-31T12:00:00Z") == [
                "2026-01-31", "2026-01-31", "2026-02-07", "2026-02-14", "2026-02-21", "2026-02-28",
            ]
        )
        let plan = try StudySchedule(parsing: FormatExamples.read("plan"))
        #expect(plan.warnings.isEmpty && plan.tasks.map(\.delayMax) == [CalendarSpan(days: 3), nil])
        #expect(
            try days(plan, "2026-03-01T12:00:00Z") == [
                "2026-03-01", "2026-03-02", "2026-03-08", "2026-03-15", "2026-03-22", "2026-03-29",
            ]
        )
    }

    @Test("repeats count from the enrolment to the first after the end, and keep month ends")
    func repeats() throws {
        #expect(
            try days(c3Pro(#""repeats": "1m", "expires": "3m""#), "2024-01-31T00:00:00Z") == [
                "2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30",
            ]
        )
        #expect(
            try days(c3Pro(#""starts": "10d", "repeats": "7d", "expires": "20d""#), "2026-01-01T00:00:00Z")
                == ["2026-01-11", "2026-01-15", "2026-01-22"]
        )
        #expect(try days(c3Pro(#""starts": "1y 2m 3d""#), "2026-01-31T00:00:00Z") == ["2027-04-03"])
    }

    @Test("days are the participant's, and a day of summer time has 23 hours")
    func summerTime() throws {
        let schedule = try c3Pro(#""repeats": "1d", "expires": "2d", "delayMax": "1d""#)
        let occurrences = try schedule.occurrences(enrolledAt: date("2026-03-28T02:30:00+01:00"), in: berlin)
        #expect(occurrences.map(\.dueDay.description) == ["2026-03-28", "2026-03-29", "2026-03-30"])
        #expect(occurrences.map { $0.lateAt.timeIntervalSince($0.dueAt) } == [86_400, 82_800, 86_400])
        // 02:30 does not exist on the 29th: it is 03:30.
        #expect(occurrences[0].expiresAt == (try date("2026-03-29T03:30:00+02:00")))
        let autumn = try c3Pro(#""starts": "1d""#).occurrences(
            enrolledAt: date("2026-10-24T23:30:00Z"),
            in: berlin
        )
        #expect(autumn.map(\.dueDay.description) == ["2026-10-26"])
        // 02:30 comes twice on 25 October: the first.
        #expect(
            LocalTime(day: LocalTime(try date("2026-10-25T12:00:00Z"), in: berlin).day, second: 9_000).date(
                in: berlin
            ) == (try date("2026-10-25T02:30:00+02:00"))
        )
    }

    @Test("something is due on its day, late after it, and expired at the end")
    func states() throws {
        let one = try c3Pro(#""delayMax": "2d""#).occurrences(
            enrolledAt: date("2026-05-05T10:00:00Z"),
            in: .gmt
        )[0]
        for (time, state) in [
            ("2026-05-04T23:59:59Z", TaskOccurrence.State.upcoming), ("2026-05-05T00:00:00Z", .due),
            ("2026-05-05T23:59:59Z", .due),
            ("2026-05-06T00:00:00Z", .late), ("2026-05-07T09:59:59Z", .late),
            ("2026-05-07T10:00:00Z", .expired),
        ] { #expect(one.state(at: try date(time)) == state, "\(time)") }
    }

    @Test("one completion completes one occurrence, the earliest that was open")
    func completions() throws {
        let schedule = try c3Pro(#""repeats": "1d", "expires": "3d", "delayMax": "3d""#)
        func completed(_ times: [String]) throws -> [Bool] {
            try schedule.occurrences(
                enrolledAt: date("2026-05-05T10:00:00Z"),
                in: .gmt,
                completions: times.map { TaskCompletion(taskID: "t", date: try date($0)) }
            ).map { $0.completedAt != nil }
        }
        #expect(try completed(["2026-05-06T12:00:00Z"]) == [true, false, false, false])
        #expect(
            try completed(["2026-05-06T12:00:00Z", "2026-05-06T12:00:01Z", "2026-05-06T12:00:02Z"]) == [
                true, true, false, false,
            ]
        )
        #expect(try completed(["2026-05-04T12:00:00Z"]) == [false, false, false, false])
        #expect(try completed(["2026-05-08T11:00:00Z"]) == [false, true, false, false])
    }

    @Test("reminders are values: one when due, and daily until it is done")
    func notifications() throws {
        let schedule = try c3Pro(#""notificationType": "delayable", "delayMax": "3d""#)
        let enrolled = try date("2026-03-28T10:00:00+01:00")
        let occurrences = try schedule.occurrences(enrolledAt: enrolled, in: berlin)
        let reminders = schedule.notifications(
            occurrences,
            from: enrolled.addingTimeInterval(-86_400),
            in: berlin
        )
        #expect(
            reminders.map(\.date) == [
                try date("2026-03-28T09:00:00+01:00"), try date("2026-03-29T09:00:00+02:00"),
                try date("2026-03-30T09:00:00+02:00"),
                try date("2026-03-31T09:00:00+02:00"),
            ]
        )
        #expect(
            reminders.map(\.isReminder) == [false, true, true, true] && Set(reminders.map(\.id)).count == 4
        )
        let done = try schedule.occurrences(
            enrolledAt: enrolled,
            in: berlin,
            completions: [TaskCompletion(taskID: "t", date: enrolled)]
        )
        #expect(schedule.notifications(done, from: enrolled, in: berlin).isEmpty)
    }

    @Test("all tasks together have a bounded number of occurrences")
    func bounds() throws {
        let tasks = (0..<1_000).map {
            #"{"taskId": "\#($0)", "taskType": "survey", "repeats": "1d", "expires": "10000d"}"#
        }
        let schedule = try StudySchedule(
            parsing: Data(#"{"tasks": [\#(tasks.joined(separator: ","))]}"#.utf8)
        )
        func tooMany(_ task: String) -> StudyError {
            .tooLarge(
                what: "the occurrences of the schedule, counted up to the task \(task)",
                limit: StudySchedule.maximumOccurrences
            )
        }
        #expect(throws: tooMany("9")) {
            try schedule.occurrences(enrolledAt: date("2026-01-01T00:00:00Z"), in: .gmt)
        }
        let hourly = try c3Pro(#""starts": "100y", "repeats": "1h", "expires": "100y""#)
        #expect(throws: tooMany("t")) {
            var schedule = hourly
            schedule.tasks[0].expires = CalendarSpan(months: 1_200, days: 1)
            _ = try schedule.occurrences(enrolledAt: date("2026-01-01T00:00:00Z"), in: .gmt)
        }
        #expect(throws: StudyError.badInput(reason: "the enrolment is not in the years 1900 to 2200")) {
            try hourly.occurrences(enrolledAt: .distantFuture, in: .gmt)
        }
    }

    @Test("wrong schedules are refused with line and reason")
    func wrong() {
        for members in [
            #""repeats": "7d""#, #""repeats": "0d", "expires": "1y""#, #""starts": "7""#, #""starts": "7w""#,
            #""starts": "101y""#,
            #""starts": "1d 2d""#, #""starts": "-1d""#, #""notificationType": "often""#, #""starts": 7"#,
            #""starts": "9223372036854775807y""#,
        ] { #expect(throws: StudyFormatError.self, "\(members)") { try c3Pro(members) } }
        for text in [
            #"{}"#, #"{"tasks": [{"taskId": "a", "taskType": "game"}]}"#,
            #"{"tasks": [{"taskType": "survey"}]}"#,
            #"{"tasks": [{"taskId": "a", "taskType": "survey"}, {"taskId": "a", "taskType": "survey"}]}"#,
        ] { #expect(throws: StudyFormatError.self) { try StudySchedule(parsing: Data(text.utf8)) } }
    }

    @Test("timing of a PlanDefinition that is not understood is an error that names it")
    func planDefinition() throws {
        func problems(_ action: String) throws -> [String] {
            do {
                _ = try StudySchedule(
                    parsing: Data(
                        #"{"resourceType": "PlanDefinition", "action": [{"id": "a", \#(action)}]}"#.utf8
                    )
                )
                return []
            } catch let error as StudyFormatError { return error.problems.filter(\.isError).map(\.path) }
        }
        let after = #"{"actionId": "enrolment", "relationship": "after"}"#
        #expect(
            try problems(
                """
                "timingTiming": {"event": ["2026-01-01"], "repeat": {"period": 1, "periodUnit": "d", \
                "count": 2}}
                """
            ) == ["action[0].timingTiming.event"]
        )
        #expect(
            try problems(
                """
                "timingTiming": {"code": {"text": "BID"}, "repeat": {"period": 1, "periodUnit": "d", \
                "count": 2}}
                """
            ) == ["action[0].timingTiming.code"]
        )
        #expect(
            try problems(#""timingTiming": {"repeat": {"boundsDuration": {"value": 1, "code": "wk"}}}"#) == [
                "action[0].timingTiming.repeat"
            ]
        )
        #expect(
            try problems(
                """
                "timingTiming": {"repeat": {"period": 1, "periodUnit": "d", "count": 2, "dayOfWeek": ["mon"]}}
                """
            ) == ["action[0].timingTiming.repeat"]
        )
        #expect(try problems(#""relatedAction": [\#(after), \#(after)]"#) == ["action[0].relatedAction[1]"])
        #expect(try problems(#""timingDateTime": "2026-01-01""#) == ["action[0].timingDateTime"])
        #expect(
            try problems(
                #"""
                "relatedAction": [\#(after)], "timingTiming": {"repeat": {"period": 1, "periodUnit": "d", \#
                "count": 3}}
                """#
            ) == []
        )
        let three = try StudySchedule(
            parsing: Data(
                """
                {"resourceType": "PlanDefinition", "action": [{"id": "a", "timingTiming": {"repeat": \
                {"period": 1, "periodUnit": "mo", "count": 3}}}]}
                """
                .utf8
            )
        )
        #expect(try days(three, "2026-01-31T00:00:00Z") == ["2026-01-31", "2026-02-28", "2026-03-31"])
    }
}
