import FHIR
import FHIRPathEngine
import FHIRTables

/// A rule of the specification (invariant), ready to be applied to objects of one type.
final class ValidationRule: Sendable {
    /// Rules that the walk checks itself, because it knows more than an expression can ask for: content and
    /// extensions (`ele-1`, `ext-1`), local references (`ref-1`, `dom-3`), narratives (`txt-1`, `txt-2`).
    static let checkedByWalk: Set<String> = ["ele-1", "ext-1", "ref-1", "dom-3", "txt-1", "txt-2"]

    /// Rules that only recommend.
    private static let bestPractice: Set<String> = ["dom-6", "con-3"]

    /// As the specification has it: `obs-6`.
    let key: String
    let severity: IssueSeverity
    let isBestPractice: Bool
    let path: FHIRPath
    /// What is known of the result before the expression is evaluated.
    let structure: StructuralCheck
    let proof: StructuralProof
    let shortcut: RuleShortcut?
    /// What an issue says of an object for which it does not hold.
    let text: String

    init(_ rule: DefinedRule, _ path: FHIRPath, of type: DefinedType) {
        key = String(rule.key.prefix { $0 != "@" })
        severity = rule.severity == .error ? .error : .warning
        isBestPractice = Self.bestPractice.contains(rule.key)
        self.path = path
        structure = StructuralCheck(path.syntax, of: type)
        proof = StructuralProof(structure, of: type)
        shortcut = RuleShortcut(rawValue: rule.key)
        text = Self.text(key, rule.human, path.expression)
    }

    /// What an issue says of a broken rule: the specification's sentence, and the expression only where there
    /// is none.
    static func text(_ key: String, _ human: String, _ expression: String) -> String {
        let sentence = human.hasSuffix(".") ? String(human.dropLast()) : human
        return sentence.isEmpty ? "the rule \(key) does not hold: \(expression)" : "\(key): \(sentence)"
    }
}
