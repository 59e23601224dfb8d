import Foundation
import IndivoXML

/// A document written out, ready to be sent. Only when the server or the outbox has it, ``commit()`` is
/// called.
package struct PreparedDocument {
    /// The root element.
    package let root: XMLNode
    private let written: [WrittenDocument]
}

/// A document and the element that it was written into.
typealias WrittenDocument = (document: IndivoDocument, element: XMLNode)

extension PreparedDocument {
    /// A document on its own, in whichever format its class has.
    package init(new document: IndivoDocument, naming: IndivoDocument.FieldNaming = .current) throws {
        switch type(of: document).format {
        case .dataModel: try self.init(new: [document], naming: naming)
        case .nested(let name, let namespace):
            let root = try document.nestedXML(root: name, namespace: namespace)
            self.init(root: root, written: [(document, root)])
        }
    }

    /// Models in a document of their own.
    package init(new models: [IndivoDocument], naming: IndivoDocument.FieldNaming) throws {
        let writer = SDMXWriter(naming: naming)
        let root = try writer.newRoot(of: models)
        self.init(root: root, written: writer.written)
    }

    /// All models of a document that was read from `source`.
    package init(_ models: [IndivoDocument], in source: XMLNode, naming: IndivoDocument.FieldNaming) throws {
        let writer = SDMXWriter(naming: naming)
        let originals = try SDMX.models(in: source)
        let root = source.cloneInDocument()
        try writer.writeList(
            models,
            into: root,
            targets: SDMX.models(in: root),
            originals: originals,
            baselines: originals,
            as: GenericDocument.self
        )
        self.init(root: root, written: writer.written)
    }

    /// One model of a stored document, which may hold others. The others, and everything unknown, stay
    /// unchanged.
    /// - Parameter document: Read from `stored`, or from a report on it.
    /// - Parameter isChecked: Whether a value that could not be read back is an error.
    package init(replacing document: IndivoDocument, in stored: XMLNode, isChecked: Bool = true) throws {
        if !type(of: document).format.isDataModel {
            if document.isFromReport { try document.complete(from: stored) }
            try self.init(new: document)
            return
        }
        let originals = try SDMX.models(in: stored)
        let root = stored.cloneInDocument()
        let targets = try SDMX.models(in: root)
        let candidates = originals.indices.filter { originals[$0].attr("name") == document.modelName }
        let place =
            candidates.first { originals[$0] == document.source }
            ?? (candidates.count == 1 ? candidates.first : nil)
            ?? document.source.flatMap { source in
                candidates.first { originals[$0].isSameModel(as: source, of: type(of: document)) }
            }
        guard let place else {
            throw DocumentError(
                found: "\(candidates.count) models “\(document.modelName)”, none of them as it was read",
                expected: "the model to replace; read it again from the record",
                document: document.modelName
            )
        }
        if isChecked { try FieldTable(document, over: document.source).checkWhatIsSet() }
        let writer = SDMXWriter(naming: .current)
        try writer.write(document, into: targets[place], original: originals[place])
        self.init(root: root, written: writer.written)
    }

    /// The document in UTF-8, with what stands around its root, where something does.
    package func data() throws -> Data {
        let document = root.document
        return try document.root == root && document.contents().count > 1 ? document.data() : root.data()
    }

    /// Makes the written elements the documents' sources. If the stored document has related models that the
    /// objects did not know, the objects know them from now on: otherwise the next version would seem to
    /// remove them.
    package func commit() {
        for (document, element) in written {
            document.source = element
            document.isFromReport = false
        }
        let known = Dictionary(firstOf: written.map { ($0.element, $0.document) })
        for (document, element) in written where type(of: document).format.isDataModel {
            document.readRelations(of: element, known)
        }
    }
}

extension IndivoDocument {
    /// The stored document's root, when the object was read from it (and not from a report, which leaves
    /// things out).
    package final var storedRoot: XMLNode? { id == nil || isFromReport ? nil : source?.document.root }

    /// Reads the related documents from a `Model` element that was written. Known documents keep their
    /// objects.
    fileprivate final func readRelations(of model: XMLNode, _ known: [XMLNode: IndivoDocument]) {
        let schema = ModelSchema.of(type(of: self))
        guard !schema.relations.isEmpty,
            let reader = try? FieldSchema.Reader(models: type(of: self), known: known, problems: nil)
        else { return }
        reader.decode(model)
        for field in schema.relations {
            // It was read already, when the document was written.
            try? field.read(into: storage + field.offset, reader)
        }
    }

    /// Fills in from the stored document what a report on it left out; later changes stay. The stored
    /// document becomes the source, so that nothing of it is lost when this one is written.
    final func complete(from stored: XMLNode) throws {
        guard let source else { return }
        let whole = try type(of: self).read(stored: stored)
        let reported = try type(of: self).read(from: source, collecting: ReadingProblems())
        let now = FieldTable(self)
        let then = FieldTable(reported)
        let reader = FieldSchema.Reader(now.schema, .nested, problems: nil)
        if let element = whole.source { reader.decode(element) }
        for field in now.schema.fields where now.hasSameContent(as: then, in: field) {
            try field.read(into: storage + field.offset, reader)
        }
        self.source = whole.source
        isFromReport = false
    }
}
