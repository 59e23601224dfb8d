import ArgumentParser
import FHIR
import OrderedJSON
import Surveys

struct SurveyExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Print the resources that a questionnaire asks to be made from a response.",
        discussion: """
            A transaction Bundle with what the extensions of Structured Data Capture ask for: Observations by the codes \
            of items, resources by definitions of elements, and resources by templates. What is not extracted as the \
            questionnaire says is printed to standard error, also why nothing was.

            A resource that is updated is given with --context, as in patient=Patient.json.

            The exit status is 0 when everything was extracted, 1 when there are errors, 2 when a file is not what it \
            should be.
            """)

    @OptionGroup var answered: AnsweredSurvey

    func run() throws {
        let (survey, response, context) = try answered.read()
        let extraction = survey.extract(from: response, context: context)
        extraction.diagnostics.complain()
        try StandardStreams.say(extraction.bundle.tree.text(.pretty))
        try extraction.diagnostics.end()
    }
}
