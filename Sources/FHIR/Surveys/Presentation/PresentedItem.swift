import FHIR

/// An occurrence of an item with everything that a view draws of it.
///
/// ```swift
/// switch item.kind {
/// case .group: for child in item.children { draw(child) }
/// case .display: draw(item.label)
/// case .output: draw(item.label, item.answerText)
/// case .question(let control): draw(control, item.label, item.problems)
/// }
/// ```
public struct PresentedItem: Sendable, Identifiable {
    /// What an item is for a view.
    public enum Kind: Sendable, Hashable {
        /// A heading with ``PresentedItem/children`` under it.
        case group
        /// A text to read.
        case display
        /// A value that only expressions set.
        case output
        /// A question, and how it is answered.
        case question(SurveyControl)
    }

    /// Unique on all pages, and the same after a restart: the linkId, with the numbers of repetitions.
    public var id: String { key.text }
    /// The occurrence in the session.
    public let occurrence: ItemOccurrence
    /// The item of the questionnaire.
    public let item: SurveyItem
    /// What it is, and how it is answered.
    public package(set) var kind: Kind
    /// How many items of the page it is under.
    public let depth: Int
    /// The index of the repetition of a repeating group, from 0.
    public let repetition: Int
    /// The number of repetitions of the group.
    public let repetitions: Int
    /// Whether a button adds one more repetition behind this one, which is the last.
    public internal(set) var canAddRepetition = false
    public internal(set) var answers: [SurveyAnswer] = []
    /// Where the answers come from that nobody gave: to be shown beside them, since they are to be checked.
    public internal(set) var origin: AnswerOrigin?
    /// The options of the questionnaire now.
    public package(set) var options: [SurveyOption] = []
    /// What was searched for, of a question with ``SurveyControl/search``; ``options`` has what was found.
    public package(set) var search: PresentedSearch?
    /// What is wrong with it, in the person's language.
    public internal(set) var problems: [String] = []
    /// Whether a problem keeps its page from being left.
    public internal(set) var isInvalid = false
    /// What is in a group.
    public internal(set) var children: [PresentedItem] = []
    /// What is under each answer of a question.
    public internal(set) var answerChildren: [[PresentedItem]] = []

    package let key: ItemKey
    let phrases: SurveyPhrases
    /// What was typed into its fields, where that is not what its answers are written as.
    var typed: [TypedText]?

    // MARK: Texts

    /// The prefix and the text in the person's language.
    public var label: String { item.label(in: phrases.language) }

    /// The texts that help with it.
    public var help: [String] { item.help.map { $0.text(in: phrases.language) } }

    /// The text that an empty field shows.
    public var placeholder: String? { item.format.placeholder?.text(in: phrases.language) }

    /// The label of the field for something that is not among the options.
    public var otherLabel: String {
        item.format.openLabel?.text(in: phrases.language) ?? phrases.sentence("other")
    }

    /// The answers as people read them.
    public var answerText: String { answers.map(text).joined(separator: ", ") }

    /// An answer as people read it, of a coding its option's text in the person's language.
    public func text(of answer: SurveyAnswer) -> String {
        if case .boolean(let value) = answer { return phrases.sentence(value ? "yes" : "no") }
        if let option = options.first(where: { $0.value.equals(answer) }) {
            return option.label.text(in: phrases.language)
        }
        if case .coding(let coding) = answer { return SurveyText(coding).text(in: phrases.language) }
        return answer.label
    }

    /// What became of a search, in the person's language: to be shown, and read out, beside its field.
    public var searchNote: String? { search?.note(in: phrases) }

    // MARK: Controls

    /// How a question is answered; nil for others.
    public var control: SurveyControl? {
        if case .question(let control) = kind { return control }
        return nil
    }

    /// Whether any number of its choices can be chosen.
    package var allowsMultipleSelection: Bool {
        control == .checkboxes || control == .search && item.repeats
    }

    /// Whether a button removes this repetition.
    public var canRemoveRepetition: Bool { item.isGroup && item.repeats && repetitions > 1 }

    /// What can be chosen. An answer that is not offered any more is among them, so that it can be seen and
    /// taken away.
    public var choices: [SurveyChoice] {
        if control == .yesNo {
            return [true, false].map { value in
                let text = phrases.sentence(value ? "yes" : "no")
                return SurveyChoice(
                    id: value ? "true" : "false",
                    answer: .boolean(value),
                    label: text,
                    text: SurveyText(text),
                    option: nil,
                    isChosen: answers.contains(.boolean(value))
                )
            }
        }
        guard control?.isChoice == true else { return [] }
        let chosen = Set(answers.map(\.choiceID))
        var known: Set<String> = []
        var choices = options.map { option in
            let id = option.value.choiceID
            known.insert(id)
            let prefix = option.prefix.map { "\($0) " } ?? ""
            return SurveyChoice(
                id: id,
                answer: option.value,
                label: prefix + option.label.text(in: phrases.language),
                text: option.label,
                option: option,
                isChosen: chosen.contains(id)
            )
        }
        for answer in answers where known.insert(answer.choiceID).inserted && !isOther(answer) {
            choices.append(
                SurveyChoice(
                    id: answer.choiceID,
                    answer: answer,
                    label: text(of: answer),
                    text: SurveyText(answer.label),
                    option: nil,
                    isChosen: true
                )
            )
        }
        return choices
    }

    /// Whether an answer was entered beside the options.
    func isOther(_ answer: SurveyAnswer) -> Bool {
        guard item.format.allowsOpenChoice else { return false }
        if item.format.isOpen {
            guard case .string = answer else { return false }
        }
        return !options.contains { $0.value.equals(answer) }
    }

    /// The fields for answers that are entered: of a question that repeats one more than there are answers.
    /// Of an open choice the fields for what is not among the options.
    public var fields: [SurveyField] {
        fieldTexts.enumerated().map { index, typed in
            SurveyField(
                id: SurveyField.ID(item: id, index: index, isOther: control?.isChoice == true),
                text: typed.text,
                unit: typed.unit
            )
        }
    }

    var fieldTexts: [TypedText] {
        guard let control, control != .attachment, control != .yesNo else { return [] }
        guard !control.isChoice || item.format.allowsOpenChoice else { return [] }
        let isOther = control.isChoice
        var texts = typed ?? (isOther ? answers.filter(self.isOther) : answers).map(TypedText.init)
        if item.repeats {
            let maximum = max(item.maxOccurs ?? Int.max, texts.count, 1)
            if texts.count < maximum, texts.last.map({ !$0.text.isEmpty }) ?? true {
                texts.append(TypedText())
            }
        } else {
            texts = [texts.first ?? TypedText()]
        }
        return texts
    }

    /// The sentence for a text that is not an answer.
    package var unreadable: String {
        switch control {
        case .number(isInteger: true, _)?: phrases.sentence("unreadable.integer")
        case .number?, .quantity?: phrases.sentence("unreadable.number")
        case .date?, .dateTime?: phrases.sentence("unreadable.date")
        case .time?: phrases.sentence("unreadable.time")
        case .search?: phrases.sentence("unreadable.search")
        default: phrases.sentence("unreadable")
        }
    }

    /// The item and everything under it, in order.
    package func forEach(_ body: (PresentedItem) -> Void) {
        body(self)
        for child in children { child.forEach(body) }
        for list in answerChildren { for child in list { child.forEach(body) } }
    }
}
