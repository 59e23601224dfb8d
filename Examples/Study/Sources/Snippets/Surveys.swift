import FHIR
import Foundation
import Surveys

func answer(_ file: URL) throws -> QuestionnaireResponse {
    var session = SurveySession(Survey(try Questionnaire(parsing: Data(contentsOf: file))))
    try session.answer("hours", with: .decimal(7.5))
    for problem in session.problems() { print(problem) }               // what is missing or out of bounds
    return session.response(.completed)
}
