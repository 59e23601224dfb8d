import IndivoXML

/// Makes the tree of documents that have no source, for ``SDMXWriter``. It only appends, which takes a
/// quarter of the time of writing into an existing tree.
final class SDMXAssembler {
    private(set) var written: [WrittenDocument] = []
    /// Empty elements for the documents that have a source, and how many documents those are in.
    private(set) var placeholders: [(document: IndivoDocument, element: XMLNode, depth: Int)] = []
    private let xml = XMLAssembler()
    private let names: SDMXNames
    /// What is known of each class.
    private var classes: [ObjectIdentifier: Class] = [:]

    /// The tables of a class's documents, and the names of the leaves that had a value so far.
    private final class Class {
        let schema: ModelSchema
        let writer: FieldSchema.Writer
        // Unchecked, as it is looked at for every field: no access to it lasts.
        @exclusivity(unchecked) var names: [XMLAssembler.Value?]

        init(_ schema: ModelSchema) {
            self.schema = schema
            writer = FieldSchema.Writer(over: FieldTable(schema, .dataModel), isNew: true)
            names = Array(repeating: nil, count: schema.leaves.count)
        }
    }

    private func known(_ type: IndivoDocument.Type) throws -> Class {
        if let known = classes[ObjectIdentifier(type)] { return known }
        let known = Class(ModelSchema.of(type))
        try known.schema.checkDataModel()
        classes[ObjectIdentifier(type)] = known
        return known
    }

    init() { names = SDMXNames(xml) }

    /// - Parameter depth: How many documents these are in.
    /// - Returns: The root, with an element for each document.
    func assemble(_ documents: [IndivoDocument], depth: Int = 0) throws -> XMLNode {
        xml.start(names.models)
        for document in documents { try write(document, depth) }
        xml.end()
        guard let root = xml.root else { preconditionFailure("the root was begun and ended") }
        return root
    }

    private func write(_ document: IndivoDocument, _ depth: Int) throws {
        try SDMX.check(depth: depth, document.modelName)
        xml.start(names.model)
        guard document.source == nil else {
            placeholders.append((document, xml.current, depth))
            xml.end()
            return
        }
        xml.attribute(names.name, document.modelName)
        written.append((document, xml.current))
        let known = try known(type(of: document))
        known.writer.clear()
        known.writer.write(document)
        for index in known.schema.leaves.indices {
            guard let text = known.writer.table.text(of: index)?.string else { continue }
            let fieldName = known.names[index] ?? xml.value(known.schema.leaves[index].name)
            known.names[index] = fieldName
            startField(fieldName)
            xml.text(text)
            xml.end()
        }
        // The writer may be asked again by a document inside.
        let relations = known.writer.table.relations
        for (index, field) in known.schema.relations.enumerated() where !relations[index].items.isEmpty {
            startField(xml.value(field.name))
            if field.shape.isList { xml.start(names.models) }
            for case .document(let related) in relations[index].items { try write(related, depth + 1) }
            if field.shape.isList { xml.end() }
            xml.end()
        }
        xml.end()
    }

    private func startField(_ fieldName: XMLAssembler.Value) {
        xml.start(names.field)
        xml.attribute(names.name, fieldName)
    }
}

/// The names of SDMX in an assembler's tree.
struct SDMXNames {
    let models, model, field, name, documentID: XMLAssembler.Name

    init(_ xml: XMLAssembler) {
        func name(_ text: String, namespace: String? = SDMX.namespace) -> XMLAssembler.Name {
            guard let name = xml.name(text, namespace: namespace) else {
                preconditionFailure("the names of SDMX are valid XML names")
            }
            return name
        }
        models = name("Models")
        model = name("Model")
        field = name("Field")
        self.name = name("name", namespace: nil)
        documentID = name("documentId", namespace: nil)
    }
}
