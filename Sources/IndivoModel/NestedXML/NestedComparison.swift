import IndivoXML

/// Finds out whether a document says what its source says, so that nothing has to be written into it.
///
/// When in doubt it says no, and ``NestedWriter`` looks closer.
final class NestedComparison: FieldWriter {
    private struct Level {
        let element: XMLView
        let fields: NestedFields
    }

    private var current: Level
    private var outer: [Level] = []
    private var item: XMLView?
    private var isSame = true

    private init(_ element: XMLView, _ layout: Layout) {
        current = Level(element: element, fields: NestedFields(element, layout))
        super.init()
    }

    /// Whether a document, related ones included, is as in the element it was read from.
    static func isUnchanged(_ document: IndivoDocument) throws -> Bool {
        guard let element = document.source?.view else { return false }
        let layout = Layout.of(type(of: document))
        let comparison = NestedComparison(element, layout)
        try layout.write(from: document.storage, comparison)
        return comparison.isSame
    }

    /// Whether an element is one of a list's values, which `body` writes; a document's source counts for nothing.
    static func isSame(_ element: XMLView, _ body: (FieldWriter) throws -> Void) rethrows -> Bool {
        let comparison = NestedComparison(item: element)
        try body(comparison)
        return comparison.isSame
    }

    private init(item: XMLView) {
        current = Level(element: item, fields: NestedFields())
        self.item = item
        super.init()
    }

    private func element(of field: FieldLayout) -> XMLView? { item ?? current.fields[field] }

    override func leaf<Value: LexicalValue>(_ value: Value, _ field: FieldLayout) throws {
        guard isSame else { return }
        let text: FieldText? =
            switch field.place {
            case .attribute, .key: current.element.attribute(of: field).map { .bytes($0) }
            case .text: current.element.ownFieldText
            case .element: element(of: field).map { .element($0) }
            }
        isSame = text.map { $0.withUTF8 { value._isSaid(byUTF8: $0, isField: false) } } ?? false
    }

    override func absent(_ field: FieldLayout) throws {
        guard isSame else { return }
        switch (field.place, field.shape.kind) {
        case (.attribute, _), (.key, _): isSame = current.element.attribute(of: field)?.isEmpty ?? true
        case (.text, _): isSame = current.element.ownFieldText == nil
        case (.element, .leaf): isSame = current.fields[field].map { !$0.hasText && $0.firstElement == nil } ?? true
        case (.element, _): isSame = current.fields[field] == nil
        }
    }

    override func enter(_ field: FieldLayout, _ layout: Layout) throws {
        outer.append(current)
        guard isSame, let element = element(of: field) else { return isSame = false }
        current = Level(element: element, fields: NestedFields(element, layout))
        item = nil
    }

    override func leave(_ field: FieldLayout) { current = outer.removeLast() }

    override func items(_ count: Int, of field: FieldLayout, _ body: (Int, FieldWriter) throws -> Void) throws {
        var elements: [XMLView] = []
        current.fields.forEach(of: field) { elements.append($0) }
        guard isSame, elements.count == count else { return isSame = false }
        for index in 0..<count where isSame {
            item = elements[index]
            try body(index, self)
        }
        item = nil
    }

    override func related(_ document: IndivoDocument, _ field: FieldLayout) throws {
        guard isSame, let element = element(of: field), document.source?.view == element else { return isSame = false }
        let layout = Layout.of(type(of: document))
        outer.append(current)
        current = Level(element: element, fields: NestedFields(element, layout))
        item = nil
        try layout.write(from: document.storage, self)
        current = outer.removeLast()
    }
}
