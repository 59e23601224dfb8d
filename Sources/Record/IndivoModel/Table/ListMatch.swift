/// Finds each value's former position in a list. So content that a type does not know stays with its value
/// when values are added, moved or removed.
package enum ListMatch {
    /// For each of `count` values, its position among `total` former ones; `nil` for a new value.
    /// - Parameters:
    ///   - guessesChanged: Whether a value without a match may be a changed one.
    ///   - isAlike: A weaker test, for values that the first one does not match.
    package static func positions(
        of count: Int,
        among total: Int,
        guessesChanged: Bool = false,
        by isSame: (_ index: Int, _ position: Int) -> Bool,
        orBy isAlike: (_ index: Int, _ position: Int) -> Bool = { _, _ in false }
    ) -> [Int?] {
        var positions: [Int?] = Array(repeating: nil, count: count)
        var isFree = Array(repeating: true, count: total)
        func take(_ position: Int, for index: Int) {
            positions[index] = position
            isFree[position] = false
        }
        // Values that are where they were, then values that are elsewhere.
        func match(_ isSame: (Int, Int) -> Bool) {
            for index in 0..<min(count, total)
            where positions[index] == nil && isFree[index] && isSame(index, index) {
                take(index, for: index)
            }
            for index in 0..<count where positions[index] == nil {
                if let position = (0..<total).first(where: { isFree[$0] && isSame(index, $0) }) {
                    take(position, for: index)
                }
            }
        }
        match(isSame)
        match(isAlike)
        guard guessesChanged else { return positions }
        // A value without a match was changed, if there is a free position between those of its neighbours.
        for index in 0..<count where positions[index] == nil {
            let before = index > 0 ? positions[index - 1] : -1
            let after = positions[(index + 1)...].lazy.compactMap { $0 }.first ?? total
            guard let before, before < after else { continue }
            if let position = (before + 1..<after).first(where: { isFree[$0] }) { take(position, for: index) }
        }
        return positions
    }
}
