import Synchronization

/// A type's leaves and relations with their names, found by reflection the first time the type is used and kept.
/// Compound values are flattened into leaves; lists and related documents are relations.
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
    /// The leaves of each compound value.
    let leavesOfGroups: [Range<Int>]
    /// Lists and related documents, in order of declaration.
    let relations: [FieldSchema]
    /// Fields that a data model cannot hold.
    let unsupported: [FieldSchema]
    /// The leaves and relations of a data model.
    let fieldByName: NameIndex<Found>

    var fields: [FieldSchema] { group.fields }

    init(typeName: String, modelName: String, _ declared: [DeclaredField]) {
        self.typeName = typeName
        self.modelName = modelName
        var builder = SchemaBuilder()
        group = builder.group(declared, within: nil)
        leaves = builder.leaves
        leavesOfGroups = builder.groups
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
        var relationNames: [String: (index: Int, rank: Int)] = [:]
        for (index, field) in relations.enumerated() where field.isModelRelation {
            for (rank, name) in field.names.enumerated() where rank == 0 || relationNames[name] == nil {
                relationNames[name] = (index, rank)
            }
        }
        fieldByName = NameIndex(
            relationNames.mapValues { .relation($0.index, rank: $0.rank) }
                .merging(byName.mapValues { .leaf($0.leaf, rank: $0.rank) }) { _, leaf in leaf })
    }

    /// What a name stands for in SDMX.
    func field(named name: String) -> Found? { name.withBytes { fieldByName[$0] } }

    /// The relation of this name.
    func relation(named name: String) -> FieldSchema? {
        if case .relation(let index, _)? = field(named: name) { relations[index] } else { nil }
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
                declared, path: path, index: index, leaves: leaves, group: group, relations: relations, inner: inner)
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

/// A leaf of a model, with every name under which a data model's document may hold it, today's first.
struct SchemaLeaf: Sendable {
    let names: [String]
    /// The property's path, such as `drugName.title`.
    let property: String
    let type: any LexicalValue.Type
    /// The rules of the leaf itself, not those of the compound around it.
    let rules: [FieldRule]
    /// The text of the value that a property without one has, where its type is no optional.
    let defaultText: String?
    /// Whether nested XML has it in the text of the element itself.
    let isOwnText: Bool

    var name: String { names[0] }

    /// Whether a text is no value of the leaf. It stays where it is until a value replaces it.
    func cannotRead(_ text: String, isField: Bool) -> Bool {
        !text.isEmpty && type.failure(of: text, isField: isField) != nil
    }

    /// Whether a value is only the one a property has for want of a readable one: the original text, or that there is
    /// none, says more.
    func isDefault(_ value: String, for old: String?, isField: Bool) -> Bool {
        value == defaultText && (old.map { $0.isEmpty || cannotRead($0, isField: isField) } ?? true)
    }

    /// Whether two texts of a data model's leaf mean the same value; `nil` and empty are both none.
    func means(_ a: String?, _ b: String?) -> Bool {
        let (a, b) = (a ?? "", b ?? "")
        if a == b { return true }
        return !a.isEmpty && !b.isEmpty && type.isSameValue(a, b, isField: true)
    }
}
