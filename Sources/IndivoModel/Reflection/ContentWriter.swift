/// Collects what a document says, for comparison: every leaf's value, in order, related documents inside.
final class ContentWriter: FieldWriter {
    /// A value, or a mark that keeps values of different places apart.
    enum Item: Equatable {
        case value(AnyHashable)
        case mark(String)
        case nothing
    }

    private(set) var content: [Item] = []

    func collect(_ document: IndivoDocument) throws {
        try Layout.of(type(of: document)).write(from: document.storage, self)
    }

    /// Values are compared, and not their spellings; only what is no number is not even equal to itself.
    override func leaf<Value: LexicalValue>(_ value: Value, _ field: FieldLayout) throws {
        content.append(.value(value is Double ? AnyHashable(value.lexical) : AnyHashable(value)))
    }

    override func related(_ document: IndivoDocument, _ field: FieldLayout) throws {
        content.append(.mark("<\(document.modelName)>"))
        try collect(document)
        content.append(.nothing)
    }

    override func absent(_ field: FieldLayout) throws { content.append(.nothing) }

    override func enter(_ field: FieldLayout, _ layout: Layout) throws { content.append(.mark("(")) }

    override func leave(_ field: FieldLayout) { content.append(.mark(")")) }

    override func items(_ count: Int, of field: FieldLayout, _ body: (Int, FieldWriter) throws -> Void) throws {
        content.append(.mark("[\(count)]"))
        for index in 0..<count { try body(index, self) }
    }
}
