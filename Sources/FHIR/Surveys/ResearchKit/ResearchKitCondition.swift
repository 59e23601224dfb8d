import FHIR
import Foundation
import OrderedJSON

/// What a predicate asks of the results of a task.
indirect enum ResearchKitCondition: Hashable {
    case all([ResearchKitCondition])
    case any([ResearchKitCondition])
    case not(ResearchKitCondition)
    /// The question's step was reached, so that it has a result, answered or not.
    case reached(Question)
    /// There is an answer.
    case answered(Question)
    /// The answer passes a test, or at least one of a list of answers does.
    case some(Question, Test, inList: Bool)

    /// A question by the identifiers of its step, where that is said, and of its result.
    struct Question: Hashable {
        let step: String?
        let item: String
    }

    /// What is asked of one answer.
    indirect enum Test: Hashable {
        case all([Test])
        case any([Test])
        case not(Test)
        /// It compares so with a value: `==`, `!=`, `>`, `<`, `>=`, `<=`.
        case compares(String, Value)
    }

    enum Value: Hashable {
        case number(String)
        case text(String)
        /// Seconds since 2001.
        case date(Double)
    }

    /// Reads the predicates of ResearchKit's `ORKResultPredicate`: of the results of this task, those of a
    /// step, those of a question.
    ///
    /// - Parameter task: The task's identifier; nil where it does not matter.
    /// - Returns: nil for another predicate.
    init?(_ predicate: ResearchKitPredicate, of task: String? = nil) {
        guard let found = Self.ofTask(predicate, task) else { return nil }
        self = found
    }

    /// Reads the parts of a predicate, where each is one of the same kind.
    private static func combined(
        _ predicate: ResearchKitPredicate,
        _ read: (ResearchKitPredicate) -> ResearchKitCondition?
    ) -> ResearchKitCondition? {
        switch predicate {
        case .all(let parts):
            let read = parts.compactMap(read)
            return read.count == parts.count ? .all(read) : nil
        case .any(let parts):
            let read = parts.compactMap(read)
            return read.count == parts.count ? .any(read) : nil
        case .not(let part): return read(part).map { .not($0) }
        case .comparison: return nil
        }
    }

    /// What a query for members asks of them; nil where it does not ask whether there are some.
    private static func query(_ predicate: ResearchKitPredicate) -> (
        collection: [String], variable: String, predicate: ResearchKitPredicate
    )? {
        guard
            case .comparison(.count(let collection, let variable, let inner), let sign, .number(let number)) =
                predicate
        else { return nil }
        switch (sign, number) {
        case (">", "0"), (">=", "1"), ("!=", "0"): return (collection, variable, inner)
        default: return nil
        }
    }

    /// The conditions of a query besides those on identifiers, and the identifier. A second identifier is one
    /// of the others.
    private static func parts(_ predicate: ResearchKitPredicate, _ variable: String) -> (
        identifier: String?, others: [ResearchKitPredicate]
    ) {
        var list = [predicate]
        if case .all(let parts) = predicate { list = parts }
        var identifier: String?
        var others: [ResearchKitPredicate] = []
        for part in list {
            switch part {
            case .comparison(.path([variable, "identifier"]), "==", .text(let text))
            where identifier == nil || identifier == text:
                identifier = text
            case .comparison(.path([variable, "isPreviousResult"]), "==", .number("0")): break
            default: others.append(part)
            }
        }
        return (identifier, others)
    }

    private static func ofTask(_ predicate: ResearchKitPredicate, _ task: String?) -> ResearchKitCondition? {
        guard let query = query(predicate) else { return combined(predicate) { ofTask($0, task) } }
        guard query.collection == ["SELF"] else { return nil }
        let (name, parts) = parts(query.predicate, query.variable)
        guard name == nil || task == nil || name == task else { return nil }
        let thisTask = ResearchKitPredicate.comparison(
            .path([query.variable, "identifier"]),
            "==",
            .path(["$ORK_TASK_IDENTIFIER"])
        )
        let others = parts.filter { $0 != thisTask }
        return joined(others.map { ofStep($0, query.variable) })
    }

    private static func ofStep(_ predicate: ResearchKitPredicate, _ task: String) -> ResearchKitCondition? {
        guard let query = query(predicate) else { return combined(predicate) { ofStep($0, task) } }
        guard query.collection == [task, "results"] else { return nil }
        let (step, others) = parts(query.predicate, query.variable)
        guard let found = joined(others.map { ofQuestion($0, query.variable, step) }) else { return nil }
        let questions = found.questions
        // Several questions of one step, which is not named.
        guard step != nil || questions.count == 1 else { return nil }
        return questions.first.flatMap { found.ofResult(of: $0) }
    }

    private static func ofQuestion(_ predicate: ResearchKitPredicate, _ step: String, _ name: String?)
        -> ResearchKitCondition?
    {
        guard let query = query(predicate) else { return combined(predicate) { ofQuestion($0, step, name) } }
        guard query.collection == [step, "results"] else { return nil }
        let (item, others) = parts(query.predicate, query.variable)
        guard let item = item ?? name else { return nil }
        let question = Question(step: name, item: item)
        return joined(others.map { ofAnswers($0, [query.variable, "answer"], question) })?
            .ofResult(of: question)
    }

    /// All of some conditions; nil where one of them is not read, or there are none.
    private static func joined(_ conditions: [ResearchKitCondition?]) -> ResearchKitCondition? {
        let read = conditions.compactMap(\.self)
        guard !read.isEmpty, read.count == conditions.count else { return nil }
        return read.count == 1 ? read[0] : .all(read)
    }

    /// The condition, asked of a result that is there: what holds without an answer does not hold before the
    /// step is reached.
    private func ofResult(of question: Question) -> ResearchKitCondition {
        holdsUnanswered ? .all([.reached(question), self]) : self
    }

    /// Whether it holds where no step is reached.
    private var holdsUnanswered: Bool {
        switch self {
        case .all(let parts): parts.allSatisfy(\.holdsUnanswered)
        case .any(let parts): parts.contains(where: \.holdsUnanswered)
        case .not(let part): !part.holdsUnanswered
        case .reached, .answered, .some: false
        }
    }

    /// Reads a condition on the answer of a result. Of a choice, the answer is a list.
    private static func ofAnswers(
        _ predicate: ResearchKitPredicate,
        _ answer: [String],
        _ question: Question
    ) -> ResearchKitCondition? {
        if let query = query(predicate), query.collection == answer {
            return test(query.predicate, [query.variable]).map { .some(question, $0, inList: true) }
        }
        guard case .comparison(.path(answer), let sign, let right) = predicate else {
            return combined(predicate) { ofAnswers($0, answer, question) }
        }
        switch (sign, right) {
        case ("!=", .nothing): return .answered(question)
        case ("==", .nothing): return .not(.answered(question))
        default:
            guard let value = value(sign, right) else { return nil }
            // Without an answer, it is another one too.
            if sign == "!=" { return .not(.some(question, .compares("==", value), inList: false)) }
            return .some(question, .compares(sign, value), inList: false)
        }
    }

    /// Reads what is asked of one answer of a list.
    private static func test(_ predicate: ResearchKitPredicate, _ answer: [String]) -> Test? {
        switch predicate {
        case .all(let parts):
            let read = parts.compactMap { test($0, answer) }
            return read.count == parts.count ? .all(read) : nil
        case .any(let parts):
            let read = parts.compactMap { test($0, answer) }
            return read.count == parts.count ? .any(read) : nil
        case .not(let part): return test(part, answer).map { .not($0) }
        case .comparison(.path(answer), let sign, let right):
            return value(sign, right).map { .compares(sign, $0) }
        case .comparison: return nil
        }
    }

    private static func value(_ sign: String, _ operand: ResearchKitPredicate.Operand) -> Value? {
        switch operand {
        case _ where sign == "MATCHES": nil
        case .number(let digits): .number(digits)
        case .text(let text): .text(text)
        case .date(let seconds): .date(seconds)
        default: nil
        }
    }

    /// The questions that it asks for.
    private var questions: Set<Question> {
        switch self {
        case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.questions) }
        case .not(let part): part.questions
        case .reached(let question), .answered(let question), .some(let question, _, _): [question]
        }
    }
}
