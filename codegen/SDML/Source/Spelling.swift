/// Finds what a misspelt word was meant to be.
package enum Spelling {
    /// The candidate nearest to `word`, or nil when none is near: letter case is forgiven, and one slip of the
    /// fingers for every three letters.
    package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(word.lowercased())
        let allowed = max(1, wanted.count / 3)
        var best: (candidate: String, distance: Int)?
        for candidate in candidates.sorted() {
            let distance = distance(wanted, Array(candidate.lowercased()))
            if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.candidate
    }

    /// ` Did you mean 'x'?`, or nothing when no candidate is near.
    package static func hint(for word: String, among candidates: some Sequence<String>) -> String {
        nearest(to: word, among: candidates).map { " Did you mean '\($0)'?" } ?? ""
    }

    /// Letters inserted, left out, exchanged, or swapped with their neighbour (optimal string alignment).
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
        var rows = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
        for i in 0...a.count { rows[i][0] = i }
        for j in 0...b.count { rows[0][j] = j }
        for i in 1...a.count {
            for j in 1...b.count {
                let exchange = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                var cost = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, exchange)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    cost = min(cost, rows[i - 2][j - 2] + 1)
                }
                rows[i][j] = cost
            }
        }
        return rows[a.count][b.count]
    }
}
