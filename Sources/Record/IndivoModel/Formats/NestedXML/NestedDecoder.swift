import IndivoXML

/// Reads elements of nested XML: a field is a child element, an attribute or the element's own text.
struct NestedDecoder {
    /// What each name of the tree stands for in the schema's own group, by the name's number; `nil` until it
    /// was looked up.
    private var known: [NameIndex.Found??] = []
    private var outerName: UInt32?

    mutating func decode(_ element: XMLView, into table: inout FieldTable) {
        // What is foreign depends on the element around it.
        if element.nameNumber != outerName { known.removeAll() }
        outerName = element.nameNumber
        let group = table.schema.group
        for child in element.elements {
            if let (target, rank) = meaning(of: child, in: element, group) {
                Self.add(child, target, rank, to: &table)
            }
        }
        Self.finish(element, group, &table)
    }

    private mutating func meaning(of child: XMLView, in element: XMLView, _ group: FieldGroup) -> NameIndex
        .Found?
    {
        let name = Int(child.nameNumber)
        if name >= known.count { known.append(contentsOf: repeatElement(nil, count: name + 1 - known.count)) }
        if let found = known[name] { return found }
        let found = Self.lookUp(child, in: element, group)
        known[name] = .some(found)
        return found
    }

    private static func lookUp(_ child: XMLView, in element: XMLView, _ group: FieldGroup) -> NameIndex.Found?
    {
        guard let found = group.elements[child.localName], !child.isForeign(in: element) else { return nil }
        return found
    }

    /// The first element that holds a field counts: by today's name or, where there is none, an older one.
    @inline(__always)
    private static func add(
        _ child: XMLView,
        _ target: FieldTarget,
        _ rank: Int32,
        to table: inout FieldTable
    ) {
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

    /// Reads what stands elsewhere than in elements; goes into compound values and lists, once it is known
    /// which elements count.
    private static func finish(_ element: XMLView, _ group: FieldGroup, _ table: inout FieldTable) {
        if !group.otherPlaces.isEmpty { addOtherPlaces(of: element, group, to: &table) }
        if table.schema.relations.isEmpty, table.groups.isEmpty { return }
        for field in group.fields {
            if let inner = field.inner, let number = field.group {
                guard let holder = table.groups[number].origin else { continue }
                for child in holder.elements {
                    if let (target, rank) = lookUp(child, in: holder, inner) {
                        add(child, target, rank, to: &table)
                    }
                }
                finish(holder, inner, &table)
            } else if let relation = field.relation, let first = table.relations[relation].origin {
                guard field.shape.isList else {
                    table.relations[relation].items.append(.element(first))
                    continue
                }
                // All under one name.
                for child in element.elements
                where child.nameNumber == first.nameNumber
                    || (child.isNamed(first.localName) && !child.isForeign(in: element))
                {
                    table.relations[relation].items.append(.element(child))
                }
            }
        }
    }

    /// Attributes, and the element's own text.
    private static func addOtherPlaces(of element: XMLView, _ group: FieldGroup, to table: inout FieldTable) {
        for field in group.otherPlaces {
            guard case .leaf(let leaf) = field.target else { continue }
            switch field.place {
            case .element: break
            case .attribute:
                guard
                    let value = field.names.lazy.compactMap({ $0.withBytes { element.attribute($0) } }).first
                else { continue }
                table.leaves[leaf] = FieldTable.Cell(
                    text: value.isEmpty ? .empty : .bytes(value),
                    origin: element
                )
            case .text:
                let isEmpty = element.onlyText == nil && element.ownText().isEmpty
                table.leaves[leaf] = FieldTable.Cell(
                    text: isEmpty ? .empty : element.cellText,
                    origin: element
                )
            }
        }
    }
}
