import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import Surveys
import Synchronization
import WebServing

/// A survey as pages of a server: each response has an address of its own, which nobody guesses, and is saved
/// page by page.
///
/// | address | what it is |
/// |---|---|
/// | `/` | leads to a new response |
/// | `/responses/TOKEN?page=2` | a page of it; forms are sent there |
/// | `/survey.css`, `/survey.js`, `/media/3` | files |
///
/// Nothing is kept for a page that is only opened: a response begins with its first form.
package struct SurveyPages: Sendable {
    private let survey: Survey
    private let base: String
    private let home: (title: String, address: String)?
    private let logout: String?
    private let given: SurveySession?
    private let store: any SurveyResponseStore
    private let context: @Sendable () -> SurveyContext
    private let subject: String?
    private let person: String?
    private let now: @Sendable () -> Date
    private let languages: Set<String>
    let registry: VisitRegistry
    private let searcher: OptionSearcher
    /// A session with initial values, and when it was made.
    private let initial = Cache()

    private final class Cache: Sendable {
        let session = Mutex<(session: SurveySession, made: Date)?>(nil)
    }

    /// - Parameters:
    ///   - base: What addresses begin with, without a slash at the end.
    ///   - home: Where the survey is from, on the same server.
    ///   - subject: A reference to whom the responses are about.
    ///   - initial: The session that a response begins with; without one, the survey's initial values.
    ///   - person: What names the person who uses the pages in this browser now. Each form carries it, and a
    ///     form that was shown to another person is refused.
    ///   - search: Finds codes of value sets that are too large to be listed.
    ///   - searchTime: How long a search may take.
    ///   - logout: The address of the page that ends the login, if there is one.
    package init(
        _ survey: Survey,
        base: String = "",
        home: (title: String, address: String)? = nil,
        store: any SurveyResponseStore,
        subject: String? = nil,
        context: @escaping @Sendable () -> SurveyContext = { SurveyContext() },
        initial: SurveySession? = nil,
        person: String? = nil,
        logout: String? = nil,
        search: OptionSearch.Function? = nil,
        searchTime: Duration = .seconds(8),
        now: @escaping @Sendable () -> Date = { Date() },
        maximumVisits: Int = 500
    ) {
        self.survey = survey
        self.base = base
        self.home = home
        self.logout = logout
        given = initial
        self.store = store
        self.subject = subject
        self.person = person
        self.context = context
        self.now = now
        registry = VisitRegistry(maximumVisits: maximumVisits)
        searcher = OptionSearcher(search, time: searchTime)
        var languages: Set<String> = []
        for item in survey.items where languages.count < 50 {
            languages.formUnion((item.text?.translations ?? [:]).keys)
        }
        self.languages = languages
    }

    private typealias Page = @Sendable (SurveyPages, Request, [String: String], Language) async -> Response?

    private static let routes = RouteTable<Page>([
        .get("/") { pages, _, _, language in
            let query: String = language.query.isEmpty ? "" : "&" + language.query.dropFirst()
            return .seeOther("\(pages.base)/responses/\(RandomToken.make())?begin\(query)")
                .adding("Cache-Control", "no-store")
        },
        .get("/responses/{token}") { pages, request, captures, language in
            guard let token = captures["token"], RandomToken.isToken(token) else { return nil }
            return await pages.get(request, token, language)
        },
        .post("/responses/{token}") { pages, request, captures, language in
            guard let token = captures["token"], RandomToken.isToken(token) else { return nil }
            return await pages.post(request, token, language)
        },
        .get("/survey.css") { _, _, _, _ in
            PageAssets.file(SurveyStyle.text, type: "text/css; charset=utf-8")
        },
        .get("/survey.js") { _, _, _, _ in
            PageAssets.file(SurveyScript.text, type: "text/javascript; charset=utf-8")
        },
        .get("/media/{item}") { pages, _, captures, _ in pages.media(captures) },
        .get("/media/{item}/{option}") { pages, _, captures, _ in pages.media(captures) },
        .get("/{file}") { _, _, captures, _ in PageAssets.response(captures["file"] ?? "") },
    ])

    /// Responds to a request for a path below the base.
    package func respond(to request: Request, _ path: [String]) async -> Response {
        let language = chosenLanguage(request)
        let page = pageMarkup(language)
        switch Self.routes.match(request.method, path) {
        case .found(let endpoint, let captures):
            return await endpoint(self, request, captures, language)
                ?? page.problem(survey.heading, page.words.unknown, status: 404)
        case .otherMethod(let allowed, _):
            return page.problem(survey.heading, page.words.unusable, status: 405).adding("Allow", allowed)
        case .nothing: return page.problem(survey.heading, page.words.unknown, status: 404)
        }
    }

    // MARK: Showing

    private func get(_ request: Request, _ token: String, _ language: Language) async -> Response {
        let query = request.rawQuery.split(separator: "&")
        let number = query.first { $0.hasPrefix("page=") }.flatMap { Int($0.dropFirst(5).prefix(6)) }
        let begins = query.contains("begin")
        let page = pageMarkup(language)
        return await registry.use(token) { known in
            do {
                guard let visit = try await self.visit(known, token) else {
                    guard begins else {
                        return (page.problem(survey.heading, page.words.unknown, status: 404), nil)
                    }
                    return (form(SurveyVisit(newSession()), token, 0, language).response(), nil)
                }
                if visit.isComplete { return (page.done(), visit) }
                let index = number.map { $0 - 1 } ?? (begins ? 0 : visit.form.session.pageIndex)
                return (form(visit, token, index, language).response(), visit)
            } catch {
                return (notStored(error, page), SurveyStoreRefusal.keeps(known, after: error))
            }
        }
    }

    private func form(
        _ visit: SurveyVisit,
        _ token: String,
        _ index: Int,
        _ language: Language,
        notice: String? = nil
    ) -> FormMarkup {
        FormMarkup(
            visit,
            token: token,
            pageIndex: index,
            query: language.query,
            page: pageMarkup(language),
            textLanguage: language.text,
            person: person,
            notice: notice
        )
    }

    /// The visit of a response: from memory, or from the store; `nil` if it has not begun.
    private func visit(_ known: SurveyVisit?, _ token: String) async throws -> SurveyVisit? {
        if let known { return known }
        guard let response = try await store.response(token) else { return nil }
        return SurveyVisit(restoring: response, survey: survey, context: context())
    }

    /// A session with initial values. It is made anew each minute, so that `today()` is today.
    private func newSession() -> SurveySession {
        if let given { return given }
        let now = now()
        return initial.session.withLock { cached in
            if let cached, abs(now.timeIntervalSince(cached.made)) < 60 { return cached.session }
            var session = SurveySession(survey, context: context())
            if let subject { session.header.subject = Reference(subject) }
            cached = (session, now)
            return session
        }
    }

    // MARK: Forms

    private func post(_ request: Request, _ token: String, _ language: Language) async -> Response {
        let page = pageMarkup(language)
        guard request.isFromOwnPage else {
            return page.problem(survey.heading, page.words.foreign, status: 403)
        }
        guard let sent = SentForm(request) else {
            return page.problem(survey.heading, page.words.unusable, status: 400)
        }
        // Before the response is locked, for which other requests wait.
        let found = await searcher.searches(of: sent, token, in: survey, language: language.text)
        return await registry.use(token) { known in
            do {
                guard person == nil || sent["person"] == person else {
                    throw SurveyStoreRefusal.openElsewhere
                }
                let stored = try await self.visit(known, token)
                var (response, visit) = try await answer(sent, found, stored, token, language)
                visit?.form.searches = [:]
                visit?.focus = nil
                return (response, visit)
            } catch {
                // The content of the form stays in the browser.
                return (notStored(error, page), SurveyStoreRefusal.keeps(known, after: error))
            }
        }
    }

    private func notStored(_ error: any Error, _ page: PageMarkup) -> Response {
        switch error as? SurveyStoreRefusal {
        case .openElsewhere: page.problem(survey.heading, page.words.openElsewhere, status: 409)
        case .refused: page.problem(survey.heading, page.words.refused, status: 502)
        case nil: page.problem(survey.heading, page.words.notStored, status: 503)
        }
    }

    /// Processes a form. Returns the response to it, and the visit as it is afterwards.
    private func answer(
        _ sent: SentForm,
        _ found: [PresentedItem.ID: PresentedSearch],
        _ stored: SurveyVisit?,
        _ token: String,
        _ language: Language
    ) async throws -> (Response, SurveyVisit?) {
        let words = pageMarkup(language).words
        let isExpired = stored == nil && sent.revision > 0
        var visit = stored ?? SurveyVisit(newSession())
        let pageIndex = visit.pageIndex(of: sent, visit.form.session.pages)
        visit.form.searches = found
        let change = visit.apply(
            sent,
            words: words,
            language: language.text,
            searcher: searcher,
            now: now()
        )

        if let stored, stored.isComplete {
            // The same form once more, or another one.
            let page = pageMarkup(language)
            return (
                change.isChanged
                    ? page.problem(words.done, words.late, status: 409) : .seeOther(address(token, language)),
                stored
            )
        }
        if sent["action"] == "preview" {
            // The form is only shown, and not saved: a page is saved as a whole.
            return (form(visit, token, pageIndex, language).fragment(), stored)
        }
        if let stored, let refusal = refusal(of: sent, stored, visit, change, token, pageIndex, language) {
            return (refusal, stored)
        }
        let isMissingQuestions = visit.isMissingQuestions(of: sent)
        visit.saves.save(sent, questions: change.questions)
        visit.form.go(to: pageIndex)
        var response = try act(sent, &visit, change.questions, token, pageIndex, isExpired, language)
        if isMissingQuestions, !visit.isComplete {
            response = form(visit, token, pageIndex, language, notice: words.notAsked).response()
        }
        try await store.save(visit.stored(id: token, authored: now()), id: token)
        return (response, visit)
    }

    /// Why a form is refused that was shown before another one was saved; `nil` if nothing of that one is
    /// lost.
    private func refusal(
        of sent: SentForm,
        _ stored: SurveyVisit,
        _ applied: SurveyVisit,
        _ change: SurveyVisit.FormChange,
        _ token: String,
        _ pageIndex: Int,
        _ language: Language
    ) -> Response? {
        let words = pageMarkup(language).words
        if stored.saves.hasReshaped(sent) { return .seeOther(address(token, language, page: pageIndex)) }
        guard stored.saves.isOutdated(sent), change.isChanged || sent.isAboutRepetitions else { return nil }
        // The names of the questions now belong to other repetitions: nothing of the form is shown there.
        let isReshaped = stored.saves.isReshaped(sent)
        var notice = isReshaped ? words.reshaped : words.conflict
        if !isReshaped, applied.isMissingQuestions(of: sent) { notice += " " + words.notAsked }
        return form(isReshaped ? stored : applied, token, pageIndex, language, notice: notice)
            .response(status: 409)
    }

    /// Does what the form's button stands for.
    private func act(
        _ sent: SentForm,
        _ visit: inout SurveyVisit,
        _ questions: [String],
        _ token: String,
        _ pageIndex: Int,
        _ isExpired: Bool,
        _ language: Language
    ) throws -> Response {
        let words = pageMarkup(language).words
        var action = (sent["action"] ?? "next").split(separator: " ", maxSplits: 1).map(String.init)
        if ["next", "send"].contains(action.first), let name = sent.unsearched { action = ["find", name] }
        if action.count == 2, visit.form.occurrence(action[1]) != nil {
            var anchor = action[1]
            switch action[0] {
            case "find":
                visit.focus = anchor
                return form(visit, token, pageIndex, language, notice: isExpired ? words.expired : nil)
                    .response()
            case "add":
                if let new = visit.form.addRepetition(after: anchor) {
                    anchor = new
                    visit.saves.reshape(sent, questions: questions)
                }
            case "remove":
                if visit.form.removeRepetition(anchor) { visit.saves.reshape(sent, questions: questions) }
            case "clear":
                visit.form.clear(anchor)
                visit.unreadable[anchor] = nil
            default: break
            }
            return .seeOther(address(token, language, page: pageIndex) + "#" + anchor)
        }
        let current = form(visit, token, pageIndex, language)
        if isExpired { return form(visit, token, pageIndex, language, notice: words.expired).response() }
        switch action.first {
        case "back":
            visit.form.back()
            return .seeOther(address(token, language, page: max(0, pageIndex - 1)))
        case "save": return .seeOther(address(token, language, page: pageIndex) + "#items")
        default: break
        }
        // Questions that were not on the form must be seen before the page is left.
        if !current.questionNames.isSubset(of: sent.asked) {
            return form(visit, token, pageIndex, language, notice: words.newQuestions).response()
        }
        switch visit.form.advance() {
        case .stopped:
            let index = visit.form.session.pageIndex
            // Problems of this page are shown with what was sent; those of an earlier one there.
            guard index == pageIndex else { return .seeOther(address(token, language, page: index)) }
            return form(visit, token, pageIndex, language).response(status: 422)
        case .moved: return .seeOther(address(token, language, page: visit.form.session.pageIndex))
        case .completed:
            visit.isComplete = true
            visit.form.session.header.status = .completed
            return .seeOther(address(token, language))
        }
    }

    private func address(_ token: String, _ language: Language, page: Int? = nil) -> String {
        var parameters = page.map { ["page=\($0 + 1)"] } ?? []
        if !language.query.isEmpty { parameters.append(String(language.query.dropFirst())) }
        return "\(base)/responses/\(token)"
            + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }

    // MARK: Languages and media

    /// The language of a request.
    private struct Language {
        /// The language of texts; `nil` for the questionnaire's own.
        var text: String?
        /// The part of addresses that keeps the language: `?lang=de`, or nothing.
        var query = ""
    }

    private func chosenLanguage(_ request: Request) -> Language {
        if let part = request.rawQuery.split(separator: "&").first(where: { $0.hasPrefix("lang=") }).map({
            String($0.dropFirst(5))
        }
        ),
            (2...20).contains(part.utf8.count),
            part.utf8.allSatisfy({ ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 == 0x2D })
        {
            return Language(text: part, query: "?lang=\(part)")
        }
        let own = survey.questionnaire.tree["language"]?.string
        for part in (request.header("Accept-Language") ?? "").prefix(200).split(separator: ",") {
            let code = part.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
            let name = code.prefix { $0 != "-" }
            if let own, own.prefix(while: { $0 != "-" }) == name { return Language() }
            if languages.contains(where: { $0.prefix { $0 != "-" } == name }) { return Language(text: code) }
        }
        return Language()
    }

    private func pageMarkup(_ language: Language) -> PageMarkup {
        let code = language.text ?? survey.questionnaire.tree["language"]?.string
        let isCode = code.map { (2...20).contains($0.utf8.count) } ?? false
        return PageMarkup(
            title: survey.title?.text(in: language.text) ?? "Survey",
            words: .words(code),
            language: isCode ? code ?? "en" : "en",
            base: base,
            home: home,
            logout: logout
        )
    }

    private func media(_ captures: [String: String]) -> Response? {
        guard let index = captures["item"].flatMap({ Int($0) }), survey.items.indices.contains(index) else {
            return nil
        }
        var media = survey.items[index].media
        if let number = captures["option"] {
            guard case .listed(let options)? = survey.items[index].format.options, let option = Int(number),
                options.indices.contains(option)
            else { return nil }
            media = options[option].media
        }
        guard let media, let type = SurveyMedia.type(media),
            let data = media.data.flatMap({ Data(base64Encoded: $0) })
        else {
            return nil
        }
        return Response(type: type, body: data).adding("Cache-Control", "max-age=600").adding(
            "X-Content-Type-Options",
            "nosniff"
        )
    }
}

// MARK: Logins

extension SurveyPages {
    /// Why somebody gets no page of a survey behind a login.
    package enum LoginProblem: Sendable {
        case loginIsOver, loginFailed, recordNotReached
    }

    /// A page that says why there is no other.
    package func problem(_ problem: LoginProblem, for request: Request, status: Int) -> Response {
        let page = pageMarkup(chosenLanguage(request))
        let text =
            switch problem {
            case .loginIsOver: page.words.loginIsOver
            case .loginFailed: page.words.loginFailed
            case .recordNotReached: page.words.recordNotReached
            }
        return page.problem(survey.heading, text, status: status)
    }

    /// A page that asks whether the login is to end.
    package func logoutPage(for request: Request, address: String) -> Response {
        let page = pageMarkup(chosenLanguage(request))
        return page.page(
            page.words.logOut,
            """
            <p>\(page.words.logOutText)</p><form method="post" action="\(address)">\
            <button class="primary">\(page.words.logOut)</button></form>
            """
        )
    }

    /// The page after that.
    package func loggedOutPage(for request: Request) -> Response {
        let page = pageMarkup(chosenLanguage(request))
        return page.page(page.words.logOut, "<p role=\"status\">\(page.words.loggedOut)</p>")
    }
}

extension Survey {
    /// The heading of a page about the survey as a whole.
    fileprivate var heading: String { title?.plain ?? "Survey" }
}
