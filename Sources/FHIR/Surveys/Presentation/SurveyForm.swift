import FHIR
import OrderedJSON

/// A survey as somebody fills it in, page by page: the session, the pages as they are drawn, and what was
/// typed that is not an answer.
///
/// ```swift
/// var form = SurveyForm(SurveySession(survey), phrases: .phrases(in: "de"))
/// for item in form.page.allItems { draw(item) }
/// form.choose("true", of: "smoker")
/// form.advance()
/// ```
/// It is a value, without a user interface. ``SurveyModel`` has it for SwiftUI; the survey pages and the
/// terminal draw the same one.
public struct SurveyForm: Sendable {
    /// The answers.
    public package(set) var session: SurveySession
    /// The language of what is drawn, and the sentences for problems.
    public var phrases: SurveyPhrases
    /// Answers that the app itself refused, by ``PresentedItem/id``: a page with one cannot be left.
    public var rejections: [PresentedItem.ID: Rejection] = [:]
    /// The pages that somebody wanted to leave, by the id of their first item.
    package var checkedPages: Set<PresentedItem.ID> = []
    /// What was typed into the fields of questions.
    private var typed: [PresentedItem.ID: [TypedText]] = [:]
    /// What was searched for.
    package var searches: [PresentedItem.ID: PresentedSearch] = [:]

    /// Why the app itself refused an answer.
    public enum Rejection: Sendable, Hashable {
        /// The text is not an answer of the question's type.
        case unreadable
        /// Another reason, as a sentence for the person.
        case reason(String)
    }

    /// What ``advance()`` did.
    public enum Advance: Sendable, Hashable {
        /// There are problems: this page, or the first one with problems, shows them.
        case stopped
        /// The next page is shown.
        case moved
        /// It was the last page, and no page has problems.
        case completed
    }

    /// A form over a session.
    ///
    /// - Parameter phrases: The language, and the sentences for problems.
    public init(_ session: SurveySession, phrases: SurveyPhrases = .english) {
        self.session = session
        self.phrases = phrases
    }

    // MARK: Drawing

    /// The current page.
    public var page: PresentedPage { page(at: session.pageIndex) }

    /// A page; the last one for an index beyond it.
    package func page(at index: Int) -> PresentedPage {
        let pages = session.pages
        let index = max(0, min(index, pages.count - 1))
        let shown = pages.indices.contains(index) ? pages[index] : nil
        var items = self.items(of: shown)
        let isChecked = items.first.map { checkedPages.contains($0.id) } ?? false
        let problems = problems(of: shown, isChecked: isChecked)
        for index in items.indices { complete(&items[index], problems) }
        return PresentedPage(
            title: session.survey.title?.text(in: phrases.language),
            heading: shown?.title?.text(in: phrases.language),
            index: index,
            count: pages.count,
            progress: session.progress,
            items: items,
            isChecked: isChecked
        )
    }

    private func items(of page: SurveyPage?) -> [PresentedItem] {
        ItemWalk(session: session, phrases: phrases, isShown: true).items(page?.occurrences ?? [])
    }

    /// The problems that are shown beside an item.
    private struct Problems {
        var texts: [String] = []
        var hasError = false
    }

    private func problems(of page: SurveyPage?, isChecked: Bool) -> [ItemOccurrence: Problems] {
        var found: [ItemOccurrence: Problems] = [:]
        for problem in session.problems(of: page?.occurrences ?? []) where problem.severity != .information {
            // A missing answer is no problem before the person wants to leave the page.
            guard let occurrence = problem.occurrence, isChecked || !problem.isMissing else { continue }
            let text = problem.text(in: phrases)
            var problems = found[occurrence] ?? Problems()
            if !problems.texts.contains(text) { problems.texts.append(text) }
            if problem.severity == .error { problems.hasError = true }
            found[occurrence] = problems
        }
        return found
    }

    /// Adds what a form knows of an item, and of those under it.
    private func complete(_ item: inout PresentedItem, _ problems: [ItemOccurrence: Problems]) {
        item.problems = problems[item.occurrence]?.texts ?? []
        addFound(to: &item)
        item.typed = typedTexts(of: item)
        let rejection = rejection(of: item)
        item.isInvalid = rejection != nil || problems[item.occurrence]?.hasError == true
        switch rejection {
        case .unreadable?: item.problems = [item.unreadable]
        case .reason(let text)?: item.problems = [text]
        case nil: break
        }
        for index in item.children.indices { complete(&item.children[index], problems) }
        for answer in item.answerChildren.indices {
            for index in item.answerChildren[answer].indices {
                complete(&item.answerChildren[answer][index], problems)
            }
        }
    }

    /// Adds what was searched for, and found.
    package func addFound(to item: inout PresentedItem) {
        guard item.control == .search else { return }
        let search = searches[item.id] ?? PresentedSearch()
        item.search = search
        guard case .found(let found) = search.state else { return }
        // What an expression suggests can be chosen as well.
        let known = Set(found.options.map(\.value.choiceID))
        item.options = found.options + item.options.filter { !known.contains($0.value.choiceID) }
    }

    /// What was typed, as long as it gives the current answers: expressions may have set others.
    private func typedTexts(of item: PresentedItem) -> [TypedText]? {
        guard let texts = typed[item.id] else { return nil }
        let read = texts.filter { !$0.isEmpty }.compactMap { item.answer(for: $0) }
        let entered =
            item.control?.isChoice == true
            ? item.answers.filter(item.isOther)
            : item.answers
        return read == entered ? texts : nil
    }

    private func rejection(of item: PresentedItem) -> Rejection? {
        if let rejection = rejections[item.id] { return rejection }
        let isUnreadable = typedTexts(of: item)?.contains {
            !$0.isEmpty && item.answer(for: $0) == nil
        }
        return isUnreadable == true ? .unreadable : nil
    }

    // MARK: Answering

    /// Takes what was typed into a field. A text that is not an answer stays in the field, with a problem
    /// beside it; an empty one takes the answer away.
    ///
    /// - Parameter unit: The unit of a quantity; nil for the field's.
    public mutating func enter(_ text: String, unit: String? = nil, in field: SurveyField.ID) {
        guard let item = item(field.item), item.fields.contains(where: { $0.id == field }) else { return }
        var texts = item.fieldTexts
        let entry = TypedText(text: text, unit: unit ?? texts[field.index].unit)
        let isUntouched = entry.text == texts[field.index].text && entry.unit == texts[field.index].unit
        if !isUntouched { texts[field.index] = entry }
        if item.item.repeats, texts.last?.isEmpty == true { texts.removeLast() }
        let entered = texts.filter { !$0.isEmpty }.compactMap { item.answer(for: $0) }
        var answers = entered
        if field.isOther {
            let offered = item.answers.filter { !item.isOther($0) }
            // If there can be only one answer, what is entered replaces what was chosen.
            answers = item.item.repeats || entered.isEmpty ? offered + entered : entered
        }
        set(answers, of: item)
        typed[item.id] = texts
    }

    /// Chooses one of ``PresentedItem/choices``, or takes a chosen one of several away.
    public mutating func choose(_ choice: SurveyChoice.ID, of id: PresentedItem.ID) {
        guard let item = item(id), let chosen = item.choices.first(where: { $0.id == choice }) else { return }
        typed[id] = nil
        rejections[id] = nil
        if item.allowsMultipleSelection, let option = chosen.option {
            try? session.toggle(option, of: item.occurrence)
        } else if item.allowsMultipleSelection {
            set(item.answers.filter { $0.choiceID != choice }, of: item)
        } else {
            set([chosen.answer], of: item)
        }
    }

    /// Adds a file; it replaces another one where there can be only one.
    public mutating func attach(_ attachment: Attachment, to id: PresentedItem.ID) {
        guard let item = item(id), item.control == .attachment else { return }
        set((item.item.repeats ? item.answers : []) + [.attachment(attachment)], of: item)
    }

    /// Answers a question as a whole; without answers clears it.
    public mutating func answer(_ id: PresentedItem.ID, with answers: [SurveyAnswer]) {
        guard let item = item(id) else { return }
        typed[id] = nil
        set(answers, of: item)
    }

    /// Takes all answers of an item away, of a group those of everything in it.
    public mutating func clear(_ id: PresentedItem.ID) {
        guard let item = item(id) else { return }
        item.forEach { item in
            typed[item.id] = nil
            rejections[item.id] = nil
        }
        session.clear(item.occurrence)
    }

    private mutating func set(_ answers: [SurveyAnswer], of item: PresentedItem) {
        rejections[item.id] = nil
        do {
            try session.answer(item.occurrence, with: answers)
        } catch {
            rejections[item.id] = .unreadable
        }
    }

    // MARK: Searching

    /// Takes what was typed into the field of a question with ``SurveyControl/search``. Results for another
    /// text are discarded.
    ///
    /// - Returns: What is to be searched for, whose result ``endSearch(_:of:with:)`` takes; nil where the
    ///   text is too short.
    public mutating func beginSearch(_ text: String, of id: PresentedItem.ID) -> OptionSearch? {
        guard let item = item(id), item.control == .search else { return nil }
        let search = OptionSearch(text, of: item.item, in: session.survey, language: phrases.language)
        let kept = text.prefix(4 * OptionSearch.maximumCharacters)
        searches[id] = PresentedSearch(text: String(kept), state: search == nil ? .waiting : .searching)
        return search
    }

    /// Shows what was found; nothing where something else is searched for by now.
    public mutating func endSearch(
        _ search: OptionSearch,
        of id: PresentedItem.ID,
        with result: Result<FoundOptions, any Error>
    ) {
        guard let current = searches[id], OptionSearch.searched(current.text) == search.text,
            search.language == phrases.language
        else { return }
        switch result {
        case .success(let found): searches[id]?.state = .found(found)
        case .failure: searches[id]?.state = .failed
        }
    }

    // MARK: Repetitions

    /// Adds an empty repetition of a group behind one.
    ///
    /// - Returns: its id; nil where there cannot be one more.
    @discardableResult
    public mutating func addRepetition(after id: PresentedItem.ID) -> PresentedItem.ID? {
        guard let occurrence = occurrence(id), let new = try? session.addRepetition(after: occurrence) else {
            return nil
        }
        forgetNames(under: id)
        return key(of: new)
    }

    /// Removes a repetition of a group; the last one is only cleared.
    ///
    /// - Returns: whether it was removed.
    @discardableResult
    public mutating func removeRepetition(_ id: PresentedItem.ID) -> Bool {
        guard let occurrence = occurrence(id), (try? session.removeRepetition(occurrence)) != nil else {
            return false
        }
        forgetNames(under: id)
        return true
    }

    /// Forgets what was typed in repetitions: their numbers have changed, so that it would belong to others.
    private mutating func forgetNames(under id: PresentedItem.ID) {
        // The numbers of a repetition are what stands before the colon.
        let scope = id.prefix { $0 != ":" }.dropLast().lastIndex(of: ".").map { id[...$0] } ?? ""
        let isNumbered = { (name: String) in name.contains(":") && name.hasPrefix(scope) }
        typed = typed.filter { !isNumbered($0.key) }
        rejections = rejections.filter { !isNumbered($0.key) }
        searches = searches.filter { !isNumbered($0.key) }
    }

    // MARK: Pages

    /// Moves to the next page, or from the last one to the end. Problems prevent it, and are drawn from then
    /// on.
    @discardableResult
    public mutating func advance() -> Advance {
        let pages = session.pages
        let index = session.pageIndex
        guard !hasProblems(at: index) else {
            check(index)
            return .stopped
        }
        guard index >= pages.count - 1 else {
            session.next()
            return .moved
        }
        guard let first = pages.indices.first(where: { hasProblems(at: $0) }) else { return .completed }
        check(first)
        session.go(to: first)
        return .stopped
    }

    /// Goes to the page before.
    public mutating func back() { session.back() }

    /// Goes to a page.
    public mutating func go(to page: Int) { session.go(to: page) }

    /// Moves to the first question without an answer, if other questions have answers already.
    ///
    /// - Returns: its id; nil where it stays on the first page.
    @discardableResult
    public mutating func resume() -> PresentedItem.ID? {
        guard session.progress.answered > 0 else { return nil }
        for (index, page) in session.pages.enumerated() {
            var open: PresentedItem.ID?
            for item in items(of: page) {
                item.forEach { if open == nil, $0.control != nil, $0.answers.isEmpty { open = $0.id } }
            }
            guard let open else { continue }
            session.go(to: index)
            return open
        }
        return nil
    }

    /// Whether something on a page keeps it from being complete.
    package func hasProblems(at index: Int) -> Bool {
        let pages = session.pages
        guard pages.indices.contains(index) else { return false }
        let occurrences = pages[index].occurrences
        if session.problems(of: occurrences).contains(where: { $0.severity == .error }) { return true }
        guard !rejections.isEmpty || !typed.isEmpty else { return false }
        var isRejected = false
        for item in items(of: pages[index]) {
            item.forEach { if rejection(of: $0) != nil { isRejected = true } }
        }
        return isRejected
    }

    /// From now on, shows the missing answers of a page as problems.
    private mutating func check(_ index: Int) {
        let pages = session.pages
        guard pages.indices.contains(index), let first = items(of: pages[index]).first else { return }
        checkedPages.insert(first.id)
    }

    // MARK: Names

    /// The item with an id, asked or not, with its control.
    private func item(_ id: PresentedItem.ID) -> PresentedItem? {
        let walk = ItemWalk(session: session, phrases: phrases, isShown: false)
        guard var item = walk.first(where: { $0.id == id }) else { return nil }
        walk.findControl(of: &item)
        addFound(to: &item)
        item.typed = typedTexts(of: item)
        return item
    }

    /// The occurrence of an id.
    package func occurrence(_ id: PresentedItem.ID) -> ItemOccurrence? {
        ItemWalk(session: session, isShown: false).first { $0.id == id }?.occurrence
    }

    /// The id of an occurrence.
    package func key(of occurrence: ItemOccurrence) -> PresentedItem.ID? {
        ItemWalk(session: session, isShown: false).first { $0.occurrence == occurrence }?.id
    }
}

extension ItemWalk {
    fileprivate func first(where matches: (PresentedItem) -> Bool) -> PresentedItem? {
        var found: PresentedItem?
        for item in items(session.roots) {
            item.forEach { if found == nil, matches($0) { found = $0 } }
        }
        return found
    }
}
