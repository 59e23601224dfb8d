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

    static func read(_ table: String) throws(TableError) -> [String: DefinedRule] {
        var rules: [String: DefinedRule] = [:]
        for line in table.tableLines {
            let parts = line.parts(separatedBy: UInt8(ascii: " "), maximum: 2)
            guard parts.count == 3, let severity = Severity(rawValue: String(parts[1])) else {
                throw TableError(line: String(line), reason: "not a rule")
            }
            let key = String(parts[0])
            rules[key] = DefinedRule(key: key, severity: severity, expression: String(parts[2]))
        }
        return rules
    }
}
