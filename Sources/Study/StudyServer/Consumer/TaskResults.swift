import FHIR
import Foundation
import OrderedJSON
import Surveys

/// Converts results of ResearchKit's tasks, in the JSON of its serializer, to QuestionnaireResponses.
///
/// The response to a task that was made from a known questionnaire answers that questionnaire. The response
/// to another task has the results' identifiers as link ids, and a URL that names the task as its
/// questionnaire; a result that does not answer a question, such as a timed walk's, becomes an item for each
/// of its values.
struct TaskResults: Sendable {
    /// The system that identifies a run of a task, so that a second delivery is recognised.
    static let runs = "urn:researchkit:task-run"
    private static let tasks = "http://researchkit.org/task/"
    private static let maximumDepth = 32
    /// Members that every result has and that are not values of it.
    private static let bookkeeping: Set = [
        "_class", "identifier", "startDate", "endDate", "userInfo", "questionType", "noAnswerType",
        "isPreviousResult", "taskRunUUID", "enabledAssistiveTechnology", "calendar", "timeZone", "unit",
        "displayUnit", "separator", "saveable", "contentType", "fileName", "fileURL",
    ]

    private let surveys: [String: Survey]

    /// - Parameter questionnaires: Those that tasks may have been made of.
    init(_ questionnaires: [Questionnaire] = []) {
        var surveys: [String: Survey] = [:]
        for questionnaire in questionnaires {
            let survey = Survey(questionnaire)
            let task = ResearchKitTask(survey).json["identifier"]?.string
            for name in [task, questionnaire.id, questionnaire.name].compactMap({ $0 })
            where surveys[name] == nil {
                surveys[name] = survey
            }
        }
        self.surveys = surveys
    }

    /// Whether it is the result of a task or of one of its steps.
    static func isResult(_ json: JSONValue) -> Bool {
        guard let kind = json["_class"]?.string else { return false }
        return kind.hasPrefix("ORK") && kind.hasSuffix("Result")
    }

    /// The response that a result becomes; `nil` for a result without a value.
    ///
    /// - Parameters:
    ///   - item: What the package says was asked, for a result that is not a whole task's.
    ///   - run: The task run that the package belongs to, for a result that does not name one.
    func response(_ result: JSONValue, item: String?, run: String?) -> JSONValue? {
        let isTask = result["_class"]?.string == "ORKTaskResult"
        let task = (isTask ? result["identifier"]?.string : item) ?? item ?? "task"
        var response: JSONValue
        if let survey = surveys[task], isTask {
            var session = SurveySession(survey)
            _ = session.fill(withResearchKitResult: result)
            response = session.response().tree
        } else {
            let items = Self.items(isTask ? result.elements(of: "results") : [result], 0)
            guard !items.isEmpty else { return nil }
            let name = task.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "task"
            response = [
                "resourceType": "QuestionnaireResponse", "questionnaire": JSONValue(Self.tasks + name),
                "item": JSONValue(items),
            ]
        }
        response["status"] = "completed"
        response["authored"] = Self.time(result["endDate"]).map { JSONValue($0.description) }
        if let run = result["taskRunUUID"]?.string ?? run {
            let step = isTask ? "" : "#\(result["identifier"]?.string ?? task)"
            response["identifier"] = ["system": JSONValue(Self.runs), "value": JSONValue(run + step)]
        }
        return response
    }

    private static func items(_ results: [JSONValue], _ depth: Int) -> [JSONValue] {
        guard depth < maximumDepth else { return [] }
        return results.compactMap { result in
            guard let identifier = result["identifier"]?.string, !identifier.isEmpty,
                !isPrevious(result["isPreviousResult"])
            else { return nil }
            var item: JSONValue = ["linkId": JSONValue(identifier)]
            let answers = answers(of: result)
            let inner = items(result.elements(of: "results"), depth + 1)
            // A step with one question has the question's identifier.
            if answers.isEmpty, inner.count == 1, inner[0]["linkId"] == item["linkId"] { return inner[0] }
            let isQuestion = result["_class"]?.string?.hasSuffix("QuestionResult") == true
            let values = isQuestion || !answers.isEmpty ? [] : values(of: result, identifier)
            guard !answers.isEmpty || !inner.isEmpty || !values.isEmpty else { return nil }
            if !answers.isEmpty { item["answer"] = JSONValue(answers) }
            if !(inner + values).isEmpty { item["item"] = JSONValue(inner + values) }
            return item
        }
    }

    private static func isPrevious(_ value: JSONValue?) -> Bool {
        value?.boolean == true || value?.integer == 1
    }

    /// The answers of a question's result.
    private static func answers(of result: JSONValue) -> [JSONValue] {
        if let choices = result["choiceAnswers"] {
            return (choices.elements.map(Array.init) ?? [choices]).compactMap { choice in
                if let text = choice.string, !text.isEmpty {
                    guard isCode(text) else { return ["valueString": JSONValue(text)] }
                    return ["valueCoding": ["code": JSONValue(text)]]
                }
                return number(choice)
            }
        }
        if let value = result["booleanAnswer"] {
            guard let answer = value.boolean ?? value.integer.map({ $0 != 0 }) else { return [] }
            return [["valueBoolean": JSONValue(answer)]]
        }
        if let value = result["numericAnswer"] ?? result["scaleAnswer"] ?? result["rungPicked"] {
            return [number(value, unit: result["unit"]?.string)].compactMap { $0 }
        }
        if let text = result["textAnswer"]?.string {
            return text.isEmpty ? [] : [["valueString": JSONValue(text)]]
        }
        if let time = time(result["dateAnswer"]) {
            return [["valueDateTime": JSONValue(time.description)]]
        }
        if let text = result["dateComponentsAnswer"]?.string, FHIRTime(text: text + ":00") != nil {
            return [["valueTime": JSONValue(text + ":00")]]
        }
        if let seconds = result["intervalAnswer"] { return [number(seconds, unit: "s")].compactMap { $0 } }
        if let name = result["fileName"]?.string {
            var attachment: JSONValue = ["title": JSONValue(name)]
            attachment["contentType"] = result["contentType"]
            return [["valueAttachment": attachment]]
        }
        return []
    }

    /// Whether the text of a choice can be the code of one: what somebody typed beside the choices is text.
    private static func isCode(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The numbers, texts and booleans of a result that does not answer a question.
    private static func values(of result: JSONValue, _ identifier: String) -> [JSONValue] {
        (result.members ?? []).compactMap { member in
            guard !bookkeeping.contains(member.name) else { return nil }
            let value = member.value
            var answer = number(value)
            if answer == nil, let flag = value.boolean { answer = ["valueBoolean": JSONValue(flag)] }
            if answer == nil, let text = value.string, !text.isEmpty {
                answer = ["valueString": JSONValue(text)]
            }
            guard let answer else { return nil }
            return ["linkId": JSONValue("\(identifier).\(member.name)"), "answer": [answer]]
        }
    }

    private static func number(_ value: JSONValue, unit: String? = nil) -> JSONValue? {
        guard let digits = value.number else { return nil }
        guard let unit, !unit.isEmpty else { return ["valueDecimal": value] }
        guard JSONValue(number: digits) != nil else { return nil }
        return ["valueQuantity": ["value": value, "unit": JSONValue(unit)]]
    }

    /// ResearchKit's dates have a zone without a colon.
    static func time(_ value: JSONValue?) -> FHIRDateTime? {
        guard let text = value?.string else { return nil }
        let zone = text.suffix(5)
        guard zone.count == 5, zone.first == "+" || zone.first == "-" else { return FHIRDateTime(text: text) }
        return FHIRDateTime(text: String(text.dropLast(2)) + ":" + text.suffix(2))
    }
}
