import IndivoXML

/// Reads nested XML: a field is a child element, an attribute or the element's own text.
final class NestedReader: FieldReader {
    private var stack: [XMLNode]
    private var item: XMLNode?

    init(_ element: XMLNode, documentName: String, problems: ReadingProblems?) {
        stack = [element]
        super.init(documentName: documentName, problems: problems)
    }

    private var current: XMLNode { stack[stack.count - 1] }

    override func text(of field: FieldLayout) throws -> FieldText? {
        let text =
            switch field.place {
            case .attribute, .key: current.attribute(of: field)
            case .text: current.text()
            case .element: (item ?? current.child(of: field))?.text()
            }
        // An empty attribute or element means "none".
        guard let text, !text.isEmpty else { return nil }
        return .string(text)
    }

    override func isPresent(_ field: FieldLayout) -> Bool {
        switch field.place {
        case .attribute, .key: current.attribute(of: field) != nil
        case .text: true
        case .element: current.child(of: field) != nil
        }
    }

    override func enter(_ field: FieldLayout, _ layout: Layout) throws -> Bool {
        guard let element = item ?? current.child(of: field) else { return false }
        stack.append(element)
        item = nil
        enterPath(field)
        return true
    }

    override func leave(_ field: FieldLayout) {
        stack.removeLast()
        super.leave(field)
    }

    override func eachItem(of field: FieldLayout, _ body: () throws -> Void) throws {
        for element in current.children(of: field) {
            item = element
            try body()
        }
        item = nil
    }

    override func related(_ field: FieldLayout, _ type: IndivoDocument.Type) throws -> IndivoDocument? {
        guard let element = item ?? current.child(of: field) else { return nil }
        let document = type.init()
        try document.readNested(element, root: nil, namespace: nil, collecting: problems)
        return document
    }

    override func line(of field: FieldLayout) -> Int? {
        field.place == .element ? (item ?? current.child(of: field))?.line ?? current.line : current.line
    }
}

extension XMLNode {
    /// The elements that hold a field, under its name or, where there is none, an older one.
    func children(of field: FieldLayout) -> [XMLNode] {
        for name in [field.name] + field.formerly {
            let found = Array(children(named: name))
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
        let name = "\(type(of: self))"
        guard root == nil || (element.kind == .element && element.name == root && element.namespace == namespace) else {
            throw DocumentError(
                .notADocument(
                    found: SDMX.describe(element) + (element.namespace.map { " in \($0)" } ?? ""),
                    expected: "<\(root ?? "")>" + (namespace.map { " in \($0)" } ?? "")),
                document: name, line: element.line)
        }
        try Layout.of(type(of: self)).read(
            into: storage, NestedReader(element, documentName: name, problems: problems))
        source = element
    }
}
