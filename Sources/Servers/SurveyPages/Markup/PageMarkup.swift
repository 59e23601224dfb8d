import Surveys
import WebServing

/// Whole pages as responses.
struct PageMarkup {
    let title: String
    let words: PageWords
    /// The language of the questions.
    let language: String
    /// The address that pages begin with, and what leads back to where the survey is from.
    let base: String
    let home: (title: String, address: String)?

    func page(_ title: String, status: Int = 200, _ main: Markup) -> Response {
        let back: Markup? = home.map { "<a class=\"home\" href=\"\($0.address)\">\($0.title)</a>" }
        // The referrer policy is the frame's: the address of a response is a secret.
        var frame = PageFrame(site: self.title, bar: back ?? "<span class=\"home\">\(self.title)</span>")
        frame.language = language
        frame.base = base
        frame.bodyClass = "survey"
        frame.head = """
            <link rel="stylesheet" href="\(base)/survey.css">
            <script src="\(base)/survey.js" defer></script>

            """
        frame.lead = "<a class=\"skip\" href=\"#questions\">\(words.skip)</a>\n"
        frame.mainAttributes = " id=\"questions\" class=\"narrow\" tabindex=\"-1\""
        frame.allowed = "; script-src 'self'; connect-src 'self'; media-src 'self'; form-action 'self'"
        return frame.page(title, status: status, main)
    }

    /// A page that reports what is wrong.
    func problem(_ title: String, _ text: String, status: Int) -> Response {
        page(
            title,
            status: status,
            """
            <p class="problem" role="alert">\(text)</p><p><a class="button primary" \
            href="\(base)/">\(words.begin)</a></p>
            """
        )
    }

    func done() -> Response {
        page(
            words.done,
            """
            <section aria-label="\(words.done)"><p>\(words.doneText)</p>\
            <p><a href="\(base)/">\(words.begin)</a></p></section>
            """
        )
    }
}

/// The form of one page of a survey.
struct FormMarkup {
    let visit: SurveyVisit
    let token: String
    let pageIndex: Int
    /// Parameters that links and forms keep, such as `?lang=de`.
    let query: String
    let page: PageMarkup
    /// The language that was asked for; nil for the questionnaire's own.
    let textLanguage: String?
    var notice: String?

    /// The items of the page, and what is wrong with them.
    private(set) var items: [FormItem] = []
    private var problems: [ItemOccurrence: [String]] = [:]
    private let pages: [SurveyPage]
    private let isChecked: Bool

    init(
        _ visit: SurveyVisit,
        token: String,
        pageIndex: Int,
        query: String,
        page: PageMarkup,
        textLanguage: String?,
        notice: String? = nil
    ) {
        self.visit = visit
        self.token = token
        self.query = query
        self.page = page
        self.textLanguage = textLanguage
        self.notice = notice
        pages = visit.session.pages
        self.pageIndex = max(0, min(pageIndex, pages.count - 1))
        guard pages.indices.contains(self.pageIndex) else {
            isChecked = false
            return
        }
        let shown = pages[self.pageIndex]
        items = FormWalk(session: visit.session, isShown: true).items(shown.occurrences)
        isChecked = items.first.map { visit.checkedPages.contains($0.name) } ?? false
        var problems: [ItemOccurrence: [String]] = [:]
        for problem in visit.session.problems(of: shown.occurrences) where problem.severity != .information {
            guard let occurrence = problem.occurrence else { continue }
            // What nobody has answered yet is no problem before the person wants to go on.
            let isAboutMissing = problem.code == "required" || problem.code == "tooFew"
            let text = problem.text(in: page.words.phrases)
            if isChecked || !isAboutMissing, problems[occurrence]?.contains(text) != true {
                problems[occurrence, default: []].append(text)
            }
        }
        for item in items {
            item.forEach { item in
                if visit.unreadable[item.name] != nil {
                    problems[item.occurrence] = [Self.unreadable(item, page.words)]
                }
                if visit.refusedFiles.contains(item.name) {
                    problems[item.occurrence] = [page.words.fileTooLarge]
                }
            }
        }
        self.problems = problems
    }

    /// The names of the questions on the page.
    var questionNames: Set<String> {
        var names: Set<String> = []
        for item in items {
            item.forEach { if $0.item.isQuestion, !$0.item.isReadOnly { names.insert($0.name) } }
        }
        return names
    }

    private static func unreadable(_ item: FormItem, _ words: PageWords) -> String {
        switch item.control {
        case .number(let isWhole, _): isWhole ? words.unreadableWhole : words.unreadableNumber
        case .quantity: words.unreadableNumber
        case .date, .dateTime: words.unreadableDate
        case .time: words.unreadableTime
        default: words.unreadable
        }
    }

    /// Whether something on the page keeps it from being complete.
    var hasProblems: Bool { pages.indices.contains(pageIndex) && visit.hasProblems(on: pages[pageIndex]) }

    func response(status: Int = 200) -> Response {
        guard !pages.isEmpty else { return page.problem(page.title, page.words.nothing, status: 200) }
        return page.page(page.title, status: status, form)
    }

    /// What the script asks for after each answer.
    func fragment() -> Response {
        Response(type: "text/html; charset=utf-8", text: form.description).adding("Cache-Control", "no-store")
            .adding("X-Content-Type-Options", "nosniff")
    }

    private var form: Markup {
        let words = page.words
        let isLast = pageIndex >= pages.count - 1
        let progress = visit.session.progress
        let content = ItemMarkup(
            visit: visit,
            words: words,
            language: textLanguage,
            base: page.base,
            problems: problems
        ).markup(items)
        let notice: Markup =
            notice.map { "<p class=\"note\" role=\"status\" id=\"notice\">\($0)</p>" } ?? .empty
        let back: Markup =
            pageIndex == 0 ? .empty : "<button name=\"action\" value=\"back\">\(words.back)</button>"
        return """
            <form method="post" action="\(page.base)/responses/\(token)\(query)" \
            enctype="multipart/form-data" id="survey" novalidate>
            <button hidden name="action" value="\(isLast ? "send" : "next" as Markup)">\(words.next)</button>
            <input type="hidden" name="form" value="\(RandomFormName.make())">
            <input type="hidden" name="revision" value="\(visit.saves.revision)">
            <input type="hidden" name="page" value="\(pageIndex + 1)">
            <input type="hidden" name="zone" value="">
            <div class="progress"><progress max="\(max(1, progress.questions))" value="\(progress.answered)" \
            aria-label="\(PageWords.fill(words.answered, progress.answered, progress.questions))"></progress>
            <p role="status" id="progress">\(PageWords.fill(words.page, pageIndex + 1, pages.count)) · \
            \(PageWords.fill(words.answered, progress.answered, progress.questions))</p></div>
            \(notice)\(summary)
            <section aria-label="\(PageWords.fill(words.page, pageIndex + 1, pages.count))" \
            id="items">\(content)</section>
            <div class="choices buttons"><button class="primary" name="action" \
            value="\(isLast ? "send" : "next" as Markup)">\
            \(isLast ? words.send : words.next)</button>\(back)</div>
            <p class="quiet small" id="saved">\(visit.saves.revision > 0 ? words.saved : "")</p>
            </form>
            """
    }

    /// The problems of a page that was to be left, with links to what they are about.
    private var summary: Markup {
        guard isChecked, !problems.isEmpty else { return .empty }
        var lines: [Markup] = []
        for item in items {
            item.forEach { item in
                guard let texts = problems[item.occurrence], lines.count < 50 else { return }
                let label = String(item.item.label(in: textLanguage).prefix(80))
                lines.append(
                    """
                    <li><a href="#\(item.name)">\(label.isEmpty ? item.item.linkId : label)</a>: \
                    \(texts.joined(separator: " "))</li>
                    """
                )
            }
        }
        return """
            <div class="problem summary" role="alert" \
            id="summary"><h2>\(page.words.problems)</h2><ul>\(lines)</ul></div>
            """
    }
}
