import BoundedRegex
import FHIR

/// How a question is answered: what may be chosen, and the bounds of what may be entered.
public struct AnswerFormat: Sendable {
    /// What may be chosen; nil where it is entered.
    public var options: OptionSource?
    /// Whether something that is not among the options may be entered.
    public var isOpen = false
    /// What asks for an entry that is not among the options.
    public var openLabel: String?
    /// Rules that show and hide options.
    public var optionToggles: [OptionToggle] = []

    /// The longest and shortest text, in characters.
    public var maxLength: Int?
    public var minLength: Int?
    /// What the whole text matches.
    public var pattern: AnswerPattern?
    /// What an empty field shows.
    public var placeholder: String?

    public var minimum: AnswerBound?
    public var maximum: AnswerBound?
    public var maxDecimalPlaces: Int?
    public var sliderStep: Int?
    /// The units of a quantity; the first is the one to begin with. Empty for any.
    public var units: [Coding] = []
    /// A value set of units that is not in the questionnaire.
    public var unitValueSet: String?

    /// The media types of an attachment; empty for any. `image/*` stands for all of images.
    public var mediaTypes: [String] = []
    /// The largest attachment, in bytes.
    public var maxBytes: Int?
    /// What types of resources a reference may point to; empty for any.
    public var referenceTypes: [String] = []
    /// The profiles that a referenced resource may have; empty for any.
    public var referenceProfiles: [String] = []
    /// A query that finds the resources to choose from, without the type (`questionnaire-referenceFilter`).
    public var referenceFilter: String?

    /// Hints for a keyboard: `ios-keyboardtype`, `ios-textcontenttype`, `ios-autocapitalizationType`.
    public var keyboard: String?
    public var textContent: String?
    public var capitalization: String?

    public init() {}
}

/// A pattern that a text has to match as a whole.
public struct AnswerPattern: Sendable {
    public let pattern: String
    /// What is said to who enters something else.
    public let message: String?
    let regex: BoundedRegex
}

/// A bound of what may be entered: a value, or an expression that gives one.
public enum AnswerBound: Sendable {
    case value(SurveyAnswer)
    case expression(SurveyExpression)
}

/// Where options come from.
public enum OptionSource: Sendable {
    /// The questionnaire has them.
    case listed([SurveyOption])
    /// A value set that nobody gave.
    case external(String)
    /// An expression gives them.
    case expression(SurveyExpression)
}

/// One of the answers to choose from.
public struct SurveyOption: Sendable, Hashable {
    public let value: SurveyAnswer
    public let label: SurveyText
    /// A number or letter before the label.
    public var prefix: String?
    /// Whether choosing it takes the others away.
    public var isExclusive = false
    public var isInitiallySelected = false
    /// What it counts in a score (`ordinalValue`, `itemWeight`).
    public var score: FHIRDecimal?
    public var media: Attachment?

    public init(_ value: SurveyAnswer, label: SurveyText? = nil) {
        self.value = value
        self.label = label ?? SurveyText(value.label)
    }
}

/// Options that are only there while an expression holds (`answerOptionsToggleExpression`).
public struct OptionToggle: Sendable {
    public let options: [SurveyAnswer]
    public let expression: SurveyExpression
}

/// A rule on answers in FHIRPath (`questionnaire-constraint`, `targetConstraint`).
public struct SurveyConstraint: Sendable {
    public let key: String
    public let isError: Bool
    /// What is said where it does not hold.
    public let human: String
    /// Why there is the rule.
    public let requirements: String?
    /// Where the values are that it is about, as FHIRPath.
    public let locations: [String]
    public let expression: SurveyExpression
}
