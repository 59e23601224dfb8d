import FHIR
import OrderedJSON

/// Writes the JSON of a task (ResearchKit, `ORKESerializer`).
struct ResearchKitTaskWriter {
    let survey: Survey
    let steps: [ResearchKitStep]
    let language: String?
    var diagnostics: [SurveyDiagnostic] = []

    /// What follows the last question, so that what precedes it can lead there.
    static let completion = "completion"

    mutating func task(_ identifier: String) -> JSONValue {
        var list: [JSONValue] = []
        for step in steps { list.append(json(step)) }
        let rules = navigationRules()
        var completion = Self.completion
        let identifiers = Set(steps.map(\.identifier))
        while identifiers.contains(completion) { completion += "#" }
        var task: JSONValue = [
            "_class": JSONValue(rules.isEmpty ? "ORKOrderedTask" : "ORKNavigableOrderedTask"),
            "identifier": JSONValue(identifier),
        ]
        if !rules.isEmpty {
            list.append([
                "_class": "ORKCompletionStep", "identifier": JSONValue(completion), "optional": false,
            ])
            task["stepNavigationRules"] = JSONValue(
                members: rules.map { from, conditional, next in
                    let predicates = conditional.map { JSONValue($0.predicate) }
                    return JSONMember(
                        name: steps[from].identifier,
                        value: [
                            "_class": "ORKPredicateStepNavigationRule", "additionalTaskResults": [],
                            "resultPredicateFormats": JSONValue(predicates),
                            "destinationStepIdentifiers": JSONValue(
                                conditional.map { JSONValue(steps[$0.step].identifier) }
                            ),
                            "defaultStepIdentifier": JSONValue(
                                next.map { steps[$0].identifier } ?? completion
                            ),
                        ]
                    )
                }
            )
            task["skipStepNavigationRules"] = [:]
            task["stepModifiers"] = [:]
            task["shouldReportProgress"] = false
        }
        task["steps"] = JSONValue(list)
        return task
    }

    // MARK: Steps

    private mutating func json(_ step: ResearchKitStep) -> JSONValue {
        let item = survey.items[step.items[0]]
        var json: JSONValue = ["_class": "ORKStep", "identifier": JSONValue(step.identifier)]
        json["title"] = shown(survey.title)
        switch step.kind {
        case .instruction:
            json["_class"] = "ORKInstructionStep"
            json["detailText"] = JSONValue(item.label(in: language))
        case .imageCapture:
            json["_class"] = "ORKImageCaptureStep"
            json["text"] = JSONValue(item.label(in: language))
            json["optional"] = JSONValue(!item.isRequired)
        case .question:
            json["_class"] = "ORKQuestionStep"
            json["question"] = JSONValue(item.label(in: language))
            json["text"] = shown(item.help.first)
            json["optional"] = JSONValue(!item.isRequired)
            json["placeholder"] = shown(item.format.placeholder)
            json["answerFormat"] = format(item)
        case .form:
            json["_class"] = "ORKFormStep"
            json["text"] = step.group.flatMap { shown(survey.items[$0].text) }
            json["optional"] = JSONValue(!step.items.contains { survey.items[$0].isRequired })
            var formItems: [JSONValue] = []
            for index in step.items { formItems.append(formItem(survey.items[index])) }
            json["formItems"] = JSONValue(formItems)
        }
        return json
    }

    private mutating func formItem(_ item: SurveyItem) -> JSONValue {
        var json: JSONValue = [
            "_class": "ORKFormItem", "identifier": JSONValue(item.linkId),
            "text": JSONValue(item.label(in: language)),
            "optional": JSONValue(!item.isRequired), "showsProgress": false,
        ]
        // Without an answer format it is the heading of a section.
        guard item.isQuestion else { return json }
        json["detailText"] = shown(item.help.first)
        json["placeholder"] = shown(item.format.placeholder)
        json["answerFormat"] = format(item)
        return json
    }

    private func shown(_ text: SurveyText?) -> JSONValue? { text.map { JSONValue($0.text(in: language)) } }

    // MARK: Answer formats

    private mutating func format(_ item: SurveyItem) -> JSONValue {
        if item.initial.count > 1
            || (!item.initial.isEmpty && [.boolean, .choice, .openChoice].contains(item.type))
        {
            report("ResearchKit has no default answer here; nothing is chosen at first.", item)
        }
        switch item.type {
        case .boolean: return ["_class": "ORKBooleanAnswerFormat"]
        case .choice, .openChoice: return choice(item)
        case .date, .dateTime: return date(item)
        case .time: return time(item)
        case .integer: return slider(item) ?? numeric(item, "integer")
        case .decimal: return continuousSlider(item) ?? numeric(item, "decimal")
        case .quantity: return numeric(item, "decimal")
        default: return text(item)
        }
    }

    /// The default answer's number.
    private static func initialNumber(_ item: SurveyItem) -> JSONValue? {
        item.initial.first.flatMap { number(.value($0)) }
    }

    private func time(_ item: SurveyItem) -> JSONValue {
        var json: JSONValue = ["_class": "ORKTimeOfDayAnswerFormat"]
        if let time = item.initial.first?.time {
            json["defaultComponents"] = JSONValue(String(time.description.prefix(5)))
        }
        return json
    }

    private mutating func choice(_ item: SurveyItem) -> JSONValue {
        guard case .listed(let options)? = item.format.options, !options.isEmpty else {
            report("The options are not in the questionnaire; a text is asked for.", item)
            return text(item)
        }
        var choices = options.map { option -> JSONValue in
            let label = [option.prefix, option.label.text(in: language)].compactMap { $0 }.joined(
                separator: " "
            )
            return [
                "_class": "ORKTextChoice", "text": JSONValue(label),
                "value": JSONValue(ResearchKitChoice.value(of: option.value)),
                "exclusive": JSONValue(option.isExclusive),
            ]
        }
        if item.format.isOpen {
            let label = item.format.openLabel?.text(in: language) ?? "Other"
            choices.append([
                "_class": "ORKTextChoiceOther", "text": JSONValue(label),
                "value": JSONValue(ResearchKitChoice.other),
                "exclusive": JSONValue(!item.repeats), "textViewInputOptional": false,
                "textViewStartsHidden": true,
                "textViewPlaceholderText": JSONValue(label),
            ])
        }
        return [
            "_class": "ORKTextChoiceAnswerFormat",
            "style": JSONValue(item.repeats ? "multipleChoice" : "singleChoice"),
            "textChoices": JSONValue(choices),
        ]
    }

    private func date(_ item: SurveyItem) -> JSONValue {
        var json: JSONValue = [
            "_class": "ORKDateAnswerFormat", "style": JSONValue(item.type == .date ? "date" : "dateTime"),
            "calendar": "gregorian",
        ]
        if case .value(let bound)? = item.format.minimum { json["minimumDate"] = ResearchKitDate.json(bound) }
        if case .value(let bound)? = item.format.maximum { json["maximumDate"] = ResearchKitDate.json(bound) }
        if let initial = item.initial.first { json["defaultDate"] = ResearchKitDate.json(initial) }
        return json
    }

    private func numeric(_ item: SurveyItem, _ style: String) -> JSONValue {
        var json: JSONValue = ["_class": "ORKNumericAnswerFormat", "style": JSONValue(style)]
        if let unit = item.format.units.first { json["unit"] = JSONValue(unit.code ?? unit.display ?? "") }
        if let unit = item.format.units.first, unit.display != nil {
            json["displayUnit"] = JSONValue(SurveyText(unit).text(in: language))
        }
        json["minimum"] = Self.number(item.format.minimum)
        json["maximum"] = Self.number(item.format.maximum)
        if let digits = item.format.maxDecimalPlaces { json["maximumFractionDigits"] = JSONValue(digits) }
        json["defaultNumericAnswer"] = Self.initialNumber(item)
        return json
    }

    private static func number(_ bound: AnswerBound?) -> JSONValue? {
        guard case .value(let value)? = bound else { return nil }
        switch value {
        case .integer(let value): return JSONValue(value)
        case .decimal(let value): return value.tree
        case .quantity(let value): return value.value?.tree
        default: return nil
        }
    }

    /// A scale where ResearchKit can show one: it raises an exception unless there are 1 to 13 whole steps
    /// between bounds within ±10,000.
    private mutating func slider(_ item: SurveyItem) -> JSONValue? {
        guard item.controls.contains("slider") else { return nil }
        guard let minimum = Self.number(item.format.minimum)?.integer,
            let maximum = Self.number(item.format.maximum)?.integer,
            (-10_000...10_000).contains(minimum), (-10_000...10_000).contains(maximum), maximum > minimum,
            case let step = item.format.sliderStep ?? 1, step >= 1, (maximum - minimum).isMultiple(of: step),
            (1...13).contains((maximum - minimum) / step)
        else {
            report("ResearchKit has no slider with these bounds and steps; a number is asked for.", item)
            return nil
        }
        var json: JSONValue = [
            "_class": "ORKScaleAnswerFormat", "minimum": JSONValue(minimum), "maximum": JSONValue(maximum),
            "step": JSONValue(step), "vertical": false,
        ]
        // Without one, nothing is chosen at first.
        json["defaultValue"] = Self.initialNumber(item)
        return json
    }

    /// The same for numbers that are not whole, between bounds within ±10,000.
    private mutating func continuousSlider(_ item: SurveyItem) -> JSONValue? {
        guard item.controls.contains("slider") else { return nil }
        guard let low = Self.number(item.format.minimum), let high = Self.number(item.format.maximum),
            let minimum = low.double, let maximum = high.double, minimum < maximum,
            abs(minimum) <= 10_000, abs(maximum) <= 10_000
        else {
            report("ResearchKit has no slider with these bounds; a number is asked for.", item)
            return nil
        }
        var json: JSONValue = [
            "_class": "ORKContinuousScaleAnswerFormat", "minimum": low, "maximum": high, "vertical": false,
        ]
        if let digits = item.format.maxDecimalPlaces {
            json["maximumFractionDigits"] = JSONValue(min(digits, 4))
        }
        json["defaultValue"] = Self.initialNumber(item)
        return json
    }

    private func text(_ item: SurveyItem) -> JSONValue {
        var json: JSONValue = [
            "_class": "ORKTextAnswerFormat", "maximumLength": JSONValue(item.format.maxLength ?? 0),
            "multipleLines": JSONValue(item.type == .text),
        ]
        if let pattern = item.format.pattern {
            // ResearchKit looks for a match anywhere.
            json["validationRegularExpression"] = [
                "pattern": JSONValue("^(?:\(pattern.pattern))$"), "options": [],
            ]
            json["invalidMessage"] = JSONValue(pattern.message?.text(in: language) ?? "Invalid input")
        }
        if let initial = item.initial.first { json["defaultTextAnswer"] = JSONValue(initial.label) }
        if let content = item.format.textContent { json["textContentType"] = JSONValue(content) }
        json["placeholder"] = shown(item.format.placeholder)
        return json
    }

    mutating func report(_ text: String, _ item: SurveyItem) {
        diagnostics.append(ResearchKitTask.report(text, item))
    }
}

/// The values of choices: of codings JSON with sorted keys, as StanfordBDHG's ResearchKitOnFHIR has them,
/// else the value.
enum ResearchKitChoice {
    static let other = "Other"

    static func value(of answer: SurveyAnswer) -> String {
        switch answer {
        case .coding(let coding):
            let members = [
                ("code", coding.code), ("display", coding.display), ("system", coding.system?.rawValue),
            ]
            return JSONValue(
                members: members.compactMap { name, value in
                    value.map { JSONMember(name: name, value: JSONValue($0)) }
                }
            ).text()
        case .reference(let reference): return reference.reference ?? answer.label
        default: return answer.label
        }
    }

    /// The answer that a chosen value stands for.
    static func answer(for value: JSONValue, item: SurveyItem, options: [SurveyOption]) -> SurveyAnswer? {
        let text = value.string ?? value.number ?? ""
        if let option = options.first(where: { Self.value(of: $0.value) == text }) { return option.value }
        if text.utf8.first == UInt8(ascii: "{"), let json = try? JSONValue(parsing: text) {
            return item.answer(for: json, options: options)
        }
        return item.answer(for: value, options: options)
    }
}
