import ArgumentParser
import FHIR
import OrderedJSON
import Surveys

struct SurveyTaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task",
        abstract: "Print a questionnaire as a task of ResearchKit.",
        discussion: """
            The JSON is that of ResearchKit's serializer. What ResearchKit cannot do is printed \
            to standard error.
            """
    )

    @OptionGroup var file: SurveyFile

    @Option(help: ArgumentHelp("The language of texts that have translations, as in de.", valueName: "code"))
    var language: String?

    func run() throws {
        let survey = try file.survey()
        let task = ResearchKitTask(survey, language: language)
        task.diagnostics.printError()
        try StandardStreams.say(task.json.text(.pretty))
    }
}

struct SurveyResultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "result",
        abstract:
            "Turn a result of ResearchKit's task into a QuestionnaireResponse, or a response into a result.",
        discussion: """
            The exit status is 0 when everything fits, 1 when something does not, which is printed to \
            standard error, 2 when a file is not what it should be.
            """
    )

    enum Form: String, ExpressibleByArgument, CaseIterable { case response, result }

    @OptionGroup var file: SurveyFile
    @OptionGroup var context: SurveyContextOptions

    @Argument(
        help: "A task result in JSON (ORKTaskResult); with --to result a QuestionnaireResponse.",
        completion: .file(extensions: ["json"])
    )
    var result: String

    @Option(help: "What to print.")
    var to = Form.response

    func run() throws {
        let survey = try file.survey()
        let context = try context.context()
        switch to {
        case .response:
            let json = try InputFile(path: result).json()
            guard json["_class"]?.string == "ORKTaskResult" else {
                throw CommandFailure("\(result): this is no ORKTaskResult of ResearchKit")
            }
            // What ResearchKit did not ask has no answer; what it asked has what was answered, and no initial
            // value.
            var session = SurveySession(survey, context: context)
            let problems = session.fill(withResearchKitResult: json)
            try StandardStreams.say(session.response().tree.text(.pretty))
            try finish(problems + session.problems())
        case .result:
            let response = try InputFile(path: result).resource(QuestionnaireResponse.self)
            let session = SurveySession(survey, restoring: response, context: context)
            let task = ResearchKitTask(survey)
            try StandardStreams.say(session.researchKitResult(of: task).text(.pretty))
            try finish(session.restorationProblems)
        }
    }

    private func finish(_ problems: [SurveyProblem]) throws {
        problems.printError()
        try problems.end()
    }
}

struct SurveyFormatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "format",
        abstract: "Print ResearchKit's JSON with indentation, and with nothing lost.",
        discussion: """
            Tasks, steps, results and whatever else has a _class: members keep their order, unknown ones \
            too, and numbers their digits. The exit status is 2 when the file is not ResearchKit's JSON.
            """
    )

    @Argument(
        help: "A file with ResearchKit's JSON; - for standard input.",
        completion: .file(extensions: ["json"])
    )
    var file: String

    func run() throws {
        let json = try InputFile(path: file).json()
        guard json["_class"]?.kind == .string else {
            throw CommandFailure("\(file): this is no JSON of ResearchKit: there is no _class")
        }
        try StandardStreams.say(json.text(.pretty))
    }
}

struct SurveyExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Print the resources that a questionnaire asks to be made from a response.",
        discussion: """
            A transaction Bundle with what the extensions of Structured Data Capture ask for: \
            Observations by the codes of items, resources by definitions of elements, and resources by \
            templates. What is not extracted as the questionnaire says is printed to standard error, \
            also why nothing was.

            A resource that is updated is given with --context, as in patient=Patient.json.

            The exit status is 0 when everything was extracted, 1 when there are errors, \
            2 when a file is not what it should be.
            """
    )

    @OptionGroup var answered: AnsweredSurvey

    func run() throws {
        let (survey, response, context) = try answered.read()
        let extraction = survey.extract(from: response, context: context)
        extraction.diagnostics.printError()
        try StandardStreams.say(extraction.bundle.tree.text(.pretty))
        try extraction.diagnostics.end()
    }
}
