import IndivoXML

/// Writes a new value or document as nested XML into a document of its own.
final class NestedAssembler: FieldWriter {
    /// Why the other way of writing has to be taken: a related document has a source to keep, or an attribute is
    /// declared behind the fields that are elements.
    private struct NeedsWriter: Error {}

    private let xml = XMLAssembler()
    private let namespace: String?
    private var names: [ObjectIdentifier: XMLAssembler.Name] = [:]

    private init(namespace: String?) {
        self.namespace = namespace
        super.init()
    }

    /// - Parameter body: Writes the fields.
    /// - Returns: The element; `nil` when it is to be written with a ``NestedWriter``.
    static func assemble(
        _ name: String, namespace: String?, _ body: (FieldWriter) throws -> Void
    ) throws -> XMLNode? {
        let assembler = NestedAssembler(namespace: namespace)
        guard let root = assembler.xml.name(name, namespace: namespace) else { return nil }
        assembler.xml.start(root)
        do {
            try body(assembler)
        } catch is NeedsWriter {
            return nil
        }
        assembler.xml.end()
        return assembler.xml.root
    }

    /// The name of a field's element or attribute. What is none in XML is told when the document is written out, by
    /// the place that knows all of it.
    private func name(of field: FieldLayout) throws -> XMLAssembler.Name {
        let key = ObjectIdentifier(field)
        if let known = names[key] { return known }
        guard let name = xml.name(field.name, namespace: field.place == .element ? namespace : nil) else {
            throw NeedsWriter()
        }
        names[key] = name
        return name
    }

    override func leaf<Value: LexicalValue>(_ value: Value, _ field: FieldLayout) throws {
        switch field.place {
        case .attribute, .key:
            guard xml.attribute(try name(of: field), value.lexical) else { throw NeedsWriter() }
        case .text: xml.text(value.lexical)
        case .element:
            xml.start(try name(of: field))
            xml.text(value.lexical)
            xml.end()
        }
    }

    override func items(_ count: Int, of field: FieldLayout, _ body: (Int, FieldWriter) throws -> Void) throws {
        for index in 0..<count { try body(index, self) }
    }

    override func enter(_ field: FieldLayout, _ layout: Layout) throws {
        xml.start(try name(of: field))
    }

    override func leave(_ field: FieldLayout) { xml.end() }

    override func related(_ document: IndivoDocument, _ field: FieldLayout) throws {
        guard document.source == nil else { throw NeedsWriter() }
        xml.start(try name(of: field))
        try Layout.of(type(of: document)).write(from: document.storage, self)
        xml.end()
    }
}
