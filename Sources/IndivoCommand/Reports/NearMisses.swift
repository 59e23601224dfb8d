/// Finds what was probably meant by a name that is none.
enum NearMisses {
    /// The names that are nearly the same, the nearest first.
    static func of(_ name: String, among names: [String]) -> [String] {
        let wanted = name.lowercased()
        let limit = max(1, min(3, wanted.count / 3))
        let near = Set(names).map { ($0, distance(wanted, $0.lowercased())) }.filter { other, distance in
            distance <= limit || (wanted.count >= 3 && other.lowercased().hasPrefix(wanted))
        }
        return near.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.prefix(3).map(\.0)
    }

    /// `; did you mean …?`, or nothing.
    static func advice(_ name: String, among names: [String]) -> String {
        let near = of(name, among: names)
        return near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
    }

    /// How many letters are to be put in, taken out or changed (Levenshtein).
    private static func distance(_ a: String, _ b: String) -> Int {
        let b = Array(b)
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let changed = diagonal + (x == y ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}
