import FHIR
import FHIRValidation

extension Survey {
    /// The problems of a response: parts that do not belong to the questionnaire, the problems that
    /// ``SurveySession/problems()`` reports, and parts that break the definitions of FHIR. While a response
    /// is in progress, a missing answer is only a warning.
    public func problems(of response: QuestionnaireResponse, context: SurveyContext = SurveyContext())
        -> [SurveyProblem]
    {
        let session = SurveySession(self, restoring: response, context: context)
        var problems = session.restorationProblems
        if canonical != nil, response.questionnaire == nil {
            problems.append(SurveyProblem(nil, .noQuestionnaire, severity: .warning))
        }
        let isOpen =
            response.status == .inProgress || response.status == .stopped
            || response.status == .enteredInError
        // An answer that was left out because of its type is reported already.
        let mistyped = Set(
            problems.compactMap { problem -> ItemOccurrence? in
                if case .wrongType = problem.reason { problem.occurrence } else { nil }
            }
        )
        problems += session.problems().filter { problem in
            !(problem.isMissing && problem.occurrence.map(mistyped.contains) ?? false)
        }
        .map { problem in
            guard isOpen, problem.isMissing else { return problem }
            return SurveyProblem(
                problem.linkId,
                problem.reason,
                severity: .warning,
                occurrence: problem.occurrence,
                path: problem.path
            )
        }
        // Extensions are copied from the questionnaire: whoever answers does not choose them.
        var options = ValidationOptions()
        options.appliesProfiles = false
        problems += response.issues(options).filter(\.isError).map { issue in
            // Whoever answers cannot mend the questionnaire's own texts.
            let isOfQuestionnaire =
                issue.expression.hasSuffix("ofType(Coding).system")
                || issue.expression == "QuestionnaireResponse.questionnaire"
            return SurveyProblem(
                nil,
                .invalidFHIR(element: issue.expression, text: issue.text),
                severity: isOfQuestionnaire ? .warning : .error
            )
        }
        return problems
    }
}

extension SurveyProblem {
    /// Whether more answers would solve it.
    var isMissing: Bool {
        switch reason {
        case .required, .tooFew: true
        default: false
        }
    }
}
