import FHIR
import FHIRPathEngine
import Foundation
import OrderedJSON

/// A running survey with its answers, without any user interface.
///
/// ```swift
/// var session = SurveySession(survey)
/// try session.answer("smoker", with: .boolean(true))
/// for visible in session.visibleItems { show(visible) }
/// for problem in session.problems() { print(problem) }
/// let response = session.response(.completed)
/// ```
///
/// A session is a value: a copy is a saved state, and it can be sent between actors. Whether items are asked
/// and which values are calculated is always up to date; only expressions that read a changed value are
/// evaluated again. In SwiftUI keep it in `@State` or in a property of an `@Observable` class.
public struct SurveySession: Sendable {
    /// The questionnaire that is answered.
    public let survey: Survey
    /// The response without its items: set subject, author, source, encounter and the like here.
    public var header: QuestionnaireResponse {
        didSet {
            if !evaluated.isEmpty { evaluated[ResponseTree.root] = nil }
            variableValues = [:]
        }
    }
    /// The time and the resources that expressions can refer to.
    public let context: SurveyContext
    /// The errors of evaluated expressions, and whether the time is outside the questionnaire's effective
    /// period.
    public internal(set) var diagnostics: [SurveyDiagnostic] = []
    /// The parts of a restored response that do not fit.
    public internal(set) var restorationProblems: [SurveyProblem] = []
    /// Whether anything has been answered, cleared or removed since the session was made.
    public internal(set) var isChanged = false
    /// The index of the current page in ``pages``.
    public internal(set) var pageIndex = 0

    /// The searches that expressions ask for and that ``SurveyContext/queries`` has no result of: relative
    /// URLs such as `Observation?code=8302-2&patient=7`, at most ``maximumQueries``.
    public internal(set) var openQueries: [String] = []
    var askedQueries: Set<String> = []

    var tree: ResponseTree
    /// The JSON that expressions see, by node; for the root, the response. `null` stands for a node that is
    /// not in the response.
    var evaluated: [JSONValue?] = []
    /// The values of variables that are constant in a session, by their numbers.
    var constants: [Int: [FHIRPathItem]] = [:]
    /// The values of other variables, by their numbers and where they were evaluated, until something changes
    /// that they read.
    var variableValues: [Int: [ItemOccurrence: [FHIRPathItem]]] = [:]
    /// Expressions that failed or took too many steps, so that each is reported once.
    var failedExpressions: Set<String> = []
    /// Values that matched no option when they were filled in, and may match one once everything is.
    var deferredAnswers: [(occurrence: ItemOccurrence, list: [JSONValue])] = []
    /// What is left of ``maximumSteps``.
    var steps = Self.maximumSteps
    /// Whether several changes share the remaining steps.
    var sharesSteps = false
    /// Nodes whose items a restored response has in another order than the questionnaire.
    var isReordered: Set<Int> = []

    /// A session with the initial values, and no other answers.
    public init(_ survey: Survey, context: SurveyContext = SurveyContext()) {
        self.init(empty: survey, context: context)
        var queue = EvaluationQueue(survey.dependencies)
        checkPeriod()
        steps = stepLimit(isFilling: true)
        sharesSteps = true
        build(in: ResponseTree.root, fillsIn: true, &queue)
        run(&queue)
        sharesSteps = false
        isChanged = false
    }

    init(empty survey: Survey, context: SurveyContext) {
        self.survey = survey
        self.context = context
        header = QuestionnaireResponse(status: .inProgress)
        if let canonical = survey.canonical { header.questionnaire = FHIRURI(canonical) }
        tree = ResponseTree(items: survey.items.count)
    }

    /// Checks the questionnaire's `effectivePeriod` for the time when the response was authored, or else for
    /// now.
    mutating func checkPeriod() {
        guard let period = survey.questionnaire.effectivePeriod else { return }
        let time = SurveyAnswer.dateTime(
            header.authored ?? context.now.flatMap { FHIRDateTime(text: $0) } ?? FHIRDateTime(Date())
        )
        func report(_ code: String, _ text: String) {
            diagnostics.append(SurveyDiagnostic(.warning, code, text))
        }
        if let start = period.start, time.compared(to: .dateTime(start)) == .less {
            report("notYetEffective", "The questionnaire is not to be used before \(start).")
        }
        if let end = period.end, time.compared(to: .dateTime(end)) == .greater {
            report(
                "noLongerEffective",
                "The questionnaire is not to be used after \(end); ask its publisher for a newer version."
            )
        }
    }

    // MARK: Occurrences

    /// The occurrences of an item: one, or several in repeated groups and under several answers, in document
    /// order.
    public func occurrences(of linkId: String) -> [ItemOccurrence] {
        guard let index = survey.indices[linkId] else { return [] }
        return nodes(of: index, in: ResponseTree.root).map(occurrence)
    }

    /// The occurrences of an item under a node, in document order.
    func nodes(of index: Int, in scope: Int) -> [Int] {
        guard scope != ResponseTree.root || tree.occurrences[index].count > 1 else {
            return tree.occurrences[index]
        }
        var way = [index]
        while let parent = survey.items[way[way.count - 1]].parent, parent != tree[scope].item {
            way.append(parent)
        }
        var found = [scope]
        for item in way.reversed() {
            found = found.flatMap { node -> [Int] in
                // What is under a question is under its answers.
                let isQuestion =
                    tree[node].item >= 0 && survey.items[tree[node].item].isQuestion && !tree.isAnswer(node)
                return (isQuestion ? tree[node].children : [node]).flatMap {
                    tree[$0].children[tree.positions(of: item, in: $0)]
                }
            }
        }
        return found
    }

    /// The item that an occurrence is of.
    public func item(of occurrence: ItemOccurrence) -> SurveyItem { survey.items[occurrence.item] }

    /// The answers of a question's occurrence, also of one that is not asked now.
    public func answers(of occurrence: ItemOccurrence) -> [SurveyAnswer] {
        guard let node = node(occurrence) else { return [] }
        return tree[node].children.compactMap { tree[$0].value }
    }

    /// Whether an occurrence is asked: its conditions hold, and those of all that it is under.
    public func isEnabled(_ occurrence: ItemOccurrence) -> Bool {
        node(occurrence).map { tree[$0].isEnabled } ?? false
    }

    /// The occurrences of items under a group, or under an answer of a question.
    public func children(of occurrence: ItemOccurrence, answer: Int = 0) -> [ItemOccurrence] {
        guard let node = node(occurrence) else { return [] }
        let children = tree[node].children
        guard survey.items[occurrence.item].isQuestion else { return children.map(self.occurrence) }
        return children.indices.contains(answer) ? tree[children[answer]].children.map(self.occurrence) : []
    }

    /// The occurrences of the top-level items.
    public var roots: [ItemOccurrence] { tree[ResponseTree.root].children.map(occurrence) }

    func occurrence(_ node: Int) -> ItemOccurrence {
        ItemOccurrence(item: tree[node].item, node: node, generation: tree[node].generation)
    }

    func node(_ occurrence: ItemOccurrence) -> Int? {
        guard tree.nodes.indices.contains(occurrence.node) else { return nil }
        let node = tree[occurrence.node]
        return node.isAlive && node.generation == occurrence.generation && node.item == occurrence.item
            ? occurrence.node : nil
    }
}

/// An occurrence of an item in a session: the item itself, or one of several in repeated groups and under
/// answers.
public struct ItemOccurrence: Sendable, Hashable {
    /// The item's index in ``Survey/items``.
    public let item: Int
    let node: Int
    let generation: UInt32
}

/// The time and the resources that the expressions of a survey can refer to besides the response.
public struct SurveyContext: Sendable {
    /// The time of `now()` and `today()`, with a zone: `2026-11-22T09:30:00+01:00`. By default the machine's.
    public var now: String?
    /// Resources and values by the names of launch contexts and variables, such as `patient`.
    public var resources: [String: [JSONValue]]

    /// The results of searches by their relative URLs; `null` if no result is available.
    public var queries: [String: JSONValue]

    var isEmpty: Bool { resources.isEmpty && queries.isEmpty }

    /// A time, and resources by name.
    public init(
        now: String? = nil,
        resources: [String: [JSONValue]] = [:],
        queries: [String: JSONValue] = [:]
    ) {
        self.now = now
        self.resources = resources
        self.queries = queries
    }
}

/// Why a change of a session is refused.
public enum SurveySessionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no such item, or it does not occur now.
    case noSuchItem(linkId: String)
    /// The item is not a question, or its answers are of another type.
    case wrongType(linkId: String, type: String)
    /// The item cannot be repeated, or not so often; or the last one cannot be removed.
    case cannotRepeat(linkId: String)
    /// The response would have more than ``SurveySession/maximumNodes`` items and answers.
    case tooLarge

    public var description: String {
        switch self {
        case .noSuchItem(let linkId): "\(linkId): there is no such item, or it does not occur now"
        case .wrongType(let linkId, let type):
            "\(linkId): this is not an answer for an item of the type \(type)"
        case .cannotRepeat(let linkId):
            "\(linkId): it cannot be repeated so often, or the last one cannot be removed"
        case .tooLarge:
            "the response is too large: it has more than \(SurveySession.maximumNodes) items and answers"
        }
    }
}
