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
    /// The page that ends the login, if there is one.
    var logout: String?

    func page(_ title: String, status: Int = 200, _ main: Markup) -> Response {
        let back: Markup? = home.map { "<a class=\"home\" href=\"\($0.address)\">\($0.title)</a>" }
        // The referrer policy is the frame's: the address of a response is a secret.
        let site: Markup = back ?? "<span class=\"home\">\(self.title)</span>"
        let leave: Markup = logout.map { "<a href=\"\($0)\">\(words.logOut)</a>" } ?? .empty
        var frame = PageFrame(site: self.title, bar: "\(site)\(leave)")
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
    /// Parameters that links and forms keep, such as `?lang=de`.
    let query: String
    let page: PageMarkup
    /// The language that was asked for; nil for the questionnaire's own.
    let textLanguage: String?
    /// What names the person whose response it is.
    let person: String?
    var notice: String?

    /// The page as it is drawn.
    private(set) var shown: PresentedPage

    init(
        _ visit: SurveyVisit,
        token: String,
        pageIndex: Int,
        query: String,
        page: PageMarkup,
        textLanguage: String?,
        person: String?,
        notice: String? = nil
    ) {
        self.person = person
        self.visit = visit
        self.token = token
        self.query = query
        self.page = page
        self.textLanguage = textLanguage
        self.notice = notice
        var form = visit.form
        form.phrases = page.words.phrases
        form.phrases.language = textLanguage
        shown = form.page(at: pageIndex)
    }

    /// The names of the questions on the page.
    var questionNames: Set<String> {
        Set(shown.allItems.filter { $0.control != nil }.map(\.id))
    }

    func response(status: Int = 200) -> Response {
        guard shown.count > 0 else { return page.problem(page.title, page.words.nothing, status: 200) }
        return page.page(page.title, status: status, form)
    }

    /// What the script asks for after each answer.
    func fragment() -> Response {
        Response(type: "text/html; charset=utf-8", text: form.description).adding("Cache-Control", "no-store")
            .adding("X-Content-Type-Options", "nosniff")
    }

    private var form: Markup {
        let words = page.words
        let isLast = shown.isLast
        let progress = shown.progress
        let content = ItemMarkup(
            visit: visit,
            words: words,
            language: textLanguage,
            base: page.base
        ).markup(shown.items)
        let notice: Markup =
            notice.map { "<p class=\"note\" role=\"status\" id=\"notice\">\($0)</p>" } ?? .empty
        let back: Markup =
            shown.isFirst ? .empty : "<button name=\"action\" value=\"back\">\(words.back)</button>"
        let person: Markup =
            person.map { "<input type=\"hidden\" name=\"person\" value=\"\($0)\">" } ?? .empty
        return """
            <form method="post" action="\(page.base)/responses/\(token)\(query)" \
            enctype="multipart/form-data" id="survey" novalidate>
            <button hidden name="action" value="\(isLast ? "send" : "next" as Markup)">\(words.next)</button>
            <input type="hidden" name="form" value="\(RandomFormName.make())">
            <input type="hidden" name="revision" value="\(visit.saves.revision)">
            <input type="hidden" name="page" value="\(shown.index + 1)">
            <input type="hidden" name="zone" value="">\(person)
            <div class="progress"><progress max="\(max(1, progress.questions))" value="\(progress.answered)" \
            aria-label="\(PageWords.fill(words.answered, progress.answered, progress.questions))"></progress>
            <p role="status" id="progress">\(PageWords.fill(words.page, shown.index + 1, shown.count)) · \
            \(PageWords.fill(words.answered, progress.answered, progress.questions))</p></div>
            \(notice)\(summary)
            <section aria-label="\(PageWords.fill(words.page, shown.index + 1, shown.count))" \
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
        let wrong = shown.allItems.filter { !$0.problems.isEmpty }
        guard shown.isChecked, !wrong.isEmpty else { return .empty }
        let lines = wrong.prefix(50).map { item -> Markup in
            let label = String(item.label.prefix(80))
            return """
                <li><a href="#\(item.id)">\(label.isEmpty ? item.item.linkId : label)</a>: \
                \(item.problems.joined(separator: " "))</li>
                """
        }
        return """
            <div class="problem summary" role="alert" \
            id="summary"><h2>\(page.words.problems)</h2><ul>\(lines)</ul></div>
            """
    }
}
