import FHIR
import Foundation

extension SurveySession {
    /// The score of an occurrence: for a question the sum of the scores of its chosen options, for a group
    /// that of all questions in it. nil where no chosen option has a score.
    public func score(of occurrence: ItemOccurrence) -> Decimal? {
        node(occurrence).flatMap { score(under: $0) }
    }

    /// The sum of the scores of all chosen options; nil where none has a score.
    public var score: Decimal? { score(under: ResponseTree.root) }

    private func score(under start: Int) -> Decimal? {
        var sum: Decimal?
        var stack = [start]
        while let node = stack.popLast() {
            guard tree[node].isEnabled else { continue }
            stack += tree[node].children
            guard case .coding(let coding)? = tree[node].value,
                let score = survey.items[tree[node].item].score(of: coding)?.decimal
            else { continue }
            sum = (sum ?? 0) + score
        }
        return sum
    }

    /// Evaluates all calculated expressions again, also of a session that was restored.
    public mutating func recalculate() {
        var queue = EvaluationQueue(survey.dependencies)
        for item in survey.items where item.calculatedExpression != nil { queue.push(item.index, .answers) }
        queue.hasChanges = true
        variableValues = [:]
        run(&queue)
    }
}
