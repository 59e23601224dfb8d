import IndivoBase
import Synchronization

/// Hints for types that a mapping does not have. A file may have an unknown type in a million samples:
/// similar types are searched for once. In a file of many different unknown types, only the first ones get a
/// hint.
enum TypeHints {
    private static let maximumCount = 1_000
    private static let known = Mutex<[String: String]>([:])

    /// ` Did you mean 'x'?`, or nothing.
    static func hint(for type: String, in mapping: HealthMapping) -> String {
        let word = String(type.prefix(120))
        let key = "\(mapping.types.count) \(word)"
        if let hint = known.withLock({ $0[key] }) { return hint }
        guard known.withLock({ $0.count < maximumCount }) else { return "" }
        let hint = Spelling.hint(for: word, among: mapping.types.keys)
        known.withLock { $0[key] = hint }
        return hint
    }
}
