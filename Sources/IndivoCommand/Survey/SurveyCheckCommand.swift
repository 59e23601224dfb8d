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
        try (survey.diagnostics + SurveySession(survey).diagnostics).say(asJSON: json, none: "no problems")
    }
}

struct SurveyValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Report what is wrong with a response to a questionnaire.",
        discussion: """
            The exit status is 0 when nothing is, 1 when something is, 2 when a file is not what it should be.
            """)

    @OptionGroup var answered: AnsweredSurvey

    @ArgumentParser.Flag(help: "Print a JSON array of objects with linkId, occurrence, severity, code and text.")
    var json = false

    func run() throws {
        let (survey, response, context) = try answered.read()
        try survey.problems(of: response, context: context).say(asJSON: json)
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

    @OptionGroup var answered: AnsweredSurvey

    func run() throws {
        let (survey, response, context) = try answered.read()
        var session = SurveySession(survey, restoring: response, context: context)
        session.recalculate()
        session.diagnostics.complain()
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
