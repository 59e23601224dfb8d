import FHIR

/// What is wrong with an answer, or with a response.
public struct SurveyProblem: Sendable, Hashable, CustomStringConvertible {
    /// The severity of a problem.
    public enum Severity: String, Sendable, Hashable {
        /// The response is not what the questionnaire asks for.
        case error
        /// It may be intended.
        case warning
        /// Worth knowing.
        case information
    }

    /// What is wrong, with the bound or the names for its sentence.
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
        /// A text that does not match the pattern, with the questionnaire's message.
        case pattern(message: SurveyText?)
        /// A value below `minValue`.
        case tooSmall(minimum: String)
        /// A value above `maxValue`.
        case tooLarge(maximum: String)
        /// A decimal with more digits behind the point than `maxDecimalPlaces`.
        case tooManyDecimals(maximum: Int)
        /// A quantity in a unit that the question does not allow.
        case unit(allowed: [SurveyText])
        /// An answer that is not among the options.
        case notAnOption
        /// An exclusive option together with others.
        case exclusiveOption
        /// An attachment of more bytes than `maxSize`.
        case attachmentTooLarge(maximum: Int)
        /// An attachment that states another size than its data have, in bytes.
        case attachmentSize(stated: Int, found: Int)
        /// An attachment of a media type that the question does not allow.
        case attachmentType(allowed: [String])
        /// A reference to a type of resource that the question does not allow.
        case referenceType(allowed: [String])
        /// A constraint of the questionnaire does not hold; the text is the questionnaire's.
        case constraint(key: String, text: SurveyText)
        /// A constraint, bound or list of options could not be evaluated; what depends on it was not checked.
        case notEvaluated
        /// The response has more items and answers than the limit; the others were left out.
        case responseTooLarge
        /// A value that FHIR's type does not allow: an integer out of range, a text that is not a URI.
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
        /// The response is about a resource of a type that the questionnaire is not for.
        case subjectType(allowed: [String], found: String)
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
    public let severity: Severity
    /// What is wrong.
    public let reason: Reason
    /// The occurrence in the session; nil for what is not in it.
    public let occurrence: ItemOccurrence?
    /// The linkIds from the outermost item to this, with the numbers of repetitions: `visits[1]/weight`.
    public let path: String?

    init(
        _ linkId: String?,
        _ reason: Reason,
        severity: Severity = .error,
        occurrence: ItemOccurrence? = nil,
        path: String? = nil
    ) {
        self.linkId = linkId
        self.reason = reason
        self.severity = severity
        self.occurrence = occurrence
        self.path = path
    }

    /// The reason's name, for programs.
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
            case .unit(let allowed): [allowed.map { $0.text(in: phrases.language) }.joined(separator: ", ")]
            case .attachmentType(let allowed), .referenceType(let allowed): [allowed.joined(separator: ", ")]
            case .subjectType(let allowed, let found): [allowed.joined(separator: ", "), found]
            case .attachmentTooLarge(let bytes): [String(Double(bytes) / 1_000_000)]
            case .attachmentSize(let stated, let found): [String(stated), String(found)]
            case .wrongType(let expected, let found): [expected, found]
            case .invalidFHIR(let element, let text): [element, text]
            case .wrongQuestionnaire(let canonical): [canonical]
            case .otherVersion(let version): [version]
            // The questionnaire's own words.
            case .pattern(let message?): [message.text(in: phrases.language)]
            case .constraint(_, let text): [text.text(in: phrases.language)]
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
