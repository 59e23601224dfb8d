import IndivoXML

/// What of a document or value is not as in its source: the difference of two tables of one schema.
struct TableChanges {
    /// The source's table.
    let old: FieldTable
    /// That of the object: cells that say the same as the source's are the source's.
    let new: FieldTable
    /// The leaves that changed.
    let leaves: [Int]
    /// The compound values of nested XML that came or went.
    private let groups: [Int]

    /// What changed since an object was read that `write` writes; `isNew` where the source is only what an empty one would be.
    init(since old: FieldTable, isNew: Bool = false, _ write: (FieldSchema.Writer) -> Void) {
        let writer = FieldSchema.Writer(over: old, isNew: isNew)
        write(writer)
        (self.old, new, leaves, groups) = (old, writer.table, writer.leaves, writer.groups)
    }

    /// Whether nothing changed, in what the relations hold neither.
    fileprivate func areNone(isInPlace: Bool = false) -> Bool {
        leaves.isEmpty && groups.isEmpty
            && zip(new.schema.relations, zip(old.relations, new.relations)).allSatisfy { field, relation in
                let (source, items) = (field.readableItems(relation.0.items, new.format), relation.1.items)
                return items.count == source.count
                    && zip(items, source).allSatisfy { $0.isSaid(by: $1, field, isInPlace: isInPlace) }
            }
    }
}

extension FieldTable {
    /// Whether two tables of one schema hold the same values, whatever their spelling.
    func hasSameContent(as other: FieldTable) -> Bool { schema.fields.allSatisfy { hasSameContent(as: other, in: $0) } }

    /// Whether two tables of one schema hold the same in one field.
    func hasSameContent(as other: FieldTable, in field: FieldSchema) -> Bool {
        if let inner = field.inner, let group = field.group {
            return groups[group].isPresent == other.groups[group].isPresent
                && inner.fields.allSatisfy { hasSameContent(as: other, in: $0) }
        }
        if let relation = field.relation {
            let (a, b) = (relations[relation].items, other.relations[relation].items)
            return a.count == b.count && zip(a, b).allSatisfy { $0.hasSameContent(as: $1, field, format) }
        }
        // What is not there and what is empty are not the same.
        guard let a = string(of: field.leaf), let b = other.string(of: field.leaf) else {
            return leaves[field.leaf].isPresent == other.leaves[field.leaf].isPresent
        }
        return schema.leaves[field.leaf].type.isSameValue(a, b, isField: format == .dataModel)
    }
}

extension TableItem {
    /// Whether both values of a list of objects are the same.
    fileprivate func hasSameContent(as other: TableItem, _ field: FieldSchema, _ format: TableFormat) -> Bool {
        switch (self, other) {
        case (.text(let a), .text(let b)): field.leafType?.isSameValue(a, b, isField: format == .dataModel) ?? false
        case (.value(let a), .value(let b)): FieldTable(a, format).hasSameContent(as: FieldTable(b, format))
        case (.document(let a), .document(let b)): a.hasSameContent(as: b)
        default: false
        }
    }

    /// Whether a value or document of an object is what an element says.
    /// - Parameter isInPlace: Whether documents must be those that were read from the elements.
    func isSaid(by former: TableItem, _ field: FieldSchema, isInPlace: Bool = false) -> Bool {
        guard let element = former.element else { return false }
        return switch self {
        case .text(let text): field.leafType?.isSameValue(element.text(), text, isField: false) ?? false
        case .value(let value): value.isSaid(by: element.node)
        case .document(let document):
            (!isInPlace || document.source?.view == element) && document.isSaid(by: element.node, isInPlace: isInPlace)
        case .element: false
        }
    }
}

extension CompoundValue {
    /// Whether the value says what an element of nested XML says.
    fileprivate func isSaid(by element: XMLNode) -> Bool {
        TableChanges(since: FieldTable(element, ModelSchema.of(Self.self), .nested)) { $0.write(self) }.areNone()
    }
}

extension IndivoDocument {
    /// Whether the document says what an element says.
    /// - Parameter isInPlace: Whether related documents must be those that were read from the elements.
    final func isSaid(by element: XMLNode, isInPlace: Bool = false) -> Bool {
        let type = type(of: self)
        let isModel = type.format.isDataModel && element.name == "Model"
        guard element.view != nil, !isModel || type.isModel(element) else { return false }
        let former = FieldTable(element, ModelSchema.of(type), isModel ? .dataModel : .nested)
        return TableChanges(since: former) { $0.write(self) }.areNone(isInPlace: isInPlace)
    }
}

extension FieldSchema {
    /// What of a source's relation an object's property holds: not what could not be read, and of several where there
    /// should be one, the first.
    func readableItems(_ items: [TableItem], _ format: TableFormat) -> [TableItem] {
        let first = shape.isList ? items[...] : items.prefix(1)
        switch shape.kind {
        case .compound: return items
        case .leaf(let type):
            return first.filter { $0.element?.fieldText.map { type.canRead($0.string, isField: false) } ?? false }
        case .document(let type):
            return format == .nested ? Array(first) : first.filter { $0.element.map { type.isModel($0.node) } ?? false }
        }
    }
}
