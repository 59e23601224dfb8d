/// Finds the place that each value of a list had when it was read, so that what a type does not know stays with the
/// value it belongs to when values are added, moved or removed.
enum ListMatch {
    /// - Parameters:
    ///   - count: How many values the list has.
    ///   - total: How many places there were.
    ///   - guessesChanged: Whether a value that is nowhere may be a changed one.
    ///   - isSame: Whether the value at an index says what stands at a place.
    /// - Returns: For each value its place; `nil` for a value that is new.
    static func places(
        of count: Int, among total: Int, guessesChanged: Bool, isSame: (_ index: Int, _ place: Int) throws -> Bool
    ) rethrows -> [Int?] {
        var places: [Int?] = Array(repeating: nil, count: count)
        var isFree = Array(repeating: true, count: total)
        func take(_ place: Int, for index: Int) {
            places[index] = place
            isFree[place] = false
        }
        // Values that are where they were, then values that are elsewhere.
        for index in 0..<min(count, total) where try isSame(index, index) { take(index, for: index) }
        for index in 0..<count where places[index] == nil {
            let place = try (0..<total).first { try isFree[$0] && isSame(index, $0) }
            if let place { take(place, for: index) }
        }
        guard guessesChanged else { return places }
        // A value that is nowhere was changed, if the places of its neighbours have a free one between them.
        for index in 0..<count where places[index] == nil {
            let before = index > 0 ? places[index - 1] : -1
            let after = places[(index + 1)...].lazy.compactMap { $0 }.first ?? total
            guard let before, before < after else { continue }
            if let place = (before + 1..<after).first(where: { isFree[$0] }) { take(place, for: index) }
        }
        return places
    }
}
