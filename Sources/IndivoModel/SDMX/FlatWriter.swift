/// Collects a document's leaves in the order of its ``FlatLayout``, and its related documents.
final class FlatWriter: FieldWriter {
    private(set) var leaves: [String?] = []
    /// By the name of the relation.
    private(set) var relations: [String: [IndivoDocument]] = [:]
    private let documentName: String

    init(_ document: IndivoDocument) throws {
        documentName = document.modelName
        super.init()
        try Layout.of(type(of: document)).write(from: document.storage, self)
    }

    override func leaf<Value: LexicalValue>(_ value: Value, _ field: FieldLayout) throws {
        leaves.append(value.lexical)
    }

    override func related(_ document: IndivoDocument, _ field: FieldLayout) throws {
        relations[field.name, default: []].append(document)
    }

    override func absent(_ field: FieldLayout) throws {
        switch field.shape.kind {
        case .leaf: leaves.append(nil)
        case .compound(let type): leaves += Array(repeating: nil, count: leafCount(type))
        case .document: break
        }
    }

    private func leafCount<Value: CompoundValue>(_ type: Value.Type) -> Int { Layout.of(type).flat.leaves.count }

    override func items(_ count: Int, of field: FieldLayout, _ body: (Int) throws -> Void) throws {
        guard case .document = field.shape.kind else {
            throw DocumentError(
                .unsupportedField("a data model holds no lists of plain values; make it a list of related documents"),
                document: documentName, property: field.property)
        }
        for index in 0..<count { try body(index) }
    }
}
