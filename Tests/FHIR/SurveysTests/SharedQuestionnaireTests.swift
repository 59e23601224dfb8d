import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import Surveys
import Testing

@Suite(.enabled(if: SharedQuestionnaires.exists, "the shared questionnaires are not there"))
struct SharedQuestionnaireTests {
    @Test("every shared questionnaire is read, and asks something")
    func everyQuestionnaireIsRead() throws {
        let files = SharedQuestionnaires.files("Questionnaire")
        #expect(files.count > 150)
        for file in files {
            let questionnaire = try Questionnaire(parsing: Data(contentsOf: file))
            let survey = Survey(questionnaire)
            let count = questionnaire.tree.text().split(separator: "\"type\":").count
            #expect(!survey.items.isEmpty || count < 2, "\(file.lastPathComponent)")
        }
    }

    @Test("expressions of every shared questionnaire are evaluated, whatever the machine")
    func nothingIsTooSlow() throws {
        for file in SharedQuestionnaires.files("Questionnaire") {
            let session = SurveySession(Survey(try Questionnaire(parsing: Data(contentsOf: file))))
            #expect(
                !session.diagnostics.contains { $0.code == "expressionsTooSlow" },
                "\(file.lastPathComponent)"
            )
        }
    }

    @Test("random answers give a response that restores to the same", arguments: [1, 2])
    func randomAnswersRestore(seed: UInt64) throws {
        for file in SharedQuestionnaires.files("Questionnaire") {
            let survey = Survey(try Questionnaire(parsing: Data(contentsOf: file)))
            var session = SurveySession(survey, context: SurveyContext(now: "2026-11-22T09:30:00+01:00"))
            var answers = RandomAnswers(generator: SeededGenerator(seed: seed))
            try answers.fill(&session)
            let response = session.response()
            let restored = SurveySession(survey, restoring: response, context: session.context)
            #expect(
                restored.restorationProblems.isEmpty,
                "\(file.lastPathComponent): \(restored.restorationProblems)"
            )
            #expect(restored.response().tree == response.tree, "\(file.lastPathComponent)")
            let issues = survey.problems(of: response).filter {
                $0.code == "invalidFHIR" && $0.severity == .error
            }
            #expect(issues.isEmpty, "\(file.lastPathComponent): \(issues)")
            // What was chosen among the options and within the bounds breaks nothing but rules between items.
            let broken = session.problems().filter {
                let initial = survey.item($0.linkId ?? "")?.initial ?? []
                if let occurrence = $0.occurrence, session.answers(of: occurrence) == initial { return false }
                let ofRules = [
                    "constraint", "notEvaluated", "required", "tooFew", "pattern", "tooShort", "tooLarge",
                    "tooSmall",
                ]
                return !ofRules.contains($0.code)
            }
            #expect(broken.isEmpty, "\(file.lastPathComponent): \(broken)")
        }
    }

    /// What HL7's validator reports that takes terminology or other resources, which are not there.
    private static let beyond: Set<String> = [
        "choice-gender-coding-async-qr", "open-choice-gender-coding-async-qr", "string-with-coding-async-qr",
        "quantity-units-not-in-value-set-qr",
    ]

    @Test("validation agrees with HL7's validator on which responses are wrong")
    func agreesWithValidator() throws {
        let file = SharedQuestionnaires.folder.appending(path: "_expected.json")
        var checked = 0
        for entry in try JSONValue(parsing: Data(contentsOf: file)).elements ?? [] {
            guard let name = entry["name"]?.string, let response = entry["file"]?.string,
                let errors = entry["expectedJava"]?["error"]?.elements,
                let questionnaire = entry["questionnaires"]?[0]?.string, !Self.beyond.contains(name)
            else { continue }
            checked += 1
            let survey = Survey(
                try SharedQuestionnaires.questionnaire(questionnaire.replacing(".json", with: ""))
            )
            let read = try SharedQuestionnaires.response(response.replacing(".json", with: ""))
            let session = SurveySession(survey, restoring: read)
            let problems = (session.restorationProblems + session.problems()).filter { $0.severity == .error }
            #expect(problems.isEmpty == errors.isEmpty, "\(name): \(problems)")
        }
        #expect(checked >= 40)
    }

    /// Paired responses that do not fit their questionnaires. HL7's are there to be found wrong; `ussgfht`
    /// answers another version: it has quantities where decimals are asked for, and items and options that
    /// are not there.
    private static let misfits: Set<String> = [
        "lforms__fhir-sdc-response-ussgfht", "validator__abstract-question-type-included-qr",
        "validator__attachment-invalid-type-qr",
        "validator__boolean-invalid-type-qr", "validator__decimal-invalid-type-qr",
        "validator__group-with-string-invalid-nesting-link-id-qr",
        "validator__group-with-string-invalid-nesting-qr", "validator__integer-invalid-type-qr",
        "validator__invalid-link-id-qr",
        "validator__quantity-invalid-type-qr",
        "validator__questionnaireResponse-enableWhenEx-test-fail.fromxml", "validator__time-invalid-type-qr",
    ]

    @Test("every paired response comes back the same, except for those known to be wrong")
    func pairsComeBack() throws {
        let pairs = try SharedQuestionnaires.pairs()
        #expect(pairs.count > 40)
        var same = 0
        var misfits: Set<String> = []
        for (name, responseName) in pairs {
            let response = try SharedQuestionnaires.response(responseName)
            let session = SurveySession(
                Survey(try SharedQuestionnaires.questionnaire(name)),
                restoring: response
            )
            if session.restorationProblems.contains(where: { $0.severity == .error }) {
                misfits.insert(responseName)
            } else {
                let back = session.response(response.status ?? .completed)
                #expect(back.tree["item"] == response.tree["item"], "\(responseName)")
                same += 1
            }
        }
        #expect(misfits == Self.misfits, "\(misfits.sorted())")
        #expect(same == pairs.count - Self.misfits.count)
    }
}
