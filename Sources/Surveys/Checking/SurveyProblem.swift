import FHIR

/// What is wrong with an answer, or with a response.
public struct SurveyProblem: Sendable, Hashable, CustomStringConvertible {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable {
        /// The response is not what the questionnaire asks for.
        case error
        /// It may be meant so.
        case warning
        /// Worth knowing.
        case information
    }

    /// What is wrong, with the bound or the names that a sentence about it needs.
    public enum Reason: Sendable, Hashable {
        /// A required question has no answer.
        case required
        /// Fewer answers of a question, or repetitions of a group, than `minOccurs`.
        case tooFew(minimum: Int, isGroup: Bool)
        /// More answers of a question, or repetitions of a group, than `maxOccurs`.
        case tooMany(maximum: Int, isGroup: Bool)
        /// A text of more characters than `maxLength`.
        case tooLong(maximum: Int)
        /// A text of fewer characters than `minLength`.
        case tooShort(minimum: Int)
        /// With what the questionnaire says about it.
        case pattern(message: String?)
        /// A value below `minValue`.
        case tooSmall(minimum: String)
        /// A value above `maxValue`.
        case tooLarge(maximum: String)
        /// A decimal with more places than `maxDecimalPlaces`.
        case tooManyDecimals(maximum: Int)
        /// A quantity in a unit that the question does not allow.
        case unit(allowed: [String])
        /// An answer that is not among the options.
        case notAnOption
        /// An exclusive option together with others.
        case exclusiveOption
        /// An attachment of more bytes than `maxSize`.
        case attachmentTooLarge(maximum: Int)
        /// An attachment of a media type that the question does not allow.
        case attachmentType(allowed: [String])
        /// A reference to a type of resource that the question does not allow.
        case referenceType(allowed: [String])
        /// A constraint of the questionnaire does not hold; the text is the questionnaire's.
        case constraint(key: String, text: String)
        /// A number outside of FHIR's integers, a text that is no URI, and the like.
        case malformed
        // What a response can have that a session cannot.
        /// An answer of another type than the question's.
        case wrongType(expected: String, found: String)
        /// An answer without a value.
        case emptyAnswer
        /// An item whose linkId the questionnaire does not have.
        case unknownItem
        /// An item under another item than in the questionnaire; kept where it is clear which one it is.
        case misplaced(isKept: Bool)
        /// A question, or a group that does not repeat, occurs more than once.
        case repeatedItem
        /// Items in another order than the questionnaire's.
        case outOfOrder
        /// A group or a display has an answer.
        case groupAnswered
        /// Items under a question stand beside its answers and not in them.
        case itemsBesideAnswers
        /// An item has an answer though it is not enabled.
        case notAsked
        /// The response names another questionnaire.
        case wrongQuestionnaire(String)
        /// The response names another version of the questionnaire.
        case otherVersion(String)
        /// The response does not name its questionnaire.
        case noQuestionnaire
        /// What FHIR's definitions do not allow.
        case invalidFHIR(element: String, text: String)
    }

    /// The item; nil for the response.
    public let linkId: String?
    /// How bad it is.
    public let severity: Severity
    /// What is wrong.
    public let reason: Reason
    /// The occurrence in the session; nil for what is not in it.
    public let occurrence: ItemOccurrence?
    /// The linkIds from the outermost item to this, with the numbers of repetitions: `visits[1]/weight`.
    public let path: String?

    init(
        _ linkId: String?, _ reason: Reason, severity: Severity = .error, occurrence: ItemOccurrence? = nil,
        path: String? = nil
    ) {
        (self.linkId, self.reason, self.severity) = (linkId, reason, severity)
        self.occurrence = occurrence
        self.path = path
    }

    /// What it is, for programs: the reason's name.
    public var code: String {
        let text = "\(reason)"
        return String(text.prefix { $0 != "(" })
    }

    /// A sentence for people.
    public var text: String { text(in: .english) }

    /// A sentence for people, in another language.
    public func text(in phrases: SurveyPhrases) -> String {
        let arguments: [String] =
            switch reason {
            case .tooFew(let count, _), .tooMany(let count, _), .tooLong(let count), .tooShort(let count),
                .tooManyDecimals(let count):
                [String(count)]
            case .tooSmall(let bound), .tooLarge(let bound): [bound]
            case .unit(let allowed), .attachmentType(let allowed), .referenceType(let allowed):
                [allowed.joined(separator: ", ")]
            case .attachmentTooLarge(let bytes): [String(Double(bytes) / 1_000_000)]
            case .wrongType(let expected, let found): [expected, found]
            case .invalidFHIR(let element, let text): [element, text]
            case .wrongQuestionnaire(let canonical): [canonical]
            case .otherVersion(let version): [version]
            // The questionnaire's own words.
            case .pattern(let message?): [message]
            case .constraint(_, let text): [text]
            default: []
            }
        return phrases.sentence(key, arguments)
    }

    /// The phrase's key: the code, with what it is about.
    private var key: String {
        switch reason {
        case .tooFew(_, let isGroup), .tooMany(_, let isGroup): isGroup ? code + ".group" : code
        case .misplaced(let isKept): isKept ? "misplaced.kept" : "misplaced"
        case .pattern(let message): message == nil ? "pattern" : "pattern.message"
        default: code
        }
    }

    public var description: String {
        let location = path ?? linkId
        return "\(severity.rawValue): \(location.map { "\($0): " } ?? "")\(text)"
    }
}

/// The sentences for problems in a language. `{0}` and `{1}` stand for numbers and names.
public struct SurveyPhrases: Sendable {
    /// The sentences by key; English where one is missing.
    public var sentences: [String: String]

    /// Sentences by key, as ``english`` has them.
    public init(_ sentences: [String: String]) { self.sentences = sentences }

    /// The sentences in English.
    public static let english = SurveyPhrases([
        "required": "Please answer this question.",
        "tooFew": "Please give at least {0} answers.",
        "tooFew.group": "At least {0} repetitions are needed.",
        "tooMany": "Please give at most {0} answers.",
        "tooMany.group": "At most {0} repetitions are allowed.",
        "tooLong": "Please enter at most {0} characters.",
        "tooShort": "Please enter at least {0} characters.",
        "pattern": "This does not have the form that is asked for.",
        "pattern.message": "{0}",
        "tooSmall": "The smallest value is {0}.",
        "tooLarge": "The largest value is {0}.",
        "tooManyDecimals": "Please enter at most {0} digits after the decimal point.",
        "unit": "Please use one of the units: {0}.",
        "notAnOption": "This is not one of the options.",
        "exclusiveOption": "This option cannot be chosen together with others.",
        "attachmentTooLarge": "The file is too large: at most {0} MB are allowed.",
        "attachmentType": "Files of this type are not accepted, only: {0}.",
        "referenceType": "This is not a reference to: {0}.",
        "constraint": "{0}",
        "malformed": "This is no value that can be stored.",
        "wrongType": "The answer is of the type {1}, not {0}.",
        "emptyAnswer": "An answer has no value.",
        "unknownItem": "The questionnaire has no such item.",
        "misplaced": "The item does not belong here.",
        "misplaced.kept": "The item does not belong here; its answers were moved.",
        "repeatedItem": "The answers of a question are in several items.",
        "outOfOrder": "The items are not in the order of the questionnaire.",
        "groupAnswered": "A group or display has an answer.",
        "itemsBesideAnswers": "Items under a question have to be under its answers.",
        "notAsked": "There is an answer to what is not asked.",
        "wrongQuestionnaire": "The response is for another questionnaire, {0}.",
        "otherVersion": "The response is for version {0} of the questionnaire.",
        "invalidFHIR": "{0}: {1}.",
        "noQuestionnaire": "The response does not say which questionnaire it answers.",
    ])

    func sentence(_ key: String, _ arguments: [String]) -> String {
        var text = sentences[key] ?? Self.english.sentences[key] ?? key
        // From the last on, so that an argument with braces is not filled in again.
        for (index, argument) in arguments.enumerated().reversed() {
            text = text.split(separator: "{\(index)}", omittingEmptySubsequences: false).joined(separator: argument)
        }
        return text
    }
}
