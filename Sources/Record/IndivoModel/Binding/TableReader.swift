import IndivoXML

extension FieldSchema {
    /// Gives values, field by field, the cells of a `FieldTable` to read from.
    ///
    /// One reader reads any number of tables of one schema, one after the other.
    final class Reader {
        let schema: ModelSchema
        let format: TableFormat
        /// The model or class being read, for messages.
        private let documentName: String
        /// The list whose values are read; `nil` for documents.
        private let list: FieldSchema?
        /// The prefix of the properties' paths in messages: the list's path.
        private let prefix: String
        /// Collects problems, so that reading continues; `nil` if problems are thrown.
        private let problems: ReadingProblems?
        /// The class of the documents that are read, where it is known.
        private var type: IndivoDocument.Type?
        /// Documents that were read from elements before, and are not read again.
        private let known: [XMLNode: IndivoDocument]

        // Unchecked, since the check takes a tenth of the reading time. It is safe: each access ends before a
        // call that could access the property again.

        @exclusivity(unchecked) private var table: FieldTable
        /// The value of a list that is read next.
        @exclusivity(unchecked) private var item: XMLView?
        private var decoder = TableDecoder()
        /// Reads what is in relations.
        private var inner: Reader?
        /// How many documents enclose the one that is read.
        private var depth = 0

        init(
            _ schema: ModelSchema,
            _ format: TableFormat,
            documentName: String? = nil,
            list: FieldSchema? = nil,
            prefix: String = "",
            known: [XMLNode: IndivoDocument] = [:],
            problems: ReadingProblems?
        ) {
            self.schema = schema
            self.format = format
            self.documentName = documentName ?? schema.typeName
            self.list = list
            self.prefix = prefix
            self.known = known
            self.problems = problems
            table = FieldTable(schema, format)
        }
    }
}

extension FieldSchema.Reader {
    /// Decodes another element into the table.
    @discardableResult
    func decode(_ element: XMLNode) -> XMLView? {
        let view = element.view
        if let view { decoder.decode(view, keptBy: element, into: &table) } else { table.clear() }
        return view
    }

    /// The text of a leaf, or of the item of a list; `nil` when there is none.
    @inline(__always)
    func text(of field: FieldSchema) -> FieldText? {
        if case .leaf(let leaf) = field.target { table.text(of: leaf) } else { item?.fieldText }
    }

    /// Whether a leaf or compound value is there, if only empty.
    func isPresent(_ field: FieldSchema) -> Bool {
        if case .group(let group) = field.target { return table.groups[group].isPresent }
        return table.leaves[field.leaf].isPresent
    }

    /// What a relation holds.
    func items(of field: FieldSchema) -> [TableItem] { table.relations[field.relations.lowerBound].items }

    /// Makes `item` the one that is read next.
    func at(_ item: TableItem) -> Self {
        self.item = item.element
        return self
    }

    /// Reads a compound value in a list.
    func itemValue<Value: CompoundValue>(_ field: FieldSchema) throws -> Value? {
        guard let item else { return nil }
        let reader =
            inner.flatMap { $0.list === field ? $0 : nil }
            ?? FieldSchema.Reader(
                ModelSchema.of(Value.self),
                format,
                documentName: documentName,
                list: field,
                prefix: prefix + field.path + ".",
                problems: problems
            )
        inner = reader
        reader.decoder.decode(item, keptBy: table.source, into: &reader.table)
        return try reader.value()
    }

    /// The document that a to-one relation holds, or that is an item of a list.
    func document(of field: FieldSchema, _ type: IndivoDocument.Type) throws -> IndivoDocument? {
        if !field.shape.isList {
            let items = items(of: field)
            if items.count > 1, format == .dataModel {
                // More models are reported, but do not keep the document from being read.
                let error = DocumentError(
                    found: "\(items.count) models",
                    expected: "one; the others stay where they are, unread",
                    document: documentName,
                    property: prefix + field.path,
                    line: items[1].element?.node.line
                )
                problems?.all.append(error)
            }
            item = items.first?.element
        }
        guard let node = item?.node else { return nil }
        if !known.isEmpty, let document = known[node] { return document }
        do {
            return try Self.read(
                node,
                as: type,
                format,
                depth: depth + 1,
                reusing: &inner,
                collecting: problems
            )
        } catch let error as DocumentError where format == .dataModel {
            // The element is another model than the relation's. Problems inside a model are collected as they
            // are found.
            try report(error)
            return nil
        }
    }

    /// A value, read from the table.
    func value<Value: CompoundValue>(_ type: Value.Type = Value.self) throws -> Value {
        var value = Value()
        try withUnsafeMutablePointer(to: &value) {
            try schema.group.read(into: UnsafeMutableRawPointer($0), self)
        }
        return value
    }

    /// Fills a document from its element, which becomes its source.
    func fill(_ document: IndivoDocument, from element: XMLNode) throws {
        let view = decode(element)
        try schema.group.read(into: document.storage, self)
        document.source = element
        guard format == .dataModel else { return }
        if let problems, let document = document as? GenericDocument {
            try document.collectUnreadable(into: problems)
        }
        if let id = view?.attribute("documentId"), !id.isEmpty {
            document.id = String(decoding: id, as: UTF8.self)
        }
    }

    /// Reads a `Model` element, or an element inside nested XML. Elements of the same class share one reader.
    static func read(
        _ element: XMLNode,
        as type: IndivoDocument.Type,
        _ format: TableFormat = .dataModel,
        depth: Int = 0,
        reusing reader: inout FieldSchema.Reader?,
        collecting problems: ReadingProblems?
    ) throws -> IndivoDocument {
        guard depth < SDMX.maximumDepth else {
            throw DocumentError(
                found: "documents more than \(SDMX.maximumDepth) deep",
                expected: "fewer inside each other",
                document: type.modelName,
                line: element.line
            )
        }
        if reader?.type != type {
            if format == .nested {
                reader = FieldSchema.Reader(ModelSchema.of(type), format, problems: problems)
            } else if type != IndivoDocument.self, type.format.isDataModel {
                reader = try FieldSchema.Reader(models: type, problems: problems)
            } else {
                return try type.read(from: element, collecting: problems)
            }
            reader?.type = type
            reader?.depth = depth
        }
        // An element that is not a model of the class is refused there, with the reason.
        guard let reader, format == .nested || type.isModel(element, reader.schema) else {
            return try type.read(from: element, collecting: problems)
        }
        let document = type.init()
        try reader.fill(document, from: element)
        return document
    }

    /// A reader of `Model` elements; throws for a class with fields that no data model holds.
    convenience init(
        models type: IndivoDocument.Type,
        known: [XMLNode: IndivoDocument] = [:],
        problems: ReadingProblems?
    ) throws {
        let schema = ModelSchema.of(type)
        try schema.checkDataModel()
        self.init(schema, .dataModel, documentName: schema.modelName, known: known, problems: problems)
    }

    /// Collects a problem with a value, or throws it if problems are not collected.
    func report(_ reason: DocumentError.Reason, _ field: FieldSchema) throws {
        let line =
            if case .relation = field.target { item?.node.line } else {
                table.line(of: field.leaf) ?? table.source?.line
            }
        try report(DocumentError(reason, document: documentName, property: prefix + field.path, line: line))
    }

    private func report(_ error: DocumentError) throws {
        guard let problems, problems.collects(error) else { throw error }
        problems.all.append(error)
    }
}

/// The values of a document that could not be read, in the order in which they were met.
final class ReadingProblems {
    var all: [DocumentError] = []
    /// Whether a problem is collected; else it is thrown.
    let collects: (DocumentError) -> Bool

    init(of collects: @escaping (DocumentError) -> Bool = { _ in true }) { self.collects = collects }

    /// Whether the error is only about a value that cannot be read.
    static func isOfValue(_ error: DocumentError) -> Bool {
        if case .unreadableValue = error.reason { true } else { false }
    }

    /// Calls `body` and adds what it collects to `problems`, also when it throws.
    static func collect<T>(into problems: inout [DocumentError], _ body: (ReadingProblems) throws -> T)
        rethrows -> T
    {
        let collected = ReadingProblems()
        defer { problems += collected.all }
        return try body(collected)
    }
}
