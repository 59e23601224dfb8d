import StudyWarehouse
import WebServing

extension PageService {
    /// The most questions of a page.
    private static let maximumQuestions = 300

    func questionSources(_ visit: PageVisit) async throws -> Response {
        let sources = try await warehouse.read { try $0.questionSources() }
        let links = sources.map { source -> Markup in
            "<li><a href=\"\(base)/questions/\(source.name)\">\(source.title)</a></li>"
        }
        let list: Markup =
            links.isEmpty ? "<p>No questionnaire is known yet.</p>" : "<ul class=\"list\">\(links)</ul>"
        return frame(visit, section: "/questions").page(
            "Answers",
            "<section aria-label=\"Questionnaires\">\(list)</section>"
        )
    }

    func questions(_ visit: PageVisit, of name: String) async throws -> Response {
        // Names of the warehouse alone are asked for.
        guard
            let source = try await warehouse.read({ try $0.questionSources() }).first(where: {
                $0.name == name
            })
        else {
            return frame(visit).notFound
        }
        let questions = try await answers.value(of: source.name) { [warehouse] in
            try await warehouse.transaction { try $0.publishedQuestions(of: source.name) }
        }
        let charts = questions.prefix(Self.maximumQuestions).map { QuestionChart(question: $0).markup }
        let lead: Markup =
            questions.isEmpty
            ? "<p>Nobody has answered yet, or too few have.</p>"
            : """
            <p class="quiet">Participants are counted once for each answer. Of numbers a participant's mean \
            counts; lowest and highest are numbers that five participants reach or pass, so that nobody is \
            known by an unusual one. Numbers have two significant digits; 10+ are 10 to 14 participants. \
            All of them stay as they are until five participants gave something new.</p>
            """
        let more: Markup =
            questions.count > Self.maximumQuestions
            ? "<p>The first \(Self.maximumQuestions) of \(questions.count) questions.</p>" : .empty
        return frame(visit, section: "/questions").page(source.title, "\(lead)\(charts)\(more)")
    }

    // MARK: The map

    func map(_ visit: PageVisit) async throws -> Response {
        let states = try await warehouse.transaction { try $0.publishedStates() }.mapValues { ShownCount($0) }
        let rows = states.filter { $0.value != .fewerThanFive }.sorted { $0.key < $1.key }.map {
            state -> [Markup] in
            ["\(state.key)", "\(state.value.description)"]
        }
        let table = PageTable(
            heads: ["State", "Participants"],
            rows: rows,
            empty: "No state has \(ShownCount.smallest) yet."
        )
        return frame(visit, section: "/map").page(
            "Map",
            """
            <section aria-labelledby="states"><h2 id="states">Participants by state</h2>
            <img class="map" src="\(base)/map.svg" alt="A map of squares; the table has its numbers" \
            width="496" height="364">
            \(table.markup)</section>
            """
        )
    }

    func mapPicture() async throws -> Response {
        let states = try await warehouse.transaction { try $0.publishedStates() }
        return Response(type: "image/svg+xml", text: ParticipationMap(states).svg).adding(
            "Cache-Control",
            "no-store"
        )
        .adding("Content-Security-Policy", "default-src 'none'").adding("X-Content-Type-Options", "nosniff")
    }
}

/// The answers to a question, as bars in a table.
struct QuestionChart {
    let question: QuestionSummary

    var markup: Markup {
        var parts = Markup.empty
        if !question.choices.isEmpty { parts += choices }
        if !question.numbers.isEmpty { parts += numbers }
        if let others = question.others {
            parts += "<p>Answered otherwise, such as in own words: \(others.description) participants.</p>"
        }
        return "<section class=\"question\"><h2>\(question.label)</h2>\(parts)</section>"
    }

    private var choices: Markup {
        let most = max(question.choices.map(\.count.number).max() ?? 0, 1)
        let rows = question.choices.map { choice -> [Markup] in
            let width = choice.count.number * 100 / most
            let bar: Markup = """
                <svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">\
                <rect class="range" width="100" height="10"/><rect class="mark-answer" width="\(width)" \
                height="10"/></svg>
                """
            return ["\(choice.label)", "\(choice.count.description)", bar]
        }
        return PageTable(heads: ["Answer", "Participants", "Compared"], rows: rows).markup
    }

    private var numbers: Markup {
        let rows = question.numbers.map { numbers -> [Markup] in
            [
                "\(numbers.unit.isEmpty ? "Number" : numbers.unit)", "\(numbers.participants.description)",
                "\(Chart.text(numbers.median))",
                PageTable.cell(numbers.range.map { Chart.text($0.lowerBound) }),
                PageTable.cell(numbers.range.map { Chart.text($0.upperBound) }), Self.range(numbers),
            ]
        }
        return PageTable(
            heads: ["Unit", "Participants", "Median", "Lowest", "Highest", "Compared"],
            rows: rows
        )
        .markup
    }

    /// Where the median lies between lowest and highest.
    private static func range(_ numbers: QuestionSummary.Numbers) -> Markup {
        guard let range = numbers.range, range.lowerBound < range.upperBound else { return "–" }
        let position = (numbers.median - range.lowerBound) / (range.upperBound - range.lowerBound)
        let x = Int((min(max(position, 0), 1) * 98).rounded())
        return """
            <svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">\
            <rect class="range" width="100" height="10"/><rect class="mark-answer" x="\(x)" width="2" \
            height="10"/></svg>
            """
    }
}
