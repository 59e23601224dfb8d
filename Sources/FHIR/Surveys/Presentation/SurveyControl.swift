import FHIR

/// How a question is shown and entered.
public enum SurveyControl: Sendable, Hashable {
    case yesNo
    /// One of the options, each beside a button.
    case radioButtons
    /// Any number of the options.
    case checkboxes
    /// One of many options, in a list that opens.
    case menu
    /// Codes of a value set that is too large to be listed: what is typed into ``PresentedItem/search`` is
    /// searched for, and what is found can be chosen; any number where the question repeats, else one.
    case search
    /// A line of text, or a code where the options are not known.
    case text
    /// Several lines of text.
    case textArea
    /// A number; with a slider where the questionnaire asks for one and gives bounds.
    case number(isInteger: Bool, slider: Slider?)
    /// A number and a unit.
    case quantity
    /// A date; day, or day and month, may be missing.
    case date
    case dateTime
    /// A time of day.
    case time
    /// A file.
    case attachment

    /// More options than this become a menu.
    static let maximumButtons = 15

    /// The control for an item with these options.
    package init(_ item: SurveyItem, options: [SurveyOption]) {
        if case .searched? = item.format.options {
            self = .search
            return
        }
        // Without options that are known, a code is entered as text.
        var isListed = false
        switch item.format.options {
        case .listed?: isListed = !item.format.isOpen
        // An expression that gives nothing leaves nothing to choose, and no text to enter.
        case .expression?: isListed = item.type == .choice && !item.format.isOpen
        case .external?, .searched?, nil: break
        }
        if !options.isEmpty || isListed {
            let isMenu =
                item.controls.contains("drop-down") || item.controls.contains("autocomplete")
                || options.count > Self.maximumButtons
            self = item.repeats ? .checkboxes : isMenu ? .menu : .radioButtons
            return
        }
        switch item.type {
        case .boolean: self = .yesNo
        case .integer: self = .number(isInteger: true, slider: Slider(item))
        case .decimal: self = .number(isInteger: false, slider: Slider(item))
        case .quantity: self = .quantity
        case .date: self = .date
        case .dateTime: self = .dateTime
        case .time: self = .time
        case .text: self = .textArea
        case .attachment: self = .attachment
        default: self = .text
        }
    }

    /// Whether something is chosen, and not entered.
    public var isChoice: Bool {
        switch self {
        case .yesNo, .radioButtons, .checkboxes, .menu, .search: true
        default: false
        }
    }

    /// The bounds and the step of a slider.
    public struct Slider: Sendable, Hashable {
        /// The smallest value.
        public let minimum: FHIRDecimal
        /// The largest value.
        public let maximum: FHIRDecimal
        /// The distance of two values; nil for any value.
        public let step: Int?

        /// nil where the item is not a slider, or has no range: then it is a number alone.
        init?(_ item: SurveyItem) {
            guard item.controls.contains("slider"), case .value(let upper)? = item.format.maximum else {
                return nil
            }
            var lower = SurveyAnswer.integer(0)
            if case .value(let minimum)? = item.format.minimum { lower = minimum }
            guard let low = Self.number(lower), let high = Self.number(upper), let from = low.decimal,
                let to = high.decimal, from < to
            else { return nil }
            minimum = low
            maximum = high
            step = item.format.sliderStep.map { max(1, $0) } ?? (item.type == .integer ? 1 : nil)
        }

        private static func number(_ answer: SurveyAnswer) -> FHIRDecimal? {
            switch answer {
            case .integer(let value): FHIRDecimal(value)
            case .decimal(let value): value
            default: nil
            }
        }
    }
}
