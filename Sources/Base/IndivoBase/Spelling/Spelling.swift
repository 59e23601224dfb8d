/// Finds what a misspelt word was meant to be.
package enum Spelling {
    /// Bytes of a word that is looked for: the time of a comparison grows with the product of the lengths.
    private static let maximumWordLength = 128

    /// The candidates near to `word`, the nearest first, at most three: letter case is forgiven, and one slip
    /// of the fingers for every three letters.
    /// - Parameter completing: Whether candidates that begin with the word, of three letters and more, are
    ///   near to it.
    package static func near(
        to word: String,
        among candidates: some Sequence<String>,
        completing: Bool = false
    ) -> [String] {
        guard word.utf8.count <= maximumWordLength else { return [] }
        let wanted = Array(word.lowercased())
        let allowed = max(1, wanted.count / 3)
        let near = Set(candidates).compactMap { candidate -> (name: String, distance: Int)? in
            guard candidate.utf8.count <= 2 * maximumWordLength else { return nil }
            let letters = Array(candidate.lowercased())
            let isCompleted = completing && wanted.count >= 3 && letters.starts(with: wanted)
            // It is not less than the difference of the lengths.
            guard abs(letters.count - wanted.count) <= allowed || isCompleted else { return nil }
            let distance = distance(wanted, letters)
            return distance <= allowed || isCompleted ? (candidate, distance) : nil
        }
        return near.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
    }

    /// The candidate nearest to `word`, or nil when none is near.
    package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        near(to: word, among: candidates).first
    }

    /// ` Did you mean 'x'?`, or nothing when no candidate is near.
    package static func hint(for word: String, among candidates: some Sequence<String>) -> String {
        nearest(to: word, among: candidates).map { " Did you mean '\($0)'?" } ?? ""
    }

    /// Elements inserted, left out, exchanged, or swapped with their neighbour (optimal string alignment).
    package static func distance<Element: Equatable>(_ a: [Element], _ b: [Element]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for (i, element) in a.enumerated() {
            var row = [i + 1]
            for (j, other) in b.enumerated() {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (element == other ? 0 : 1))
                if i > 0, j > 0, element == b[j - 1], a[i - 1] == other {
                    cost = min(cost, before[j - 1] + 1)
                }
                row.append(cost)
            }
            before = last
            last = row
        }
        return last[b.count]
    }
}
