import FHIR
import FHIRValidation

extension ValidationOptions {
    /// Checks each QuestionnaireResponse against its questionnaire, where that is contained or among the
    /// ``/FHIRValidation/ValidationOptions/definitions``.
    public mutating func checkResponses() {
        let definitions = definitions
        checkResponse = { response, questionnaire in
            guard let response = response.as(QuestionnaireResponse.self),
                let questionnaire = questionnaire.as(Questionnaire.self)
            else { return [] }
            let survey = Survey(questionnaire) { definitions.resource(canonical: $0)?.as(ValueSet.self) }
            return survey.problems(of: response).compactMap { problem in
                if case .invalidFHIR = problem.reason { return nil }
                return problem.issue
            }
        }
    }
}

extension SurveyProblem {
    /// The problem as an issue about the response.
    fileprivate var issue: ValidationIssue {
        let severity: IssueSeverity =
            switch self.severity {
            case .error: .error
            case .warning: .warning
            case .information: .information
            }
        let location = path ?? linkId
        return ValidationIssue(
            severity: severity,
            code: isMissing ? .required : .businessRule,
            text: (location.map { "item \($0): " } ?? "") + text
        )
    }
}
