extension FieldTable {
    /// Checks that the values that were set can be read back. Values that were stored before, and stay, are
    /// not checked.
    /// - Parameter depth: How many documents the object is in.
    /// - Throws: ``DocumentError`` for the first value that was set and that its property cannot read, and
    ///   for documents that are nested too deeply to be read.
    func checkWhatIsSet(depth: Int = 0) throws {
        try SDMX.check(depth: depth, schema.modelName)
        for (index, leaf) in schema.leaves.enumerated() where leaves[index].isChanged {
            if let text = text(of: index)?.string {
                try check(text, leaf.type, leaf.property, line(of: index))
            } else if leaf.standsAlone, leaves[index].origin == nil, format == .dataModel {
                // A new element is not made for an empty text.
                throw DocumentError(.missingValue, document: schema.modelName, property: leaf.property)
            }
        }
        for (field, relation) in zip(schema.relations, relations) {
            for item in relation.items {
                switch item {
                case .text(let text):
                    if let type = field.leafType { try check(text, type, field.path) }
                case .value(let value): try FieldTable(value, format).checkWhatIsSet(depth: depth)
                case .document(let document):
                    let table = FieldTable(document, over: document.source, format)
                    try table.checkWhatIsSet(depth: depth + 1)
                case .element: break
                }
            }
        }
    }

    private func check(_ text: String, _ type: any LexicalValue.Type, _ path: String, _ line: Int? = nil)
        throws
    {
        do throws(LexicalError) { _ = try type.read(text, isField: format == .dataModel) } catch {
            let reason = DocumentError.Reason.unreadableValue(text: text, error)
            throw DocumentError(reason, document: schema.modelName, property: path, line: line)
        }
    }
}
