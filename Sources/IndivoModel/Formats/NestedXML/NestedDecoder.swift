import IndivoXML

/// Reads elements of nested XML: a field is a child element, an attribute or the element's own text.
struct NestedDecoder {
    private enum Found: BitwiseCopyable { case unknown, nothing, field(FieldGroup.Target, rank: Int32) }

    /// What each name of the tree stands for in the schema's own group, by the name's number, once it was looked up.
    private var known: [Found] = []
    private var outerName: UInt32?

    mutating func decode(_ element: XMLView, into table: inout FieldTable) {
        // What is foreign depends on the element around it.
        if element.nameNumber != outerName { known.removeAll() }
        outerName = element.nameNumber
        let group = table.schema.group
        var next = element.firstElement
        while let child = next {
            if case .field(let target, let rank) = meaning(of: child, in: element, group) {
                Self.add(child, target, rank, to: &table)
            }
            next = child.nextElement
        }
        if !group.otherPlaces.isEmpty { Self.addOtherPlaces(of: element, group, to: &table) }
        if !table.schema.relations.isEmpty || !table.groups.isEmpty { Self.finish(element, group, &table) }
    }

    private mutating func meaning(of child: XMLView, in element: XMLView, _ group: FieldGroup) -> Found {
        let name = Int(child.nameNumber)
        if name < known.count {
            if case .unknown = known[name] {} else { return known[name] }
        } else {
            known.append(contentsOf: repeatElement(.unknown, count: name + 1 - known.count))
        }
        known[name] = Self.lookUp(child, in: element, group).map { .field($0, rank: $1) } ?? .nothing
        return known[name]
    }

    private static func lookUp(
        _ child: XMLView, in element: XMLView, _ group: FieldGroup
    ) -> (target: FieldGroup.Target, rank: Int32)? {
        guard let found = group.elements[child.localName], !child.isForeign(in: element) else { return nil }
        return (group.targets[found.field], Int32(found.rank))
    }

    /// The first element that holds a field counts: by today's name or, where there is none, an older one.
    @inline(__always)
    private static func add(_ child: XMLView, _ target: FieldGroup.Target, _ rank: Int32, to table: inout FieldTable) {
        switch target {
        case .leaf(let index):
            guard table.leaves[index].origin == nil || rank < table.leaves[index].rank else { return }
            table.leaves[index] = FieldTable.Cell(text: child.cellText, origin: child, rank: rank)
        case .group(let index):
            guard table.groups[index].origin == nil || rank < table.groups[index].rank else { return }
            table.groups[index] = FieldTable.Cell(text: .empty, origin: child, rank: rank)
        case .relation(let index):
            guard table.relations[index].origin == nil || rank < table.relations[index].rank else { return }
            table.relations[index].origin = child
            table.relations[index].rank = rank
        }
    }

    /// Goes into compound values and lists, once it is known which elements count.
    private static func finish(_ element: XMLView, _ group: FieldGroup, _ table: inout FieldTable) {
        for field in group.fields {
            if let inner = field.inner, let number = field.group {
                if let child = table.groups[number].origin { decode(child, inner, &table) }
            } else if field.leaves.isEmpty {
                let relation = field.relations.lowerBound
                guard let first = table.relations[relation].origin else { continue }
                guard field.shape.isList else {
                    table.relations[relation].items.append(.element(first))
                    continue
                }
                // All under one name.
                let name = first.localName
                var next: XMLView? = first
                while let child = next {
                    if child.nameNumber == first.nameNumber || (child.isNamed(name) && !child.isForeign(in: element)) {
                        table.relations[relation].items.append(.element(child))
                    }
                    next = child.nextElement
                }
            }
        }
    }

    /// A compound value's element.
    private static func decode(_ element: XMLView, _ group: FieldGroup, _ table: inout FieldTable) {
        var next = element.firstElement
        while let child = next {
            if let (target, rank) = lookUp(child, in: element, group) {
                add(child, target, rank, to: &table)
            }
            next = child.nextElement
        }
        if !group.otherPlaces.isEmpty { addOtherPlaces(of: element, group, to: &table) }
        finish(element, group, &table)
    }

    /// Attributes, and the element's own text.
    private static func addOtherPlaces(of element: XMLView, _ group: FieldGroup, to table: inout FieldTable) {
        for field in group.otherPlaces where field.inner == nil && !field.leaves.isEmpty {
            switch field.place {
            case .element: break
            case .attribute:
                for (rank, name) in field.nameBytes.enumerated() {
                    guard let value = name.withUnsafeBufferPointer({ element.attribute($0) }) else { continue }
                    table.leaves[field.leaf] = FieldTable.Cell(
                        text: value.isEmpty ? .empty : .bytes(value), origin: element, rank: Int32(rank))
                    break
                }
            case .text:
                var text = FieldTable.Cell.Text.empty
                if let bytes = element.onlyText {
                    if !bytes.isEmpty { text = .bytes(bytes) }
                } else if !element.ownText().isEmpty {
                    text = .scattered
                }
                table.leaves[field.leaf] = FieldTable.Cell(text: text, origin: element)
            }
        }
    }
}

extension IndivoDocument {
    /// Fills the document from its element and keeps the element.
    final func readNested(
        _ element: XMLNode, root: String?, namespace: String?, collecting problems: ReadingProblems?
    ) throws {
        let schema = ModelSchema.of(type(of: self))
        guard root == nil || (element.kind == .element && element.name == root && element.namespace == namespace) else {
            throw DocumentError(
                .notADocument(
                    found: SDMX.describe(element) + (element.namespace.map { " in \($0)" } ?? ""),
                    expected: "<\(root ?? "")>" + (namespace.map { " in \($0)" } ?? "")),
                document: schema.typeName, line: element.line)
        }
        try FieldSchema.Reader(schema, .nested, documentName: schema.typeName, problems: problems).fill(self, from: element)
    }
}
