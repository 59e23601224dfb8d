import IndivoXML

/// Writes a table as nested XML into a document of its own.
struct NestedAssembler {
    /// Why the other way of writing has to be taken: a name is none in XML, which is reported when the document is written
    /// out, or a related document has a source to keep.
    private struct NeedsWriter: Error {}

    private let xml = XMLAssembler()
    private let namespace: String?
    private var names: [ObjectIdentifier: XMLAssembler.Name] = [:]

    /// - Returns: The element; `nil` when it is to be written with ``NestedWriter``.
    static func assemble(_ name: String, namespace: String?, _ table: FieldTable) -> XMLNode? {
        var assembler = NestedAssembler(namespace: namespace)
        guard let root = assembler.xml.name(name, namespace: namespace) else { return nil }
        assembler.xml.start(root)
        guard (try? assembler.add(table, table.schema.group)) != nil else { return nil }
        assembler.xml.end()
        return assembler.xml.root
    }

    private init(namespace: String?) { self.namespace = namespace }

    private mutating func name(of field: FieldSchema) throws(NeedsWriter) -> XMLAssembler.Name {
        let key = ObjectIdentifier(field)
        if let known = names[key] { return known }
        guard let name = xml.name(field.name, namespace: field.place == .element ? namespace : nil) else {
            throw NeedsWriter()
        }
        names[key] = name
        return name
    }

    /// Adds what a table says to the open element.
    private mutating func add(_ table: FieldTable, _ group: FieldGroup) throws(NeedsWriter) {
        // Attributes before what stands in the element.
        for field in group.otherPlaces where field.place != .text && field.inner == nil && !field.leaves.isEmpty {
            if let text = table.string(of: field.leaf) { xml.attribute(try name(of: field), text) }
        }
        for field in group.fields {
            if let inner = field.inner {
                guard let number = field.group, table.groups[number].isPresent else { continue }
                xml.start(try name(of: field))
                try add(table, inner)
                xml.end()
            } else if let relation = field.relation {
                for item in table.relations[relation].items {
                    xml.start(try name(of: field))
                    try add(item)
                    xml.end()
                }
            } else if let text = table.string(of: field.leaf) {
                switch field.place {
                case .attribute, .key: break
                case .text: xml.text(text)
                case .element:
                    xml.start(try name(of: field))
                    xml.text(text)
                    xml.end()
                }
            }
        }
    }

    private mutating func add(_ item: TableItem) throws(NeedsWriter) {
        switch item.content {
        case .text(let text): xml.text(text)
        case .value(let table): try add(table, table.schema.group)
        case .document(let document):
            guard document.source == nil else { throw NeedsWriter() }
            let table = FieldTable(document, .nested)
            try add(table, table.schema.group)
        case .element, .json: break
        }
    }
}
