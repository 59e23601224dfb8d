import IndivoXML

/// Finds the element of each value of a list of nested XML.
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
        let isDocument = if case .document = field.shape.kind { true } else { false }
        // Documents know their sources; other values are compared.
        let sources = try isDocument ? (0..<count).map { try source($0, body) } : []
        func isSame(_ index: Int, _ place: Int) throws -> Bool {
            if isDocument { return sources[index].map { $0 == originals?[place] } ?? false }
            guard let element = present[place].view else { return false }
            return try NestedComparison.isSame(element) { writer in try body(index, writer) }
        }
        return try ListMatch.places(
            of: count, among: present.count, guessesChanged: !isDocument, isSame: isSame)
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
