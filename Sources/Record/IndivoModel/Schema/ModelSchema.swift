import Synchronization

/// A type's leaves and relations with their names, found by reflection the first time the type is used and
/// kept. Compound values are flattened into leaves; lists and related documents are relations.
final class ModelSchema: Sendable {
    let typeName: String
    /// The name of the data model, of a class of documents; else the type's.
    let modelName: String
    /// The type's own fields.
    let group: FieldGroup
    let leaves: [SchemaLeaf]
    /// The leaves of each compound value.
    let leavesOfGroups: [Range<Int>]
    /// Lists and related documents, in order of declaration.
    let relations: [FieldSchema]
    /// The leaves and relations of a data model.
    let fieldByName: NameIndex

    var fields: [FieldSchema] { group.fields }

    init(typeName: String, modelName: String, _ declared: [DeclaredField]) {
        self.typeName = typeName
        self.modelName = modelName
        var builder = SchemaBuilder()
        group = FieldGroup(declared.map { builder.field($0) })
        leaves = builder.leaves
        leavesOfGroups = builder.groups
        relations = builder.relations
        fieldByName = NameIndex(
            leaves.enumerated().map { ($1.names, .leaf($0)) }
                + relations.enumerated().filter(\.element.isModelRelation).map { ($1.names, .relation($0)) }
        )
    }

    /// What a name stands for in SDMX.
    func field(named name: String) -> NameIndex.Found? { name.withBytes { fieldByName[$0] } }

    /// The relation of this name.
    func relation(named name: String) -> FieldSchema? {
        if case .relation(let index)? = field(named: name)?.target { relations[index] } else { nil }
    }

    private static let known = Mutex<[ObjectIdentifier: ModelSchema]>([:])

    /// The schema of a compound value's type.
    static func of<Value: CompoundValue>(_ type: Value.Type) -> ModelSchema {
        known(ObjectIdentifier(type)) {
            ModelSchema(typeName: "\(type)", modelName: "\(type)", DeclaredField.all(of: type))
        }
    }

    /// The schema of a class of documents.
    static func of(_ type: IndivoDocument.Type) -> ModelSchema {
        known(ObjectIdentifier(type)) {
            ModelSchema(typeName: "\(type)", modelName: type.modelName, DeclaredField.all(of: type))
        }
    }

    /// Made outside the lock. Two tasks may both make it; the first one counts.
    private static func known(_ key: ObjectIdentifier, _ make: () -> ModelSchema) -> ModelSchema {
        if let schema = known.withLock({ $0[key] }) { return schema }
        let schema = make()
        return known.withLock { known in
            let first = known[key] ?? schema
            known[key] = first
            return first
        }
    }

    /// - Throws: ``DocumentError`` when a data model cannot hold one of the fields.
    func checkDataModel() throws {
        guard let field = relations.first(where: { !$0.isModelRelation }) else { return }
        throw DocumentError(
            .unsupportedField(
                "a data model holds no lists of plain values; make it a list of related documents"
            ),
            document: modelName,
            property: field.path
        )
    }
}

/// Flattens declared fields into leaves and relations.
private struct SchemaBuilder {
    var leaves: [SchemaLeaf] = []
    var groups: [Range<Int>] = []
    var relations: [FieldSchema] = []

    mutating func field(_ declared: DeclaredField, within outer: (path: String, names: [String])? = nil)
        -> FieldSchema
    {
        let path = (outer.map { $0.path + "." } ?? "") + declared.property
        let names =
            outer.map { outer in outer.names.flatMap { prefix in declared.names.map { "\(prefix)_\($0)" } } }
            ?? declared.names
        let leaf = leaves.count
        let group = groups.count
        let relation = relations.count
        switch (declared.shape.kind, declared.shape.isList) {
        case (.leaf(let type), false):
            leaves.append(SchemaLeaf(names: names, property: path, type: type, declared: declared))
            return FieldSchema(
                declared,
                path: path,
                .leaf(leaf),
                leaves: leaf..<leaf + 1,
                relations: relation..<relation
            )
        case (.compound(let type), false):
            groups.append(leaf..<leaf)
            let inner = FieldGroup(DeclaredField.all(of: type).map { field($0, within: (path, names)) })
            groups[group] = leaf..<leaves.count
            return FieldSchema(
                declared,
                path: path,
                .group(group),
                leaves: groups[group],
                relations: relation..<relations.count,
                inner: inner
            )
        case (.document, _), (_, true):
            let field = FieldSchema(
                declared,
                path: path,
                .relation(relation),
                leaves: leaf..<leaf,
                relations: relation..<relation + 1
            )
            relations.append(field)
            return field
        }
    }
}

/// A leaf of a model, with every name under which a data model's document may hold it, today's first.
struct SchemaLeaf: Sendable {
    let names: [String]
    /// The property's path, such as `drugName.title`.
    let property: String
    let type: any LexicalValue.Type
    /// The leaf itself, not the compound around it.
    fileprivate let declared: DeclaredField

    var name: String { names[0] }
    var rules: [FieldRule] { declared.rules }
    /// Whether nested XML has it in the text of the element itself.
    var isOwnText: Bool { declared.place == .text }
}
