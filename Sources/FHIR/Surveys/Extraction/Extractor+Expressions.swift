import FHIR
import FHIRPathEngine
import OrderedJSON

extension Extractor {
    /// The result of an expression; nil where it cannot be read or evaluated, which is reported.
    mutating func evaluate(
        _ text: String,
        on focus: [FHIRPathItem],
        _ scope: Scope
    ) throws(ExtractionStop) -> [FHIRPathItem]? {
        guard let path = path(text, scope.item) else { return nil }
        budget.steps -= 100
        guard budget.steps > 0 else { throw .tooSlow }
        var context = FHIRPathContext(now: self.context.now)
        context.limits.steps = 1_000_000
        context.limits.items = min(100_000, budget.elements)
        context.limits.stringLength = min(1_000_000, budget.bytes)
        context.limits.madeBytes = 10_000_000
        context.resource = response.tree
        context.variables = scope.variables
        context.variables["context"] = [scope.focus]
        do {
            return try path.evaluate(on: focus, in: context, spending: &budget.steps)
        } catch {
            // The text of the error may have answers in it; the expression is the questionnaire's.
            let reason = error.kind == .semantic ? error.reason : "(\(error.kind.rawValue))"
            report(
                .error,
                error.kind == .limit ? "expressionTooExpensive" : "expressionFailed",
                "The expression “\(text.prefix(200))” cannot be evaluated: \(reason)",
                scope.item
            )
            return nil
        }
    }

    /// The only result of an expression as text; nil where there is none.
    mutating func text(of expression: String?, _ scope: Scope) throws(ExtractionStop) -> String? {
        guard let expression, let result = try evaluate(expression, on: [scope.focus], scope), !result.isEmpty
        else { return nil }
        guard result.count == 1 else {
            report(
                .error,
                "severalValues",
                """
                The expression “\(expression.prefix(200))” gives \(result.count) values where one is needed.
                """,
                scope.item
            )
            return nil
        }
        return result[0].text
    }

    private mutating func path(_ text: String, _ item: Int) -> FHIRPath? {
        if let known = paths[text] {
            if known == nil { reportMalformed(text, item, "it is wrong elsewhere too") }
            return known
        }
        do {
            let path = try FHIRPath(text)
            paths[text] = .some(path)
            return path
        } catch {
            paths[text] = .some(nil)
            reportMalformed(text, item, "\(error)")
            return nil
        }
    }

    private mutating func reportMalformed(_ text: String, _ item: Int, _ reason: String) {
        report(
            .error,
            "malformedExpression",
            "The expression “\(text.prefix(200))” cannot be read: \(reason)",
            item
        )
    }
}
