import ArgumentParser
import FHIR
import OrderedJSON
import Surveys

struct SurveyCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Report what of a questionnaire is wrong or not supported.",
        discussion: """
            Errors break FHIR's rules or cannot work; warnings are what is not done as the questionnaire says. Neither \
            keeps the rest from being asked.

            The exit status is 0 when there are no errors, 1 when there are, 2 when the file is no questionnaire.
            """)

    @OptionGroup var file: SurveyFile

    @ArgumentParser.Flag(help: "Print a JSON array of objects with linkId, severity, code and text.")
    var json = false

    func run() throws {
        let survey = try file.survey()
        // What fails only when it is evaluated shows in a first session.
        let diagnostics = survey.diagnostics + SurveySession(survey).diagnostics
        if json {
            let list = diagnostics.map { diagnostic -> JSONValue in
                [
                    "linkId": diagnostic.linkId.map { JSONValue($0) } ?? .null,
                    "severity": JSONValue(diagnostic.severity.rawValue), "code": JSONValue(diagnostic.code),
                    "text": JSONValue(diagnostic.text),
                ]
            }
            try StandardStreams.say(JSONValue(list).text(.pretty))
        } else {
            for diagnostic in diagnostics { try StandardStreams.say(diagnostic.description) }
            if diagnostics.isEmpty { try StandardStreams.say("no problems") }
        }
        if diagnostics.contains(where: { $0.severity == .error }) { throw ExitCode(1) }
    }
}

struct SurveyValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Report what is wrong with a response to a questionnaire.",
        discussion: """
            The exit status is 0 when nothing is, 1 when something is, 2 when a file is not what it should be.
            """)

    @OptionGroup var file: SurveyFile
    @OptionGroup var context: SurveyContextOptions

    @Argument(help: "A QuestionnaireResponse in JSON.", completion: .file(extensions: ["json"]))
    var response: String

    @ArgumentParser.Flag(help: "Print a JSON array of objects with linkId, occurrence, severity, code and text.")
    var json = false

    func run() throws {
        let survey = try file.survey()
        let response = try InputFile(path: response).resource(QuestionnaireResponse.self)
        let problems = survey.problems(of: response, context: try context.context())
        if json {
            try StandardStreams.say(JSONValue(problems.map(\.json)).text(.pretty))
        } else {
            for problem in problems { try StandardStreams.say(problem.description) }
        }
        if problems.contains(where: { $0.severity == .error }) { throw ExitCode(1) }
    }
}

extension SurveyProblem {
    fileprivate var json: JSONValue {
        [
            "linkId": linkId.map { JSONValue($0) } ?? .null, "occurrence": path.map { JSONValue($0) } ?? .null,
            "severity": JSONValue(severity.rawValue), "code": JSONValue(code), "text": JSONValue(text),
        ]
    }
}

struct SurveyScoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "score",
        abstract: "Print what is calculated from a response, by linkId.",
        discussion: """
            An object from linkIds to values: of items with a calculated expression its result, of groups and questions \
            the scores of the chosen options (ordinalValue, itemWeight) added up.
            """)

    @OptionGroup var file: SurveyFile
    @OptionGroup var context: SurveyContextOptions

    @Argument(help: "A QuestionnaireResponse in JSON.", completion: .file(extensions: ["json"]))
    var response: String

    func run() throws {
        let survey = try file.survey()
        let response = try InputFile(path: response).resource(QuestionnaireResponse.self)
        var session = SurveySession(survey, restoring: response, context: try context.context())
        session.recalculate()
        for diagnostic in session.diagnostics { StandardStreams.complain(diagnostic.description) }
        try StandardStreams.say(session.scores.text(.pretty))
    }
}

extension SurveySession {
    /// Calculated values and scores by linkId.
    fileprivate var scores: JSONValue {
        var scores: [JSONMember] = []
        for item in survey.items where !item.linkId.isEmpty {
            var values: [JSONValue] = []
            for occurrence in occurrences(of: item.linkId) where occurrence.item == item.index && isEnabled(occurrence) {
                if item.calculatedExpression != nil {
                    values += answers(of: occurrence).map(\.content.tree)
                } else if let score = score(of: occurrence) {
                    values.append(JSONValue(number: "\(score)") ?? .null)
                }
            }
            if !values.isEmpty {
                scores.append(JSONMember(name: item.linkId, value: values.count == 1 ? values[0] : JSONValue(values)))
            }
        }
        return JSONValue(members: scores)
    }
}
