import FHIR

/// One of the answers that a question offers, as it is drawn.
public struct SurveyChoice: Sendable, Identifiable {
    /// Unique among the choices of a question, and the same after a restart: `system|code` of a coding.
    public let id: String
    /// The answer that choosing it gives.
    public let answer: SurveyAnswer
    /// The prefix and the text in the person's language.
    public let label: String
    /// The text with its markup, without the prefix.
    public let text: SurveyText
    /// The option of the questionnaire; nil for yes and no, and for an answer that is not offered any more.
    public let option: SurveyOption?
    /// Whether it is chosen.
    public let isChosen: Bool
}

extension SurveyAnswer {
    /// What stands for the answer where it is one of several to choose from.
    package var choiceID: String {
        if case .coding(let coding) = self, let code = coding.code {
            return "\(coding.system?.rawValue ?? "")|\(code)"
        }
        return content.tree.text()
    }
}
