import IndivoXML

/// Writes changes into elements of nested XML. A new element goes after the preceding field: the server's
/// schemas prescribe the order.
struct NestedWriter {
    /// The table of the element as it is.
    private let old: FieldTable
    /// The table of the object. A cell with the same value as the element's keeps the element's text.
    private let new: FieldTable
    /// The table of what the element is a copy of, where that is known.
    private let original: FieldTable?
    /// How many documents the object is in.
    private var depth = 0

    /// Writes an object into its element, which is a copy of `original`, or new.
    static func write(
        _ document: IndivoDocument,
        into element: XMLNode,
        original: XMLNode?,
        depth: Int = 0
    ) throws {
        try SDMX.check(depth: depth, document.modelName)
        let schema = ModelSchema.of(type(of: document))
        var writer = NestedWriter(schema, element, isNew: original == nil, original: original) {
            $0.write(document)
        }
        writer.depth = depth
        try writer.write(schema.group, into: element)
    }

    /// Writes a value into its element.
    static func write<Value: CompoundValue>(_ value: Value, into element: XMLNode, isNew: Bool) throws {
        let schema = ModelSchema.of(Value.self)
        try NestedWriter(schema, element, isNew: isNew) { $0.write(value) }.write(schema.group, into: element)
    }

    private init(
        _ schema: ModelSchema,
        _ element: XMLNode,
        isNew: Bool,
        original: XMLNode? = nil,
        _ write: (FieldSchema.Writer) -> Void
    ) {
        old = FieldTable(element, schema, .nested)
        let writer = FieldSchema.Writer(
            over: old,
            isNew: isNew,
            isForServer: element.namespace == SDMX.namespace
        )
        write(writer)
        new = writer.table
        self.original = schema.relations.isEmpty ? nil : original.map { FieldTable($0, schema, .nested) }
    }

    /// Writes a group's fields into their element.
    private func write(_ group: FieldGroup, into element: XMLNode) throws {
        // The last child that holds a field so far.
        var last: XMLNode?
        for field in group.fields {
            if let relation = field.relation {
                try write(relation, field, into: element, behind: &last)
            } else if let inner = field.inner, let number = field.group {
                guard field.place == .element, new.groups[number].isPresent else {
                    Self.remove(field, from: element)
                    continue
                }
                let holder =
                    old.groups[number].origin?.node ?? Self.insert(field, into: element, behind: last)
                last = holder
                try write(inner, into: holder)
            } else {
                write(field, into: element, behind: &last)
            }
        }
    }

    private func write(_ field: FieldSchema, into element: XMLNode, behind last: inout XMLNode?) {
        let origin = old.leaves[field.leaf].origin
        guard new.leaves[field.leaf].isChanged else {
            if field.place == .element, let origin { last = origin.node }
            return
        }
        let text = new.string(of: field.leaf)
        switch field.place {
        case .attribute where text != nil:
            element.attr(field.names.first { element.attr($0) != nil } ?? field.name, text)
        case .attribute:
            for name in field.names {
                // An empty attribute already says "none".
                if let old = element.attr(name), !old.isEmpty, !field.cannotRead(old) {
                    element.attr(name, nil)
                }
            }
        case .text: element.setOwnText(text ?? "")
        case .element:
            guard let text else {
                Self.remove(field, from: element)
                if let origin, origin.node.parent() == element { last = origin.node }
                return
            }
            let holder = origin?.node ?? Self.insert(field, into: element, behind: last)
            holder.text(text)
            last = holder
        }
    }

    /// Removes a field under all its names: one that remained would be read the next time.
    private static func remove(_ field: FieldSchema, from element: XMLNode) {
        guard field.place == .element else { return }
        for child in field.names.flatMap({ element.ownChildren(named: $0) })
        where !field.readsAsNil(in: child) {
            child.remove()
        }
    }

    private static func insert(_ field: FieldSchema, into element: XMLNode, behind last: XMLNode?) -> XMLNode
    {
        let new = XMLNode(field.name, namespace: element.namespace)
        if let last { last.after(new) } else { element.prepend(new) }
        return new
    }

    private func write(
        _ relation: Int,
        _ field: FieldSchema,
        into element: XMLNode,
        behind last: inout XMLNode?
    ) throws {
        let items = new.relations[relation].items
        if !field.shape.isList, items.isEmpty { return Self.remove(field, from: element) }
        let present = field.readableItems(old.relations[relation].items, .nested)
        let elements = present.compactMap { $0.element?.node }
        let positions = positions(of: items, among: present, relation, field)
        var furthest = -1
        for (item, position) in zip(items, positions) {
            let holder: XMLNode
            if let position {
                holder = elements[position]
                // An element that comes later in the list than it did goes behind the one before it.
                if position < furthest { last?.after(holder) }
                furthest = max(furthest, position)
            } else {
                holder = Self.insert(field, into: element, behind: last)
            }
            last = holder
            switch item {
            case .text(let text):
                if position.map({ !item.isSaid(by: present[$0], field) }) ?? true { holder.text(text) }
            case .value(let value): try Self.write(value, into: holder, isNew: position == nil)
            case .document(let document):
                last = try write(document, into: holder, isNew: position == nil)
            case .element: break
            }
        }
        let kept = Set(positions.compactMap { $0 })
        for (position, element) in elements.enumerated() where !kept.contains(position) { element.remove() }
    }

    /// - Returns: The element that holds the document afterwards.
    private func write(_ document: IndivoDocument, into holder: XMLNode, isNew: Bool) throws -> XMLNode {
        var element = holder
        if isNew, let source = document.source, source.name == element.name {
            // A document that was read elsewhere brings along what its class does not know.
            element = source.clone()
            holder.replace(with: element)
        }
        try Self.write(document, into: element, original: document.source, depth: depth + 1)
        return element
    }

    /// Finds the element of each value of a list: documents know theirs, other values are compared.
    private func positions(
        of items: [TableItem],
        among present: [TableItem],
        _ relation: Int,
        _ field: FieldSchema
    ) -> [Int?] {
        guard case .document = field.shape.kind else {
            return ListMatch.positions(of: items.count, among: present.count, guessesChanged: true) {
                items[$0].isSaid(by: present[$1], field)
            }
        }
        // The document of a to-one relation is written where the former one was.
        if !field.shape.isList { return [present.isEmpty ? nil : 0] }
        let originals = original.map { field.readableItems($0.relations[relation].items, .nested) } ?? []
        return ListMatch.positions(of: items.count, among: present.count) { index, position in
            guard case .document(let document) = items[index], originals.count == present.count else {
                return false
            }
            return document.source?.view == originals[position].element
        }
    }
}

extension FieldSchema {
    /// Whether a text is not a value of the leaf that this field is. It stays until a value replaces it.
    fileprivate func cannotRead(_ text: String) -> Bool {
        !text.isEmpty && leafType?.canRead(text, isField: false) == false
    }

    /// Whether an element that is there reads as no value: an empty leaf, or one that cannot be read.
    fileprivate func readsAsNil(in element: XMLNode) -> Bool {
        let text = element.text()
        return leafType != nil && ((text.isEmpty && element.children().isEmpty) || cannotRead(text))
    }

    /// The items of a source's relation that a property holds: those that can be read; if there should be
    /// one, the first.
    func readableItems(_ items: [TableItem], _ format: TableFormat) -> [TableItem] {
        let first = shape.isList ? items[...] : items.prefix(1)
        switch shape.kind {
        case .compound: return items
        case .leaf(let type):
            return first.filter {
                $0.element?.fieldText.map { type.canRead($0.string, isField: false) } ?? false
            }
        case .document(let type):
            return format == .nested
                ? Array(first) : first.filter { $0.element.map { type.isModel($0.node) } ?? false }
        }
    }
}

extension XMLNode {
    /// A copy of the root element together with what stands around it in its document.
    func cloneInDocument() -> XMLNode {
        guard document.root == self, let copy = document.clone().root else { return clone() }
        return copy
    }

    /// Changes the element's own text and leaves the elements in it where they are.
    fileprivate func setOwnText(_ text: String) {
        let pieces = Array(contents().filter { $0.kind == .text || $0.kind == .cdata })
        if let first = pieces.first, !text.isEmpty {
            first.replace(with: .text(text))
        } else if !text.isEmpty {
            prepend(.text(text))
        }
        for piece in pieces.dropFirst(text.isEmpty ? 0 : 1) { piece.remove() }
    }
}
