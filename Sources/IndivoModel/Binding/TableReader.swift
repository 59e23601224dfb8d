import IndivoXML

extension FieldSchema {
    /// Gives values the cells of a `FieldTable` from which they are read, found by field.
    ///
    /// One reader reads any number of tables of one schema, one after the other.
    public final class Reader {
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

        // Unchecked, since checking would take a tenth of the time that reading takes: every access ends before anybody
        // is called who could come back.

        @exclusivity(unchecked) var table: FieldTable
        /// The value of a list that is read next.
        @exclusivity(unchecked) private var item: XMLView?
        private var decoder = TableDecoder()
        /// Reads what is in relations.
        private var inner: Reader?

        init(
            _ schema: ModelSchema, _ format: TableFormat, documentName: String? = nil, prefix: String = "",
            known: [XMLNode: IndivoDocument] = [:], problems: ReadingProblems?
        ) {
            self.schema = schema
            self.format = format
            self.documentName = documentName ?? schema.typeName
            self.prefix = prefix
            self.known = known
            self.problems = problems
            table = FieldTable(schema, format)
        }
    }
}

extension FieldSchema.Reader {
    /// Goes on to the table of another element.
    func decode(_ element: XMLNode) {
        if let view = element.view { decoder.decode(view, keptBy: element, into: &table) } else { table.clear() }
    }

    // MARK: Cells

    /// The text of a leaf; `nil` when there is none.
    @inline(__always)
    func text(of field: FieldSchema) -> FieldText? { table.text(of: field.leaf) }

    /// Whether a leaf or compound value is there, if only empty.
    func isPresent(_ field: FieldSchema) -> Bool {
        if let group = field.group { return table.groups[group].isPresent }
        return table.leaves[field.leaf].isPresent
    }

    // MARK: Lists

    /// What a relation holds.
    func items(of field: FieldSchema) -> [TableItem] { table.relations[field.relations.lowerBound].items }

    /// Makes this the item that is read next.
    func at(_ item: TableItem) -> Self {
        self.item = item.element
        return self
    }

    /// The text of a value in a list.
    var itemText: FieldText? { item?.fieldText }

    /// Reads a compound value in a list.
    func itemValue<Value: CompoundValue>(_ field: FieldSchema) throws -> Value? {
        guard let item else { return nil }
        let (schema, prefix) = (ModelSchema.of(Value.self), path(of: field) + ".")
        let reader: FieldSchema.Reader
        if let inner, inner.schema === schema, inner.prefix == prefix {
            reader = inner
        } else {
            reader = FieldSchema.Reader(schema, format, documentName: documentName, prefix: prefix, problems: problems)
            inner = reader
        }
        reader.decoder.decode(item, keptBy: table.source, into: &reader.table)
        return try reader.value()
    }

    // MARK: Documents

    /// The document that a relation to one holds.
    func document(of field: FieldSchema, _ type: IndivoDocument.Type) throws -> IndivoDocument? {
        let items = items(of: field)
        if items.count > 1, format == .dataModel {
            // That there are more is noted, and does not keep the document from being read.
            problems?.all.append(
                DocumentError(
                    .notADocument(found: "\(items.count) models", expected: "one; the others stay where they are, unread"),
                    document: documentName, property: path(of: field), line: items[1].element?.node.line))
        }
        return try items.first.flatMap { try at($0).itemDocument(type) }
    }

    /// The document in a list.
    func itemDocument(_ type: IndivoDocument.Type) throws -> IndivoDocument? {
        guard let element = item else { return nil }
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
            return try FieldSchema.Reader.readModel(node, as: type, reusing: &inner, collecting: problems)
        } catch let error as DocumentError {
            // Another model than the relation's. Problems inside the model are collected where they are met.
            try report(error)
            return nil
        }
    }

    /// The reader of a class's documents inside nested XML.
    private func nestedReader(_ type: IndivoDocument.Type) -> FieldSchema.Reader {
        if let inner, inner.type == type { return inner }
        let schema = ModelSchema.of(type)
        let made = FieldSchema.Reader(schema, format, problems: problems)
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
        _ model: XMLNode, as type: IndivoDocument.Type, reusing reader: inout FieldSchema.Reader?,
        collecting problems: ReadingProblems?
    ) throws -> IndivoDocument {
        let used: FieldSchema.Reader
        if let reader, reader.type == type {
            used = reader
        } else {
            guard type != IndivoDocument.self, type.format.isDataModel else {
                return try type.read(from: model, collecting: problems)
            }
            used = try FieldSchema.Reader(models: type, problems: problems)
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
    /// - Parameter isItem: Whether it stands in a list.
    func reportUnreadable(_ text: FieldText, _ error: LexicalError, _ field: FieldSchema, isItem: Bool = false) throws {
        try report(
            DocumentError(
                .unreadableValue(text: text.string, error), document: documentName, property: path(of: field),
                line: isItem ? item?.node.line : line(of: field)))
    }

    /// Reports that there is no value where there must be one.
    func reportMissing(_ field: FieldSchema) throws {
        try report(
            DocumentError(.missingValue, document: documentName, property: path(of: field), line: line(of: field)))
    }

    private func line(of field: FieldSchema) -> Int? {
        let cell = table.leaves.indices.contains(field.leaf) ? table.leaves[field.leaf] : nil
        return cell?.origin.map { $0.node.line } ?? table.source?.line
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

/// The values of a document that could not be read, in the order in which they were met.
final class ReadingProblems {
    var all: [DocumentError] = []

    /// Calls `body` and adds what it collects to `problems`, also when it throws.
    static func collect<Result>(
        into problems: inout [DocumentError], _ body: (ReadingProblems) throws -> Result
    ) rethrows -> Result {
        let collected = ReadingProblems()
        defer { problems += collected.all }
        return try body(collected)
    }
}
