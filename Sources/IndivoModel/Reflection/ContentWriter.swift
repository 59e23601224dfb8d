/// Collects what a document says, for comparison: every leaf's text, in order, related documents inside.
final class ContentWriter: FieldWriter {
    private(set) var content: [String?] = []

    func collect(_ document: IndivoDocument) throws {
        try Layout.of(type(of: document)).write(from: document.storage, self)
    }

    override func leaf<Value: LexicalValue>(_ value: Value, _ field: FieldLayout) throws {
        content.append(canonical(value))
    }

    /// A value read in another spelling is still the same value.
    private func canonical<Value: LexicalValue>(_ value: Value) -> String {
        switch value {
        case let date as XMLDateTime: "\(date.date.timeIntervalSince1970) \(date.offset ?? 0)"
        case let date as XMLDate: "\(date.year) \(date.month) \(date.day) \(date.offset.map(String.init) ?? "")"
        default: value.lexical
        }
    }

    override func related(_ document: IndivoDocument, _ field: FieldLayout) throws {
        content.append("<\(document.modelName)>")
        try collect(document)
        content.append(nil)
    }

    override func absent(_ field: FieldLayout) throws { content.append(nil) }

    override func enter(_ field: FieldLayout, _ layout: Layout) throws { content.append("(") }

    override func leave(_ field: FieldLayout) { content.append(")") }

    override func items(_ count: Int, of field: FieldLayout, _ body: (Int, FieldWriter) throws -> Void) throws {
        content.append("[\(count)]")
        for index in 0..<count { try body(index, self) }
    }
}
