import FHIRPathEngine
import OrderedJSON

/// Checks a task of ResearchKit that was written by hand: the members that ResearchKit's serializer knows,
/// with their types, and what its classes refuse when they are made.
///
/// ```swift
/// for finding in ResearchKitTaskCheck(json).findings { print("task.json:\(finding)") }
/// ```
public struct ResearchKitTaskCheck: Sendable {
    /// What is wrong, in the order of the text.
    public private(set) var findings: [Finding] = []

    /// Something about a task.
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// Whether ResearchKit makes no task of it, or fails; otherwise a part has no effect.
        public let isError: Bool
        /// A sentence for people.
        public let text: String
        /// Where it is in the JSON, as in `steps[2].answerFormat.style`.
        public let path: String
        /// Line and column; nil where the JSON was not parsed from a text.
        public let location: JSONLocation?

        /// As compilers write it.
        public var description: String {
            (location.map { "\($0): " } ?? "") + (isError ? "error: " : "warning: ")
                + (path.isEmpty ? "" : "\(path): ") + text
        }
    }

    private static let maximumFindings = 1_000
    private static let maximumDepth = 64

    private let lines: JSONLineTable?
    /// Whether there was one, which is told once.
    private var hasRuleOfVisibility = false

    /// - Parameter json: The JSON that is to be a task; parsed from a text, its findings have lines.
    public init(_ json: JSONValue) {
        lines = JSONLineTable(textOf: json)
        guard ResearchKitQuestionnaire.isTask(json) else {
            let found = json["_class"]?.string.map { ", but “\($0)”" } ?? ""
            report("a task has the _class ORKOrderedTask or ORKNavigableOrderedTask\(found)", "", json)
            return
        }
        check(json, .instance("ORKOrderedTask"), "", 0)
        checkSteps(json)
        findings.sort { ($0.location?.offset ?? 0) < ($1.location?.offset ?? 0) }
    }

    private mutating func report(_ text: String, _ path: String, _ value: JSONValue?, isError: Bool = true) {
        guard findings.count < Self.maximumFindings else { return }
        let location = value.flatMap { lines?.location(of: $0) }
        findings.append(Finding(isError: isError, text: text, path: path, location: location))
    }

    // MARK: Types

    private mutating func check(
        _ value: JSONValue,
        _ kind: ResearchKitClass.Kind,
        _ path: String,
        _ depth: Int
    ) {
        guard depth < Self.maximumDepth else {
            return report("nested more than \(Self.maximumDepth) deep", path, value)
        }
        if value.isNull { return }
        switch kind {
        case .any: break
        case .text:
            if value.kind != .string { report("a text is expected", path, value) }
        case .number:
            if value.kind != .number { report("a number is expected", path, value) }
        case .flag:
            guard value.kind != .boolean, value.integer != 0, value.integer != 1 else { return }
            report("true or false is expected", path, value)
        case .object, .image:
            if value.kind != .object { report("an object is expected", path, value) }
        case .word(let words):
            guard !words.contains(value.string ?? "") else { return }
            report("one of \(words.joined(separator: ", ")) is expected", path, value)
        case .date:
            if value.string.flatMap(ResearchKitDate.dateTime) == nil {
                report("a time is expected, as 2019-05-27T00:35:06-0700", path, value)
            }
        case .time:
            let parts = value.string?.split(separator: ":").map { Int($0) } ?? []
            guard parts.count == 2, let hour = parts[0], let minute = parts[1],
                (0...23).contains(hour), (0...59).contains(minute)
            else { return report("a time of day is expected, as 09:30", path, value) }
        case .pattern:
            guard value["pattern"]?.kind == .string else {
                return report(#"a pattern is expected, as {"pattern": "[0-9]+", "options": []}"#, path, value)
            }
        case .list(let kind):
            guard let elements = value.elements else { return report("a list is expected", path, value) }
            for (index, element) in elements.enumerated() {
                check(element, kind, "\(path)[\(index)]", depth + 1)
            }
        case .map(let kind):
            guard let members = value.members else { return report("an object is expected", path, value) }
            for member in members { check(member.value, kind, "\(path).\(member.name)", depth + 1) }
        case .instance(let name): checkInstance(value, name, path, depth)
        }
    }

    private mutating func checkInstance(_ value: JSONValue, _ expected: String, _ path: String, _ depth: Int)
    {
        guard value.kind == .object else { return report("an object is expected", path, value) }
        guard let name = value["_class"]?.string else {
            return report("“_class” is missing: it says which class of ResearchKit it is", path, value)
        }
        guard let found = ResearchKitClass.all[name] else {
            return report(
                "“\(name)” is no class that is known here; it is not checked",
                path,
                value,
                isError: false
            )
        }
        guard found.isA(expected) else {
            return report("\(name) stands where a \(expected) is expected", path, value)
        }
        let members = found.allMembers
        let byName = Dictionary(firstOf: members.map { ($0.name, $0) })
        var seen: Set<String> = []
        for member in value.members ?? [] where member.name != "_class" {
            let inner = path.isEmpty ? member.name : "\(path).\(member.name)"
            guard seen.insert(member.name).inserted else {
                report("the member is there twice", inner, member.nameValue, isError: false)
                continue
            }
            guard let known = byName[member.name] else {
                let near = byName.keys.filter { $0.lowercased() == member.name.lowercased() }.first
                report(
                    "\(name) has no such member" + (near.map { "; it has “\($0)”" } ?? ""),
                    inner,
                    member.nameValue
                )
                continue
            }
            check(member.value, known.kind, inner, depth + 1)
            if member.name == "visibilityRule", !member.value.isNull, !hasRuleOfVisibility {
                hasRuleOfVisibility = true
                report(
                    "ResearchKit’s serializer does not read it; the questionnaire that it becomes has it",
                    inner,
                    member.nameValue,
                    isError: false
                )
            }
        }
        for member in members where member.isRequired && (value[member.name]?.isNull ?? true) {
            report("\(name) needs “\(member.name)”", path, value)
        }
        checkBounds(value, name, path)
    }

    // MARK: What the classes refuse

    private mutating func checkBounds(_ value: JSONValue, _ name: String, _ path: String) {
        func number(_ name: String) -> Double? { value[name]?.double }
        switch name {
        case "ORKScaleAnswerFormat":
            guard let low = value["minimum"]?.integer, let high = value["maximum"]?.integer,
                let step = value["step"]?.integer
            else { return }
            guard (-10_000...10_000).contains(low), (-10_000...10_000).contains(high), low < high else {
                return report(
                    "the bounds of a scale are from -10000 to 10000, the maximum above",
                    path,
                    value
                )
            }
            guard step >= 1, (high - low).isMultiple(of: step), (1...13).contains((high - low) / step) else {
                return report("a scale has 1 to 13 whole steps between its bounds", path, value)
            }
        case "ORKContinuousScaleAnswerFormat":
            guard let low = number("minimum"), let high = number("maximum"), low >= high else { return }
            report("the maximum of a scale is above its minimum", path, value)
        case "ORKNumericAnswerFormat":
            guard let low = number("minimum"), let high = number("maximum"), low > high else { return }
            report("the maximum is below the minimum", path, value)
        case "ORKDateAnswerFormat":
            guard let low = value["minimumDate"]?.string.flatMap(ResearchKitDate.dateTime)?.instant,
                let high = value["maximumDate"]?.string.flatMap(ResearchKitDate.dateTime)?.instant, low > high
            else { return }
            report("the maximum is below the minimum", path, value)
        case "ORKTextChoiceAnswerFormat", "ORKValuePickerAnswerFormat", "ORKTextScaleAnswerFormat",
            "ORKImageChoiceAnswerFormat":
            checkChoices(value, name == "ORKImageChoiceAnswerFormat" ? "imageChoices" : "textChoices", path)
        case "ORKTextAnswerFormat":
            if let pattern = value["validationRegularExpression"]?["pattern"]?.string, !pattern.isEmpty,
                (try? BoundedRegex(pattern)) == nil
            {
                let regex = value["validationRegularExpression"]
                report("the pattern is no regular expression that is known here", path, regex, isError: false)
            }
            if value["validationRegularExpression"] != nil, value["invalidMessage"]?.string == nil {
                report("a pattern needs “invalidMessage”", path, value)
            }
        case "ORKPredicateStepNavigationRule":
            let predicates = value["resultPredicateFormats"]?.elements?.count ?? 0
            let destinations = value["destinationStepIdentifiers"]?.elements?.count ?? 0
            if predicates != destinations {
                report("there are \(predicates) predicates for \(destinations) destinations", path, value)
            }
            for (index, predicate) in value.elements(of: "resultPredicateFormats").enumerated() {
                checkPredicate(predicate, "\(path).resultPredicateFormats[\(index)]")
            }
        case "ORKPredicateFormItemVisibilityRule":
            if let predicate = value["predicateFormat"] {
                checkPredicate(predicate, "\(path).predicateFormat")
            }
        default: break
        }
    }

    private mutating func checkChoices(_ value: JSONValue, _ name: String, _ path: String) {
        guard let choices = value[name]?.elements else { return }
        guard !choices.isEmpty else { return report("there is nothing to choose from", path, value) }
        var values: Set<JSONValue> = []
        for (index, choice) in choices.enumerated() {
            guard let value = choice["value"], !values.insert(value).inserted else { continue }
            report("another choice has the value", "\(path).\(name)[\(index)].value", value)
        }
    }

    private mutating func checkPredicate(_ predicate: JSONValue, _ path: String) {
        guard let text = predicate.string else { return }
        do throws(ResearchKitPredicate.Problem) {
            guard ResearchKitCondition(try ResearchKitPredicate(text)) == nil else { return }
            report("the predicate asks for no results of a task", path, predicate, isError: false)
        } catch {
            report(
                "the predicate, at its byte \(error.offset): \(error.reason)",
                path,
                predicate,
                isError: false
            )
        }
    }

    // MARK: Identifiers

    private mutating func checkSteps(_ task: JSONValue) {
        let steps = task.elements(of: "steps")
        if steps.isEmpty { report("the task has no steps", "steps", task["steps"] ?? task) }
        var identifiers: Set<String> = []
        for (index, step) in steps.enumerated() {
            if let identifier = step["identifier"], let text = identifier.string,
                !identifiers.insert(text).inserted
            {
                report("another step has the identifier “\(text)”", "steps[\(index)].identifier", identifier)
            }
            var names: Set<String> = []
            for (number, item) in step.elements(of: "formItems").enumerated() {
                guard let identifier = item["identifier"], let text = identifier.string, !text.isEmpty,
                    !names.insert(text).inserted
                else { continue }
                let path = "steps[\(index)].formItems[\(number)].identifier"
                report("another item of the step has the identifier “\(text)”", path, identifier)
            }
        }
        var ruled: Set<String> = []
        for member in task["stepNavigationRules"]?.members.map(Array.init) ?? [] {
            let path = "stepNavigationRules.\(member.name)"
            if !ruled.insert(member.name).inserted {
                report("another rule of the step is before it", path, member.nameValue, isError: false)
            }
            if !identifiers.contains(member.name) {
                report("the task has no step “\(member.name)”", path, member.nameValue)
            }
            let rule = member.value
            let destinations =
                rule.elements(of: "destinationStepIdentifiers")
                + [rule["destinationStepIdentifier"], rule["defaultStepIdentifier"]].compactMap { $0 }
            for destination in destinations {
                // Empty, it ends the task.
                guard let text = destination.string, !text.isEmpty, text != ResearchKitTaskReader.end,
                    !identifiers.contains(text)
                else {
                    continue
                }
                report("the task has no step “\(text)”", path, destination)
            }
        }
    }
}
