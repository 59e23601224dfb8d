import FHIR

extension SurveySession {
    /// The text of an occurrence now: what its expression gives, else the questionnaire's.
    public func text(of occurrence: ItemOccurrence) -> SurveyText? {
        let item = survey.items[occurrence.item]
        return text(item.textExpression, at: occurrence) ?? item.text
    }

    /// The prefix of an occurrence now: what its expression gives, else the questionnaire's.
    public func prefix(of occurrence: ItemOccurrence) -> SurveyText? {
        let item = survey.items[occurrence.item]
        return text(item.prefixExpression, at: occurrence) ?? item.prefix
    }

    /// The texts that help with an occurrence now: what their expressions give, else the questionnaire's.
    public func help(of occurrence: ItemOccurrence) -> [SurveyText] {
        let item = survey.items[occurrence.item]
        guard !item.helpExpressions.isEmpty else { return item.help }
        return item.help.enumerated().map { text(item.helpExpressions[$0], at: occurrence) ?? $1 }
    }

    /// What an expression for a text gives; nil where there is none, or nothing.
    private func text(_ expression: SurveyExpression?, at occurrence: ItemOccurrence) -> SurveyText? {
        guard let expression, let node = node(occurrence) else { return nil }
        var session = self
        session.steps = stepLimit()
        return session.text(expression, at: node)
    }

    mutating func text(_ expression: SurveyExpression, at node: Int) -> SurveyText? {
        let result = evaluate(expression, at: node) ?? []
        return result.isEmpty ? nil : SurveyText(result.map(\.text).joined(separator: " "))
    }

    /// The prefix and the text of an occurrence now.
    public func label(of occurrence: ItemOccurrence, in language: String? = nil) -> String {
        [prefix(of: occurrence), text(of: occurrence)]
            .compactMap { $0?.text(in: language) }
            .joined(separator: " ")
    }
}
