import FHIR
import FHIRPathEngine

/// An expression of a questionnaire. (FHIR `Expression`.)
public struct SurveyExpression: Sendable {
    /// The name of a variable.
    public let name: String?
    /// The media type, such as `text/fhirpath`.
    public let language: String
    /// The expression.
    public let text: String
    /// The expression, if it is FHIRPath and correct.
    let path: FHIRPath?
    /// The search, if it is an `application/x-fhir-query` and correct.
    let query: QueryTemplate?
    /// What it reads; nothing where there is no path.
    let reads: FHIRPathItemReads
    /// Whether it may read more of the response than the item that has it.
    let readsResource: Bool
    /// Whether it may read more of the response than the item that has it, and than items that are known by
    /// their link ids.
    let needsResource: Bool

    /// Whether its value is the same whatever was answered, as long as its variables are.
    var readsNoAnswers: Bool {
        !readsResource && reads.isComplete && reads.items.isEmpty && !reads.readsOwnAnswer
            && reads.variables.isDisjoint(with: ["context", "qitem"])
    }

    init(name: String?, language: String, text: String, path: FHIRPath? = nil, query: QueryTemplate? = nil) {
        self.name = name
        self.language = language
        self.text = text
        self.path = path
        self.query = query
        reads = path?.itemReads ?? query?.reads ?? FHIRPathItemReads()
        let expressions = query?.expressions ?? [text]
        let namesResource = expressions.contains {
            $0.contains("QuestionnaireResponse") || $0.contains("resolve")
        }
        readsResource = namesResource || !reads.variables.isDisjoint(with: ["resource", "rootResource"])
        needsResource = namesResource || reads.readsWholeResource
    }
}

/// A condition under which an item is asked. (FHIR `Questionnaire.item.enableWhen`.)
public struct EnableCondition: Sendable {
    /// The linkId of the question whose answers are compared.
    public let question: String
    /// How its answers are compared.
    public let comparison: QuestionnaireEnableOperator
    /// The value that its answers are compared with.
    public let answer: SurveyAnswer
    /// The index of the question; nil where there is none.
    let target: Int?
    /// Whether the operator is defined for the answer's type.
    let isSupported: Bool
}
