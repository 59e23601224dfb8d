/// Goes through a document's leaves and relations in the order of its ``FlatLayout``.
class FlatVisitor: FieldWriter {
    /// The next leaf and the next relation.
    private(set) var nextLeaf = 0
    private var nextRelation = 0
    private var isInItems = false
    private let visited: IndivoDocument

    init(visiting document: IndivoDocument) {
        visited = document
        super.init()
    }

    final func visit(_ document: IndivoDocument, _ layout: Layout) throws {
        try layout.write(from: document.storage, self)
    }

    /// A leaf has a value.
    func leaf<Value: LexicalValue>(_ value: Value, at index: Int) throws {}

    /// A leaf has none.
    func noLeaf(at index: Int) throws {}

    /// A relation begins that has so many documents; ``related(_:at:)`` follows for each.
    func relation(_ field: FieldLayout, at index: Int, count: Int) throws {}

    func related(_ document: IndivoDocument, at index: Int) throws {}

    /// The last of a relation's documents was visited.
    func endRelation(_ field: FieldLayout, at index: Int) throws {}

    override final func leaf<Value: LexicalValue>(_ value: Value, _ field: FieldLayout) throws {
        nextLeaf += 1
        try leaf(value, at: nextLeaf - 1)
    }

    override final func absent(_ field: FieldLayout) throws {
        switch field.shape.kind {
        case .leaf:
            nextLeaf += 1
            try noLeaf(at: nextLeaf - 1)
        case .compound:
            for _ in 0..<(field.inner?.flat.leaves.count ?? 0) {
                nextLeaf += 1
                try noLeaf(at: nextLeaf - 1)
            }
        case .document:
            try relation(field, count: 0) {}
        }
    }

    override final func related(_ document: IndivoDocument, _ field: FieldLayout) throws {
        if isInItems { return try related(document, at: nextRelation - 1) }
        try relation(field, count: 1) { try related(document, at: nextRelation - 1) }
    }

    override final func items(_ count: Int, of field: FieldLayout, _ body: (Int, FieldWriter) throws -> Void) throws {
        guard case .document = field.shape.kind else {
            throw DocumentError(
                .unsupportedField("a data model holds no lists of plain values; make it a list of related documents"),
                document: visited.modelName, property: field.property)
        }
        isInItems = true
        try relation(field, count: count) { for index in 0..<count { try body(index, self) } }
        isInItems = false
    }

    private func relation(_ field: FieldLayout, count: Int, _ body: () throws -> Void) throws {
        nextRelation += 1
        try relation(field, at: nextRelation - 1, count: count)
        try body()
        try endRelation(field, at: nextRelation - 1)
    }
}

/// Collects a document's leaves and its related documents.
final class FlatWriter: FlatVisitor {
    private(set) var leaves: [String?] = []
    /// In the order of the layout's relations.
    private(set) var relations: [[IndivoDocument]] = []

    init(_ document: IndivoDocument) throws {
        let layout = Layout.of(type(of: document))
        leaves.reserveCapacity(layout.flat.leaves.count)
        super.init(visiting: document)
        try visit(document, layout)
    }

    override func leaf<Value: LexicalValue>(_ value: Value, at index: Int) throws { leaves.append(value.lexical) }

    override func noLeaf(at index: Int) throws { leaves.append(nil) }

    override func relation(_ field: FieldLayout, at index: Int, count: Int) throws { relations.append([]) }

    override func related(_ document: IndivoDocument, at index: Int) throws { relations[index].append(document) }
}
