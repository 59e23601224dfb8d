/// A rule of an element or type: FHIR's "invariant" or "constraint".
public struct DefinedRule: Sendable, Hashable {
    /// What breaking it is.
    public enum Severity: String, Sendable {
        /// What breaks the rule is invalid.
        case error
        /// What breaks the rule is valid, and worth a remark.
        case warning
    }

    /// The key, as in `obs-6`.
    public let key: String
    /// What breaking it is.
    public let severity: Severity
    /// In FHIRPath; true where the rule holds.
    public let expression: String

    /// What it means, in the words of the specification.
    public let human: String
}

/// The rules of a table by key, each read when it is asked for.
public struct RuleTable: Sendable {
    private let index: TableIndex

    /// - Parameter table: Lines of `KEY error|warning EXPRESSION`, and after a tab what the rule means.
    public init(_ table: String) { index = TableIndex(table) }

    /// The keys, in the order of the table.
    public var keys: [String] { index.names }

    /// The rule with a key.
    public subscript(key: String) -> DefinedRule? {
        guard let line = index[key]?.parts(separatedBy: UInt8(ascii: "\n")).first else { return nil }
        let parts = line.parts(separatedBy: UInt8(ascii: " "), maximum: 2)
        guard parts.count == 3, let severity = DefinedRule.Severity(rawValue: String(parts[1])) else {
            return nil
        }
        let texts = parts[2].parts(separatedBy: UInt8(ascii: "\t"), maximum: 1)
        return DefinedRule(
            key: key,
            severity: severity,
            expression: String(texts[0]),
            human: texts.count > 1 ? String(texts[1]) : ""
        )
    }
}
