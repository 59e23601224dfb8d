import IndivoXML

/// Finds what of a document is not as in its source.
final class FlatChanges: FlatVisitor {
    /// The leaves that changed, with their new texts.
    private(set) var leaves: [(leaf: Int, text: String?)] = []
    /// In the order of the layout's relations; all of them, since a related document may have changed inside.
    private(set) var relations: [[IndivoDocument]] = []

    let layout: FlatLayout
    let source: ModelFields
    private let isNew: Bool

    init(_ document: IndivoDocument) throws {
        let layout = Layout.of(type(of: document))
        self.layout = layout.flat
        source = ModelFields(document.source, layout.flat)
        isNew = document.source == nil
        super.init(visiting: document)
        try visit(document, layout)
    }

    override func leaf<Value: LexicalValue>(_ value: Value, at index: Int) throws {
        let old = source.text(of: index)
        if let old, old.withUTF8({ value._isSaid(byUTF8: $0, isField: true) }) { return }
        let text = value.lexical
        if old == nil, text.isEmpty { return }
        if !isNew, layout.leaves[index].isStandIn(text, for: old?.string) { return }
        leaves.append((index, text))
    }

    override func noLeaf(at index: Int) throws {
        guard let old = source.text(of: index), !layout.leaves[index].cannotRead(old.string) else { return }
        leaves.append((index, nil))
    }

    override func relation(_ field: FieldLayout, at index: Int, count: Int) throws { relations.append([]) }

    override func related(_ document: IndivoDocument, at index: Int) throws { relations[index].append(document) }
}
