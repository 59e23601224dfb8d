/// Finds which of a document's properties have a value.
final class PresenceWriter: FieldWriter {
    private(set) var properties: [String] = []
    private var depth = 0

    private func add(_ name: String) {
        if depth == 0 { properties.append(name) }
    }

    override func leaf<Value: LexicalValue>(_ value: Value, _ field: FieldLayout) throws { add(field.property) }

    override func related(_ document: IndivoDocument, _ field: FieldLayout) throws { add(field.property) }

    override func enter(_ field: FieldLayout, _ layout: Layout) throws {
        add(field.property)
        depth += 1
    }

    override func leave(_ field: FieldLayout) { depth -= 1 }

    override func items(_ count: Int, of field: FieldLayout, _ body: (Int, FieldWriter) throws -> Void) throws {
        if count > 0 { add("\(field.property) (\(count))") }
    }
}

extension IndivoDocument {
    /// The properties that have a value, in the order of their declaration; of a list also how many.
    package final func presentProperties() throws -> [String] {
        guard type(of: self).format.isDataModel else {
            let writer = PresenceWriter()
            try Layout.of(type(of: self)).write(from: storage, writer)
            return writer.properties
        }
        let content = try DocumentContent(self)
        return content.layout.entries.compactMap { entry in
            switch entry {
            case .leaves(let field, let range):
                let isUnderstood = range.contains { index in
                    let text = content.leaves[index] ?? ""
                    return !text.isEmpty && !content.layout.leaves[index].cannotRead(text)
                }
                return isUnderstood ? field.property : nil
            case .relation(let field, let index):
                let count = content.relations[index].count
                if count == 0 { return nil }
                return field.shape.isList ? "\(field.property) (\(count))" : field.property
            }
        }
    }
}
