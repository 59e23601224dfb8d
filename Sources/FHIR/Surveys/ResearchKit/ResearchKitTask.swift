import FHIR
import Foundation
import OrderedJSON

/// A survey as a task of ResearchKit, in the JSON that its serializer reads.
///
/// ```swift
/// let task = ResearchKitTask(survey)
/// let json = task.json                          // ORKNavigableOrderedTask
/// for diagnostic in task.diagnostics { … }      // what ResearchKit cannot do
/// ```
/// A group is a form step, a question under none a question step, a display an instruction step. Items with
/// conditions are steps of their own, as ResearchKit can skip steps and not the items of a form.
public struct ResearchKitTask: Sendable {
    /// The task.
    public let json: JSONValue
    /// The parts of the questionnaire that ResearchKit's JSON cannot express.
    public let diagnostics: [SurveyDiagnostic]
    let identifier: String
    let steps: [ResearchKitStep]

    /// - Parameter language: The language of texts that have translations.
    public init(_ survey: Survey, language: String? = nil) {
        var planner = Planner(survey: survey)
        planner.plan()
        var writer = ResearchKitTaskWriter(survey: survey, steps: planner.steps, language: language)
        let url = survey.questionnaire.url?.rawValue
        identifier =
            url.map(Self.identifier(of:)) ?? survey.questionnaire.name ?? survey.questionnaire.id ?? "survey"
        steps = planner.steps
        json = writer.task(identifier)
        diagnostics = (planner.diagnostics + writer.diagnostics).sorted { $0.position < $1.position }
    }

    private static let urls = "http://researchkit.org/task/"

    /// The URL of the questionnaire that a task is: its identifier where that is a URL, else one that has it
    /// at its end. Results of a task whose questionnaire is not known are filed under the same.
    public static func url(of identifier: String) -> String {
        guard !identifier.contains(":") else { return identifier }
        return urls + (identifier.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "task")
    }

    /// The identifier of the task that a questionnaire with a URL is.
    private static func identifier(of url: String) -> String {
        guard url.hasPrefix(urls) else { return url }
        return url.dropFirst(urls.count).removingPercentEncoding ?? url
    }

    static func report(_ text: String, _ item: SurveyItem) -> SurveyDiagnostic {
        SurveyDiagnostic(.warning, "researchKit", text, linkId: item.linkId, position: item.index)
    }
}

/// A step, and the items on it.
struct ResearchKitStep: Sendable {
    enum Kind: Sendable { case instruction, question, form, imageCapture }
    let kind: Kind
    let identifier: String
    /// The group whose form it is.
    let group: Int?
    /// The items: of a form those in it, with the headings of nested groups.
    var items: [Int]
    /// The items whose conditions decide whether the step is shown.
    let conditional: [Int]
}

/// Lays items out on steps.
private struct Planner {
    let survey: Survey
    var steps: [ResearchKitStep] = []
    var diagnostics: [SurveyDiagnostic] = []
    /// How many forms were begun under an identifier.
    private var identifiers: [String: Int] = [:]

    init(survey: Survey) { self.survey = survey }

    mutating func plan() {
        for root in survey.roots { add(root, form: nil, conditional: []) }
    }

    /// - Parameters:
    ///   - form: The outermost group that the item is in.
    ///   - conditional: The items above it that have conditions.
    private mutating func add(_ index: Int, form: Int?, conditional: [Int]) {
        let item = survey.items[index]
        guard !item.isHidden else { return }
        if item.isHelp, item.parent != nil { return }
        let isConditional = !item.conditions.isEmpty || item.enableExpression != nil
        let conditions = isConditional ? conditional + [index] : conditional
        if item.isGroup {
            if item.repeats { report("The group is asked once: ResearchKit repeats none.", item) }
            if form != nil, item.text != nil { place(index, .form, form, conditions) }
            // A group without a heading begins a form all the same.
            for child in item.children { add(child, form: form ?? index, conditional: conditions) }
            return
        }
        if item.type == .attachment {
            if !item.format.mediaTypes.isEmpty,
                !item.format.mediaTypes.contains(where: { $0.hasPrefix("image/") })
            {
                report("ResearchKit takes pictures only; the question is left out.", item)
            } else {
                place(index, .imageCapture, nil, conditions)
            }
        } else if item.isDisplay {
            place(index, form == nil ? .instruction : .form, form, conditions)
        } else {
            if item.isReadOnly { report("ResearchKit lets every answer be changed.", item) }
            place(index, form == nil ? .question : .form, form, conditions)
        }
        if item.isQuestion, item.children.contains(where: { !survey.items[$0].isHelp }) {
            report("What is asked under each answer is asked once.", item)
            for child in item.children { add(child, form: form, conditional: conditions) }
        }
    }

    private mutating func place(
        _ index: Int,
        _ kind: ResearchKitStep.Kind,
        _ form: Int?,
        _ conditional: [Int]
    ) {
        if kind == .form, let last = steps.last, last.kind == .form, last.group == form,
            last.conditional == conditional
        {
            steps[steps.count - 1].items.append(index)
            return
        }
        var identifier = survey.items[kind == .form ? form ?? index : index].linkId
        // A form that is interrupted continues under another identifier.
        let first = identifier
        while let number = identifiers[identifier] {
            identifiers[first] = (identifiers[first] ?? number) + 1
            identifier = "\(first)#\(identifiers[first] ?? number)"
        }
        identifiers[identifier] = 1
        steps.append(
            ResearchKitStep(
                kind: kind,
                identifier: identifier,
                group: form,
                items: [index],
                conditional: conditional
            )
        )
    }

    private mutating func report(_ text: String, _ item: SurveyItem) {
        diagnostics.append(ResearchKitTask.report(text, item))
    }
}
