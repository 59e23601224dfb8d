import FHIR
import OrderedJSON

/// An item of a questionnaire: a question, a group of items, or a text to read.
public struct SurveyItem: Sendable {
    /// The index in ``Survey/items``.
    public let index: Int
    /// The item that it is under.
    public let parent: Int?
    /// The items under it.
    public internal(set) var children: [Int] = []
    /// The id by which answers refer to it; empty where the questionnaire has none.
    public let linkId: String
    /// The type. An unknown type is read as `string`; an abstract `question` takes no answers.
    public let type: QuestionnaireItemType
    /// What is asked or shown.
    public var text: SurveyText?
    /// A number or letter before the text.
    public var prefix: SurveyText?
    /// A shorter text for small screens.
    public var shortText: SurveyText?
    /// Codes for what it asks.
    public var code: [Coding] = []
    /// The element definition that it asks for.
    public var definition: String?

    /// Whether it must be answered.
    public var isRequired = false
    /// Whether a question may have several answers, or a group several repetitions.
    public var repeats = false
    /// Whether only expressions and initial values answer it.
    public var isReadOnly = false
    /// Whether it is never shown; it may have values all the same.
    public var isHidden = false
    /// How many answers or repetitions there must be.
    public var minOccurs: Int?
    /// How many answers or repetitions there may be.
    public var maxOccurs: Int?

    /// How it is to be shown: codes of `questionnaire-itemControl`, such as `slider`, `page`, `gtable`,
    /// `help`.
    public var controls: Set<String> = []
    /// `horizontal` or `vertical`, of options.
    public var orientation: String?
    /// The category of a display: `instructions`, `security`, `help`.
    public var displayCategory: String?
    /// Whether a group can be folded: `default-open` or `default-closed`.
    public var collapsible: String?
    /// Help: texts of displays under it that are marked as help.
    public var help: [SurveyText] = []
    /// The addresses of pages that help.
    public var supportLinks: [String] = []
    /// In how many columns the options, or the items of a group, stand (`columnCount`), at most 6.
    public var columnCount: Int?
    /// A picture, video or sound (`itemMedia`).
    public var media: Attachment?

    /// When it is shown (`questionnaire-usageMode`): `capture-display`, `capture`, `display` or
    /// `display-non-empty`.
    public var usageMode: String?
    /// The type of FHIR that answers are meant to have, such as `Money` (`questionnaire-fhirType`).
    public var fhirType: String?

    /// The options and bounds of its answers.
    public var format = AnswerFormat()
    /// The addresses of the terminology servers that are preferred for its value sets, the best first
    /// (`preferredTerminologyServer` of the item, else of the nearest around it, else of the questionnaire).
    /// Who asks them has to decide whether they may be asked.
    public var terminologyServers: [String] = []
    /// The initial values.
    public var initial: [SurveyAnswer] = []
    /// Conditions under which it is asked.
    public var conditions: [EnableCondition] = []
    /// Whether one of the conditions is enough, instead of all.
    public var isEnabledByAny = false
    /// An expression that has to hold for it to be asked (`enableWhenExpression`).
    public var enableExpression: SurveyExpression?
    /// An expression for the initial values.
    public var initialExpression: SurveyExpression?
    /// What a group is filled from; a group that repeats has one repetition for each value
    /// (`itemPopulationContext`).
    public var populationContext: SurveyExpression?
    /// How old an Observation with one of the item's codes may be to be its initial value
    /// (`observationLinkPeriod`, of the item, or the nearest around it).
    public var observationPeriod: FHIRDuration?
    /// Whether the answer is whom the items beside it, and under those, are about (`isSubject`).
    public var isSubject = false
    /// An expression for the text, which replaces it (`cqf-expression`).
    public var textExpression: SurveyExpression?
    /// An expression for the prefix, which replaces it (`cqf-expression`).
    public var prefixExpression: SurveyExpression?
    /// Expressions for texts of ``help`` by their indices.
    var helpExpressions: [Int: SurveyExpression] = [:]
    /// An expression for the values, which replace earlier answers.
    public var calculatedExpression: SurveyExpression?
    /// Variables that expressions of this item, and of those under it, can name.
    public var variables: [SurveyExpression] = []
    /// The constraints on its answers.
    public var constraints: [SurveyConstraint] = []
    /// The item's JSON.
    public let source: JSONValue

    /// Whether it holds other items and takes no answers.
    public var isGroup: Bool { type == .group }
    /// Whether it is only shown.
    public var isDisplay: Bool { type == .display }
    /// Whether it is neither a group nor a display.
    public var isQuestion: Bool { !isGroup && !isDisplay }
    /// Whether a display only helps with the item that it is under.
    public var isHelp: Bool {
        isDisplay && (!controls.isDisjoint(with: ["help", "flyover"]) || displayCategory == "help")
    }
    /// Whether a group is shown as a table.
    public var isTable: Bool {
        isGroup && !controls.isDisjoint(with: ["table", "htable", "gtable", "atable", "grid"])
    }
    /// Whether a group is a page of its own.
    public var isPage: Bool { isGroup && !controls.isDisjoint(with: ["page", "tab"]) }
    /// Whether expressions set or enable it.
    var hasExpression: Bool { enableExpression != nil || calculatedExpression != nil }

    /// The prefix and the text.
    public func label(in language: String? = nil) -> String {
        [prefix, text].compactMap { $0?.text(in: language) }.joined(separator: " ")
    }
}

/// An answer, as a QuestionnaireResponse has it.
public typealias SurveyAnswer = QuestionnaireResponse.Item.Answer.Value
