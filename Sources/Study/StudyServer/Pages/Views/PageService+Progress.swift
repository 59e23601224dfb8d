import Foundation
import IndivoBase
import StudyFormats
import StudyWarehouse
import WebServing

extension PageService {
    /// The weeks since the enrolment that a table has.
    private static let maximumRows = 104

    func progress(_ visit: PageVisit) async throws -> Response {
        let now = Date(timeIntervalSince1970: Double(today().seconds))
        let shown = try await progressCache.value(of: "progress") { [warehouse, schedule] in
            try await warehouse.transaction { try $0.publishedProgress(schedule, at: now) }
        }
        guard let progress = shown else {
            return frame(visit, section: "/progress").page(
                "Progress",
                "<p>Fewer than \(ShownCount.smallest) participants have enrolled yet.</p>"
            )
        }
        let sources = try await warehouse.read { try $0.questionSources() }
        let titles = Dictionary(firstOf: sources.map { ($0.name, $0.title) })
        let questionnaires = progress.answers.sorted { $0.key < $1.key }.compactMap { entry -> Markup? in
            // The name is a phone's, unless five have it.
            guard progress.respondents[entry.key] ?? 0 >= ShownCount.smallest else { return nil }
            let title = titles[ConceptNames.questionnaire(entry.key)] ?? entry.key
            return Self.answers(title, entry.value)
        }
        let tasks = (schedule?.tasks ?? []).compactMap { task -> Markup? in
            guard let weeks = progress.tasks[task.id], task.kind == .survey else { return nil }
            return Self.task(task.title ?? task.id, weeks)
        }
        let missing: Markup =
            schedule == nil
            ? """
            <p class="quiet">With the study’s schedule (indivo study pages --schedule) \
            what is due, late and missed is shown, too.</p>
            """ : .empty
        return frame(visit, section: "/progress").page(
            "Progress",
            """
            <section aria-labelledby="enrolment"><h2 id="enrolment">Enrolment</h2>\
            \(Self.enrolment(progress))</section>\(questionnaires)\(tasks)\(missing)
            <p class="quiet">Weeks are counted from each participant’s enrolment. All numbers stay as they \
            are until five participants enrolled, answered or left.</p>
            """
        )
    }

    /// The participants who had enrolled by the end of each week.
    private static func enrolment(_ progress: StudyProgress) -> Markup {
        let weeks = progress.enrolments
        guard let first = weeks.first, let last = weeks.last else { return .empty }
        let marks = weeks.enumerated().compactMap { index, week -> TimeChart.Mark? in
            let total = ShownCount(week.total)
            guard total != .fewerThanFive else { return nil }
            return TimeChart.Mark(
                .bar(0, Double(total.number)),
                over: index..<(index + 1),
                style: "received",
                words: "Week of \(week.monday): \(total)"
            )
        }
        let rows = weeks.reversed().map { week -> [Markup] in
            [
                "<time datetime=\"\(week.monday)\">\(week.monday)</time>",
                "\(ShownCount(week.total).description)",
            ]
        }
        let ticks = weeks.count > 1 ? [(0, first.monday), (weeks.count, last.monday)] : [(0, first.monday)]
        let chart = TimeChart.markup(
            title: "Participants by week",
            lead: "<strong>\(ShownCount(progress.participants).description)</strong> take part",
            time: 0..<weeks.count,
            ticks: ticks,
            marks: marks,
            table: PageTable(heads: ["Week of", "Enrolled by its end"], rows: rows)
        )
        return "<div class=\"charts wide\">\(chart)</div>"
    }

    private static func answers(_ title: String, _ weeks: [StudyProgress.Week]) -> Markup {
        let rows = weeks.prefix(maximumRows).enumerated().compactMap { index, week -> [Markup]? in
            let reached = ShownCount(week.reached)
            guard reached != .fewerThanFive else { return nil }
            let answered = ShownCount(week.answered)
            return [
                "\(index + 1)", "\(reached.description)", "\(answered.description)",
                meter(answered.number, of: reached.number),
            ]
        }
        let table = PageTable(
            heads: ["Week", "Participants in it", "Who answered", "Share"],
            rows: rows,
            empty: "No week has \(ShownCount.smallest) participants yet."
        )
        return "<section class=\"question\"><h2>\(title)</h2>\(table.markup)</section>"
    }

    private static func task(_ title: String, _ weeks: [StudyProgress.Due]) -> Markup {
        let rows = weeks.prefix(maximumRows).enumerated().compactMap { index, week -> [Markup]? in
            let total = ShownCount(week.total)
            guard total != .fewerThanFive else { return nil }
            let counts = [week.total, week.completed, week.due, week.late, week.missed]
            let cells = counts.map { count -> Markup in "\(ShownCount(count).description)" }
            return ["\(index + 1)"] + cells + [meter(ShownCount(week.completed).number, of: total.number)]
        }
        let table = PageTable(
            heads: ["Week", "Asked for", "Done", "Due today", "Late", "Missed", "Share done"],
            rows: rows,
            empty: "No week has \(ShownCount.smallest) that were due yet."
        )
        return "<section class=\"question\"><h2>Schedule: \(title)</h2>\(table.markup)</section>"
    }

    /// A part of a whole as a bar.
    private static func meter(_ part: Int, of whole: Int) -> Markup {
        """
        <svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">\
        <rect class="range" width="100" height="10"/><rect class="mark-answer" \
        width="\(min(100, part * 100 / max(1, whole)))" height="10"/></svg>
        """
    }
}
