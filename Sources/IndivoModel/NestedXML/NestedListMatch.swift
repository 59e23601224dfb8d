import IndivoXML

/// Finds the element of each value of a list, so that what a class does not know stays with the value it belongs to
/// when values are added, moved or removed.
enum NestedListMatch {
    /// - Parameters:
    ///   - count: How many values the list has.
    ///   - present: The elements it was read from.
    ///   - originals: What these are copies of, one for one, where that is known.
    ///   - body: Writes the value at an index.
    /// - Returns: For each value the place of its element; `nil` for a value that is new.
    static func places(
        of count: Int, among present: [XMLNode], originals: [XMLNode]?, _ field: FieldLayout,
        _ body: (Int, FieldWriter) throws -> Void
    ) throws -> [Int?] {
        var places: [Int?] = Array(repeating: nil, count: count)
        var isFree = Array(repeating: true, count: present.count)
        func take(_ place: Int, for index: Int) {
            places[index] = place
            isFree[place] = false
        }
        let isDocument = if case .document = field.shape.kind { true } else { false }
        // Documents know their sources; other values are compared.
        let sources = try isDocument ? (0..<count).map { try source($0, body) } : []
        func isSame(_ index: Int, _ place: Int) throws -> Bool {
            if isDocument { return sources[index].map { $0 == originals?[place] } ?? false }
            guard let element = present[place].view else { return false }
            return try NestedComparison.isSame(element) { writer in try body(index, writer) }
        }
        // Values that are where they were, then values that are elsewhere.
        for index in 0..<min(count, present.count) where try isSame(index, index) { take(index, for: index) }
        for index in 0..<count where places[index] == nil {
            let place = try present.indices.first { try isFree[$0] && isSame(index, $0) }
            if let place { take(place, for: index) }
        }
        // A value that is nowhere was changed, if the elements of its neighbours have a free one between them.
        for index in 0..<count where places[index] == nil {
            let before = index > 0 ? places[index - 1] : -1
            let after = places[(index + 1)...].lazy.compactMap { $0 }.first ?? present.count
            guard let before, before < after, !isDocument else { continue }
            if let place = (before + 1..<after).first(where: { isFree[$0] }) { take(place, for: index) }
        }
        return places
    }

    private static func source(_ index: Int, _ body: (Int, FieldWriter) throws -> Void) throws -> XMLNode? {
        let finder = SourceFinder()
        try body(index, finder)
        return finder.source
    }

    /// Takes the source of the document that is written with it.
    private final class SourceFinder: FieldWriter {
        private(set) var source: XMLNode?

        override func related(_ document: IndivoDocument, _ field: FieldLayout) throws { source = document.source }
    }
}
