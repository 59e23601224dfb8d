import IndivoXML

extension TableItem {
    /// Whether both values of a list of objects are the same.
    func hasSameContent(as other: TableItem, _ field: FieldSchema, _ format: TableFormat) -> Bool {
        switch (self, other) {
        case (.text(let a), .text(let b)):
            field.leafType?.isSameValue(a, b, isField: format == .dataModel) ?? false
        case (.value(let a), .value(let b)): FieldTable(a, format).hasSameContent(as: FieldTable(b, format))
        case (.document(let a), .document(let b)): a.hasSameContent(as: b)
        default: false
        }
    }

    /// Whether a plain or compound value of an object is what an element of nested XML says.
    func isSaid(by former: TableItem, _ field: FieldSchema) -> Bool {
        guard let element = former.element else { return false }
        switch self {
        case .text(let text):
            return field.leafType?.isSameValue(element.text(), text, isField: false) ?? false
        case .value(let value): return SourceComparison.isSaid(value, by: element.node)
        case .document, .element: return false
        }
    }
}

/// Compares documents with elements, one pair after the other.
final class SourceComparison {
    private let type: IndivoDocument.Type?
    private let writer: FieldSchema.Writer
    /// Whether related documents must be those that were read from the elements.
    private let isInPlace: Bool
    private var decoder = TableDecoder()
    /// Compares what is in relations.
    private var inner: SourceComparison?

    private init(
        _ type: IndivoDocument.Type?,
        _ schema: ModelSchema,
        _ format: TableFormat,
        isInPlace: Bool = false
    ) {
        self.type = type
        self.isInPlace = isInPlace
        writer = FieldSchema.Writer(over: FieldTable(schema, format))
    }

    /// - Parameter element: One of the kind that documents are compared with.
    convenience init(_ type: IndivoDocument.Type, _ element: XMLNode, isInPlace: Bool = false) {
        let isModel = type.format.isDataModel && element.name == "Model"
        self.init(type, ModelSchema.of(type), isModel ? .dataModel : .nested, isInPlace: isInPlace)
    }

    /// Whether a document says what an element says.
    func isSaid(_ document: IndivoDocument, by element: XMLNode) -> Bool {
        if writer.table.format == .dataModel, type?.isModel(element, writer.table.schema) != true {
            return false
        }
        return isSaid(by: element) { $0.write(document) }
    }

    /// Whether a value says what an element of nested XML says.
    fileprivate static func isSaid<Value: CompoundValue>(_ value: Value, by element: XMLNode) -> Bool {
        SourceComparison(nil, ModelSchema.of(Value.self), .nested).isSaid(by: element) { $0.write(value) }
    }

    private func isSaid(by element: XMLNode, _ write: (FieldSchema.Writer) -> Void) -> Bool {
        guard let view = element.view else { return false }
        let former = writer.begin(over: view, keptBy: element, &decoder)
        write(writer)
        let table = writer.table
        if table.isChanged { return false }
        return table.schema.relations.indices.allSatisfy { index in
            let field = table.schema.relations[index]
            let items = table.relations[index].items
            let source = field.readableItems(former[index].items, table.format)
            return items.count == source.count && zip(items, source).allSatisfy { isSaid($0, by: $1, field) }
        }
    }

    private func isSaid(_ item: TableItem, by former: TableItem, _ field: FieldSchema) -> Bool {
        guard case .document(let document) = item, case .element(let element) = former else {
            return item.isSaid(by: former, field)
        }
        if isInPlace, document.source?.view != element { return false }
        let type = Swift.type(of: document)
        let comparison =
            inner.flatMap { $0.type == type ? $0 : nil }
            ?? SourceComparison(type, element.node, isInPlace: isInPlace)
        inner = comparison
        return comparison.isSaid(document, by: element.node)
    }
}
