extension FieldTable {
    /// What an object could not read back later it must not send now. What is stored already, and stays, is
    /// no reason.
    /// - Throws: ``DocumentError`` for the first value that was set and that its property cannot read.
    func checkWhatIsSet() throws {
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
                case .text(let text): try field.leafType.map { try check(text, $0, field.path) }
                case .value(let value): try FieldTable(value, format).checkWhatIsSet()
                case .document(let document):
                    try FieldTable(document, over: document.source, format).checkWhatIsSet()
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
