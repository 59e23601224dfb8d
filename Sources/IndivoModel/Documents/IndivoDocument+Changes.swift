import IndivoXML

extension IndivoDocument {
    /// Whether both hold the same values in all fields their class declares, related documents included.
    public final func hasSameContent(as other: IndivoDocument) -> Bool {
        type(of: self) == type(of: other) && FieldTable(self).hasSameContent(as: FieldTable(other))
    }

    /// Whether the document says something else than its source.
    package final var isChanged: Bool { source.map { !says($0) } ?? true }

    /// Whether the source says the same and holds the related documents where they are.
    final var isAsInSource: Bool { source.map { says($0, isInPlace: true) } ?? false }

    /// Whether the document says what an element says.
    /// - Parameter isInPlace: Whether related documents must be those that were read from the element.
    fileprivate final func says(_ element: XMLNode, isInPlace: Bool = false) -> Bool {
        let type = type(of: self)
        let isModel = type.format.isDataModel && element.name == "Model"
        let schema = ModelSchema.of(type)
        if isModel, !type.isModel(element, schema) { return false }
        let changes = TableChanges(self, since: FieldTable(element, schema, isModel ? .dataModel : .nested))
        return changes.areNone && changes.new.saysItems(of: changes.old, isInPlace: isInPlace)
    }
}

extension FieldSchema {
    /// What of a source's relation an object's property holds: not what could not be read, and of several where there
    /// should be one, the first.
    func readableItems(_ items: [TableItem], _ table: FieldTable) -> [TableItem] {
        let readable =
            switch shape.kind {
            case .leaf(let type):
                items.filter { item in
                    guard case .element(let element) = item.content else { return false }
                    return element.fieldText.map { type.failure(of: $0.string) == nil } ?? false
                }
            case .compound: items
            case .document(let type):
                table.format == .nested
                    ? items
                    : items.prefix(shape.isList ? items.count : 1).filter { item in
                        guard case .element(let element) = item.content else { return false }
                        return type.isModel(element.node)
                    }
            }
        return shape.isList ? readable : Array(readable.prefix(1))
    }
}

extension TableItem {
    /// Whether a value of an object is what an element says.
    func says(_ former: TableItem, _ field: FieldSchema, isInPlace: Bool = false) -> Bool {
        guard case .element(let element) = former.content else { return false }
        switch content {
        case .text(let text):
            guard case .leaf(let type) = field.shape.kind else { return false }
            let old = element.text()
            return old == text || (!old.isEmpty && type.isSameValue(old, text, isField: false))
        case .value(let table):
            let changes = TableChanges(table, since: FieldTable(element.node, table.schema, .nested))
            return changes.areNone && changes.new.saysItems(of: changes.old, isInPlace: isInPlace)
        case .document(let document):
            return (!isInPlace || document.source?.view == element) && document.says(element.node, isInPlace: isInPlace)
        case .element, .json: return false
        }
    }
}

extension FieldTable {
    /// Whether an object's relations hold what its source's do.
    fileprivate func saysItems(of source: FieldTable, isInPlace: Bool) -> Bool {
        schema.relations.indices.allSatisfy { index in
            let field = schema.relations[index]
            let items = relations[index].items
            let former = field.readableItems(source.relations[index].items, source)
            return items.count == former.count && zip(items, former).allSatisfy { $0.says($1, field, isInPlace: isInPlace) }
        }
    }
}
