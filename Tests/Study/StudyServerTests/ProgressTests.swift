import FHIR
import Foundation
import StudyFormats
import StudyWarehouse
import Testing

@testable import StudyServer

/// Who enrolled when, answered in which week, and is due.
@Suite struct ProgressTests {
    private static let diary = "http://example.org/Questionnaire/diary"

    private func date(_ text: String) throws -> Date { try #require(FHIRDateTime(text: text)?.instant) }

    private func course(_ name: String, enrolled: String, _ answered: [String]) throws -> ParticipantTimeline
    {
        ParticipantTimeline(
            pseudonym: name,
            enrolled: try date(enrolled),
            responses: try answered.map { .init(questionnaire: Self.diary, date: try date($0)) }
        )
    }

    private func schedule() throws -> StudySchedule {
        try StudySchedule(
            parsing: Array(
                """
                {"tasks": [
                 {"taskId": "consent", "taskType": "consent"},
                 {"taskId": "diary", "taskType": "survey", "repeats": "7d", "expires": "21d", "delayMax": "3d"}]}
                """.utf8
            )
        )
    }

    private func counted(
        _ courses: [ParticipantTimeline],
        _ schedule: StudySchedule? = nil,
        at now: String
    ) throws -> StudyProgress {
        var progress = StudyProgress()
        for course in courses { try progress.add(course, schedule, at: try date(now)) }
        progress.finish()
        return progress
    }

    @Test("each week counts who reached it and who answered in it, once")
    func weeks() throws {
        let progress = try counted(
            [
                // Twice in the first week, and in the third.
                course(
                    "a",
                    enrolled: "2026-03-02T08:00:00Z",
                    ["2026-03-02T09:00:00Z", "2026-03-09T07:59:59Z", "2026-03-16T08:00:00Z"]
                ),
                course("b", enrolled: "2026-03-08T23:59:59Z", ["2026-03-09T00:00:00Z"]),
                course("c", enrolled: "2026-03-16T00:00:00Z", []),
                // Later than now.
                course("d", enrolled: "2026-03-18T00:00:00Z", ["2026-03-18T01:00:00Z"]),
            ],
            at: "2026-03-17T00:00:00Z"
        )
        #expect(progress.participants == 3)
        #expect(progress.enrolments.map(\.monday) == ["2026-03-02", "2026-03-09", "2026-03-16"])
        #expect(progress.enrolments.map(\.new) == [2, 0, 1])
        #expect(progress.enrolments.map(\.total) == [2, 2, 3])
        let weeks = try #require(progress.answers[Self.diary])
        #expect(weeks.map(\.reached) == [3, 2, 1])
        #expect(weeks.map(\.answered) == [2, 0, 1])
        #expect(progress.respondents == [Self.diary: 2])
    }

    @Test("what the schedule asked for is done, due, late or missed in its week")
    func tasks() throws {
        let courses = [
            // Done, missed, late: the third was due yesterday.
            try course("a", enrolled: "2026-03-02T08:00:00Z", ["2026-03-03T09:00:00Z"]),
            // Done, and the second is due today.
            try course("b", enrolled: "2026-03-10T08:00:00Z", ["2026-03-10T09:00:00Z"]),
        ]
        let progress = try counted(courses, schedule(), at: "2026-03-17T12:00:00Z")
        let weeks = try #require(progress.tasks["diary"])
        #expect(weeks.map(\.completed) == [2, 0, 0])
        #expect(weeks.map(\.missed) == [0, 1, 0])
        #expect(weeks.map(\.due) == [0, 1, 0])
        #expect(weeks.map(\.late) == [0, 0, 1])
        #expect(progress.tasks["consent"]?.map(\.completed) == [2])

        let open = try courses.flatMap {
            try StudyProgress.open($0, try schedule(), at: try date("2026-03-17T12:00:00Z"))
        }
        #expect(open.map(\.pseudonym) == ["a", "b"])
        #expect(open.map(\.state) == [.late, .due])
        #expect(open.map { "\($0.occurrence.dueDay)" } == ["2026-03-16", "2026-03-17"])
    }

    @Test("questionnaires of the schedule are counted, whatever else is sent")
    func countedQuestionnaires() throws {
        let invented = (0..<StudyProgress.maximumQuestionnaires).map { "http://example.org/q/\($0)" }
        let counted = StudyProgress.questionnaires(of: invented + [Self.diary], try schedule())
        #expect(counted.contains(Self.diary) && counted.count == StudyProgress.maximumQuestionnaires)
        let others = StudyProgress.questionnaires(of: invented + [Self.diary], nil)
        #expect(others == Set(invented))
    }

    @Test("an answer that says its day alone counts from the day of the enrolment on")
    func days() throws {
        let progress = try counted(
            [
                course(
                    "a",
                    enrolled: "2026-03-02T08:00:00Z",
                    ["2026-03-02T00:00:00Z", "2026-03-01T23:59:59Z"]
                )
            ],
            at: "2026-03-03T00:00:00Z"
        )
        #expect(progress.answers[Self.diary]?.map(\.answered) == [1])
    }

    @Test("questionnaires that one participant invents do not hide those of several")
    func invented() async throws {
        let warehouse = try Warehouse(nil)
        try await fill(warehouse)
        let now = WarehouseTime(FHIRDateTime("2026-03-17T00:00:00Z"))
        let own = Given.response(UUID(), 1, authored: "2026-03-02T10:00:00Z")
        let sets = try (0..<StudyProgress.maximumQuestionnaires + 20).map { number in
            let text = own.replacing("Questionnaire/diary", with: "Questionnaire/a\(number)")
            let response = try QuestionnaireResponse(parsing: text)
            return try ResponseMapper().map(response, visit: "i\(number)", received: "2026-03-17T00:00:00Z")
        }
        try await warehouse.transaction { db in
            let participant = try db.participant("digest-1", now: now)
            for (number, var set) in sets.enumerated() {
                set.visit.id = "invented \(number)"
                try db.store([set], of: participant, label: "m", written: now, now: now)
            }
        }
        let progress = try await warehouse.read { try $0.progress(at: try self.date("2026-03-17T00:00:00Z")) }
        #expect(progress.respondents[Self.diary] == 5)
        #expect(progress.answers.count == StudyProgress.maximumQuestionnaires)
    }

    @Test("more years than are counted end in the last week, and nothing is lost")
    func bounds() throws {
        let progress = try counted(
            [
                course("a", enrolled: "1990-01-01T00:00:00Z", ["2026-03-01T00:00:00Z"]),
                course("b", enrolled: "2026-02-01T00:00:00Z", []),
            ],
            at: "2026-03-17T00:00:00Z"
        )
        let weeks = try #require(progress.answers[Self.diary])
        #expect(weeks.count == StudyProgress.maximumWeeks && weeks.last?.answered == 1)
        #expect(progress.enrolments.count == StudyProgress.maximumWeeks)
        #expect(progress.enrolments.first?.total == 1 && progress.enrolments.last?.total == 2)
    }

    /// Six people with a consent, of whom the last withdrew; each answered as often as their number says.
    private func fill(_ warehouse: Warehouse) async throws {
        let now = WarehouseTime(FHIRDateTime("2026-03-17T00:00:00Z"))
        for person in 1...6 {
            var sets: [FactSet] = []
            for answer in 0..<person {
                let authored = "2026-03-01T1\(answer):00:00Z"
                let text = Given.response(UUID(), 100 * person + answer, authored: authored)
                let response = try QuestionnaireResponse(parsing: text)
                sets.append(
                    try ResponseMapper().map(response, visit: "v\(answer)", received: "2026-03-17T00:00:00Z")
                )
            }
            let all = sets
            try await warehouse.transaction { db in
                try db.keepConsent(
                    of: "digest-\(person)",
                    message: "m-\(person)",
                    signed: WarehouseTime(FHIRDateTime("2026-03-01T09:00:00Z")),
                    version: "1",
                    shares: true
                )
                let participant = try db.participant("digest-\(person)", now: now)
                for set in all {
                    try db.store([set], of: participant, label: "m", written: now, now: now)
                }
                if person == 6 { try db.withdraw("digest-6", now: now) }
            }
        }
    }

    @Test("the warehouse gives the courses of those who take part, in order")
    func courses() async throws {
        let warehouse = try Warehouse(nil)
        try await fill(warehouse)
        let courses = try await warehouse.read { db in
            var courses: [ParticipantTimeline] = []
            try db.eachCourse { courses.append($0) }
            return courses
        }
        #expect(courses.map(\.responses.count) == [1, 2, 3, 4, 5])
        let enrolled = try date("2026-03-01T09:00:00Z")
        #expect(courses.allSatisfy { $0.enrolled == enrolled })
        let last = try #require(courses.last)
        #expect(Set(last.responses.map(\.questionnaire)) == [Self.diary])
        #expect(last.responses.map(\.date) == last.responses.map(\.date).sorted())
        #expect(last.responses.first?.date == (try date("2026-03-01T10:00:00Z")))
    }

    @Test("who stopped counts until then, and is asked for nothing more", arguments: StoreKind.allCases)
    func stopped(kind: StoreKind) async throws {
        let warehouse = try await kind.warehouse()
        try await fill(warehouse)
        let stop = WarehouseTime(FHIRDateTime("2026-03-09T00:00:00Z"))
        let now = try date("2026-03-30T00:00:00Z")
        let before = try await warehouse.read { try $0.progress(at: now) }
        let marks = try await warehouse.read { try $0.timelineFingerprints() }
        try await warehouse.transaction { try $0.stop("digest-5", at: stop) }
        let after = try await warehouse.read { try $0.progress(at: now) }
        #expect(before.participants == 5 && after.participants == 4)
        #expect(after.enrolments == before.enrolments)
        #expect(after.answers[Self.diary]?.map(\.answered).first == 5)
        #expect(after.answers[Self.diary]?.map(\.reached) == [5, 5, 4, 4, 4])
        let changed = try await warehouse.read { try $0.timelineFingerprints() }
        #expect(changed.count == 5 && changed.count { marks[$0.key] != $0.value } == 1)
        let courses = try await warehouse.read { db in
            var courses: [ParticipantTimeline] = []
            try db.eachCourse { courses.append($0) }
            return courses
        }
        let last = try #require(courses.last)
        #expect(last.stopped == (try date("2026-03-09T00:00:00Z")))
        let schedule = try schedule()
        #expect(try StudyProgress.open(last, schedule, at: now).isEmpty)
        var counted = StudyProgress()
        try counted.add(last, schedule, at: now)
        #expect(counted.tasks.values.joined().allSatisfy { $0.due == 0 && $0.late == 0 })
    }

    @Test("the page shows rounded numbers by week, and nobody's pseudonym")
    func page() async throws {
        let pages = try TestPages()
        var visitor = Visitor(pages)
        _ = await visitor.logIn()
        #expect(await visitor.get("/progress").text.contains("Fewer than 5 participants"))
        try await fill(pages.warehouse)
        pages.pass(31)
        let text = await visitor.get("/progress").text
        #expect(text.contains("<strong>5+</strong> take part"))
        #expect(
            text.contains(ConceptNames.questionnaire(Self.diary)) && text.contains("<th scope=\"row\">1</th>")
        )
        let names = try await pages.warehouse.read { db in
            var names: [String] = []
            try db.eachCourse { names.append($0.pseudonym) }
            return names
        }
        #expect(names.count == 5 && !names.contains { text.contains($0) })
    }
}
