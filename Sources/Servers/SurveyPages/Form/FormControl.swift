import FHIR
import Surveys

/// How a question is shown and entered.
enum FormControl: Equatable {
    case yesNo
    /// One of the options, as buttons.
    case radios
    case checkboxes
    /// One of many options, in a list that opens.
    case list
    /// A line of text, with a keyboard and what browsers may fill in.
    case text
    case lines
    /// A number; a slider where it has bounds.
    case number(isWhole: Bool, slider: SliderRange?)
    case quantity
    case date
    case dateTime
    case time
    case file

    /// More options than this become a list.
    static let maximumButtons = 15

    init(_ item: SurveyItem, options: [SurveyOption]) {
        // Without options that are known, a code is entered as text.
        var isListed = false
        switch item.format.options {
        case .listed?: isListed = !item.format.isOpen
        // An expression that gives nothing leaves nothing to choose, and no text to enter.
        case .expression?: isListed = item.type == .choice && !item.format.isOpen
        case .external?, nil: break
        }
        if !options.isEmpty || isListed {
            let isList =
                item.controls.contains("drop-down") || item.controls.contains("autocomplete")
                || options.count > Self.maximumButtons
            self = item.repeats ? .checkboxes : isList ? .list : .radios
            return
        }
        switch item.type {
        case .boolean: self = .yesNo
        case .integer: self = .number(isWhole: true, slider: SliderRange(item))
        case .decimal: self = .number(isWhole: false, slider: SliderRange(item))
        case .quantity: self = .quantity
        case .date: self = .date
        case .dateTime: self = .dateTime
        case .time: self = .time
        case .text: self = .lines
        case .attachment: self = .file
        default: self = .text
        }
    }

    /// Whether the control is a set of fields, which a legend names.
    var isFieldset: Bool {
        switch self {
        case .yesNo, .radios, .checkboxes, .date, .dateTime: true
        default: false
        }
    }
}

/// The bounds and the step of a slider.
struct SliderRange: Equatable {
    let minimum: String
    let maximum: String
    let step: String

    /// nil where the item is no slider, or has no range: then it is a number alone.
    init?(_ item: SurveyItem) {
        guard item.controls.contains("slider"), case .value(let most)? = item.format.maximum else {
            return nil
        }
        var least = SurveyAnswer.integer(0)
        if case .value(let minimum)? = item.format.minimum { least = minimum }
        guard let low = Self.digits(least), let high = Self.digits(most), let from = low.decimal,
            let to = high.decimal, from < to
        else { return nil }
        minimum = low.description
        maximum = high.description
        step = item.format.sliderStep.map { String(max(1, $0)) } ?? (item.type == .integer ? "1" : "any")
    }

    private static func digits(_ answer: SurveyAnswer) -> FHIRDecimal? {
        switch answer {
        case .integer(let value): FHIRDecimal(value)
        case .decimal(let value): value
        default: nil
        }
    }
}
