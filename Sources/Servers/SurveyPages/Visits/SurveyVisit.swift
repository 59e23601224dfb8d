import FHIR
import Foundation
import OrderedJSON
import Surveys

/// A response that somebody gives on the pages: the session, and what of the forms is no answer.
struct SurveyVisit: Sendable {
    /// The most bytes of texts and files of a response, the files in base64.
    static let maximumBytes = 14 << 20

    var session: SurveySession
    var isComplete = false
    /// Texts that are no answers, by the key of the item and the name of the field.
    var unreadable: [String: [String: String]] = [:]
    /// Items whose files were too large to be taken.
    var refusedFiles: Set<String> = []
    /// Pages whose unanswered questions are problems, by their key.
    var checkedPages: Set<String> = []
    var saves = SavedForms()

    init(_ session: SurveySession) {
        self.session = session
        isComplete = session.header.status == .completed
    }

    /// Goes on with a stored response.
    init(restoring response: QuestionnaireResponse, survey: Survey, context: SurveyContext) {
        var response = response
        let saves = SavedForms(takenFrom: &response.tree)
        self.init(SurveySession(survey, restoring: response, context: context))
        self.saves = saves
    }

    /// The response as it is stored: under its id, and until it is complete with the revision of its forms.
    func stored(id: String, authored: Date) -> QuestionnaireResponse {
        let status = isComplete ? QuestionnaireResponseStatus.completed : .inProgress
        var response = session.response(status, authored: FHIRDateTime(authored))
        response.tree["id"] = JSONValue(id)
        if !isComplete { saves.write(to: &response.tree) }
        return response
    }

    /// What it takes of memory, estimated.
    var cost: Int { session.survey.items.count * 600 + bytes }

    private var bytes: Int {
        var bytes = 0
        for item in FormWalk(session: session, isShown: false).items(session.roots) {
            item.forEach { bytes += Self.bytes($0.answers) }
        }
        return bytes
    }

    private static func bytes(_ answers: [SurveyAnswer]) -> Int {
        answers.reduce(0) { sum, answer in
            switch answer {
            case .string(let text): sum + text.utf8.count
            case .uri(let uri): sum + uri.rawValue.utf8.count
            case .attachment(let file): sum + (file.tree.member("data")?.string?.utf8.count ?? 0) + 200
            default: sum + 100
            }
        }
    }

    /// What a form did to a visit.
    struct FormChange {
        /// Whether it says something else than what was there.
        var isChanged = false
        /// The names of the questions that it asks and the survey has.
        var questions: [String] = []
    }

    /// Takes what a form says about the questions that it asked.
    mutating func apply(_ form: SentForm, now: Date) -> FormChange {
        let asked = form.asked
        var change = FormChange()
        guard !asked.isEmpty else { return change }
        var questions: [FormItem] = []
        var bytes = 0
        for item in FormWalk(session: session, isShown: false).items(session.roots) {
            item.forEach { item in
                bytes += Self.bytes(item.answers)
                if item.item.isQuestion, !item.item.isReadOnly, !item.item.isHidden, asked.contains(item.name)
                {
                    questions.append(item)
                }
            }
        }
        let reader = FormReader(form, now: now)
        change.questions = questions.map(\.name)
        for var question in questions {
            question.options = session.options(of: question.occurrence)
            question.control = FormControl(question.item, options: question.options)
            let reading = reader.read(question)
            let unread = reading.unreadable.isEmpty ? nil : reading.unreadable
            if reading.answers != question.answers || unreadable[question.name] != unread {
                change.isChanged = true
            }
            unreadable[question.name] = unread
            // What is stored counts as it will be: a file replaces the one before.
            let newBytes = bytes - Self.bytes(question.answers) + Self.bytes(reading.answers)
            guard newBytes <= max(Self.maximumBytes, bytes) else {
                refusedFiles.insert(question.name)
                continue
            }
            refusedFiles.remove(question.name)
            do {
                try session.answer(question.occurrence, with: reading.answers)
                bytes = newBytes
            } catch .noSuchItem {
                // The answer that it was under has gone with this form.
                continue
            } catch {
                unreadable[question.name, default: [:]][question.name] =
                    form[question.name + ".0"] ?? form[question.name] ?? ""
            }
        }
        return change
    }

    /// Whether a form that was shown before others were saved answers questions that are not asked any more.
    func isMissingQuestions(of form: SentForm) -> Bool {
        guard form.revision < saves.revision else { return false }
        var gone = form.asked.filter { form.hasEntry(for: $0) }
        for item in FormWalk(session: session, isShown: true).items(session.roots) where !gone.isEmpty {
            item.forEach { gone.remove($0.name) }
        }
        return !gone.isEmpty
    }

    /// Whether something on a page keeps it from being complete.
    func hasProblems(on page: SurveyPage) -> Bool {
        if session.problems(of: page.occurrences).contains(where: { $0.severity == .error }) { return true }
        guard !unreadable.isEmpty || !refusedFiles.isEmpty else { return false }
        var isRefused = false
        for item in FormWalk(session: session, isShown: true).items(page.occurrences) {
            item.forEach {
                if unreadable[$0.name] != nil || refusedFiles.contains($0.name) { isRefused = true }
            }
        }
        return isRefused
    }

    /// The occurrence of a key.
    func occurrence(_ key: String) -> ItemOccurrence? {
        var found: ItemOccurrence?
        for item in FormWalk(session: session, isShown: false).items(session.roots) {
            item.forEach { if $0.name == key { found = $0.occurrence } }
        }
        return found
    }

    /// The key of an occurrence.
    func key(of occurrence: ItemOccurrence) -> String? {
        var found: String?
        for item in FormWalk(session: session, isShown: false).items(session.roots) {
            item.forEach { if $0.occurrence == occurrence { found = $0.name } }
        }
        return found
    }

    /// The page that a form was for: at its index, else where its questions are now.
    func pageIndex(of form: SentForm, _ pages: [SurveyPage]) -> Int {
        let index = max(0, min((form["page"].flatMap { Int($0) } ?? 1) - 1, pages.count - 1))
        let asked = form.asked
        guard !asked.isEmpty, pages.indices.contains(index) else { return index }
        for candidate in [index] + pages.indices.filter({ $0 != index }) {
            var isHere = false
            for item in FormWalk(session: session, isShown: true).items(pages[candidate].occurrences) {
                item.forEach { if asked.contains($0.name) { isHere = true } }
            }
            if isHere { return candidate }
        }
        return index
    }
}
