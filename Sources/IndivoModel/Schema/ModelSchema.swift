import Synchronization

/// A type's leaves and relations with their names, found by reflection the first time the type is used and kept.
///
/// A model is a table: compound values are flattened into leaves, and lists and related documents are relations.
final class ModelSchema: Sendable {
    /// What a name in SDMX stands for, and the name's rank among those of the leaf or relation.
    enum Found: Sendable {
        case leaf(Int, rank: Int)
        case relation(Int, rank: Int)
    }

    let typeName: String
    /// The name of the data model, of a class of documents; else the type's.
    let modelName: String
    /// The type's own fields.
    let group: FieldGroup
    let leaves: [SchemaLeaf]
    /// How many compound values there are.
    let groupCount: Int
    /// The leaves of each compound value.
    let leavesOfGroups: [Range<Int>]
    /// Lists and related documents, in order of declaration.
    let relations: [FieldSchema]
    /// Fields that a data model cannot hold.
    let unsupported: [FieldSchema]
    /// By name, the leaf's index and the name's rank among the leaf's names.
    let leafByName: [String: (leaf: Int, rank: Int)]
    /// The relations of a data model.
    let relationByName: [String: FieldSchema]
    let fieldByName: NameIndex<Found>

    var fields: [FieldSchema] { group.fields }

    init(typeName: String, modelName: String, _ declared: [DeclaredField]) {
        self.typeName = typeName
        self.modelName = modelName
        var builder = SchemaBuilder()
        group = builder.group(declared, within: nil)
        leaves = builder.leaves
        leavesOfGroups = builder.groups
        groupCount = builder.groups.count
        relations = builder.relations
        unsupported = builder.unsupported

        // Today's names first: an older name of one field may be today's of another.
        var byName: [String: (leaf: Int, rank: Int)] = [:]
        for (index, leaf) in leaves.enumerated() { byName[leaf.name] = (index, 0) }
        for (index, leaf) in leaves.enumerated() {
            for (rank, name) in leaf.names.enumerated().dropFirst() where byName[name] == nil {
                byName[name] = (index, rank)
            }
        }
        leafByName = byName
        var relationNames: [String: (index: Int, rank: Int)] = [:]
        for (index, field) in relations.enumerated() where field.isModelRelation {
            for (rank, name) in field.names.enumerated() where rank == 0 || relationNames[name] == nil {
                relationNames[name] = (index, rank)
            }
        }
        relationByName = relationNames.mapValues { [relations] in relations[$0.index] }
        fieldByName = NameIndex(
            relationNames.mapValues { .relation($0.index, rank: $0.rank) }
                .merging(byName.mapValues { .leaf($0.leaf, rank: $0.rank) }) { _, leaf in leaf })
    }

    // MARK: Found once

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
            if let first = known[key] { return first }
            known[key] = schema
            return schema
        }
    }
}

extension FieldSchema {
    /// Whether a data model can hold the relation: related documents of the model itself.
    fileprivate var isModelRelation: Bool {
        if case .document = shape.kind { path == property } else { false }
    }
}

/// Flattens declared fields into leaves and relations.
private struct SchemaBuilder {
    var leaves: [SchemaLeaf] = []
    var groups: [Range<Int>] = []
    var relations: [FieldSchema] = []
    var unsupported: [FieldSchema] = []

    mutating func group(_ declared: [DeclaredField], within outer: (path: String, names: [String])?) -> FieldGroup {
        FieldGroup(declared.enumerated().map { index, field in self.field(field, at: index, within: outer) })
    }

    private mutating func field(
        _ declared: DeclaredField, at index: Int, within outer: (path: String, names: [String])?
    ) -> FieldSchema {
        let path = (outer.map { $0.path + "." } ?? "") + declared.property
        let names = outer.map { outer in outer.names.flatMap { prefix in declared.names.map { "\(prefix)_\($0)" } } }
            ?? declared.names
        let (firstLeaf, firstRelation) = (leaves.count, relations.count)
        func schema(_ leaves: Range<Int>, _ relations: Range<Int>, group: Int? = nil, inner: FieldGroup? = nil) -> FieldSchema {
            FieldSchema(
                declared, path: path, index: index, leaves: leaves, group: group, relations: relations, inner: inner,
                isKeyed: declared.isKeyed)
        }
        switch (declared.shape.kind, declared.shape.isList) {
        case (.leaf(let type), false):
            leaves.append(
                SchemaLeaf(
                    names: names, property: path, type: type, rules: declared.rules, defaultText: declared.shape.defaultText,
                    isOwnText: declared.place == .text))
            return schema(firstLeaf..<firstLeaf + 1, firstRelation..<firstRelation)
        case (.compound(let type), false):
            let number = groups.count
            groups.append(firstLeaf..<firstLeaf)
            let inner = group(DeclaredField.all(of: type), within: (path, names))
            groups[number] = firstLeaf..<leaves.count
            return schema(groups[number], firstRelation..<relations.count, group: number, inner: inner)
        case (.document, _), (_, true):
            let field = schema(firstLeaf..<firstLeaf, firstRelation..<firstRelation + 1)
            relations.append(field)
            if !field.isModelRelation { unsupported.append(field) }
            return field
        }
    }
}
