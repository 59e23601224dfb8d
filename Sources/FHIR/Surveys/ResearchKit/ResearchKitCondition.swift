import FHIR
import Foundation
import OrderedJSON

/// What a predicate asks of the answers.
indirect enum ResearchKitCondition: Hashable {
    case all([ResearchKitCondition])
    case any([ResearchKitCondition])
    case not(ResearchKitCondition)
    /// There is an answer.
    case answered(Question)
    /// An answer compares so with a value: `==`, `!=`, `>`, `<`, `>=`, `<=`.
    case answer(Question, String, Value)

    /// A question by the identifiers of its step, where that is said, and of its result.
    struct Question: Hashable {
        let step: String?
        let item: String
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
    /// - Returns: nil for another predicate.
    init?(_ predicate: ResearchKitPredicate) {
        guard let found = Self.ofTask(predicate) else { return nil }
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

    /// The conditions of a query besides those on identifiers, and the identifier.
    private static func parts(_ predicate: ResearchKitPredicate, _ variable: String) -> (
        identifier: String?, others: [ResearchKitPredicate]
    ) {
        var list = [predicate]
        if case .all(let parts) = predicate { list = parts }
        var identifier: String?
        var others: [ResearchKitPredicate] = []
        for part in list {
            switch part {
            case .comparison(.path([variable, "identifier"]), "==", .text(let text)): identifier = text
            case .comparison(.path([variable, "identifier"]), "==", .path(["$ORK_TASK_IDENTIFIER"])): break
            case .comparison(.path([variable, "isPreviousResult"]), "==", .number("0")): break
            default: others.append(part)
            }
        }
        return (identifier, others)
    }

    private static func ofTask(_ predicate: ResearchKitPredicate) -> ResearchKitCondition? {
        guard let query = query(predicate) else { return combined(predicate, ofTask) }
        guard query.collection == ["SELF"] else { return nil }
        let (_, others) = parts(query.predicate, query.variable)
        let read = others.compactMap { ofStep($0, query.variable) }
        guard !read.isEmpty, read.count == others.count else { return nil }
        return read.count == 1 ? read[0] : .all(read)
    }

    private static func ofStep(_ predicate: ResearchKitPredicate, _ task: String) -> ResearchKitCondition? {
        guard let query = query(predicate) else { return combined(predicate) { ofStep($0, task) } }
        guard query.collection == [task, "results"] else { return nil }
        let (step, others) = parts(query.predicate, query.variable)
        let read = others.compactMap { ofQuestion($0, query.variable, step) }
        guard !read.isEmpty, read.count == others.count else { return nil }
        return read.count == 1 ? read[0] : .all(read)
    }

    private static func ofQuestion(_ predicate: ResearchKitPredicate, _ step: String, _ name: String?)
        -> ResearchKitCondition?
    {
        guard let query = query(predicate) else { return combined(predicate) { ofQuestion($0, step, name) } }
        guard query.collection == [step, "results"] else { return nil }
        let (item, others) = parts(query.predicate, query.variable)
        guard let item = item ?? name else { return nil }
        let question = Question(step: name, item: item)
        let read = others.compactMap { ofAnswer($0, [query.variable, "answer"], question) }
        guard !read.isEmpty, read.count == others.count else { return nil }
        return read.count == 1 ? read[0] : .all(read)
    }

    private static func ofAnswer(_ predicate: ResearchKitPredicate, _ answer: [String], _ question: Question)
        -> ResearchKitCondition?
    {
        // Of a choice, the answer is a list.
        if let query = query(predicate), query.collection == answer {
            return ofAnswer(query.predicate, [query.variable], question)
        }
        guard case .comparison(.path(answer), let sign, let value) = predicate else {
            return combined(predicate) { ofAnswer($0, answer, question) }
        }
        switch (sign, value) {
        case ("!=", .nothing): return .answered(question)
        case ("==", .nothing): return .not(.answered(question))
        case ("MATCHES", _): return nil
        case (_, .number(let digits)): return .answer(question, sign, .number(digits))
        case (_, .text(let text)): return .answer(question, sign, .text(text))
        case (_, .date(let seconds)): return .answer(question, sign, .date(seconds))
        default: return nil
        }
    }

    /// The same without `all` in `all`, `any` in `any`, and `not` where another comparison says it.
    var simplified: ResearchKitCondition {
        switch self {
        case .all(let parts):
            let flat = parts.map(\.simplified).flatMap { part in
                if case .all(let inner) = part { inner } else { [part] }
            }
            return flat.count == 1 ? flat[0] : .all(flat)
        case .any(let parts):
            let flat = parts.map(\.simplified).flatMap { part in
                if case .any(let inner) = part { inner } else { [part] }
            }
            return flat.count == 1 ? flat[0] : .any(flat)
        case .not(let part):
            switch part.simplified {
            case .not(let inner): return inner
            case .answer(let question, "==", let value): return .answer(question, "!=", value)
            case let other: return .not(other)
            }
        case .answered, .answer: return self
        }
    }

    /// The questions that it asks for.
    var questions: Set<Question> {
        switch self {
        case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.questions) }
        case .not(let part): part.questions
        case .answered(let question), .answer(let question, _, _): [question]
        }
    }
}
