import IndivoXML

/// Finds out whether documents say what elements say, one after the other.
final class SourceComparison {
    private let type: IndivoDocument.Type
    private let writer: TableWriter
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
        writer = TableWriter(schema, format)
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
        guard case .document(let document) = item.content, case .element(let element) = former.content else {
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
        guard case .element(let element) = former.content else { return false }
        switch content {
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
        case .document, .element, .json: return false
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
                guard case .element(let element) = item.content else { return false }
                return element.fieldText.map { type.failure(of: $0.string) == nil } ?? false
            }
        case .document(let type):
            if format == .nested { return Array(first) }
            return first.filter { item in
                guard case .element(let element) = item.content else { return false }
                return type.isModel(element.node)
            }
        }
    }
}
