import FHIR

extension SurveySession {
    /// The text of an occurrence now: what its expression gives, else the questionnaire's.
    public func text(of occurrence: ItemOccurrence) -> SurveyText? {
        let item = survey.items[occurrence.item]
        guard let expression = item.textExpression, let node = node(occurrence) else { return item.text }
        var session = self
        session.steps = stepLimit()
        let result = session.evaluate(expression, at: node) ?? []
        return result.isEmpty ? item.text : SurveyText(result.map(\.text).joined(separator: " "))
    }

    /// The prefix and the text of an occurrence now.
    public func label(of occurrence: ItemOccurrence, in language: String? = nil) -> String {
        [survey.items[occurrence.item].prefix, text(of: occurrence)]
            .compactMap { $0?.text(in: language) }
            .joined(separator: " ")
    }
}
