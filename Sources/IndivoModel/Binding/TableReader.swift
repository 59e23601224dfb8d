import IndivoXML
import OrderedJSON

/// Gives values the cells of a `FieldTable` from which they are read, found by field.
///
/// One reader reads any number of tables of one schema, one after the other.
public final class TableReader {
    let schema: ModelSchema
    let format: TableFormat
    /// The model or class being read, for messages.
    let documentName: String
    /// What stands before the properties' paths in messages: the list in which the values are that are read.
    private let prefix: String
    /// Collects problems instead of throwing them, when reading is to continue behind them.
    let problems: ReadingProblems?
    /// The class of the documents that are read, where it is known.
    private var type: IndivoDocument.Type?
    /// Documents that were read from elements before, and are not read again.
    private let known: [XMLNode: IndivoDocument]

    // Unchecked, since checking would take a tenth of the time that reading takes: every access ends before anybody is
    // called who could come back.

    @exclusivity(unchecked) var table: FieldTable
    private var decoder = TableDecoder()
    /// Reads what is in relations.
    private var inner: TableReader?
    /// What stands where a field's value should be and is of another kind.
    private var misfits: [ObjectIdentifier: DocumentError] = [:]

    init(
        _ schema: ModelSchema, _ format: TableFormat, documentName: String, prefix: String = "",
        known: [XMLNode: IndivoDocument] = [:], problems: ReadingProblems?
    ) {
        self.schema = schema
        self.format = format
        self.documentName = documentName
        self.prefix = prefix
        self.known = known
        self.problems = problems
        table = FieldTable(schema, format)
    }

    /// Goes on to the table of another element.
    func decode(_ element: XMLNode) {
        if let view = element.view { decoder.decode(view, keptBy: element, into: &table) } else { table.clear() }
    }

    /// The reader of what a relation holds.
    private func reader(
        _ schema: ModelSchema, documentName: String, prefix: String, known: [XMLNode: IndivoDocument] = [:]
    ) -> TableReader {
        if let inner, inner.schema === schema, inner.prefix == prefix { return inner }
        let made = TableReader(
            schema, format, documentName: documentName, prefix: prefix, known: known, problems: problems)
        inner = made
        return made
    }

    // MARK: Cells

    /// The text of a leaf; `nil` when there is none.
    @inline(__always)
    func text(of field: FieldSchema) -> FieldText? { table.text(of: field.leaf) }

    /// Whether a leaf or compound value is there, if only empty.
    func isPresent(_ field: FieldSchema) -> Bool {
        if let group = field.group { return table.groups[group].isPresent }
        return table.leaves[field.leaf].isPresent || misfits[ObjectIdentifier(field)] != nil
    }

    /// What a relation holds.
    func items(of field: FieldSchema) throws -> [TableItem] {
        let items = table.relations[field.relations.lowerBound].items
        if items.isEmpty { try checkKind(of: field) }
        return items
    }

    /// Reports what stands where the field's value should be, if it is of another kind.
    func checkKind(of field: FieldSchema) throws {
        if !misfits.isEmpty, let error = misfits[ObjectIdentifier(field)] { try report(error) }
    }

    /// The text of a value in a list.
    func text(of item: TableItem, _ field: FieldSchema) throws -> FieldText? {
        switch item.content {
        case .text(let text): return text.isEmpty ? nil : .string(text)
        case .element(let element): return element.fieldText
        case .json(let value, _):
            guard let text = value.scalarText else {
                if !value.isNull { try report(value.isNot("one value", document: documentName, property: path(of: field))) }
                return nil
            }
            return text.isEmpty ? nil : .string(text)
        case .value, .document: return nil
        }
    }

    /// Reads a compound value in a list.
    func value<Value: CompoundValue>(_ item: TableItem, _ field: FieldSchema) throws -> Value? {
        let reader = reader(ModelSchema.of(Value.self), documentName: documentName, prefix: path(of: field) + ".")
        switch item.content {
        case .element(let element): reader.decoder.decode(element, keptBy: table.source, into: &reader.table)
        case .json(let value, let key):
            guard value.kind == .object else {
                if !value.isNull { try report(value.isNot("an object", document: documentName, property: path(of: field))) }
                return nil
            }
            try reader.decode(value, key: key)
        case .text, .value, .document: return nil
        }
        return try reader.value()
    }

    /// Makes the table that of a JSON object.
    func decode(_ json: JSONValue, key: String?) throws {
        table.clear()
        misfits.removeAll()
        JSONFormat.decode(json, key: key, schema.group, into: &table) { value, expected, field in
            misfits[ObjectIdentifier(field)] = value.isNot(
                expected, document: documentName, property: path(of: field))
        }
        for field in schema.relations {
            guard case .document = field.shape.kind else { continue }
            try report(
                DocumentError(
                    .unsupportedField("JSON answers hold no documents; make the field a compound value"),
                    document: documentName, property: path(of: field)))
        }
    }

    // MARK: Documents

    /// The document that a relation to one holds.
    func document(of field: FieldSchema, _ type: IndivoDocument.Type) throws -> IndivoDocument? {
        let items = try items(of: field)
        if items.count > 1, format == .dataModel, case .element(let second) = items[1].content {
            // That there are more is noted, and does not keep the document from being read.
            problems?.all.append(
                DocumentError(
                    .notADocument(found: "\(items.count) models", expected: "one; the others stay where they are, unread"),
                    document: documentName, property: path(of: field), line: second.node.line))
        }
        return try items.first.flatMap { try document($0, type) }
    }

    /// The document that a relation holds.
    func document(_ item: TableItem, _ type: IndivoDocument.Type) throws -> IndivoDocument? {
        guard case .element(let element) = item.content else { return nil }
        let node = element.node
        if !known.isEmpty, let document = known[node] { return document }
        if format == .nested {
            let reader = nestedReader(type)
            let document = type.init()
            reader.decoder.decode(element, keptBy: node, into: &reader.table)
            try reader.schema.group.read(into: document.storage, reader)
            document.source = node
            return document
        }
        do {
            return try TableReader.readModel(node, as: type, reusing: &inner, collecting: problems)
        } catch let error as DocumentError {
            // Another model than the relation's. Problems inside the model are collected where they are met.
            try report(error)
            return nil
        }
    }

    /// The reader of a class's documents inside nested XML.
    private func nestedReader(_ type: IndivoDocument.Type) -> TableReader {
        if let inner, inner.type == type { return inner }
        let schema = ModelSchema.of(type)
        let made = TableReader(schema, format, documentName: schema.typeName, problems: problems)
        made.type = type
        inner = made
        return made
    }

    /// A value of what the table says.
    func value<Value: CompoundValue>(_ type: Value.Type = Value.self) throws -> Value {
        var value = Value()
        try withUnsafeMutablePointer(to: &value) { try schema.group.read(into: UnsafeMutableRawPointer($0), self) }
        return value
    }

    /// Fills a document from its element, which becomes its source.
    func fill(_ document: IndivoDocument, from element: XMLNode) throws {
        decode(element)
        try schema.group.read(into: document.storage, self)
        document.source = element
    }

    /// Reads a `Model` element; those of one class with one reader.
    static func readModel(
        _ model: XMLNode, as type: IndivoDocument.Type, reusing reader: inout TableReader?,
        collecting problems: ReadingProblems?
    ) throws -> IndivoDocument {
        let used: TableReader
        if let reader, reader.type == type {
            used = reader
        } else {
            guard type != IndivoDocument.self, type.format.isDataModel else {
                return try type.read(from: model, collecting: problems)
            }
            used = try TableReader(models: type, problems: problems)
            used.type = type
            reader = used
        }
        // What is no model of the class is refused there, with the reason.
        guard type.isModel(model, used.schema) else { return try type.read(from: model, collecting: problems) }
        let document = type.init()
        try used.fill(document, model: model)
        return document
    }

    /// A reader of `Model` elements.
    /// - Throws: ``DocumentError`` for a class with fields that no data model holds.
    convenience init(
        models type: IndivoDocument.Type, known: [XMLNode: IndivoDocument] = [:], problems: ReadingProblems?
    ) throws {
        let schema = ModelSchema.of(type)
        try schema.checkDataModel()
        self.init(schema, .dataModel, documentName: schema.modelName, known: known, problems: problems)
    }

    /// Fills a document from a `Model` element, and keeps the element.
    func fill(_ document: IndivoDocument, model: XMLNode) throws {
        try fill(document, from: model)
        if let problems, let document = document as? GenericDocument { try document.collectUnreadable(into: problems) }
        if let id = table.source?.view?.attribute("documentId"), !id.isEmpty {
            document.id = String(decoding: id, as: UTF8.self)
        }
    }

    // MARK: Problems

    /// Notes what is wrong with a value, or throws it where nobody collects problems.
    func report(_ error: DocumentError) throws {
        guard let problems else { throw error }
        problems.all.append(error)
    }

    private func path(of field: FieldSchema) -> String { prefix + field.path }

    /// Reports a text that is no value of the field.
    func reportUnreadable(_ text: FieldText, _ error: LexicalError, _ field: FieldSchema, in item: TableItem? = nil) throws {
        try report(
            DocumentError(
                .unreadableValue(text: text.string, error), document: documentName, property: path(of: field),
                line: line(of: field, item)))
    }

    /// Reports that there is no value where there must be one.
    func reportMissing(_ field: FieldSchema) throws {
        try report(
            DocumentError(.missingValue, document: documentName, property: path(of: field), line: line(of: field, nil)))
    }

    private func line(of field: FieldSchema, _ item: TableItem?) -> Int? {
        if case .element(let element)? = item?.content { return element.node.line }
        if let origin = table.leaves.indices.contains(field.leaf) ? table.leaves[field.leaf].origin : nil {
            return origin.node.line
        }
        return table.source?.line
    }
}

extension ModelSchema {
    /// - Throws: ``DocumentError`` when a data model cannot hold one of the fields.
    func checkDataModel() throws {
        guard let field = unsupported.first else { return }
        throw DocumentError(
            .unsupportedField("a data model holds no lists of plain values; make it a list of related documents"),
            document: modelName, property: field.path)
    }
}
