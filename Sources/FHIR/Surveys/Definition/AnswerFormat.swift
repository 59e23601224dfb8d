import FHIR
import FHIRPathEngine

/// How a question is answered: what may be chosen, and the bounds of what may be entered.
public struct AnswerFormat: Sendable {
    /// The options to choose from; nil where the answer is entered.
    public var options: OptionSource?
    /// Whether something that is not among the options may be entered.
    public var isOpen = false
    /// What is suggested of all that may be answered (SDC `candidateExpression`).
    public var candidates: SurveyExpression?
    /// The label of the field for an entry that is not among the options.
    public var openLabel: SurveyText?
    /// Rules that show and hide options.
    public var optionToggles: [OptionToggle] = []

    /// The longest text, in characters.
    public var maxLength: Int?
    /// The shortest text, in characters.
    public var minLength: Int?
    /// The pattern that the whole text has to match.
    public var pattern: AnswerPattern?
    /// The text that an empty field shows.
    public var placeholder: SurveyText?

    /// The smallest value (`minValue`).
    public var minimum: AnswerBound?
    /// The largest value (`maxValue`).
    public var maximum: AnswerBound?
    /// How many digits a decimal may have behind the point.
    public var maxDecimalPlaces: Int?
    /// The distance of two values on a slider (`sliderStepValue`).
    public var sliderStep: Int?
    /// The units of a quantity, the default first. Empty for any.
    public var units: [Coding] = []
    /// Whether a unit that is not among them may be entered (`unitOpen`).
    public var isUnitOpen = false
    /// A value set of units that is not in the questionnaire.
    public var unitValueSet: String?

    /// The media types of an attachment; empty for any. `image/*` stands for all of images.
    public var mediaTypes: [String] = []
    /// The largest attachment, in bytes.
    public var maxBytes: Int?
    /// The types of resources that a reference may refer to; empty for any.
    public var referenceTypes: [String] = []
    /// The profiles that a referenced resource may have; empty for any.
    public var referenceProfiles: [String] = []
    /// A query that finds the resources to choose from, without the type (`questionnaire-referenceFilter`).
    public var referenceFilter: String?

    /// The kind of keyboard (`ios-keyboardtype`).
    public var keyboard: String?
    /// The kind of content, for autofill (`ios-textcontenttype`).
    public var textContent: String?
    /// The automatic capitalization (`ios-autocapitalizationType`).
    public var capitalization: String?

    /// A format without options and bounds.
    public init() {}

    /// What is shown of a resource that can be chosen (`choiceColumn` with `forDisplay`).
    var displayPaths: [FHIRPath] = []

    /// Expressions for what is shown of listed options (`cqf-expression` on their texts), by their positions.
    var optionLabels: [(position: Int, expression: SurveyExpression)] = []

    /// The positions of listed options by code, where there are many.
    var optionsByCode: [String: [Int]]?

    /// The options that an answer may be: those with its code where there are many, else all.
    func candidates(_ options: [SurveyOption], for answer: SurveyAnswer?) -> [SurveyOption] {
        guard let optionsByCode, !hasChangingOptions, case .coding(let coding)? = answer,
            let code = coding.code
        else {
            return options
        }
        return (optionsByCode[code] ?? []).map { options[$0] }
    }

    /// Whether there is a field for what is not among the options: for a text, or for any answer of the
    /// item's type where options are only suggested.
    package var allowsOpenChoice: Bool { isOpen || candidates != nil && options == nil }

    /// Whether what can be chosen, or how it is shown, depends on what was answered.
    var hasChangingOptions: Bool {
        if case .expression? = options { return true }
        if candidates != nil { return true }
        return !optionToggles.isEmpty || !optionLabels.isEmpty
    }
}

/// A pattern that a text has to match as a whole.
public struct AnswerPattern: Sendable {
    /// The regular expression as the questionnaire has it.
    public let pattern: String
    /// The message for an entry that does not match.
    public let message: SurveyText?
    let regex: BoundedRegex
}

/// A bound of what may be entered: a value, or an expression that gives one.
public enum AnswerBound: Sendable {
    case value(SurveyAnswer)
    /// An expression that gives the value.
    case expression(SurveyExpression)
}

/// Where options come from.
public enum OptionSource: Sendable {
    /// The questionnaire has them.
    case listed([SurveyOption])
    /// A value set that is not available, by its canonical URL.
    case external(String)
    /// A value set that is too large to be listed, by its canonical URL, or by `#` and the id of a contained
    /// one: its codes are searched (``OptionSearch``).
    case searched(String)
    /// An expression gives them.
    case expression(SurveyExpression)
}

/// The options of a value set or an item, with an index by code where there are many.
struct OptionList: Sendable {
    let options: [SurveyOption]
    let byCode: [String: [Int]]?

    init(_ options: [SurveyOption]) {
        self.options = options
        guard options.count > 32 else {
            byCode = nil
            return
        }
        var byCode: [String: [Int]] = [:]
        for (position, option) in options.enumerated() {
            if let code = option.value.coding?.code { byCode[code, default: []].append(position) }
        }
        self.byCode = byCode
    }
}

/// One of the answers to choose from.
public struct SurveyOption: Sendable, Hashable {
    /// The answer that choosing it gives.
    public let value: SurveyAnswer
    /// What is shown for it.
    public internal(set) var label: SurveyText
    /// A number or letter before the label.
    public var prefix: String?
    /// Whether choosing it takes the others away.
    public var isExclusive = false
    /// Whether it is chosen before anybody has answered.
    public var isInitiallySelected = false
    /// Its score (`ordinalValue`, `itemWeight`).
    public var score: FHIRDecimal?
    /// A picture, video or sound (`itemAnswerMedia`).
    public var media: Attachment?

    /// An option; without a label it shows its value.
    public init(_ value: SurveyAnswer, label: SurveyText? = nil) {
        self.value = value
        self.label = label ?? SurveyText(value.label)
    }
}

/// Options that are only there while an expression holds (`answerOptionsToggleExpression`).
public struct OptionToggle: Sendable {
    /// The values of the options.
    public let options: [SurveyAnswer]
    /// The options are there while it holds.
    public let expression: SurveyExpression
}

/// A rule on answers in FHIRPath (`questionnaire-constraint`, `targetConstraint`).
public struct SurveyConstraint: Sendable {
    /// The name of the rule, for programs.
    public let key: String
    /// Whether breaking it is an error, and not a warning.
    public let isError: Bool
    /// The message when it does not hold.
    public let human: SurveyText
    /// The reason for the rule.
    public let requirements: String?
    /// The paths of the values that it is about, in FHIRPath.
    public let locations: [String]
    /// The expression that must hold.
    public let expression: SurveyExpression
}
