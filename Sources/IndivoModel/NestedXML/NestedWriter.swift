import IndivoXML

/// Writes nested XML into an element, touching only what changed.
///
/// Elements that are new go behind the field before them, since the server's schemas fix the order.
final class NestedWriter: FieldWriter {
    /// An element that is written into, and the last of its children that a field was written to.
    private struct Level {
        let element: XMLNode
        var last: XMLNode?
    }

    private var levels: [Level]
    private var item: XMLNode?

    init(_ element: XMLNode) {
        levels = [Level(element: element)]
        super.init()
    }

    private var current: XMLNode { levels[levels.count - 1].element }

    override func leaf<Value: LexicalValue>(_ value: Value, _ field: FieldLayout) throws {
        switch field.place {
        case .attribute:
            let name = current.attr(field.name) == nil ? field.formerly.first { current.attr($0) != nil } : nil
            if !isSame(current.attribute(of: field), value) { current.attr(name ?? field.name, value.lexical) }
        case .text:
            if !isSame(current.text(), value) { current.text(value.lexical) }
        case .element:
            let element = holder(of: field)
            if !isSame(element.text(), value) { element.text(value.lexical) }
        }
    }

    private func isSame<Value: LexicalValue>(_ text: String?, _ value: Value) -> Bool {
        guard let text else { return false }
        return text == value.lexical || (!text.isEmpty && (try? Value(lexical: text)) == value)
    }

    override func absent(_ field: FieldLayout) throws {
        switch field.place {
        case .attribute:
            // An empty attribute already says "none".
            for name in [field.name] + field.formerly {
                guard let text = current.attr(name), !text.isEmpty, !field.cannotRead(text) else { continue }
                current.attr(name, nil)
            }
        case .text:
            break
        case .element:
            for element in current.children(of: field) {
                if (element.text().isEmpty && element.children().isEmpty) || field.cannotRead(element.text()) {
                    levels[levels.count - 1].last = element
                } else {
                    element.remove()
                }
            }
        }
    }

    override func items(_ count: Int, of field: FieldLayout, _ body: (Int) throws -> Void) throws {
        let present = current.children(of: field).filter { !field.cannotRead($0.text()) }
        for index in 0..<count {
            item = index < present.count ? present[index] : insertElement(field)
            levels[levels.count - 1].last = item
            try body(index)
        }
        item = nil
        for extra in present.dropFirst(count) { extra.remove() }
    }

    override func enter(_ field: FieldLayout, _ layout: Layout) throws {
        let element = holder(of: field)
        item = nil
        levels.append(Level(element: element))
    }

    override func leave(_ field: FieldLayout) { levels.removeLast() }

    override func related(_ document: IndivoDocument, _ field: FieldLayout) throws {
        let element = holder(of: field)
        item = nil
        try Layout.of(type(of: document)).write(from: document.storage, NestedWriter(element))
    }

    private func holder(of field: FieldLayout) -> XMLNode {
        let element = item ?? current.child(of: field) ?? insertElement(field)
        levels[levels.count - 1].last = element
        return element
    }

    private func insertElement(_ field: FieldLayout) -> XMLNode {
        let element = XMLNode(field.name, namespace: current.namespace)
        if let last = levels[levels.count - 1].last { last.after(element) } else { current.prepend(element) }
        return element
    }
}

extension FieldLayout {
    /// Whether a text is no value of the leaf that this field is. It stays where it is until a value takes its place.
    fileprivate func cannotRead(_ text: String) -> Bool {
        guard case .leaf(let type) = shape.kind, !text.isEmpty else { return false }
        return (try? type.init(lexical: text)) == nil
    }
}

extension IndivoDocument {
    /// The document as nested XML, in a tree of its own.
    final func nestedXML(root: String, namespace: String?) throws -> XMLNode {
        let element: XMLNode
        if let source, let copy = source.document.clone().root, source == source.document.root {
            element = copy
        } else {
            element = source?.clone() ?? XMLNode(root, namespace: namespace)
        }
        try Layout.of(type(of: self)).write(from: storage, NestedWriter(element))
        return element
    }
}
