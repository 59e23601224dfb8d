import FHIR
import Foundation
import Surveys

func answer(_ file: URL) throws -> QuestionnaireResponse {
    var session = SurveySession(Survey(try Questionnaire(parsing: Data(contentsOf: file))))
    try session.answer("hours", with: .decimal(7.5))
    // What is missing or out of bounds.
    for problem in session.problems() { print(problem) }
    return session.response(.completed)
}
