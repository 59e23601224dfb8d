import ArgumentParser
import FHIR
import OrderedJSON
import RecordCommands
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

    @Option(help: .value("code", "The language of texts that have translations, as in de."))
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
        completion: .json
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

struct SurveyImportTaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-task",
        abstract: "Print a task of ResearchKit as a questionnaire.",
        discussion: """
            The inverse of task: an ORKOrderedTask or ORKNavigableOrderedTask in the JSON of ResearchKit's \
            serializer. What is wrong in the task, as check-task finds it, and what a questionnaire does not \
            have is printed to standard error. The other commands take a task as it is; run task.json asks \
            it.

            The exit status is 0 when it is printed, 1 when it is printed and the task has errors, 2 when \
            the file is no task.
            """
    )

    @Argument(help: "A task in JSON; - for standard input.", completion: .json)
    var file: String

    func run() throws {
        let input = InputFile(path: file)
        let json = try input.json()
        let task = try input.task(json)
        // Of a condition that is not read, the questionnaire's reader says more.
        let read = Set(task.diagnostics.compactMap(\.location))
        let findings = ResearchKitTaskCheck(json).findings.filter { finding in
            finding.isError || !(finding.location.map(read.contains) ?? false)
        }
        input.printError(findings)
        input.printError(task.diagnostics)
        try StandardStreams.say(task.questionnaire.tree.text(.pretty))
        try findings.end()
    }
}

struct SurveyCheckTaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-task",
        abstract:
            "Report what is wrong in a task of ResearchKit that was written by hand, with line and column.",
        discussion: """
            Members that ResearchKit's serializer does not know, or that have another type; bounds, choices \
            and identifiers that its classes refuse; rules that lead nowhere. --schema prints a JSON Schema \
            (2020-12) of tasks for editors.

            The exit status is 0 when there are no errors, 1 when there are, 2 when the file is not JSON.
            """
    )

    @Argument(help: "A task in JSON; - for standard input.", completion: .json)
    var file: String?

    @Flag(help: "Print the JSON Schema of tasks, and check nothing.")
    var schema = false

    @Flag(
        help: "Print a JSON array of objects with line, column, path, severity and text."
    )
    var json = false

    func run() throws {
        if schema { return try StandardStreams.say(ResearchKitSchema.json.text(.pretty)) }
        guard let file else { throw ValidationError("Name the file of a task, or --schema.") }
        let input = InputFile(path: file)
        let findings = ResearchKitTaskCheck(try input.json()).findings
        if json {
            try StandardStreams.say(JSONValue(findings.map(\.json)).text(.pretty))
        } else {
            for finding in findings { try StandardStreams.say("\(input.name):\(finding)") }
            if findings.isEmpty { try StandardStreams.say("no problems") }
        }
        try findings.end()
    }
}

extension ResearchKitTaskCheck.Finding: SurveyFinding {
    var json: JSONValue {
        [
            "line": JSONValue(location?.line), "column": JSONValue(location?.column), "path": JSONValue(path),
            "severity": isError ? "error" : "warning", "text": JSONValue(text),
        ]
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
        completion: .json
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

            What is not valid FHIR is left out; with --unchecked it is printed too, as the questionnaire \
            makes it, for who completes it.

            The exit status is 0 when everything was extracted, 1 when there are errors, \
            2 when a file is not what it should be.
            """
    )

    @OptionGroup var answered: AnsweredSurvey

    @Flag(help: "Print also what is not valid FHIR.")
    var unchecked = false

    func run() throws {
        let (survey, response, context) = try answered.read()
        let extraction = survey.extract(from: response, context: context)
        extraction.diagnostics.printError()
        let bundle = unchecked ? extraction.unchecked : extraction.bundle
        try StandardStreams.say(bundle.tree.text(.pretty))
        try extraction.diagnostics.end()
    }
}
