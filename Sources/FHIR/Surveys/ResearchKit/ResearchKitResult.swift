import FHIR
import Foundation
import OrderedJSON

extension SurveySession {
    /// Answers with the results of ResearchKit's task, in the JSON of its serializer (`ORKTaskResult`).
    ///
    /// Results are found by their identifiers, wherever in the result they are; those of an earlier run of
    /// the task (`isPreviousResult`) do not count.
    ///
    /// - Returns: The results that do not fit, and were left out.
    public mutating func fill(withResearchKitResult result: JSONValue) -> [SurveyProblem] {
        var problems: [SurveyProblem] = []
        var found: [(item: Int, order: Int, result: JSONValue)] = []
        var stack = [result]
        while let current = stack.popLast() {
            if current["isPreviousResult"]?.boolean == true || current["isPreviousResult"]?.integer == 1 {
                continue
            }
            if let results = current["results"]?.elements { stack += results.reversed() }
            guard let kind = current["_class"]?.string,
                kind.hasSuffix("QuestionResult") || kind == "ORKFileResult",
                let identifier = current["identifier"]?.string
            else { continue }
            guard let item = survey.item(identifier) else {
                problems.append(SurveyProblem(identifier, .unknownItem))
                continue
            }
            found.append((item.index, found.count, current))
        }
        // In the order of the questionnaire; of several results for a question the last counts.
        found.sort { ($0.item, $0.order) < ($1.item, $1.order) }
        problems += together { session in
            var queue = EvaluationQueue(session.survey.dependencies)
            let problems = found.compactMap { session.fill($0.item, with: $0.result, &queue) }
            session.run(&queue)
            return problems
        }
        if let end = result["endDate"]?.string.flatMap(ResearchKitDate.dateTime) { header.authored = end }
        return problems
    }

    /// - Returns: why the result was left out.
    private mutating func fill(_ index: Int, with result: JSONValue, _ queue: inout EvaluationQueue)
        -> SurveyProblem?
    {
        let item = survey.items[index]
        guard let occurrence = occurrences(of: item.linkId).first, let node = node(occurrence) else {
            return SurveyProblem(item.linkId, .notAsked)
        }
        if item.format.hasChangingOptions { run(&queue) }
        let answers = ResearchKitResult.answers(in: result, item, options(of: occurrence)).filter {
            !$0.isEmpty
        }
        // What is cleared must be filled in before.
        if answers.isEmpty { run(&queue) }
        guard item.isQuestion, answers.allSatisfy(item.accepts) else {
            return SurveyProblem(
                item.linkId,
                .wrongType(expected: item.type.code, found: result["_class"]?.string ?? "")
            )
        }
        guard tree.count + answers.count <= Self.maximumNodes else {
            return SurveyProblem(item.linkId, .responseTooLarge)
        }
        if set(answers, of: node, &queue) { isChanged = true }
        return nil
    }

    /// The answers as the result of ResearchKit's task, in the JSON of its serializer (`ORKTaskResult`).
    ///
    /// - Parameters:
    ///   - task: The task that the survey is in ResearchKit.
    ///   - runID: Identifies this run of the task.
    public func researchKitResult(of task: ResearchKitTask, runID: UUID = UUID()) -> JSONValue {
        let authored =
            header.authored ?? context.now.flatMap { FHIRDateTime(text: $0) } ?? FHIRDateTime(Date())
        let date = JSONValue(ResearchKitDate.text(authored))
        func result(_ kind: String, _ identifier: String) -> JSONValue {
            [
                "_class": JSONValue(kind), "identifier": JSONValue(identifier), "startDate": date,
                "endDate": date,
                "userInfo": [:],
            ]
        }
        var list: [JSONValue] = []
        for step in task.steps {
            var results: [JSONValue] = []
            for index in step.items where survey.items[index].isQuestion {
                let item = survey.items[index]
                guard let occurrence = occurrences(of: item.linkId).first, isEnabled(occurrence) else {
                    continue
                }
                let content = ResearchKitResult.content(of: answers(of: occurrence), item)
                var json = result(content.kind, item.linkId)
                for member in content.members { json[member.name] = member.value }
                results.append(json)
            }
            guard !results.isEmpty else { continue }
            var json = result("ORKStepResult", step.identifier)
            json["isPreviousResult"] = false
            json["results"] = JSONValue(results)
            list.append(json)
        }
        var json = result("ORKTaskResult", task.identifier)
        json["taskRunUUID"] = JSONValue(runID.uuidString)
        json["results"] = JSONValue(list)
        return json
    }
}

/// Results of questions, to and from answers.
enum ResearchKitResult {
    static func answers(in result: JSONValue, _ item: SurveyItem, _ options: [SurveyOption]) -> [SurveyAnswer]
    {
        if let choices = result["choiceAnswers"] {
            let values = choices.elements.map(Array.init) ?? [choices]
            return values.compactMap { ResearchKitChoice.answer(for: $0, item: item, options: options) }
        }
        return answer(in: result, item, options).map { [$0] } ?? []
    }

    private static func answer(in result: JSONValue, _ item: SurveyItem, _ options: [SurveyOption])
        -> SurveyAnswer?
    {
        if let value = result["booleanAnswer"] {
            return .boolean(value.boolean ?? ((value.integer ?? 0) != 0))
        }
        if let value = result["numericAnswer"] ?? result["scaleAnswer"] {
            guard item.type == .quantity, let number = FHIRDecimal(tree: value) else {
                return item.answer(for: value, options: options)
            }
            let unit = result["unit"]?.string
            let known = item.format.units.first { $0.code == unit || $0.display == unit }
            guard known == nil, let unit else {
                return .quantity(Quantity(number, in: known ?? item.format.units.first))
            }
            return .quantity(Quantity(value: number, unit: unit))
        }
        if let text = result["textAnswer"] { return item.answer(for: text, options: options) }
        if let text = result["dateAnswer"]?.string, let value = ResearchKitDate.dateTime(text) {
            // The day is that of the zone in which it was picked.
            return item.type == .date ? .date(value.date) : .dateTime(value)
        }
        if let text = result["dateComponentsAnswer"]?.string { return item.answer(for: JSONValue(text)) }
        if let seconds = result["intervalAnswer"] { return item.answer(for: seconds) }
        guard let name = result["fileName"]?.string else { return nil }
        var attachment = Attachment()
        attachment.contentType = result["contentType"]?.string
        attachment.title = name
        return .attachment(attachment)
    }

    /// The class of a question's result, and what it has of its own. Without an answer that is its type
    /// alone.
    static func content(of answers: [SurveyAnswer], _ item: SurveyItem) -> (
        kind: String, members: [JSONMember]
    ) {
        func members(_ type: Int, _ name: String, _ value: JSONValue?) -> [JSONMember] {
            [JSONMember(name: "questionType", value: JSONValue(type))]
                + (value.map { [JSONMember(name: name, value: $0)] } ?? [])
        }
        let first = answers.first
        switch item.type {
        case .boolean:
            return (
                "ORKBooleanQuestionResult",
                members(7, "booleanAnswer", first?.boolean.map { $0 ? 1 as JSONValue : 0 as JSONValue })
            )
        case .choice, .openChoice:
            let values = answers.map { JSONValue(ResearchKitChoice.value(of: $0)) }
            return (
                "ORKChoiceQuestionResult",
                members(item.repeats ? 3 : 2, "choiceAnswers", values.isEmpty ? nil : JSONValue(values))
            )
        case .integer: return ("ORKNumericQuestionResult", members(6, "numericAnswer", first?.content.tree))
        case .decimal: return ("ORKNumericQuestionResult", members(5, "numericAnswer", first?.content.tree))
        case .quantity:
            var list = members(5, "numericAnswer", first?.quantity?.value?.tree)
            if let unit = first?.quantity?.code ?? first?.quantity?.unit {
                list.append(JSONMember(name: "unit", value: JSONValue(unit)))
            }
            return ("ORKNumericQuestionResult", list)
        case .date, .dateTime:
            var list = members(
                item.type == .date ? 11 : 10,
                "dateAnswer",
                first.flatMap(ResearchKitDate.json)
            )
            list.append(JSONMember(name: "calendar", value: "gregorian"))
            return ("ORKDateQuestionResult", list)
        case .time:
            let text = first?.time.map { JSONValue(String($0.description.prefix(5))) }
            return ("ORKTimeOfDayQuestionResult", members(9, "dateComponentsAnswer", text))
        case .attachment:
            let attachment = first?.attachment
            return (
                "ORKFileResult",
                [("contentType", attachment?.contentType), ("fileName", attachment?.title)].compactMap {
                    name,
                    text in
                    text.map { JSONMember(name: name, value: JSONValue($0)) }
                }
            )
        default: return ("ORKTextQuestionResult", members(8, "textAnswer", first.map { JSONValue($0.label) }))
        }
    }
}
