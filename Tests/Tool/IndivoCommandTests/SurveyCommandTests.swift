import Foundation
import Testing

@testable import IndivoCommand

/// `indivo survey`, as a user runs it.
struct SurveyCommandTests {
    private static let questionnaire = """
        {"resourceType": "Questionnaire", "url": "http://example.org/q", "status": "draft", "item": [
          {"linkId": "smokes", "type": "boolean", "required": true},
          {"linkId": "how", "type": "choice", "answerOption": [
            {"valueCoding": {"system": "http://example.org/s", "code": "pipe", "display": "Pipe", \
        "extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/ordinalValue", "valueDecimal": 2}]}},
            {"valueCoding": {"system": "http://example.org/s", "code": "cigar", "display": "Cigar"}}],
           "enableWhen": [{"question": "smokes", "operator": "=", "answerBoolean": true}]},
          {"linkId": "twice", "type": "integer", "extension": [
            {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-calculatedExpression",
             "valueExpression": {"language": "text/fhirpath",
               "expression": "%resource.item.where(linkId='how').answer.value.ordinal().sum() * 2"}}]}]}
        """

    @Test("run takes answers from a file, and its response is valid and has scores")
    func answers() throws {
        try Tool.use { tool in
            try tool.write(Self.questionnaire, to: "q.json")
            try tool.write(#"{"smokes": true, "how": "pipe"}"#, to: "a.json")
            let run = try tool.run("survey", "run", "q.json", "--answers", "a.json")
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            #expect(
                run.output.contains(#""status": "completed""#) && run.output.contains(#""display": "Pipe""#)
            )
            try tool.write(run.output, to: "r.json")
            let validate = try tool.run("survey", "validate", "q.json", "r.json")
            #expect(validate.status == 0 && validate.output.isEmpty, "\(validate.output)")
            let score = try tool.run("survey", "score", "q.json", "r.json")
            #expect(score.output.filter { !$0.isWhitespace } == #"{"how":2,"twice":4}"#)
            let again = try tool.run("survey", "run", "q.json", "--response", "r.json")
            #expect(again.output == run.output)
            let result = try tool.run("survey", "result", "q.json", "r.json", "--to", "result")
            #expect(result.status == 0 && result.output.contains("ORKChoiceQuestionResult"))
        }
    }

    @Test("an answer to a question not asked is told, and a refused one is not missing too")
    func leftOut() throws {
        try Tool.use { tool in
            try tool.write(
                Self.questionnaire.replacing(#""choice", "#, with: #""choice", "required": true, "#),
                to: "q.json"
            )
            try tool.write(#"{"smokes": false, "how": "pipe"}"#, to: "hidden.json")
            let hidden = try tool.run("survey", "run", "q.json", "--answers", "hidden.json")
            #expect(hidden.status == 0 && !hidden.output.contains("pipe"))
            #expect(
                hidden.errors == "warning: how: the answer is left out, since the question is not asked\n"
            )
            try tool.write(#"{"smokes": true, "how": "water"}"#, to: "wrong.json")
            let wrong = try tool.run("survey", "run", "q.json", "--answers", "wrong.json")
            #expect(wrong.status == 1 && wrong.errors.contains("how: "))
            #expect(wrong.errors.split(separator: "\n").count == 1, "\(wrong.errors)")
            try tool.write(#"{"smokes": true}"#, to: "missing.json")
            let missing = try tool.run("survey", "run", "q.json", "--answers", "missing.json")
            #expect(missing.status == 1 && missing.errors.contains("how: "), "\(missing.errors)")
        }
    }

    @Test("an invalid subject or time ends with 2 and prints no usage")
    func badOptions() throws {
        try Tool.use { tool in
            try tool.write(Self.questionnaire, to: "q.json")
            try tool.write(#"{"smokes": false}"#, to: "a.json")
            for wrong in [["--subject", "ada"], ["--subject", "Pateint/ada"], ["--now", "yesterday"]] {
                let run = try tool.run(["survey", "run", "q.json", "--answers", "a.json"] + wrong)
                #expect(run.status == 2 && run.output.isEmpty, "\(wrong)")
                #expect(run.errors.contains(wrong[0]) && !run.errors.contains("Usage"), "\(run.errors)")
            }
            for subject in ["Patient/ada", "https://example.org/Patient/1", "urn:uuid:0b6d", "#p"] {
                let run = try tool.run("survey", "run", "q.json", "--answers", "a.json", "--subject", subject)
                #expect(run.status == 0, "\(run.errors)")
            }
        }
    }

    @Test("check tells what FHIR's definitions do not allow, and the command that shows it")
    func invalid() throws {
        try Tool.use { tool in
            try tool.write(
                Self.questionnaire.replacing(#""draft""#, with: #""activ", "date": "2026-13-01""#),
                to: "q.json"
            )
            let check = try tool.run("survey", "check", "q.json")
            #expect(check.status == 1 && !check.output.contains("no problems"), "\(check.output)")
            #expect(check.errors.contains("2 errors") && check.errors.contains("indivo fhir check q.json"))
        }
    }

    @Test("problems go to standard error, and files of the wrong kind end with 2")
    func problems() throws {
        try Tool.use { tool in
            try tool.write(Self.questionnaire, to: "q.json")
            try tool.write(#"{"how": "water"}"#, to: "a.json")
            let run = try tool.run("survey", "run", "q.json", "--answers", "a.json")
            #expect(run.status == 1 && run.output.contains(#""status": "in-progress""#))
            #expect(
                run.errors
                    == """
                    error: how: This is not one of the options.\nerror: smokes: Please answer this question.\n
                    """
            )
            #expect(try tool.run("survey", "check", "q.json").status == 0)
            #expect(try tool.run("survey", "check", "a.json").status == 2)
            #expect(try tool.run("survey", "run", "q.json").status == 2)
            #expect(try tool.run("survey", "validate", "q.json", "q.json").status == 2)
            #expect(try tool.run("survey", "format", "q.json").status == 2)
            let check = try tool.run(
                "survey",
                "check",
                "-",
                "--json",
                input: #"{"resourceType": "Questionnaire"}"#
            )
            #expect(check.status == 1 && check.output.contains(#""code": "noItems""#))
        }
    }

    @Test("ResearchKit's JSON is printed with all that is in it")
    func format() throws {
        try Tool.use { tool in
            try tool.write(#"{"_class":"ORKStep","x":1.50,"unknown":{"b":null,"a":[1e3]}}"#, to: "step.json")
            let format = try tool.run("survey", "format", "step.json")
            #expect(
                format.output.filter { !$0.isWhitespace }
                    == #"{"_class":"ORKStep","x":1.50,"unknown":{"b":null,"a":[1e3]}}"#
            )
        }
    }

    private static let task = """
        {"_class": "ORKNavigableOrderedTask", "identifier": "diary", "steps": [
         {"_class": "ORKQuestionStep", "identifier": "pain", "question": "Pain?", "optional": false,
          "answerFormat": {"_class": "ORKBooleanAnswerFormat"}},
         {"_class": "ORKQuestionStep", "identifier": "where", "question": "Where?",
          "answerFormat": {"_class": "ORKTextAnswerFormat", "maximumLength": 20, "defaultTextAnswer": "back"}}]}
        """

    @Test("a task of ResearchKit is checked, asked as a questionnaire is, and written again")
    func task() throws {
        try Tool.use { tool in
            try tool.write(Self.task, to: "t.json")
            let check = try tool.run("survey", "check-task", "t.json")
            #expect(check.status == 0 && check.output == "no problems\n", "\(check.output)")
            try tool.write(#"{"pain": true}"#, to: "a.json")
            let run = try tool.run("survey", "run", "t.json", "--answers", "a.json")
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            #expect(run.output.contains(#""questionnaire": "http://researchkit.org/task/diary""#))
            #expect(run.output.contains(#""valueString": "back""#))
            let questionnaire = try tool.run("survey", "import-task", "t.json")
            try tool.write(questionnaire.output, to: "q.json")
            #expect(try tool.run("survey", "check", "q.json").output == "no problems\n")
            let again = try tool.run("survey", "task", "q.json")
            #expect(again.output.contains(#""identifier": "diary""#))
            #expect(again.output.contains(#""defaultTextAnswer": "back""#))
            #expect(try tool.run("survey", "import-task", "q.json").status == 2)
        }
    }

    @Test("import-task reports what check-task finds, and check names check-task for a task")
    func taskProblemsOfImport() throws {
        try Tool.use { tool in
            try tool.write(Self.task.replacing("maximumLength", with: "maxLength"), to: "t.json")
            let finding = "t.json:5:53: error: steps[1].answerFormat.maxLength: "
            let imported = try tool.run("survey", "import-task", "t.json")
            #expect(imported.status == 1 && imported.errors.hasPrefix(finding), "\(imported.errors)")
            #expect(imported.output.contains(#""resourceType": "Questionnaire""#))
            let check = try tool.run("survey", "check", "t.json")
            #expect(check.errors.contains("indivo survey check-task t.json"), "\(check.errors)")
            #expect(check.status == 0 && check.output == "no problems\n")
            let rule = #"""
                {"pain": {"_class": "ORKPredicateStepNavigationRule", "destinationStepIdentifiers": ["where"],
                "resultPredicateFormats": ["SUBQUERY(SELF, $x, SUBQUERY($x.results, $y, \#
                SUBQUERY($y.results, $z, $z.identifier == 'pain' AND $z.answer == 2).@count > 0).@count > 0).@count > 0"]}}
                """#
            let bad = Self.task.replacing("\"steps\"", with: "\"stepNavigationRules\": \(rule), \"steps\"")
            try tool.write(bad, to: "t.json")
            let condition = try tool.run("survey", "import-task", "t.json")
            #expect(condition.status == 0)
            let expected = /t\.json:\d+:\d+: warning: .*does not tell them apart\.\n/
            #expect(condition.errors.wholeMatch(of: expected) != nil, "\(condition.errors)")
        }
    }

    @Test("what is wrong in a task has file, line and column, and the schema is printed")
    func taskProblems() throws {
        try Tool.use { tool in
            try tool.write(Self.task.replacing("maximumLength", with: "maxLength"), to: "t.json")
            let check = try tool.run("survey", "check-task", "t.json")
            #expect(check.status == 1)
            #expect(
                check.output
                    == "t.json:5:53: error: steps[1].answerFormat.maxLength: ORKTextAnswerFormat has no such member\n"
            )
            let json = try tool.run("survey", "check-task", "--json", "-", input: Self.task)
            #expect(json.status == 0 && json.output == "[]\n")
            #expect(try tool.run("survey", "check-task", "-", input: "{").status == 2)
            #expect(try tool.run("survey", "check-task").status == 2)
            let schema = try tool.run("survey", "check-task", "--schema")
            #expect(schema.output.contains(##""$ref": "#/$defs/any-ORKOrderedTask""##))
        }
    }
}
