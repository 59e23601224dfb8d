import IndivoXML

/// Reads nested XML: a field is a child element, an attribute or the element's own text.
final class NestedReader: FieldReader {
    /// An element being read, and its children.
    private struct Level {
        var element: XMLView
        var fields: NestedFields
    }

    /// Keeps the elements there.
    private let node: XMLNode
    private let layout: Layout

    // Unchecked, since checking would take a tenth of the time that reading takes: every access to these ends before
    // anybody is called who could come back.

    @exclusivity(unchecked) private var current: Level
    @exclusivity(unchecked) private var item: XMLView?
    private var outer: [Level] = []
    /// Reads the related documents, one after the other.
    private var inner: (type: IndivoDocument.Type, reader: NestedReader)?

    init?(_ node: XMLNode, _ layout: Layout, documentName: String, problems: ReadingProblems?) {
        guard let element = node.view else { return nil }
        self.node = node
        self.layout = layout
        current = Level(element: element, fields: NestedFields(element, layout))
        super.init(documentName: documentName, problems: problems)
    }

    /// Goes on to another element of the same tree, which holds a document of the same class.
    private func goOn(to element: XMLView) {
        if let outermost = outer.first { current = outermost }
        outer.removeAll()
        item = nil
        leaveAll()
        current.element = element
        current.fields.look(into: element, layout)
    }

    /// The reader of a related document.
    private func reader(of element: XMLView, _ type: IndivoDocument.Type) -> NestedReader? {
        if let inner, inner.type == type {
            inner.reader.goOn(to: element)
            return inner.reader
        }
        let layout = Layout.of(type)
        let made = NestedReader(element.node, layout, documentName: layout.typeName, problems: problems)
        inner = made.map { (type, $0) }
        return made
    }

    private func element(of field: FieldLayout) -> XMLView? { item ?? current.fields[field] }

    override func text(of field: FieldLayout) throws -> FieldText? {
        switch field.place {
        case .attribute, .key:
            // An empty attribute or element means "none".
            current.element.attribute(of: field).flatMap { $0.isEmpty ? nil : .bytes($0) }
        case .text: current.element.ownFieldText
        case .element: element(of: field).flatMap(Self.text)
        }
    }

    private static func text(in element: XMLView) -> FieldText? {
        guard let bytes = element.onlyText else { return element.hasText ? .element(element) : nil }
        return bytes.isEmpty ? nil : .bytes(bytes)
    }

    override func isPresent(_ field: FieldLayout) -> Bool {
        switch field.place {
        case .attribute, .key: current.element.attribute(of: field) != nil
        case .text: true
        case .element: current.fields[field] != nil
        }
    }

    override func enter(_ field: FieldLayout, _ layout: Layout) throws -> Bool {
        guard let element = element(of: field) else { return false }
        outer.append(current)
        current = Level(element: element, fields: NestedFields(element, layout))
        item = nil
        enterPath(field)
        return true
    }

    override func leave(_ field: FieldLayout) {
        current = outer.removeLast()
        super.leave(field)
    }

    override func eachItem(of field: FieldLayout, _ body: () throws -> Void) throws {
        let fields = current.fields
        try fields.forEach(of: field) { element in
            item = element
            try body()
        }
        item = nil
    }

    override func related(_ field: FieldLayout, _ type: IndivoDocument.Type) throws -> IndivoDocument? {
        guard let element = element(of: field) else { return nil }
        guard let reader = reader(of: element, type) else { return nil }
        let document = type.init()
        try reader.layout.read(into: document.storage, reader)
        document.source = element.node
        return document
    }

    override func line(of field: FieldLayout) -> Int? {
        let element = field.place == .element ? element(of: field) : nil
        return (element ?? current.element).node.line
    }
}

extension XMLNode {
    /// The elements that hold a field, under its name or, where there is none, an older one.
    func children(of field: FieldLayout) -> [XMLNode] {
        for name in field.names {
            let found = ownChildren(named: name)
            if !found.isEmpty { return found }
        }
        return []
    }

    func child(of field: FieldLayout) -> XMLNode? { children(of: field).first }

    func attribute(of field: FieldLayout) -> String? {
        attr(field.name) ?? field.formerly.lazy.compactMap { self.attr($0) }.first
    }
}

extension IndivoDocument {
    /// Fills the document from its element and keeps the element.
    final func readNested(
        _ element: XMLNode, root: String?, namespace: String?, collecting problems: ReadingProblems?
    ) throws {
        let layout = Layout.of(type(of: self))
        guard root == nil || (element.kind == .element && element.name == root && element.namespace == namespace) else {
            throw DocumentError(
                .notADocument(
                    found: SDMX.describe(element) + (element.namespace.map { " in \($0)" } ?? ""),
                    expected: "<\(root ?? "")>" + (namespace.map { " in \($0)" } ?? "")),
                document: layout.typeName, line: element.line)
        }
        if let reader = NestedReader(element, layout, documentName: layout.typeName, problems: problems) {
            try layout.read(into: storage, reader)
        }
        source = element
    }
}
