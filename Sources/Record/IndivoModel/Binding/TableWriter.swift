import IndivoXML

extension FieldSchema {
    /// Writes the values of an object into a `FieldTable`.
    ///
    /// If the object has a source, the source's table comes first. A cell keeps the source's text if that is
    /// a spelling of the object's value, or if it cannot be read as a value of the property.
    final class Writer {
        @exclusivity(unchecked) private(set) var table: FieldTable
        /// Whether there is nothing to compare with.
        @exclusivity(unchecked) private var isNew: Bool
        private let isField: Bool
        /// Whether the values are written for a server, in the spellings that it accepts.
        private let isForServer: Bool

        /// - Parameters:
        ///   - table: That of the object's source, or an empty one; `isNew` where there is no source.
        ///   - isForServer: Whether the values are written for a server, as those of data models always are.
        init(over table: FieldTable, isNew: Bool = false, isForServer: Bool = false) {
            self.table = table
            self.isNew = isNew
            isField = table.format == .dataModel
            self.isForServer = isField || isForServer
            self.table.forgetItems()
        }

        /// Begins anew with an object of the same schema.
        func clear() { table.clear() }

        /// Starts over with the table of another element, and returns what its relations hold.
        func begin(over element: XMLView, keptBy source: XMLNode, _ decoder: inout TableDecoder)
            -> [FieldTable.Relation]
        {
            decoder.decode(element, keptBy: source, into: &table)
            defer { table.forgetItems() }
            return table.relations
        }

        /// Writes an object.
        func write(_ document: IndivoDocument) { table.schema.group.write(from: document.storage, self) }

        /// Writes a compound value.
        func write<Value: CompoundValue>(_ value: Value) {
            withUnsafePointer(to: value) { table.schema.group.write(from: UnsafeRawPointer($0), self) }
        }

        /// Writes a leaf, or the item of a list of leaves.
        func leaf<Value: LexicalValue>(_ value: Value, _ field: FieldSchema) {
            guard case .leaf(let index) = field.target else { return add(.text(text(of: value)), to: field) }
            if !isNew, let old = table.text(of: index),
                old.withUTF8({ value._isSaid(byUTF8: $0, isField: isField) })
            {
                return
            }
            let text = text(of: value)
            if !isNew {
                let cell = table.leaves[index]
                if text.isEmpty, !cell.hasText, isField || cell.isPresent { return }
                // The property has its default because there was no readable value: the original text, or its
                // absence, is kept.
                if text == field.shape.defaultText, !cell.hasText || table.isUnreadable(index) { return }
            }
            table.set(text, at: index)
        }

        private func text(of value: some LexicalValue) -> String {
            isForServer ? value.fieldLexical : value.lexical
        }

        /// The field has no value.
        func absent(_ field: FieldSchema) {
            for index in field.leaves where table.leaves[index].hasText && !table.isUnreadable(index) {
                table.leaves[index].text = .absent
                table.leaves[index].isChanged = true
            }
            if let group = field.group, table.groups[group].isPresent {
                table.groups[group].text = .absent
                table.groups[group].isChanged = !isField
            }
        }

        /// Writes a compound value, whose fields `body` writes.
        func compound(_ field: FieldSchema, _ body: () -> Void) {
            let outer = isNew
            defer { isNew = outer }
            if let group = field.group, !table.groups[group].isPresent {
                table.groups[group].text = .empty
                // In a data model an empty compound value is absent.
                if !isField {
                    table.groups[group].isChanged = true
                    isNew = true
                }
            }
            body()
        }

        /// Adds a value to a list, or the document of a to-one relation.
        func add(_ item: TableItem, to field: FieldSchema) {
            table.relations[field.relations.lowerBound].items.append(item)
        }
    }
}
