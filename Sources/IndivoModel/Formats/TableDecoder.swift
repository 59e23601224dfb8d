import IndivoXML

/// Reads elements into tables: a data model's `Model` elements, or those of nested XML.
///
/// It remembers what the names of a tree stand for: elements of one kind come in numbers.
struct TableDecoder {
    private var models = SDMXDecoder()
    private var nested = NestedDecoder()

    /// Makes a table that of another element.
    /// - Parameter source: A node that keeps the element's tree.
    @inline(__always)
    mutating func decode(_ element: XMLView, keptBy source: XMLNode?, into table: inout FieldTable) {
        table.clear()
        table.source = source
        if table.format == .dataModel { models.decode(element, into: &table) } else { nested.decode(element, into: &table) }
    }
}

extension FieldTable {
    /// The table of an element; one without any value where there is none.
    init(_ element: XMLNode?, _ schema: ModelSchema, _ format: TableFormat) {
        self.init(schema, format)
        guard let element, let view = element.view else { return }
        var decoder = TableDecoder()
        decoder.decode(view, keptBy: element, into: &self)
    }
}
