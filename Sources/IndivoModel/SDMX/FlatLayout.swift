/// A type's fields as a data model has them: compound values flattened into leaves, joined by `_`.
///
/// A class, because every reader and writer holds it.
final class FlatLayout: Sendable {
    /// A leaf, with every name under which a document may hold it, today's first.
    struct Leaf: Sendable {
        let names: [String]
        let property: String
        let type: any LexicalValue.Type
        /// The rules of the leaf itself, not those of the compound around it.
        let rules: [FieldRule]
        /// The text of the value that a property without one has, where its type is no optional.
        let standIn: String?

        var name: String { names[0] }
    }

    /// What a field of the type becomes, in order of declaration.
    enum Entry: Sendable {
        case leaves(FieldLayout, Range<Int>)
        /// With its place among the relations.
        case relation(FieldLayout, Int)
    }

    let leaves: [Leaf]
    let entries: [Entry]
    /// By name, the leaf's index and the name's rank among the leaf's names.
    let leafByName: [String: (leaf: Int, rank: Int)]
    let relationByName: [String: FieldLayout]
    /// What a name in SDMX stands for.
    let fieldByName: NameIndex<Found>

    enum Found: Sendable {
        case leaf(Int, rank: Int)
        case relation(Int, rank: Int)
    }
    /// The relations, in order of declaration.
    let relations: [FieldLayout]
    /// Fields that a data model cannot hold.
    let unsupported: [FieldLayout]

    init(_ fields: [FieldLayout]) {
        var leaves: [Leaf] = []
        var entries: [Entry] = []
        var relations: [FieldLayout] = []
        var relationByName: [String: (index: Int, rank: Int)] = [:]
        var unsupported: [FieldLayout] = []
        for field in fields {
            let names = field.names
            let start = leaves.count
            switch (field.shape.kind, field.shape.isList) {
            case (.leaf(let type), false):
                leaves.append(Leaf(names: names, property: field.property, type: type, rules: field.rules,
                        standIn: field.shape.standIn))
                entries.append(.leaves(field, start..<leaves.count))
            case (.compound(let type), false):
                for part in FlatLayout.of(type).leaves {
                    leaves.append(
                        Leaf(
                            names: names.flatMap { prefix in part.names.map { "\(prefix)_\($0)" } },
                            property: "\(field.property).\(part.property)", type: part.type, rules: part.rules,
                            standIn: part.standIn))
                }
                entries.append(.leaves(field, start..<leaves.count))
            case (.document, _):
                for (rank, name) in names.enumerated() where rank == 0 || relationByName[name] == nil {
                    relationByName[name] = (relations.count, rank)
                }
                entries.append(.relation(field, relations.count))
                relations.append(field)
            case (_, true):
                unsupported.append(field)
            }
        }
        // Today's names first: an older name of one field may be today's of another.
        var byName: [String: (leaf: Int, rank: Int)] = [:]
        for (index, leaf) in leaves.enumerated() { byName[leaf.name] = (index, 0) }
        for (index, leaf) in leaves.enumerated() {
            for (rank, name) in leaf.names.enumerated().dropFirst() where byName[name] == nil {
                byName[name] = (index, rank)
            }
        }
        self.leaves = leaves
        self.entries = entries
        leafByName = byName
        self.relations = relations
        self.relationByName = relationByName.mapValues { [relations] in relations[$0.index] }
        fieldByName = NameIndex(
            relationByName.mapValues { .relation($0.index, rank: $0.rank) }
                .merging(byName.mapValues { .leaf($0.leaf, rank: $0.rank) }) { _, leaf in leaf })
        self.unsupported = unsupported
    }

    private static func of<Value: CompoundValue>(_ type: Value.Type) -> FlatLayout { Layout.of(type).flat }
}

extension FlatLayout.Leaf {
    /// Whether a text is no value of the leaf. It stays where it is until a value takes its place.
    func cannotRead(_ text: String?) -> Bool { text.flatMap { $0.isEmpty ? nil : type.failure(ofField: $0) } != nil }

    /// Whether a value is the one a property has for want of a readable one: the original text, or that there is none,
    /// says more.
    func isStandIn(_ value: String?, for old: String?) -> Bool {
        value == standIn && (value == nil ? cannotRead(old) : old.map { $0.isEmpty || cannotRead($0) } ?? true)
    }

    /// Whether two texts of the leaf mean the same value; `nil` and empty are both none.
    func means(_ a: String?, _ b: String?) -> Bool {
        let (a, b) = (a ?? "", b ?? "")
        if a == b { return true }
        if a.isEmpty || b.isEmpty { return false }
        return type.isSameValue(a, b)
    }
}

extension LexicalValue {
    /// Why a text is no such value.
    static func failure(of text: String) -> LexicalError? {
        do {
            _ = try Self(lexical: text)
            return nil
        } catch {
            return error
        }
    }

    /// Why a text of a data model's field is no such value.
    static func failure(ofField text: String) -> LexicalError? {
        do {
            _ = try fromField(text)
            return nil
        } catch {
            return error
        }
    }

    /// Whether two texts of a data model's field are the same value, perhaps in other spellings.
    fileprivate static func isSameValue(_ a: String, _ b: String) -> Bool {
        guard let a = try? fromField(a), let b = try? fromField(b) else { return false }
        return a == b
    }
}
