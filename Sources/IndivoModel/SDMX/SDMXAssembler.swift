import IndivoXML

/// Writes documents that are all new into a document of their own.
struct SDMXAssembler {
    /// Some document has a source, and what it holds beside the object has to be taken along.
    private struct HasSource: Error {}

    private let xml = XMLAssembler()
    private let models: XMLAssembler.Name
    private let model: XMLAssembler.Name
    private let field: XMLAssembler.Name
    private let name: XMLAssembler.Name

    private init?() {
        guard let models = xml.name("Models", namespace: SDMX.namespace),
            let model = xml.name("Model", namespace: SDMX.namespace),
            let field = xml.name("Field", namespace: SDMX.namespace), let name = xml.name("name")
        else { return nil }
        (self.models, self.model, self.field, self.name) = (models, model, field, name)
    }

    /// - Returns: The root and every document's element; `nil` when a document has a source.
    static func assemble(
        _ documents: [IndivoDocument]
    ) throws -> (root: XMLNode, written: [(document: IndivoDocument, element: XMLNode)])? {
        guard let assembler = SDMXAssembler() else { return nil }
        var written: [(document: IndivoDocument, element: XMLNode)] = []
        assembler.xml.start(assembler.models)
        do {
            for document in documents { try assembler.write(document, &written) }
        } catch is HasSource {
            return nil
        }
        assembler.xml.end()
        return assembler.xml.root.map { ($0, written) }
    }

    private func write(
        _ document: IndivoDocument, _ written: inout [(document: IndivoDocument, element: XMLNode)]
    ) throws {
        guard document.source == nil else { throw HasSource() }
        xml.start(model)
        xml.attribute(name, document.modelName)
        written.append((document, xml.current))
        let visitor = Visitor(document, self)
        try visitor.visit(document, visitor.layout)
        for (field, related) in visitor.relations {
            startField(field.name)
            if field.shape.isList { xml.start(models) }
            for document in related { try write(document, &written) }
            if field.shape.isList { xml.end() }
            xml.end()
        }
        xml.end()
    }

    private func startField(_ fieldName: String) {
        xml.start(field)
        xml.attribute(name, fieldName)
    }

    /// Writes a document's leaves as it meets them.
    private final class Visitor: FlatVisitor {
        let layout: Layout
        private let assembler: SDMXAssembler
        private(set) var relations: [(field: FieldLayout, documents: [IndivoDocument])] = []

        init(_ document: IndivoDocument, _ assembler: SDMXAssembler) {
            layout = Layout.of(type(of: document))
            self.assembler = assembler
            super.init(visiting: document)
        }

        override func leaf<Value: LexicalValue>(_ value: Value, at index: Int) throws {
            let text = value.lexical
            guard !text.isEmpty else { return }
            assembler.startField(layout.flat.leaves[index].name)
            assembler.xml.text(text)
            assembler.xml.end()
        }

        override func relation(_ field: FieldLayout, at index: Int, count: Int) throws {
            if count > 0 { relations.append((field, [])) }
        }

        override func related(_ document: IndivoDocument, at index: Int) throws {
            relations[relations.count - 1].documents.append(document)
        }
    }
}
