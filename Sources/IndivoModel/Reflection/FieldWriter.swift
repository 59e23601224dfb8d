/// Where a document's fields are written: what the formats have in common, as with ``FieldReader``.
public class FieldWriter {
    init() {}

    func leaf<Value: LexicalValue>(_ value: Value, _ field: FieldLayout) throws {}
    func related(_ document: IndivoDocument, _ field: FieldLayout) throws {}

    /// The field has no value.
    func absent(_ field: FieldLayout) throws {}

    func enter(_ field: FieldLayout, _ layout: Layout) throws {}
    func leave(_ field: FieldLayout) {}

    /// The field has `count` values; `body` writes the one at an index, with this writer or another.
    func items(_ count: Int, of field: FieldLayout, _ body: (Int, FieldWriter) throws -> Void) throws {}
}
