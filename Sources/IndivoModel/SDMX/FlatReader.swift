import IndivoXML

/// Reads a `Model` element of SDMX.
final class FlatReader: FieldReader {
    private let fields: ModelFields
    /// The layout of the class that is read.
    let layout: Layout
    /// The next leaf. Fields are asked for in the order in which ``FlatLayout`` lists their leaves. Unchecked, as it
    /// changes for every field: it is a number, and no access to it lasts.
    @exclusivity(unchecked) private var next = 0
    private var item: XMLNode?

    /// Documents that were read from elements before, and are not read again.
    private let known: [XMLNode: IndivoDocument]

    private(set) var model: XMLNode
    /// Reads the related documents.
    private var inner = ModelsReader()

    init(
        _ model: XMLNode, of type: IndivoDocument.Type, known: [XMLNode: IndivoDocument] = [:],
        problems: ReadingProblems? = nil
    ) {
        self.model = model
        self.known = known
        layout = Layout.of(type)
        fields = ModelFields(model, layout.flat)
        super.init(documentName: layout.modelName, problems: problems)
    }

    /// Goes on to another model of the same class.
    fileprivate func goOn(to model: XMLNode) {
        self.model = model
        fields.look(into: model, layout.flat)
        next = 0
        item = nil
        leaveAll()
    }

    override var readsDataModels: Bool { true }

    override func text(of field: FieldLayout) throws -> FieldText? {
        defer { next += 1 }
        return fields.text(of: next)
    }

    /// Asked only after ``text(of:)`` found none.
    override func isPresent(_ field: FieldLayout) -> Bool { fields[next - 1] != nil }

    override func enter(_ field: FieldLayout, _ layout: Layout) throws -> Bool {
        let end = next + layout.flat.leaves.count
        guard (next..<end).contains(where: { fields.text(of: $0) != nil }) else {
            next = end
            return false
        }
        enterPath(field)
        return true
    }

    override func eachItem(of field: FieldLayout, _ body: () throws -> Void) throws {
        guard case .document = field.shape.kind else {
            throw DocumentError(
                .unsupportedField("a data model holds no lists of plain values; make it a list of related documents"),
                document: documentName, property: propertyPath(field))
        }
        for model in models(of: field) {
            item = model
            try body()
        }
        item = nil
    }

    override func related(_ field: FieldLayout, _ type: IndivoDocument.Type) throws -> IndivoDocument? {
        guard let model = item ?? onlyModel(of: field) else { return nil }
        if !known.isEmpty, let document = known[model] { return document }
        do {
            return try inner.read(model, as: type, collecting: problems)
        } catch let error as DocumentError {
            // Another model than the relation's. Problems inside the model are collected where they are met.
            try report(error)
            return nil
        }
    }

    /// The model of a relation to one. That there are more is noted, and does not keep the document from being read.
    private func onlyModel(of field: FieldLayout) -> XMLNode? {
        let models = models(of: field)
        if models.count > 1 {
            problems?.all.append(
                DocumentError(
                    .notADocument(found: "\(models.count) models", expected: "one; the others stay where they are, unread"),
                    document: documentName, property: propertyPath(field), line: models[1].line))
        }
        return models.first
    }

    private func models(of field: FieldLayout) -> [XMLNode] {
        layout.flat.relations.firstIndex { $0 === field }.map { fields.models(of: $0) } ?? []
    }

    override func line(of field: FieldLayout) -> Int? {
        // The leaf at fault was just read, so `next` stands behind it.
        (next > 0 ? fields.line(of: next - 1) : nil) ?? model.line
    }
}

/// Reads `Model` elements one after the other, those of a class with one reader.
struct ModelsReader {
    private var last: (type: IndivoDocument.Type, reader: FlatReader)?

    mutating func read(
        _ model: XMLNode, as type: IndivoDocument.Type, collecting problems: ReadingProblems?
    ) throws -> IndivoDocument {
        // What is no model of the class is refused there, with the reason.
        guard type != IndivoDocument.self, type.format.isDataModel, type.isModel(model) else {
            return try type.read(from: model, collecting: problems)
        }
        let reader: FlatReader
        if let last, last.type == type {
            reader = last.reader
            reader.goOn(to: model)
        } else {
            reader = FlatReader(model, of: type, problems: problems)
            last = (type, reader)
        }
        let document = type.init()
        try document.readModel(reader)
        return document
    }
}

extension IndivoDocument {
    /// Fills the document from a `Model` element and keeps the element.
    final func readModel(_ reader: FlatReader) throws {
        try reader.layout.read(into: storage, reader)
        source = reader.model
        if let problems = reader.problems, let document = self as? GenericDocument {
            try document.collectUnreadable(into: problems)
        }
        if let id = reader.model.attr("documentId"), !id.isEmpty { self.id = id }
    }

    /// Takes the related documents from a `Model` element that was written, those that are known as they are.
    final func readRelations(of model: XMLNode, known: [XMLNode: IndivoDocument]) {
        let reader = FlatReader(model, of: type(of: self), known: known)
        for field in reader.layout.flat.relations {
            // It was read already, when the document was written.
            try? field.read(into: storage + field.offset, reader)
        }
    }
}
