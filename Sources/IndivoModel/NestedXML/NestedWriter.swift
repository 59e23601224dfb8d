import IndivoXML

/// Writes nested XML into an element, touching only what changed.
///
/// Elements that are new go behind the field before them, since the server's schemas fix the order.
final class NestedWriter: FieldWriter {
    /// An element that is written into, and the last of its children that a field was written to.
    private struct Level {
        let element: XMLNode
        /// What the element is a copy of.
        let original: XMLNode?
        /// Whether the writer made the element.
        let isNew: Bool
        var last: XMLNode?
    }

    private var levels: [Level]
    private var item: XMLNode?
    private var itemOriginal: XMLNode?
    /// Whether the element that ``holder(of:)`` or ``items(_:of:_:)`` last gave was made for it.
    private var isNewHolder = false

    /// - Parameters:
    ///   - element: Is written into.
    ///   - original: What it is a copy of; `nil` for a new element.
    init(_ element: XMLNode, original: XMLNode?) {
        levels = [Level(element: element, original: original, isNew: original == nil)]
        super.init()
    }

    private var current: XMLNode { levels[levels.count - 1].element }

    override func leaf<Value: LexicalValue>(_ value: Value, _ field: FieldLayout) throws {
        switch field.place {
        case .attribute, .key:
            let old = current.attribute(of: field)
            if isSame(old, value) || keepsOriginal(old, field, value) { return }
            let name = current.attr(field.name) == nil ? field.formerly.first { current.attr($0) != nil } : nil
            current.attr(name ?? field.name, value.lexical)
        case .text:
            let old = current.ownText
            if !isSame(old, value), !keepsOriginal(old, field, value) { current.setOwnText(value.lexical) }
        case .element:
            if item == nil, keepsOriginal(current.child(of: field)?.text(), field, value) {
                if let element = current.child(of: field) { levels[levels.count - 1].last = element }
                return
            }
            let element = holder(of: field)
            if !isSame(element.text(), value) { element.text(value.lexical) }
        }
    }

    /// Whether a value that must be there is only the stand-in for an original that could not be read.
    private func keepsOriginal<Value: LexicalValue>(_ old: String?, _ field: FieldLayout, _ value: Value) -> Bool {
        guard !levels[levels.count - 1].isNew, value.lexical == field.shape.standIn else { return false }
        return old.map { $0.isEmpty || field.cannotRead($0) } ?? true
    }

    private func isSame<Value: LexicalValue>(_ text: String?, _ value: Value) -> Bool {
        guard let text else { return false }
        return text == value.lexical || (!text.isEmpty && (try? Value(lexical: text)) == value)
    }

    override func absent(_ field: FieldLayout) throws {
        switch field.place {
        case .attribute, .key:
            // An empty attribute already says "none".
            for name in field.names {
                guard let text = current.attr(name), !text.isEmpty, !field.cannotRead(text) else { continue }
                current.attr(name, nil)
            }
        case .text:
            let text = current.ownText
            if !text.isEmpty, !field.cannotRead(text) { current.setOwnText("") }
        case .element:
            // Under all names: one that is left would be read the next time.
            for element in field.names.flatMap({ current.ownChildren(named: $0) }) {
                if field.hasNone(in: element) {
                    levels[levels.count - 1].last = element
                } else {
                    element.remove()
                }
            }
        }
    }

    override func items(
        _ count: Int, of field: FieldLayout, _ body: (Int, FieldWriter) throws -> Void
    ) throws {
        let present = current.children(of: field).filter { field.canRead($0) }
        let originals = levels[levels.count - 1].original?.children(of: field).filter { field.canRead($0) } ?? []
        let places = try NestedListMatch.places(
            of: count, among: present, originals: originals.count == present.count ? originals : nil, field, body)
        var furthest = -1
        for index in 0..<count {
            if let place = places[index] {
                // An element that comes later in the list than it did goes behind the one before it.
                if place < furthest, let last = levels[levels.count - 1].last { last.after(present[place]) }
                furthest = max(furthest, place)
                (item, isNewHolder) = (present[place], false)
                itemOriginal = originals.count == present.count ? originals[place] : nil
            } else {
                (item, isNewHolder, itemOriginal) = (insertElement(field), true, nil)
            }
            levels[levels.count - 1].last = item
            try body(index, self)
        }
        (item, itemOriginal) = (nil, nil)
        let kept = Set(places.compactMap { $0 })
        for (place, element) in present.enumerated() where !kept.contains(place) { element.remove() }
    }

    override func enter(_ field: FieldLayout, _ layout: Layout) throws {
        let isItem = item != nil
        let element = holder(of: field)
        let original = isItem ? itemOriginal : levels[levels.count - 1].original?.child(of: field)
        (item, itemOriginal) = (nil, nil)
        levels.append(Level(element: element, original: isNewHolder ? nil : original, isNew: isNewHolder))
    }

    override func leave(_ field: FieldLayout) { levels.removeLast() }

    override func related(_ document: IndivoDocument, _ field: FieldLayout) throws {
        var element = holder(of: field)
        (item, itemOriginal) = (nil, nil)
        if isNewHolder, let source = document.source, source.name == element.name {
            // A document that was read elsewhere brings along what its class does not know.
            let copy = source.clone()
            element.replace(with: copy)
            element = copy
            levels[levels.count - 1].last = copy
        }
        try Layout.of(type(of: document)).write(
            from: document.storage, NestedWriter(element, original: document.source))
    }

    private func holder(of field: FieldLayout) -> XMLNode {
        let present = item ?? current.child(of: field)
        if item == nil { isNewHolder = present == nil }
        let element = present ?? insertElement(field)
        levels[levels.count - 1].last = element
        return element
    }

    private func insertElement(_ field: FieldLayout) -> XMLNode {
        let element = XMLNode(field.name, namespace: current.namespace)
        if let last = levels[levels.count - 1].last { last.after(element) } else { current.prepend(element) }
        return element
    }
}

extension XMLNode {
    fileprivate var ownText: String { view?.ownText() ?? "" }

    /// Changes the element's own text and leaves the elements in it where they are.
    fileprivate func setOwnText(_ text: String) {
        let pieces = Array(contents().filter { $0.kind == .text || $0.kind == .cdata })
        if let first = pieces.first, !text.isEmpty {
            first.replace(with: .text(text))
        } else if !text.isEmpty {
            prepend(.text(text))
        }
        for piece in pieces.dropFirst(text.isEmpty ? 0 : 1) { piece.remove() }
    }
}

extension FieldLayout {
    /// Whether a text is no value of the leaf that this field is. It stays where it is until a value takes its place.
    fileprivate func cannotRead(_ text: String) -> Bool {
        guard case .leaf(let type) = shape.kind, !text.isEmpty else { return false }
        return type.failure(of: text) != nil
    }

    /// Whether an element that is there reads as no value: an empty leaf, or one that cannot be read.
    fileprivate func hasNone(in element: XMLNode) -> Bool {
        guard case .leaf = shape.kind else { return false }
        let text = element.text()
        return (text.isEmpty && element.children().isEmpty) || cannotRead(text)
    }

    /// Whether an element of a list gives the list a value.
    fileprivate func canRead(_ element: XMLNode) -> Bool {
        guard case .leaf = shape.kind else { return true }
        let text = element.text()
        return !text.isEmpty && !cannotRead(text)
    }
}

extension IndivoDocument {
    /// The document as nested XML, in a tree of its own.
    final func nestedXML(root: String, namespace: String?) throws -> XMLNode {
        let layout = Layout.of(type(of: self))
        if source == nil,
            let new = try NestedAssembler.assemble(root, namespace: namespace, { try layout.write(from: storage, $0) })
        {
            return new
        }
        let element = source?.cloneInDocument() ?? XMLNode(root, namespace: namespace)
        if try NestedComparison.isUnchanged(self) { return element }
        try layout.write(from: storage, NestedWriter(element, original: source))
        return element
    }
}
