import ArgumentParser
import FHIR
import Surveys

/// A questionnaire and a response to it, as files.
struct AnsweredSurvey: ParsableArguments {
    @OptionGroup var file: SurveyFile
    @OptionGroup var contextOptions: SurveyContextOptions

    @Argument(help: "A QuestionnaireResponse in JSON.", completion: .file(extensions: ["json"]))
    var response: String

    /// - Throws: ``CommandFailure`` where a file is not what it should be.
    func read() throws -> (survey: Survey, response: QuestionnaireResponse, context: SurveyContext) {
        let survey = try file.survey()
        return (survey, try InputFile(path: response).resource(QuestionnaireResponse.self), try contextOptions.context())
    }
}
