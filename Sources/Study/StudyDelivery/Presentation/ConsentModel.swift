import FHIR
import Foundation
import Observation

/// A consent for SwiftUI: draw ``page``, bind fields and buttons to it, and at the end ``decision`` has the
/// signed consent.
///
/// ```swift
/// let model = ConsentModel(document, of: enrolment)
/// model[yesNo: "eligibility.adult"] = true
/// model.advance()
/// ```
@MainActor @Observable
public final class ConsentModel {
    public let document: ConsentDocument
    /// The index of ``page`` among ``pageCount`` pages.
    public private(set) var pageIndex = 0
    /// How it ended: signed, declined, not eligible or not understood. Nil while it is read.
    public private(set) var decision: ConsentDecision?
    /// What was answered: keep it to go on later, by
    /// ``ParticipantState/setConsentAnswers(_:for:)``.
    public private(set) var answers: ConsentAnswers

    private let words: ConsentWords
    private let pages: [ConsentPage]
    /// The pages that somebody wanted to leave.
    private var checked: Set<Int> = []
    private var hasUnusableDrawing = false

    /// A consent to be read, from the beginning or with earlier answers.
    ///
    /// - Parameters:
    ///   - answers: What was answered before; it is shown again from the first page, as a consent is read as
    ///     a whole.
    ///   - words: The words that the document does not have; in its language unless given.
    public init(
        _ document: ConsentDocument,
        of enrolment: Enrolment,
        resuming answers: ConsentAnswers = ConsentAnswers(),
        words: ConsentWords? = nil
    ) {
        self.document = document
        let words = words ?? .words(in: document.language)
        self.words = words
        pages = document.pages(words)
        self.answers = answers
        self.answers.participant = enrolment.participant
        self.answers.signedAt = nil
    }

    // MARK: Pages

    /// The page that is shown.
    public var page: ConsentPage {
        var page = pages[pageIndex]
        guard checked.contains(pageIndex) else { return page }
        for index in page.items.indices { page.items[index].problem = problem(of: page.items[index]) }
        return page
    }

    /// How many pages there are.
    public var pageCount: Int { pages.count }

    /// The part of the pages that are behind, from 0 to 1.
    public var progress: Double { decision == nil ? Double(pageIndex) / Double(pages.count) : 1 }

    /// Goes on: to the next page, or to the end where ``decision`` is made. Where something is missing, the
    /// page has a problem beside it instead.
    ///
    /// - Parameter date: When it is signed, where this signs it.
    public func advance(at date: Date = Date()) {
        guard decision == nil else { return }
        guard !pages[pageIndex].items.contains(where: { problem(of: $0) != nil }) else {
            checked.insert(pageIndex)
            return
        }
        var answers = answers
        if pageIndex == pages.count - 1 { answers.signedAt = FHIRInstant(date) }
        switch document.decision(answers) {
        case .incomplete: pageIndex = min(pageIndex + 1, pages.count - 1)
        case let made:
            // Earlier answers may decide: only on the page that asks for it.
            guard isDecided(made) else {
                pageIndex = min(pageIndex + 1, pages.count - 1)
                return
            }
            self.answers = answers
            decision = made
        }
    }

    private func isDecided(_ decision: ConsentDecision) -> Bool {
        switch (decision, pages[pageIndex].kind) {
        case (.ineligible, .eligibility), (.notUnderstood, .comprehension), (.declined, .agreement): true
        default: pageIndex == pages.count - 1
        }
    }

    /// Goes to the page before.
    public func back() {
        guard decision == nil else { return }
        pageIndex = max(0, pageIndex - 1)
    }

    /// Reads again: after questions that were not understood, a refusal, or a mistake. What was answered to
    /// the questions and the decision is taken away, and the text is shown from its beginning.
    public func restart() {
        decision = nil
        answers.comprehension = [:]
        answers.agrees = nil
        answers.signature = nil
        answers.signedAt = nil
        checked = []
        pageIndex = 0
    }

    private func problem(of item: ConsentItem) -> String? {
        switch item.control {
        case .yesNo: self[yesNo: item.id] == nil ? words.missing : nil
        case .choice: self[choice: item.id] == nil ? words.missing : nil
        case .text: self[text: item.id].isEmpty ? words.missing : nil
        case .signature:
            hasUnusableDrawing ? words.unusable : answers.signature == nil ? words.missing : nil
        }
    }

    // MARK: Bindings

    /// The answer to an item of the control ``ConsentItem/Control/yesNo``.
    public subscript(yesNo item: ConsentItem.ID) -> Bool? {
        get {
            if item == "agrees" { return answers.agrees }
            return Self.name(item, "eligibility").flatMap { answers.eligibility[$0] }
                ?? Self.name(item, "sharing").flatMap { answers.sharing[$0] }
        }
        set {
            guard decision == nil, has(item, .yesNo) else { return }
            if item == "agrees" { answers.agrees = newValue }
            if let name = Self.name(item, "eligibility") { answers.eligibility[name] = newValue }
            if let name = Self.name(item, "sharing") { answers.sharing[name] = newValue }
        }
    }

    /// The answer to an item of the control ``ConsentItem/Control/choice(_:)``.
    public subscript(choice item: ConsentItem.ID) -> String? {
        get { Self.name(item, "comprehension").flatMap { answers.comprehension[$0] } }
        set {
            guard decision == nil, let name = Self.name(item, "comprehension"),
                let question = document.comprehension.first(where: { $0.id == name }),
                newValue.map(question.options.contains) ?? true
            else { return }
            answers.comprehension[name] = newValue
        }
    }

    /// The text of an item of the control ``ConsentItem/Control/text``: a name.
    public subscript(text item: ConsentItem.ID) -> String {
        get {
            (item == "givenName" ? answers.givenName : item == "familyName" ? answers.familyName : nil) ?? ""
        }
        set {
            guard decision == nil else { return }
            let text = newValue.allSatisfy(\.isWhitespace) ? nil : newValue
            if item == "givenName" { answers.givenName = text }
            if item == "familyName" { answers.familyName = text }
        }
    }

    /// The drawn signature, a PNG.
    public var signature: Data? {
        get { answers.signature }
        set {
            guard decision == nil else { return }
            hasUnusableDrawing = newValue.map { SignatureImage.problem($0) != nil } ?? false
            answers.signature = hasUnusableDrawing ? nil : newValue
        }
    }

    private func has(_ item: ConsentItem.ID, _ control: ConsentItem.Control) -> Bool {
        pages.contains { $0.items.contains { $0.id == item && $0.control == control } }
    }

    private static func name(_ item: ConsentItem.ID, _ list: String) -> String? {
        item.hasPrefix(list + ".") ? String(item.dropFirst(list.count + 1)) : nil
    }
}
