import IndivoBase
import Synchronization

/// Hints for types that a mapping does not have. A file may have an unknown type in a million samples:
/// similar types are searched for once. In a file of many different unknown types, only the first ones get a
/// hint.
enum TypeHints {
    private static let maximumCount = 1_000
    private static let known = Mutex<[String: String]>([:])
    private static let misspelt = Mutex<[String: Bool]>([:])

    /// Whether an unknown type is rather a misspelt one than a newer one: two slips of the fingers away from
    /// one that is known. Behind a thousand unknown types, all are.
    static func isMisspelt(_ type: String, in mapping: HealthMapping) -> Bool {
        let key = "\(mapping.types.count) \(type)"
        if let found = misspelt.withLock({ $0[key] }) { return found }
        guard misspelt.withLock({ $0.count < maximumCount }) else { return true }
        let letters = Array(type.utf8)
        let found = mapping.types.keys.contains { known in
            abs(known.utf8.count - letters.count) <= 2 && Spelling.distance(Array(known.utf8), letters) <= 2
        }
        misspelt.withLock { $0[key] = found }
        return found
    }

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
