/// Finds the position that each value of a list had when it was read, so that what a type does not know stays
/// with the value it belongs to when values are added, moved or removed.
package enum ListMatch {
    /// For each of `count` values its position of `total`; `nil` for a value that is new.
    /// - Parameters:
    ///   - guessesChanged: Whether a value that is nowhere may be a changed one.
    ///   - isAlike: A weaker test, for what the other one leaves.
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
        // A value that is nowhere was changed, if the positions of its neighbours have a free one between
        // them.
        for index in 0..<count where positions[index] == nil {
            let before = index > 0 ? positions[index - 1] : -1
            let after = positions[(index + 1)...].lazy.compactMap { $0 }.first ?? total
            guard let before, before < after else { continue }
            if let position = (before + 1..<after).first(where: { isFree[$0] }) { take(position, for: index) }
        }
        return positions
    }
}
