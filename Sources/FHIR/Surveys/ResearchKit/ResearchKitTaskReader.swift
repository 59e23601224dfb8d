import FHIR
import Foundation
import IndivoBase
import OrderedJSON

/// Reads the JSON of a task (ResearchKit, `ORKESerializer`) into a questionnaire's.
struct ResearchKitTaskReader {
    private static let maximumSteps = 20_000
    private static let maximumItems = 50_000

    /// An item that is asked, for conditions on its answer.
    struct Asked {
        /// The index of the step that asks it.
        let step: Int
        let linkId: String
        let type: String
        /// The options' answers by the value that a choice has.
        var options: [ResearchKitCondition.Value: JSONValue] = [:]
        /// The unit of a quantity.
        var unit: JSONValue?
    }

    /// A step of the task, and the item that it became.
    struct Step {
        let identifier: String
        /// nil where the step is left out.
        var item: JSONValue?
        /// The rules of visibility of items in it, by their index.
        var visibilityRules: [(child: Int, rule: JSONValue)] = []
    }

    let task: JSONValue
    private(set) var questionnaire: JSONValue = [:]
    private(set) var diagnostics: [SurveyDiagnostic] = []

    var steps: [Step] = []
    private var linkIds: Set<String> = []
    /// The last number behind an identifier that was taken; the next search goes on there.
    private var numbers: [String: Int] = [:]
    /// What is asked, by the identifiers of step and result.
    private(set) var asked: [ResearchKitCondition.Question: Asked] = [:]
    /// The same, of a condition that names no step.
    private(set) var askedByName: [String: Asked] = [:]
    private var title: String?
    private var items = 0
    /// Whether steps are reached, as extensions of the questionnaire.
    var variables: [JSONValue] = []
    private let lines: JSONLineTable?

    init(_ task: JSONValue) {
        self.task = task
        lines = JSONLineTable(textOf: task)
    }

    /// - Parameter json: What it is about, in the task.
    mutating func report(_ text: String, _ linkId: String?, _ json: JSONValue?) {
        diagnostics.append(
            SurveyDiagnostic(
                .warning,
                "researchKit",
                text,
                linkId: linkId,
                position: diagnostics.count,
                location: json.flatMap { lines?.location(of: $0) }
            )
        )
    }

    // MARK: The task

    mutating func read(_ list: [JSONValue]) throws(ResearchKitTaskError) {
        guard list.count <= Self.maximumSteps else {
            throw ResearchKitTaskError("the task has more than \(Self.maximumSteps) steps", task.location)
        }
        title = Self.commonTitle(list)
        for (number, json) in list.enumerated() {
            guard let identifier = json["identifier"]?.string, json["_class"]?.string != nil else {
                throw ResearchKitTaskError("step \(number + 1) has no _class or no identifier", json.location)
            }
            steps.append(Step(identifier: identifier, item: nil))
            steps[number].item = try step(json, identifier)
        }
        applyRules()
        questionnaire = header()
        if !variables.isEmpty { questionnaire["extension"] = JSONValue(variables) }
        questionnaire["item"] = JSONValue(steps.compactMap(\.item))
    }

    /// The title that all steps with one have: that of the survey.
    private static func commonTitle(_ steps: [JSONValue]) -> String? {
        let titles = Set(steps.compactMap { text($0, "title") })
        // Where questions are in titles, as before ResearchKit 2, one question is not a title of a survey.
        guard titles.count == 1, let title = titles.first else { return nil }
        let questions = steps.filter { $0["_class"]?.string == "ORKQuestionStep" }
        return questions.allSatisfy { text($0, "question") != nil } ? title : nil
    }

    private func header() -> JSONValue {
        let identifier = task["identifier"]?.string ?? ""
        var header: JSONValue = [
            "resourceType": "Questionnaire", "status": "active",
            "url": JSONValue(ResearchKitTask.url(of: identifier)),
        ]
        // FHIR's ids have letters, digits, - and . (R4, 2.24.0.1).
        let isID = identifier.utf8.allSatisfy { byte in
            byte.isASCIILetterOrDigit
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
        if isID, (1...64).contains(identifier.utf8.count) { header["id"] = JSONValue(identifier) }
        if let title { header["title"] = JSONValue(title) }
        return header
    }

    // MARK: Steps

    /// A text that is not empty.
    static func text(_ json: JSONValue, _ name: String) -> String? {
        guard let text = json[name]?.string, !text.isEmpty else { return nil }
        return text
    }

    private mutating func step(_ json: JSONValue, _ identifier: String) throws(ResearchKitTaskError)
        -> JSONValue?
    {
        let kind = json["_class"]?.string ?? ""
        let ownTitle = Self.text(json, "title").flatMap { $0 == title ? nil : $0 }
        switch kind {
        case "ORKQuestionStep": return try questionStep(json, identifier, ownTitle)
        case "ORKFormStep": return try formStep(json, identifier, ownTitle)
        case "ORKImageCaptureStep":
            let label = [ownTitle, Self.text(json, "text")].compactMap { $0 }.joined(separator: "\n")
            var item = try begin(identifier, "attachment", label, json)
            item.addExtension(ExtensionURL.mimeType, "Code", "image/jpeg")
            require(&item, json)
            remember(
                .init(step: identifier, item: identifier),
                Asked(step: index, linkId: item["linkId"]?.string ?? identifier, type: "attachment")
            )
            return item
        case "ORKStep", "ORKInstructionStep", "ORKLearnMoreInstructionStep", "ORKCompletionStep":
            let parts = [ownTitle, Self.text(json, "text"), Self.text(json, "detailText")].compactMap { $0 }
            guard !parts.isEmpty else { return nil }
            return try begin(identifier, "display", parts.joined(separator: "\n"), json)
        default:
            report("A questionnaire has no \(kind); the step is left out.", identifier, json)
            return nil
        }
    }

    /// An item with a link id that is not taken.
    private mutating func begin(_ identifier: String, _ type: String, _ text: String?, _ json: JSONValue)
        throws(ResearchKitTaskError) -> JSONValue
    {
        items += 1
        guard items <= Self.maximumItems else {
            throw ResearchKitTaskError("the task has more than \(Self.maximumItems) items", json.location)
        }
        var linkId = identifier.isEmpty ? "item" : identifier
        while !linkIds.insert(linkId).inserted {
            let number = (numbers[identifier] ?? 1) + 1
            numbers[identifier] = number
            linkId = "\(identifier)#\(number)"
        }
        if linkId != identifier {
            report("Another item has the identifier; its link id is \(linkId).", identifier, json)
        }
        var item: JSONValue = ["linkId": JSONValue(linkId)]
        if let text, !text.isEmpty { item["text"] = JSONValue(text) }
        item["type"] = JSONValue(type)
        return item
    }

    /// ResearchKit's steps are optional unless they say otherwise.
    private func require(_ item: inout JSONValue, _ json: JSONValue) {
        let optional = json["optional"]
        if optional?.boolean == false || optional?.integer == 0 { item["required"] = true }
    }

    private mutating func questionStep(_ json: JSONValue, _ identifier: String, _ title: String?)
        throws(ResearchKitTaskError) -> JSONValue
    {
        var texts = [
            Self.text(json, "question"), title, Self.text(json, "text"), Self.text(json, "detailText"),
        ]
        .compactMap { $0 }
        let question = texts.isEmpty ? nil : texts.removeFirst()
        return try ask(
            json,
            identifier,
            .init(step: identifier, item: identifier),
            question,
            help: texts.joined(separator: "\n")
        )
    }

    private mutating func formStep(_ json: JSONValue, _ identifier: String, _ title: String?)
        throws(ResearchKitTaskError) -> JSONValue
    {
        var texts = [title, Self.text(json, "text"), Self.text(json, "detailText")].compactMap { $0 }
        let heading = texts.isEmpty ? nil : texts.removeFirst()
        var group = try begin(identifier, "group", heading, json)
        var children: [JSONValue] = []
        for text in texts + [Self.text(json, "footnote"), Self.text(json, "footerText")].compactMap({ $0 }) {
            children.append(try begin("\(identifier)-text", "display", text, json))
        }
        for item in json.elements(of: "formItems") {
            let name = item["identifier"]?.string ?? ""
            guard item["answerFormat"] != nil, item["answerFormat"]?.isNull == false else {
                let parts = [Self.text(item, "text"), Self.text(item, "detailText")].compactMap { $0 }
                guard !parts.isEmpty else { continue }
                let id = name.isEmpty ? "\(identifier)-text" : name
                children.append(try begin(id, "display", parts.joined(separator: "\n"), item))
                continue
            }
            let child = try ask(
                item,
                name,
                .init(step: identifier, item: name),
                Self.text(item, "text"),
                help: Self.text(item, "detailText")
            )
            if let rule = item["visibilityRule"], !rule.isNull {
                steps[index].visibilityRules.append((children.count, rule))
            }
            children.append(child)
        }
        if children.isEmpty { report("The form has nothing in it.", identifier, json) }
        group["item"] = JSONValue(children)
        return group
    }

    /// A question.
    private mutating func ask(
        _ json: JSONValue,
        _ identifier: String,
        _ question: ResearchKitCondition.Question,
        _ text: String?,
        help: String?
    ) throws(ResearchKitTaskError) -> JSONValue {
        var format = ResearchKitFormatReader(
            json["answerFormat"] ?? .null,
            placeholder: Self.text(json, "placeholder")
        )
        format.read()
        for text in format.reports { report(text, identifier, json) }
        var item = try begin(identifier, format.type, text, json)
        let linkId = item["linkId"]?.string ?? identifier
        for member in format.members { item[member.name] = member.value }
        require(&item, json)
        let helps = [help, format.note].compactMap { $0 }.filter { !$0.isEmpty }
        if !helps.isEmpty {
            var display = try begin("\(linkId)-help", "display", helps.joined(separator: "\n"), json)
            display.addExtension(ExtensionURL.itemControl, "CodeableConcept", .itemControl("help"))
            item["item"] = [display]
        }
        remember(
            question,
            Asked(
                step: index,
                linkId: linkId,
                type: format.type,
                options: format.options,
                unit: format.unit
            )
        )
        return item
    }

    /// The index of the step that is being read.
    private var index: Int { steps.count - 1 }

    private mutating func remember(_ question: ResearchKitCondition.Question, _ item: Asked) {
        asked[question] = item
        askedByName[question.item] = askedByName[question.item] ?? item
    }
}

extension JSONValue {
    /// How an item is shown, as the extension `questionnaire-itemControl` has it.
    static func itemControl(_ code: String) -> JSONValue {
        ["coding": [["system": "http://hl7.org/fhir/questionnaire-item-control", "code": JSONValue(code)]]]
    }

    /// Adds an extension to an element.
    mutating func addExtension(_ url: String, _ type: String, _ value: JSONValue) {
        var list = elements(of: "extension")
        list.append(["url": JSONValue(url), "value\(type)": value])
        self["extension"] = JSONValue(list)
    }
}
