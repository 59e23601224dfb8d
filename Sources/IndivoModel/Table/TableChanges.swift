import IndivoXML

/// What of a document or value is not as in its source: the difference of two tables of one schema.
struct TableChanges {
    /// The source's table.
    let old: FieldTable
    /// That of the object: cells that say the same as the source's are the source's.
    let new: FieldTable
    /// The leaves that changed.
    let leaves: [Int]
    /// The compound values that are new or gone.
    let groups: [Int]

    var areNone: Bool { leaves.isEmpty && groups.isEmpty }

    /// What changed in an object since it was read.
    /// - Parameter isNew: Whether the source is only what an empty object would be.
    init(_ document: IndivoDocument, since old: FieldTable, isNew: Bool = false) {
        let writer = FieldSchema.Writer(over: old, isNew: isNew)
        writer.write(document)
        self.old = old
        new = writer.table
        leaves = writer.leaves
        groups = writer.groups
    }

    /// The edits that make one table of another.
    init(_ table: FieldTable, since old: FieldTable, isNew: Bool = false) {
        self.old = old
        var (new, leaves) = (old, [Int]())
        for (index, leaf) in table.schema.leaves.enumerated() {
            let (text, former) = (table.string(of: index), old.string(of: index))
            if let text {
                if leaf.isSameText(text, former, table.format) { continue }
                if !isNew, leaf.isDefault(text, for: former, isField: table.format == .dataModel) { continue }
                new.set(text, at: index)
            } else {
                guard let former, !former.isEmpty, !old.isUnreadable(index) else { continue }
                new.leaves[index].text = .absent
            }
            leaves.append(index)
        }
        groups = new.groups.indices.filter { table.groups[$0].isPresent != old.groups[$0].isPresent }
        for index in groups { new.groups[index].text = table.groups[index].text }
        for index in new.relations.indices { new.relations[index].items = table.relations[index].items }
        self.new = new
        self.leaves = leaves
    }
}

extension SchemaLeaf {
    /// Whether two texts say the same. What is not there and what is empty are not the same.
    func isSameText(_ a: String?, _ b: String?, _ format: TableFormat) -> Bool {
        if a == b { return true }
        guard let a, let b, !a.isEmpty, !b.isEmpty else { return false }
        return type.isSameValue(a, b, isField: format == .dataModel)
    }
}

// MARK: Comparing

extension FieldTable {
    /// Whether two tables of one schema hold the same values, whatever their spelling.
    func hasSameContent(as other: FieldTable) -> Bool {
        schema.fields.allSatisfy { hasSameContent(as: other, in: $0) }
    }

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
        return schema.leaves[field.leaf].isSameText(string(of: field.leaf), other.string(of: field.leaf), format)
    }
}

extension TableItem {
    /// Whether both values of a list of objects are the same.
    func hasSameContent(as other: TableItem, _ field: FieldSchema, _ format: TableFormat) -> Bool {
        switch (self, other) {
        case (.text(let a), .text(let b)):
            guard case .leaf(let type) = field.shape.kind else { return false }
            return a == b || type.isSameValue(a, b, isField: format == .dataModel)
        case (.value(let a), .value(let b)): return a.hasSameContent(as: b)
        case (.document(let a), .document(let b)): return a.hasSameContent(as: b)
        default: return false
        }
    }
}

/// Finds out whether documents say what elements say, one after the other.
final class SourceComparison {
    private let type: IndivoDocument.Type
    private let writer: FieldSchema.Writer
    private let schema: ModelSchema
    private let format: TableFormat
    /// Whether related documents must be those that were read from the elements.
    private let isInPlace: Bool
    private var decoder = TableDecoder()
    /// Compares what is in relations.
    private var inner: SourceComparison?

    /// - Parameter element: One of the kind that documents are compared with.
    init(_ type: IndivoDocument.Type, _ element: XMLNode, isInPlace: Bool = false) {
        self.type = type
        self.isInPlace = isInPlace
        schema = ModelSchema.of(type)
        format = type.format.isDataModel && element.name == "Model" ? .dataModel : .nested
        writer = FieldSchema.Writer(schema, format)
    }

    /// Whether a document says what an element says.
    func isSaid(_ document: IndivoDocument, by element: XMLNode) -> Bool {
        guard let view = element.view, format == .nested || type.isModel(element, schema) else { return false }
        let former = writer.begin(over: view, keptBy: element, &decoder)
        writer.write(document)
        return writer.leaves.isEmpty && writer.groups.isEmpty && areSaid(writer.table, by: former)
    }

    private func areSaid(_ table: FieldTable, by former: [FieldTable.Relation]) -> Bool {
        table.schema.relations.indices.allSatisfy { index in
            let field = table.schema.relations[index]
            let (items, source) = (table.relations[index].items, field.readableItems(former[index].items, table.format))
            return items.count == source.count && zip(items, source).allSatisfy { isSaid($0, by: $1, field) }
        }
    }

    private func isSaid(_ item: TableItem, by former: TableItem, _ field: FieldSchema) -> Bool {
        guard case .document(let document) = item, case .element(let element) = former else {
            return item.isSaid(by: former, field)
        }
        if isInPlace, document.source?.view != element { return false }
        let type = Swift.type(of: document)
        let comparison = inner.flatMap { $0.type == type ? $0 : nil }
            ?? SourceComparison(type, element.node, isInPlace: isInPlace)
        inner = comparison
        return comparison.isSaid(document, by: element.node)
    }
}

extension TableItem {
    /// Whether a plain or compound value of an object is what an element of nested XML says.
    func isSaid(by former: TableItem, _ field: FieldSchema) -> Bool {
        guard let element = former.element else { return false }
        switch self {
        case .text(let text):
            guard case .leaf(let type) = field.shape.kind else { return false }
            let old = element.text()
            return old == text || (!old.isEmpty && type.isSameValue(old, text, isField: false))
        case .value(let table):
            let changes = TableChanges(table, since: FieldTable(element.node, table.schema, .nested))
            return changes.areNone
                && table.schema.relations.indices.allSatisfy { index in
                    let (items, former) = (table.relations[index].items, changes.old.relations[index].items)
                    return items.count == former.count
                        && zip(items, former).allSatisfy { $0.isSaid(by: $1, table.schema.relations[index]) }
                }
        case .document, .element: return false
        }
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
            return first.filter { item in
                item.element?.fieldText.map { type.failure(of: $0.string, isField: false) == nil } ?? false
            }
        case .document(let type):
            if format == .nested { return Array(first) }
            return first.filter { item in
                item.element.map { type.isModel($0.node) } ?? false
            }
        }
    }
}
