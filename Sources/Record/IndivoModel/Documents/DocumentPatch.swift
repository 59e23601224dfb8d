import IndivoXML

/// The changes of a document that came from a report, in a form that can be kept and applied later.
///
/// A report leaves things out, so the whole document is not known. The patch keeps what was read and what it
/// was changed into. Once the stored document is at hand, the difference of the two is written into it, as if
/// the objects were still there.
///
/// ```xml
/// <Patch>
///   <Read><Model name="Medication">…</Model></Read>
///   <Changed><Model name="Medication" was="0">…</Model></Changed>
/// </Patch>
/// ```
/// `was` is the number of the model, among those that were read, that this model comes from. The numbers
/// start at 0, in document order.
package struct DocumentPatch {
    /// The patch as XML.
    package let root: XMLNode
    /// What was read, with the changes.
    package let changed: XMLNode
    private let written: [WrittenDocument]

    /// The changes of a document since it was read.
    /// - Throws: ``DocumentError`` also when the document was not read, or its class is not registered.
    package init(of document: IndivoDocument) throws {
        guard let source = document.source, Self.knownClass(of: source) == type(of: document) else {
            throw DocumentError(
                found: "a class that is not registered",
                expected: "\(type(of: document)).register() at the app's start",
                document: document.modelName
            )
        }
        // A value that cannot be read back would be taken for one that was removed.
        try FieldTable(document, over: document.source).checkWhatIsSet()
        switch type(of: document).format {
        case .dataModel:
            let writer = SDMXWriter(naming: .asRead)
            changed = source.clone()
            try writer.write(document, into: changed, original: source)
            written = writer.written
        case .nested(let name, let namespace):
            changed = try document.nestedXML(root: name, namespace: namespace)
            written = [(document, changed)]
        }
        root = XMLNode("Patch")
        root.append(XMLNode("Read").append(source.clone()))
        let numbers = Dictionary(firstOf: zip(Self.models(in: source), 0...))
        for (document, element) in written {
            if let number = document.source.flatMap({ numbers[$0] }) { element.attr(Self.mark, "\(number)") }
        }
        root.append(XMLNode("Changed").append(changed.clone()))
        for (_, element) in written { element.removeAttr(Self.mark) }
    }

    /// Makes the written elements the objects' source, so that the next patch holds only later changes. The
    /// objects still count as read from a report.
    package func commit() { for (document, element) in written { document.source = element } }

    /// The changed document of a patch: its root element.
    package static func changed(in root: XMLNode) throws -> XMLNode {
        let changed = try part("Changed", of: root).clone()
        for model in models(in: changed) { model.removeAttr(mark) }
        return changed.name == "Model" ? XMLNode("Models").append(changed) : changed
    }

    /// The document as it was when the patch was made: `PreparedDocument(replacing:in:)` writes it into the
    /// stored one.
    /// - Throws: ``DocumentError`` for XML that is not a patch, or one of a class that is not known.
    package static func document(in root: XMLNode) throws -> IndivoDocument {
        let read = try part("Read", of: root)
        let changed = try part("Changed", of: root)
        guard let type = knownClass(of: read) else {
            throw DocumentError(
                found: "a class that is not registered",
                expected: "its class's register() at the app's start",
                document: read.attr("name") ?? read.name
            )
        }
        let sources = models(in: read)
        var origins: [XMLNode: XMLNode] = [:]
        for model in models(in: changed) {
            guard let number = model.attr(mark) else { continue }
            model.removeAttr(mark)
            if let number = Int(number), sources.indices.contains(number) { origins[model] = sources[number] }
        }
        let problems = ReadingProblems()
        let document = try type.read(from: changed, collecting: problems)
        document.isFromReport = true
        if type.format.isDataModel { connect(document, origins) } else { document.source = read }
        if !problems.all.isEmpty {
            // A value that was unreadable before stays. A value that was set must be readable, or it would
            // count as removed.
            let known = Set(document.readingProblems.map(\.reason))
            if let error = problems.all.first(where: { !known.contains($0.reason) }) { throw error }
        }
        return document
    }

    /// Gives each object the source that it had.
    private static func connect(_ document: IndivoDocument, _ origins: [XMLNode: XMLNode]) {
        if let element = document.source, let origin = origins[element] { document.source = origin }
        let table = FieldTable(document)
        for related in table.relations.indices.flatMap({ table.documents(of: $0) }) {
            connect(related, origins)
        }
    }

    private static let mark = "was"

    private static func part(_ name: String, of root: XMLNode) throws -> XMLNode {
        guard root.name == "Patch", let part = root.child(named: name)?.children().first else {
            throw DocumentError(root, isNot: "<Patch>", document: "Patch")
        }
        return part
    }

    /// The models in an element and below it, in document order; for nested XML, the root alone.
    private static func models(in element: XMLNode) -> [XMLNode] {
        guard element.name == "Model" else { return [element] }
        return [element] + element.ownChildren(named: "Field").flatMap { $0.relatedModels.flatMap(models) }
    }

    /// The class that is registered for a report's element.
    private static func knownClass(of element: XMLNode) -> IndivoDocument.Type? {
        let type = try? DocumentClasses.type(of: element)
        return type == GenericDocument.self ? nil : type
    }
}
