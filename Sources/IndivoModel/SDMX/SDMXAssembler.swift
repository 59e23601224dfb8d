import IndivoXML

/// Writes documents that are all new into a document of their own.
final class SDMXAssembler {
    /// Some document has a source, and what it holds beside the object has to be taken along.
    private struct HasSource: Error {}

    private let xml = XMLAssembler()
    private let models: XMLAssembler.Name
    private let model: XMLAssembler.Name
    private let field: XMLAssembler.Name
    private let name: XMLAssembler.Name
    /// The names of each class's leaves, stored once.
    private var leafNames: [ObjectIdentifier: LeafNames] = [:]

    /// The names of the leaves that had a value so far.
    private final class LeafNames {
        // Unchecked, as it is looked at for every field: no access to it lasts.
        @exclusivity(unchecked) private var names: [XMLAssembler.Value?]

        init(_ layout: FlatLayout) { names = Array(repeating: nil, count: layout.leaves.count) }

        func name(of leaf: Int, _ make: () -> XMLAssembler.Value) -> XMLAssembler.Value {
            if let name = names[leaf] { return name }
            let name = make()
            names[leaf] = name
            return name
        }
    }

    private func leafNames(of layout: Layout) -> LeafNames {
        if let known = leafNames[ObjectIdentifier(layout)] { return known }
        let made = LeafNames(layout.flat)
        leafNames[ObjectIdentifier(layout)] = made
        return made
    }

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
            startField(xml.value(field.name))
            if field.shape.isList { xml.start(models) }
            for document in related { try write(document, &written) }
            if field.shape.isList { xml.end() }
            xml.end()
        }
        xml.end()
    }

    private func startField(_ fieldName: XMLAssembler.Value) {
        xml.start(field)
        xml.attribute(name, fieldName)
    }

    /// Writes a document's leaves as it meets them.
    private final class Visitor: FlatVisitor {
        let layout: Layout
        private let assembler: SDMXAssembler
        private let xml: XMLAssembler
        private let names: LeafNames
        private(set) var relations: [(field: FieldLayout, documents: [IndivoDocument])] = []

        init(_ document: IndivoDocument, _ assembler: SDMXAssembler) {
            layout = Layout.of(type(of: document))
            self.assembler = assembler
            xml = assembler.xml
            names = assembler.leafNames(of: layout)
            super.init(visiting: document)
        }

        override func leaf<Value: LexicalValue>(_ value: Value, at index: Int) throws {
            let text = value.lexical
            guard !text.isEmpty else { return }
            assembler.startField(names.name(of: index) { xml.value(layout.flat.leaves[index].name) })
            xml.text(text)
            xml.end()
        }

        override func relation(_ field: FieldLayout, at index: Int, count: Int) throws {
            if count > 0 { relations.append((field, [])) }
        }

        override func related(_ document: IndivoDocument, at index: Int) throws {
            relations[relations.count - 1].documents.append(document)
        }
    }
}
