import IndivoXML

/// What of a document or value is not as in its source: the difference of two tables of one schema.
struct TableChanges {
    /// The source's table.
    let old: FieldTable
    /// That of the object: cells that say the same as the source's are the source's.
    let new: FieldTable
    /// The leaves that changed.
    let leaves: [Int]
    /// The compound values that are new or gone.
    let groups: [Int]

    var areNone: Bool { leaves.isEmpty && groups.isEmpty }

    /// What changed in an object since it was read.
    /// - Parameters:
    ///   - old: The table of the source.
    ///   - isNew: Whether that is only what an empty object would be.
    init(_ document: IndivoDocument, since old: FieldTable, isNew: Bool = false) {
        let writer = TableWriter(over: old, isNew: isNew)
        writer.write(document)
        self.old = old
        new = writer.table
        leaves = writer.leaves
        groups = writer.groups
    }

    /// The edits that make one table of another.
    init(_ table: FieldTable, since old: FieldTable, isNew: Bool = false) {
        self.old = old
        var (new, leaves) = (old, [Int]())
        for (index, leaf) in table.schema.leaves.enumerated() {
            let (text, former) = (table.string(of: index), old.string(of: index))
            if let text {
                if leaf.isSameText(text, former, table.format) { continue }
                if !isNew, leaf.isDefault(text, for: former, isField: table.format == .dataModel) { continue }
                new.set(text, at: index)
            } else {
                guard let former, !former.isEmpty, !old.isUnreadable(index) else { continue }
                new.leaves[index].text = .absent
            }
            leaves.append(index)
        }
        groups = new.groups.indices.filter { table.groups[$0].isPresent != old.groups[$0].isPresent }
        for index in groups { new.groups[index].text = table.groups[index].text }
        for index in new.relations.indices { new.relations[index].items = table.relations[index].items }
        self.new = new
        self.leaves = leaves
    }
}

extension SchemaLeaf {
    /// Whether two texts say the same. What is not there and what is empty are not the same.
    func isSameText(_ a: String?, _ b: String?, _ format: TableFormat) -> Bool {
        if a == b { return true }
        guard let a, let b, !a.isEmpty, !b.isEmpty else { return false }
        return type.isSameValue(a, b, isField: format == .dataModel)
    }
}

// MARK: Comparing

extension FieldTable {
    /// Whether two tables of one schema hold the same values, whatever their spelling.
    func hasSameContent(as other: FieldTable) -> Bool {
        groups.indices.allSatisfy { groups[$0].isPresent == other.groups[$0].isPresent }
            && leaves.indices.allSatisfy { hasSameLeaf($0, as: other) }
            && relations.indices.allSatisfy { hasSameItems($0, as: other) }
    }

    /// Whether two tables of one schema hold the same in one field.
    func hasSameContent(as other: FieldTable, in field: FieldSchema) -> Bool {
        (field.group.map { groups[$0].isPresent == other.groups[$0].isPresent } ?? true)
            && field.leaves.allSatisfy { hasSameLeaf($0, as: other) }
            && field.relations.allSatisfy { hasSameItems($0, as: other) }
    }

    private func hasSameLeaf(_ index: Int, as other: FieldTable) -> Bool {
        schema.leaves[index].isSameText(string(of: index), other.string(of: index), format)
    }

    private func hasSameItems(_ relation: Int, as other: FieldTable) -> Bool {
        let (a, b) = (relations[relation].items, other.relations[relation].items)
        return a.count == b.count && zip(a, b).allSatisfy { $0.hasSameContent(as: $1, schema.relations[relation], format) }
    }
}

extension TableItem {
    /// Whether both values of a list of objects are the same.
    func hasSameContent(as other: TableItem, _ field: FieldSchema, _ format: TableFormat) -> Bool {
        switch (content, other.content) {
        case (.text(let a), .text(let b)):
            guard case .leaf(let type) = field.shape.kind else { return false }
            return a == b || type.isSameValue(a, b, isField: format == .dataModel)
        case (.value(let a), .value(let b)): return a.hasSameContent(as: b)
        case (.document(let a), .document(let b)): return a.hasSameContent(as: b)
        default: return false
        }
    }
}
