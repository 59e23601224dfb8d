import ArgumentParser
import FHIR
import FHIRTerminology
import FHIRValidation
import Foundation
import OrderedJSON
import RecordCommands
import Surveys

struct SurveyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "survey",
        abstract: "Ask the questions of a FHIR Questionnaire, and check the answers.",
        discussion: """
            Works on files, and serves pages; nothing is sent. A questionnaire is a FHIR R4 Questionnaire in \
            JSON, with the extensions of Structured Data Capture, or a task of ResearchKit \
            (ORKOrderedTask or ORKNavigableOrderedTask) in the JSON of its serializer.
            """,
        subcommands: [
            SurveyCheckCommand.self, SurveyRunCommand.self, SurveyValidateCommand.self,
            SurveyScoreCommand.self, SurveyFillCommand.self,
            SurveyServeCommand.self, SurveyExtractCommand.self, SurveyTaskCommand.self,
            SurveyResultCommand.self, SurveyImportTaskCommand.self, SurveyCheckTaskCommand.self,
            SurveyFormatCommand.self,
        ]
    )
}

/// The questionnaire of a command, with what is given beside it.
struct SurveyFile: ParsableArguments {
    @Argument(
        help: "A Questionnaire, or a task of ResearchKit, in JSON; - for standard input.",
        completion: .json
    )
    var questionnaire: String

    @Option(
        name: .customLong("value-set"),
        help: .value(
            "file",
            "A ValueSet that the questionnaire names and does not contain."
        ),
        completion: .json
    )
    var valueSets: [String] = []

    /// - Throws: ``CommandFailure`` where the file is no Questionnaire.
    func survey() throws -> Survey { try survey(of: InputFile(path: questionnaire).json()) }

    /// - Parameter json: What the file has.
    /// - Throws: ``CommandFailure`` where it is no Questionnaire.
    func survey(of json: JSONValue) throws -> Survey {
        let questionnaire = try InputFile(path: questionnaire).questionnaire(in: json)
        var byURL: [String: ValueSet] = [:]
        for path in valueSets {
            let valueSet = try InputFile(path: path).resource(ValueSet.self)
            if let url = valueSet.url { byURL[url.rawValue] = valueSet }
        }
        return Survey(questionnaire) { url in byURL[url] ?? byURL[String(url.prefix { $0 != "|" })] }
    }
}

/// What expressions can ask for.
struct SurveyContextOptions: ParsableArguments {
    @Option(
        name: .customLong("context"),
        help: .value(
            "name=file",
            "A resource for the questionnaire's expressions, as in patient=Patient.json."
        )
    )
    var resources: [String] = []

    @Option(
        help: .value(
            "time",
            "The time for now() and today(), as in 2026-11-22T09:30:00+01:00."
        )
    )
    var now: String?

    func context() throws -> SurveyContext {
        var context = SurveyContext(now: now)
        if let now, FHIRDateTime(text: now)?.time == nil {
            throw CommandFailure("--now needs a date and time with a zone, as in 2026-11-22T09:30:00+01:00")
        }
        for resource in resources {
            let parts = resource.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw CommandFailure("--context needs name=file, as in patient=Patient.json")
            }
            context.resources[parts[0], default: []].append(try InputFile(path: parts[1]).json())
        }
        return context
    }
}

extension InputFile {
    /// The file's JSON.
    /// - Throws: ``CommandFailure``, with line and column where it is not JSON.
    func json() throws -> JSONValue {
        do {
            return try JSONValue(parsing: read())
        } catch let error as JSONError {
            throw CommandFailure("\(error.reason)", at: place(error.location.line, error.location.column))
        }
    }

    /// The file's questionnaire, which may be a task of ResearchKit. What a questionnaire does not have of
    /// the task is printed to standard error.
    /// - Throws: ``CommandFailure`` where it is neither.
    func questionnaire() throws -> Questionnaire { try questionnaire(in: json()) }

    fileprivate func questionnaire(in json: JSONValue) throws -> Questionnaire {
        guard ResearchKitQuestionnaire.isTask(json) else { return try resource(Questionnaire.self, in: json) }
        let task = try task(json)
        printError(task.diagnostics)
        return task.questionnaire
    }

    /// Prints findings of a task to standard error, behind the file's name.
    func printError(_ findings: some Sequence<some SurveyFinding>) {
        for finding in findings { StandardStreams.printError("\(name):\(finding)") }
    }

    /// The file's task as a questionnaire.
    /// - Throws: ``CommandFailure`` where it is none.
    func task(_ json: JSONValue) throws -> ResearchKitQuestionnaire {
        do {
            return try ResearchKitQuestionnaire(json)
        } catch {
            guard let location = error.location else { throw CommandFailure("\(name): \(error.reason)") }
            throw CommandFailure(error.reason, at: place(location.line, location.column))
        }
    }

    /// The file's resource of a type.
    /// - Throws: ``CommandFailure`` where it is none.
    func resource<Resource: FHIRResource>(_ type: Resource.Type) throws -> Resource {
        try resource(type, in: json())
    }

    private func resource<Resource: FHIRResource>(_ type: Resource.Type, in json: JSONValue) throws
        -> Resource
    {
        guard let resource = Resource(tree: json) else {
            let found = json["resourceType"]?.string
            throw CommandFailure(
                "\(name): this is not a \(Resource.typeName) of FHIR"
                    + (found.map { ", but a \($0.prefix(40))" } ?? "")
            )
        }
        return resource
    }
}

/// A questionnaire and a response to it, as files.
struct AnsweredSurvey: ParsableArguments {
    @OptionGroup var file: SurveyFile
    @OptionGroup var contextOptions: SurveyContextOptions

    @Argument(help: "A QuestionnaireResponse in JSON.", completion: .json)
    var response: String

    /// - Throws: ``CommandFailure`` where a file is not what it should be.
    func read() throws -> (survey: Survey, response: QuestionnaireResponse, context: SurveyContext) {
        let survey = try file.survey()
        return (
            survey, try InputFile(path: response).resource(QuestionnaireResponse.self),
            try contextOptions.context()
        )
    }
}

/// What a command finds wrong with a questionnaire or a response.
protocol SurveyFinding: CustomStringConvertible {
    var isError: Bool { get }
    var json: JSONValue { get }
}

extension Sequence where Element: SurveyFinding {
    /// Prints the findings as the result, as lines or as JSON, and ends with 1 when there are errors.
    func say(asJSON: Bool, none: String? = nil) throws {
        let all = Array(self)
        if asJSON {
            try StandardStreams.say(JSONValue(all.map(\.json)).text(.pretty))
        } else {
            for finding in all { try StandardStreams.say(finding.description) }
            if all.isEmpty, let none { try StandardStreams.say(none) }
        }
        try all.end()
    }

    /// Tells the findings beside the result.
    func printError() { for finding in self { StandardStreams.printError(finding.description) } }

    /// Ends with 1 when there are errors.
    func end() throws { if contains(where: \.isError) { throw ExitCode.nothingFound } }
}

extension SurveyDiagnostic: SurveyFinding {
    var isError: Bool { severity == .error }

    var json: JSONValue {
        [
            "linkId": linkId.map { JSONValue($0) } ?? .null, "severity": JSONValue(severity.rawValue),
            "code": JSONValue(code),
            "text": JSONValue(text),
        ]
    }
}

extension SurveyProblem: SurveyFinding {
    var isError: Bool { severity == .error }

    var json: JSONValue {
        [
            "linkId": linkId.map { JSONValue($0) } ?? .null,
            "occurrence": path.map { JSONValue($0) } ?? .null,
            "severity": JSONValue(severity.rawValue), "code": JSONValue(code), "text": JSONValue(text),
        ]
    }
}

struct SurveyCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Report what is wrong in a questionnaire, or not supported.",
        discussion: """
            Errors break FHIR's rules or cannot work; warnings are what is not done as the questionnaire \
            says. Neither keeps the rest from being asked. What FHIR's definitions do not allow elsewhere in \
            the file, such as a status or a date that is none, is counted on standard error, and \
            indivo fhir check shows it, with the place.

            The exit status is 0 when there are no errors, 1 when there are, 2 when the file \
            is no questionnaire. Of a task of ResearchKit this is the questionnaire that it becomes; \
            check-task checks the task itself.
            """
    )

    @OptionGroup var file: SurveyFile

    @Flag(help: "Print a JSON array of objects with linkId, severity, code and text.")
    var json = false

    func run() throws {
        let input = InputFile(path: file.questionnaire)
        let json = try input.json()
        if ResearchKitQuestionnaire.isTask(json) {
            StandardStreams.printError(
                """
                \(input.name): this is a task of ResearchKit. The questionnaire that it becomes is checked; \
                check the task itself with: indivo survey check-task \(input.path)
                """
            )
        }
        let survey = try file.survey(of: json)
        // What fails only when it is evaluated shows in a first session.
        let diagnostics = survey.diagnostics + SurveySession(survey).diagnostics
        var options = ValidationOptions()
        options.appliesProfiles = false
        options.validateCode = { Terminology.r4.validate($0, system: $1, in: $2) }
        let invalid =
            ResearchKitQuestionnaire.isTask(json)
            ? 0 : ValidationIssue.all(of: json, options).count { $0.isError }
        if invalid > 0 {
            StandardStreams.printError(
                """
                \(input.name): \(invalid == 1 ? "one error" : "\(invalid) errors") by FHIR's definitions; \
                indivo fhir check \(input.path) shows where
                """
            )
        }
        try diagnostics.say(asJSON: self.json, none: invalid > 0 ? nil : "no problems")
        if invalid > 0 { throw ExitCode.nothingFound }
    }
}

struct SurveyValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Report what is wrong with a response to a questionnaire.",
        discussion: """
            The exit status is 0 when nothing is, 1 when something is, 2 when a file is not what it should be.
            """
    )

    @OptionGroup var answered: AnsweredSurvey

    @Flag(
        help: "Print a JSON array of objects with linkId, occurrence, severity, code and text."
    )
    var json = false

    func run() throws {
        let (survey, response, context) = try answered.read()
        try survey.problems(of: response, context: context).say(asJSON: json)
    }
}

struct SurveyScoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "score",
        abstract: "Print the values calculated from a response, by linkId.",
        discussion: """
            An object from linkIds to values: of items with a calculated expression its result, \
            of groups and questions the scores of the chosen options (ordinalValue, itemWeight) added up.
            """
    )

    @OptionGroup var answered: AnsweredSurvey

    func run() throws {
        let (survey, response, context) = try answered.read()
        var session = SurveySession(survey, restoring: response, context: context)
        session.recalculate()
        session.diagnostics.printError()
        try StandardStreams.say(session.scores.text(.pretty))
    }
}

extension SurveySession {
    /// Calculated values and scores by linkId.
    fileprivate var scores: JSONValue {
        var scores: [JSONMember] = []
        for item in survey.items where !item.linkId.isEmpty {
            var values: [JSONValue] = []
            for occurrence in occurrences(of: item.linkId)
            where occurrence.item == item.index && isEnabled(occurrence) {
                if item.calculatedExpression != nil {
                    values += answers(of: occurrence).map(\.content.tree)
                } else if let score = score(of: occurrence) {
                    values.append(JSONValue(number: "\(score)") ?? .null)
                }
            }
            if !values.isEmpty {
                scores.append(
                    JSONMember(name: item.linkId, value: values.count == 1 ? values[0] : JSONValue(values))
                )
            }
        }
        return JSONValue(members: scores)
    }
}
