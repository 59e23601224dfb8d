import FHIR
import Foundation
import OrderedJSON
import Surveys

/// A response that somebody gives on the pages: the session, and what the forms have besides answers.
struct SurveyVisit: Sendable {
    /// The most bytes of texts and files of a response, the files in base64.
    static let maximumBytes = 14 << 20

    var form: SurveyForm
    var isComplete = false
    /// Texts that are not answers, by the id of the item and the name of the field.
    var unreadable: [String: [String: String]] = [:]
    var saves = SavedForms()
    /// The question whose search field has the focus, as long as its form is answered.
    var focus: PresentedItem.ID?

    /// The answers.
    private var session: SurveySession { form.session }

    init(_ session: SurveySession) {
        form = SurveyForm(session)
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

    /// An estimate of the memory that it takes, in bytes.
    var cost: Int { session.survey.items.count * 600 + bytes }

    private var bytes: Int {
        var bytes = 0
        for item in ItemWalk(session: session, isShown: false).items(session.roots) {
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
    ///
    /// - Parameter language: What texts were asked for in; nil for the questionnaire's own.
    mutating func apply(
        _ sent: SentForm,
        words: PageWords,
        language: String?,
        searcher: OptionSearcher,
        now: Date
    ) -> FormChange {
        let asked = sent.asked
        var change = FormChange()
        guard !asked.isEmpty else { return change }
        var questions: [PresentedItem] = []
        var bytes = 0
        let walk = ItemWalk(session: session, isShown: false)
        for item in walk.items(session.roots) {
            item.forEach { item in
                bytes += Self.bytes(item.answers)
                if item.control != nil, !item.item.isHidden, asked.contains(item.id) {
                    questions.append(item)
                }
            }
        }
        let reader = FormReader(sent, now: now)
        change.questions = questions.map(\.id)
        for var question in questions {
            ItemWalk(session: session, isShown: false).findControl(of: &question)
            form.addFound(to: &question)
            searcher.addKnown(sent.values(question.id), to: &question, language: language)
            let reading = reader.read(question)
            let unread = reading.unreadable.isEmpty ? nil : reading.unreadable
            if reading.answers != question.answers || unreadable[question.id] != unread {
                change.isChanged = true
            }
            unreadable[question.id] = unread
            form.rejections[question.id] = unread == nil ? nil : .unreadable
            // What is stored counts as it will be: a file replaces the one before.
            let newBytes = bytes - Self.bytes(question.answers) + Self.bytes(reading.answers)
            guard newBytes <= max(Self.maximumBytes, bytes) else {
                form.rejections[question.id] = .reason(words.fileTooLarge)
                continue
            }
            do {
                try form.session.answer(question.occurrence, with: reading.answers)
                bytes = newBytes
            } catch .noSuchItem {
                // The answer that it was under has gone with this form.
                continue
            } catch {
                unreadable[question.id, default: [:]][question.id] =
                    sent[question.id + ".0"] ?? sent[question.id] ?? ""
                form.rejections[question.id] = .unreadable
            }
        }
        return change
    }

    /// Whether a form that was shown before others were saved answers questions that are not asked any more.
    func isMissingQuestions(of form: SentForm) -> Bool {
        guard form.revision < saves.revision else { return false }
        var gone = form.asked.filter { form.hasEntry(for: $0) }
        for item in ItemWalk(session: session, isShown: true).items(session.roots) where !gone.isEmpty {
            item.forEach { gone.remove($0.id) }
        }
        return !gone.isEmpty
    }

    /// The page that a form was for: at its index, else where its questions are now.
    func pageIndex(of form: SentForm, _ pages: [SurveyPage]) -> Int {
        let index = max(0, min((form["page"].flatMap { Int($0) } ?? 1) - 1, pages.count - 1))
        let asked = form.asked
        guard !asked.isEmpty, pages.indices.contains(index) else { return index }
        for candidate in [index] + pages.indices.filter({ $0 != index }) {
            var isHere = false
            for item in ItemWalk(session: session, isShown: true).items(pages[candidate].occurrences) {
                item.forEach { if asked.contains($0.id) { isHere = true } }
            }
            if isHere { return candidate }
        }
        return index
    }
}
