import IndivoXML

extension IndivoDocument {
    /// Whether both hold the same values in all fields their class declares, related documents included.
    public final func hasSameContent(as other: IndivoDocument) -> Bool {
        type(of: self) == type(of: other) && FieldTable(self).hasSameContent(as: FieldTable(other))
    }

    /// Whether the document says something else than its source.
    package final var isChanged: Bool { source.map { !SourceComparison(type(of: self), $0).isSaid(self, by: $0) } ?? true }

    /// Whether the source says the same and holds the related documents where they are.
    final var isAsInSource: Bool {
        source.map { SourceComparison(type(of: self), $0, isInPlace: true).isSaid(self, by: $0) } ?? false
    }
}
