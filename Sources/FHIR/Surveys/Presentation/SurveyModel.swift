import FHIR
import Foundation
import Observation

/// A survey for SwiftUI: draw ``page``, bind fields and buttons to it, and it saves what was answered.
///
/// ```swift
/// struct Question: View {
///     @Bindable var model: SurveyModel
///     let item: PresentedItem
///     var body: some View {
///         switch item.control {
///         case .text?: ForEach(item.fields) { TextField(item.label, text: $model[text: $0.id]) }
///         case .yesNo?: Picker(item.label, selection: $model[chosen: item.id]) { … }
///         …
///         }
///         ForEach(item.problems, id: \.self) { Text($0) }
///     }
/// }
/// ```
@MainActor @Observable
public final class SurveyModel {
    /// What a survey waits for.
    public enum State: Sendable {
        /// Answers.
        case asking
        /// Nothing: it was completed with this response, which is to be delivered. Call
        /// ``SurveyModel/waitUntilSaved()`` before you remove what `save` stored.
        case completed(QuestionnaireResponse)
    }

    /// Whether the answers are stored.
    public enum Saving: Sendable, Hashable {
        /// They are; or nothing was answered yet.
        case saved
        /// They are being stored.
        case saving
        /// They could not be stored, for this reason. The next change tries again.
        case failed(String)
    }

    /// Stores a response in progress; throws where that fails.
    public typealias Save = @MainActor (QuestionnaireResponse) async throws -> Void

    /// The page that is shown.
    public private(set) var page: PresentedPage
    /// Whether answers are asked for.
    public private(set) var state = State.asking
    /// Whether the answers are stored.
    public private(set) var saving = Saving.saved
    /// How long typing has to pause before what was typed is searched for.
    @ObservationIgnored public var searchDelay = Duration.milliseconds(300)
    /// The zone of times that are entered as `Date`.
    @ObservationIgnored public var zone = TimeZone.current

    private var form: SurveyForm
    @ObservationIgnored private let save: Save?
    @ObservationIgnored private let find: OptionSearch.Function?
    @ObservationIgnored private var searches: [PresentedItem.ID: Task<Void, Never>] = [:]
    @ObservationIgnored private var isUnsaved = false
    @ObservationIgnored private var saver: Task<Void, Never>?

    /// A survey, from the beginning or going on with a response.
    ///
    /// - Parameters:
    ///   - response: What was saved earlier; its survey is shown from the first question without an answer.
    ///   - subject: Whom the response is about, as in `Patient/7`.
    ///   - phrases: The language, and the sentences for problems.
    ///   - save: Stores a response in progress, after each change; changes while it runs are stored together.
    ///   - search: Finds codes of value sets that are too large to be listed (``SurveyControl/search``), such
    ///     as ``SurveyTerminology/search(_:)``. A survey has such questions where whoever made it
    ///     said so.
    public init(
        _ survey: Survey,
        resuming response: QuestionnaireResponse? = nil,
        subject: String? = nil,
        context: SurveyContext = SurveyContext(),
        phrases: SurveyPhrases = .phrases(in: Locale.current.language.languageCode?.identifier),
        save: Save? = nil,
        search: OptionSearch.Function? = nil
    ) {
        var session = SurveySession(survey, context: context)
        if let response { session = SurveySession(survey, restoring: response, context: context) }
        if let subject { session.header.subject = Reference(subject) }
        var form = SurveyForm(session, phrases: phrases)
        form.resume()
        self.form = form
        page = form.page
        self.save = save
        find = search
    }

    /// The answers.
    public var session: SurveySession { form.session }

    /// The language of texts and sentences.
    public var phrases: SurveyPhrases {
        get { form.phrases }
        set {
            let isOther = newValue.language != form.phrases.language
            form.phrases = newValue
            page = form.page
            guard isOther, case .asking = state else { return }
            for (item, search) in form.searches { begin(search.text, of: item) }
        }
    }

    // MARK: Bindings

    /// The text of a field of ``PresentedItem/fields``.
    public subscript(text field: SurveyField.ID) -> String {
        get { self.field(field)?.text ?? "" }
        set { change { $0.enter(newValue, in: field) } }
    }

    /// The unit beside a quantity.
    public subscript(unit field: SurveyField.ID) -> String {
        get { self.field(field)?.unit ?? "" }
        set {
            let text = self[text: field]
            change { $0.enter(text, unit: newValue, in: field) }
        }
    }

    /// The number of a slider, or of any field for a number; of one without an answer the slider's minimum,
    /// else 0.
    public subscript(number field: SurveyField.ID) -> Double {
        get {
            guard let item = page.item(field.item) else { return 0 }
            if let answer = item.answer(for: self[text: field]), let number = Double(answer.label) {
                return number
            }
            guard case .number(_, let slider?)? = item.control else { return 0 }
            return Double(slider.minimum.description) ?? 0
        }
        set {
            guard newValue.isFinite else { return }
            let isInteger = page.item(field.item)?.item.type == .integer
            let text = (isInteger ? Int(exactly: newValue.rounded()).map(String.init) : nil) ?? "\(newValue)"
            change { $0.enter(text, in: field) }
        }
    }

    /// The date of a field for a date, a time, or both; without an answer this moment. Reading it answers
    /// nothing.
    public subscript(date field: SurveyField.ID) -> Date {
        get { self.field(field).flatMap { date(of: $0.text) } ?? Date() }
        set {
            guard let control = page.item(field.item)?.control else { return }
            let text = text(of: newValue, for: control)
            change { $0.enter(text, in: field) }
        }
    }

    /// The choice of a question that takes one; nil clears it.
    public subscript(chosen item: PresentedItem.ID) -> SurveyChoice.ID? {
        get { page.item(item)?.choices.first(where: \.isChosen)?.id }
        set {
            change { form in
                if let newValue { form.choose(newValue, of: item) } else { form.clear(item) }
            }
        }
    }

    /// Whether one of several choices is chosen.
    public subscript(isChosen choice: SurveyChoice.ID, of item: PresentedItem.ID) -> Bool {
        get { page.item(item)?.choices.first { $0.id == choice }?.isChosen ?? false }
        set {
            guard newValue != self[isChosen: choice, of: item] else { return }
            change { $0.choose(choice, of: item) }
        }
    }

    /// What is typed to find the options of a question with ``SurveyControl/search``. It is searched for when
    /// typing pauses; what was searched for before is given up.
    public subscript(search item: PresentedItem.ID) -> String {
        get { page.item(item)?.search?.text ?? "" }
        set { search(newValue, of: item) }
    }

    // MARK: Searching

    private func search(_ text: String, of item: PresentedItem.ID) {
        let shown = page.item(item)?.search
        guard case .asking = state, text != shown?.text || shown?.state == .failed else { return }
        begin(text, of: item)
    }

    private func begin(_ text: String, of item: PresentedItem.ID) {
        searches.removeValue(forKey: item)?.cancel()
        let search = form.beginSearch(text, of: item)
        page = form.page
        guard let search else { return }
        searches[item] = Task { await self.find(search, of: item) }
    }

    private func find(_ search: OptionSearch, of item: PresentedItem.ID) async {
        var result: Result<FoundOptions, any Error> = .failure(CancellationError())
        do {
            try await Task.sleep(for: searchDelay)
            if let find { result = .success(try await find(search)) }
        } catch {
            result = .failure(error)
        }
        guard !Task.isCancelled else { return }
        form.endSearch(search, of: item, with: result)
        page = form.page
    }

    /// Waits until what was typed last is found, or is not.
    public func waitUntilFound(_ item: PresentedItem.ID) async { await searches[item]?.value }

    // MARK: Other changes

    /// Adds a file; it replaces another one where there can be only one.
    public func attach(_ data: Data, type: String, title: String?, to item: PresentedItem.ID) {
        var attachment = Attachment()
        attachment.contentType = type
        attachment.title = title
        attachment.size = data.count
        attachment.data = data.base64EncodedString()
        change { $0.attach(attachment, to: item) }
    }

    /// Takes all answers of an item away.
    public func clear(_ item: PresentedItem.ID) { change { $0.clear(item) } }

    /// Adds an empty repetition of a group behind one.
    public func addRepetition(after item: PresentedItem.ID) { change { $0.addRepetition(after: item) } }

    /// Removes a repetition of a group.
    public func removeRepetition(_ item: PresentedItem.ID) { change { $0.removeRepetition(item) } }

    // MARK: Pages

    /// Goes on: to the next page, or on the last one to ``State/completed(_:)``. Where there are problems,
    /// the page shows them instead.
    public func advance() {
        guard case .asking = state else { return }
        var result = SurveyForm.Advance.stopped
        change { result = $0.advance() }
        if result == .completed {
            state = .completed(form.session.response(.completed, authored: FHIRDateTime(Date(), in: zone)))
        }
    }

    /// Goes to the page before.
    public func back() { change { $0.back() } }

    // MARK: Saving

    private func change(_ body: (inout SurveyForm) -> Void) {
        guard case .asking = state else { return }
        body(&form)
        page = form.page
        guard save != nil, form.session.isChanged else { return }
        isUnsaved = true
        saving = .saving
        if saver == nil { saver = Task { await self.storeChanges() } }
    }

    private func storeChanges() async {
        while isUnsaved, let save {
            isUnsaved = false
            do {
                try await save(form.session.response(.inProgress, authored: FHIRDateTime(Date(), in: zone)))
                saving = .saved
            } catch {
                saving = .failed("\(error)")
            }
        }
        saver = nil
    }

    /// Waits until what was answered is stored: call it where the app goes to the background.
    public func waitUntilSaved() async { await saver?.value }

    // MARK: Fields

    private func field(_ id: SurveyField.ID) -> SurveyField? {
        page.item(id.item)?.fields.first { $0.id == id }
    }

    private func date(of text: String) -> Date? {
        if let instant = FHIRDateTime(text: text)?.instant { return instant }
        var parts = DateComponents()
        if let date = FHIRDate(text: text) {
            parts.year = date.year
            parts.month = date.month ?? 1
            parts.day = date.day ?? 1
        } else if let time = FHIRTime(text: text) ?? FHIRTime(text: text + ":00") {
            parts = calendar.dateComponents([.year, .month, .day], from: Date())
            parts.hour = time.hour
            parts.minute = time.minute
        } else {
            return nil
        }
        return calendar.date(from: parts)
    }

    private func text(of date: Date, for control: SurveyControl) -> String {
        let text = FHIRDateTime(date, in: zone).description
        switch control {
        case .date: return String(text.prefix(10))
        case .time: return String(text.dropFirst(11).prefix(5))
        default: return text
        }
    }

    private var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return calendar
    }
}

extension FHIRDateTime {
    /// A whole second with the zone's offset at that time.
    init(_ date: Date, in zone: TimeZone) {
        let second = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        self.init(second, offset: zone.secondsFromGMT(for: second) / 60)
    }
}
