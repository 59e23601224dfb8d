import IndivoXML

/// The content of a document or value, by its schema: a cell for each leaf and compound value, and the items
/// of each relation. A table that was read points into its source, and is valid until the source changes.
struct FieldTable {
    let schema: ModelSchema
    let format: TableFormat
    /// The element that was read; keeps alive what the cells refer to.
    var source: XMLNode?
    var leaves: [Cell]
    /// Whether compound values are there, and where.
    var groups: [Cell]
    var relations: [Relation]
    /// Texts that stand in no source, such as those of values that were set.
    private(set) var texts: [String] = []
    /// Elements of leaves and relations that appear twice or under several names, and are ignored.
    var spares: [(target: FieldTarget, element: XMLView)] = []
    /// Whether some field stands under an older name, or twice.
    var hasOlderNames = false

    /// A leaf or compound value, and where it stands.
    struct Cell: BitwiseCopyable {
        enum Text: BitwiseCopyable {
            case absent
            /// It is there, without a text.
            case empty
            case bytes(UnsafeBufferPointer<UInt8>)
            /// In several pieces below the origin.
            case scattered
            /// One of the table's own texts.
            case own(Int)
        }

        var text = Text.absent
        /// The element that holds it.
        var origin: XMLView?
        /// The rank of the name under which it stands: 0 for today's.
        var rank: Int32 = 0
        /// Whether an object says something else than its source, whose cell this was.
        var isChanged = false

        var isPresent: Bool { if case .absent = text { false } else { true } }

        /// Whether it says anything.
        var hasText: Bool { if case .empty = text { false } else { isPresent } }
    }

    /// A list, or a related document.
    struct Relation {
        /// Where a data model's relation stands.
        var origin: XMLView?
        var rank: Int32 = 0
        var items: [TableItem] = []
    }

    /// A table without any value.
    init(_ schema: ModelSchema, _ format: TableFormat) {
        self.schema = schema
        self.format = format
        leaves = Array(repeating: Cell(), count: schema.leaves.count)
        groups = Array(repeating: Cell(), count: schema.leavesOfGroups.count)
        relations = Array(repeating: Relation(), count: schema.relations.count)
    }

    /// The table of an element; one without any value where there is none.
    init(_ element: XMLNode?, _ schema: ModelSchema, _ format: TableFormat) {
        self.init(schema, format)
        guard let element, let view = element.view else { return }
        var decoder = TableDecoder()
        decoder.decode(view, keptBy: element, into: &self)
    }

    /// Removes all values.
    mutating func clear() {
        leaves.withUnsafeMutableBufferPointer { $0.update(repeating: Cell()) }
        if !groups.isEmpty { groups.withUnsafeMutableBufferPointer { $0.update(repeating: Cell()) } }
        for index in relations.indices {
            relations[index].origin = nil
            if !relations[index].items.isEmpty { relations[index].items.removeAll(keepingCapacity: true) }
        }
        if !texts.isEmpty { texts.removeAll(keepingCapacity: true) }
        if !spares.isEmpty { spares.removeAll(keepingCapacity: true) }
        hasOlderNames = false
        source = nil
    }

    /// Gives a leaf a text of the table's own.
    mutating func set(_ text: String, at leaf: Int) {
        leaves[leaf].isChanged = true
        if text.isEmpty { return leaves[leaf].text = .empty }
        leaves[leaf].text = .own(texts.count)
        texts.append(text)
    }

    /// A leaf's text; `nil` where it is absent or empty.
    @inline(__always)
    func text(of leaf: Int) -> FieldText? {
        let cell = leaves[leaf]
        switch cell.text {
        case .bytes(let bytes): return .bytes(bytes)
        case .absent, .empty: return nil
        case .own(let index): return .string(texts[index])
        case .scattered:
            let isOwn = format == .nested && schema.leaves[leaf].isOwnText
            return cell.origin.map { .string(isOwn ? $0.ownText() : $0.text()) }
        }
    }

    /// A leaf's text; `nil` where it is absent.
    func string(of leaf: Int) -> String? {
        if case .empty = leaves[leaf].text { return "" }
        return text(of: leaf)?.string
    }

    /// Whether a leaf has a text that is not a value of its type.
    func isUnreadable(_ leaf: Int) -> Bool {
        text(of: leaf).map { !schema.leaves[leaf].type.canRead($0.string, isField: format == .dataModel) }
            ?? false
    }

    /// Whether an object says something else than its source, but for what is in relations.
    var isChanged: Bool { leaves.contains { $0.isChanged } || groups.contains { $0.isChanged } }

    func line(of leaf: Int) -> Int? { leaves[leaf].origin?.node.line }

    /// Removes the items of the relations, but not the positions of the relations.
    mutating func forgetItems() {
        for index in relations.indices where !relations[index].items.isEmpty { relations[index].items = [] }
    }

    /// The table of a value that has no source.
    init<Value: CompoundValue>(_ value: Value, _ format: TableFormat, isForServer: Bool = false) {
        let none = FieldTable(ModelSchema.of(Value.self), format)
        let writer = FieldSchema.Writer(over: none, isNew: true, isForServer: isForServer)
        writer.write(value)
        self = writer.table
    }

    /// The table of what an object says.
    /// - Parameters:
    ///   - source: The object's own makes it the table of the document as it would be sent: what was not
    ///     changed since it was read is as it was.
    ///   - format: That of the document around it, where there is one.
    init(_ document: IndivoDocument, over source: XMLNode? = nil, _ format: TableFormat? = nil) {
        let type = type(of: document)
        let former = FieldTable(source, ModelSchema.of(type), format ?? type.format.tableFormat)
        let isForServer = type.format.isForServer
        let writer = FieldSchema.Writer(over: former, isNew: source == nil, isForServer: isForServer)
        writer.write(document)
        self = writer.table
    }

    mutating func addSpare(_ target: FieldTarget, _ element: XMLView) {
        hasOlderNames = true
        spares.append((target, element))
    }

    /// The ignored elements of a leaf or relation.
    func spares(of target: FieldTarget) -> [XMLNode] {
        spares.filter { $0.target == target }.map(\.element.node)
    }

    /// A leaf's text; empty if it is absent, or is a `false` that a report may have filled in.
    func reportedText(of leaf: Int) -> String {
        let text = text(of: leaf)?.string ?? ""
        return schema.leaves[leaf].type.dataType == .boolean && text == "false" ? "" : text
    }

    /// The `Model` elements of a relation.
    func models(of relation: Int) -> [XMLNode] { relations[relation].items.compactMap { $0.element?.node } }

    /// The documents in a relation of an object.
    func documents(of relation: Int) -> [IndivoDocument] {
        relations[relation].items.compactMap {
            if case .document(let document) = $0 { document } else { nil }
        }
    }

    /// Whether two tables of one schema hold the same values, whatever their spelling.
    func hasSameContent(as other: FieldTable) -> Bool {
        schema.fields.allSatisfy { hasSameContent(as: other, in: $0) }
    }

    /// Whether two tables of one schema hold the same in one field.
    func hasSameContent(as other: FieldTable, in field: FieldSchema) -> Bool {
        if let inner = field.inner, let group = field.group {
            return groups[group].isPresent == other.groups[group].isPresent
                && inner.fields.allSatisfy { hasSameContent(as: other, in: $0) }
        }
        if let relation = field.relation {
            let a = relations[relation].items
            let b = other.relations[relation].items
            return a.count == b.count && zip(a, b).allSatisfy { $0.hasSameContent(as: $1, field, format) }
        }
        // An absent value and an empty one are different.
        guard let a = string(of: field.leaf), let b = other.string(of: field.leaf) else {
            return leaves[field.leaf].isPresent == other.leaves[field.leaf].isPresent
        }
        return schema.leaves[field.leaf].type.isSameValue(a, b, isField: format == .dataModel)
    }
}

/// How a table's leaves are named and spelled.
enum TableFormat {
    /// SDMX and SDMJ: flattened names, and Indivo's own rules for values.
    case dataModel
    /// Elements and attributes named like the properties.
    case nested
}

/// A value in a list, or a related document.
enum TableItem {
    /// As it stands in XML.
    case element(XMLView)
    /// A leaf of an object.
    case text(String)
    /// A compound value of an object.
    indirect case value(any CompoundValue)
    case document(IndivoDocument)

    /// The element, in a table that was read.
    var element: XMLView? { if case .element(let element) = self { element } else { nil } }
}

/// The text of a leaf, in place: no `String` is made for a type that can be read from bytes.
enum FieldText {
    /// Text that lies in one piece.
    case bytes(UnsafeBufferPointer<UInt8>)
    case string(String)

    var string: String {
        switch self {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .string(let text): text
        }
    }

    @inline(__always)
    func withUTF8<T, Failure: Error>(_ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> T)
        throws(Failure) -> T
    {
        if case .bytes(let bytes) = self { return try body(bytes) }
        return try string.withBytes(body)
    }
}

extension XMLView {
    /// Whether an element has no text, no element and no attribute with a value.
    var isEffectivelyEmpty: Bool {
        !hasText && firstElement == nil && node.attributes.allSatisfy { $0.value.isEmpty }
    }

    /// The element's text as a field's; `nil` without one.
    var fieldText: FieldText? {
        guard let bytes = onlyText else { return hasText ? .string(text()) : nil }
        return bytes.isEmpty ? nil : .bytes(bytes)
    }

    /// The element's text as a cell's.
    @inline(__always)
    var cellText: FieldTable.Cell.Text {
        guard let bytes = onlyText else { return hasText ? .scattered : .empty }
        return bytes.isEmpty ? .empty : .bytes(bytes)
    }
}

/// Reads elements of data models and of nested XML into tables, and remembers what the names of a tree stand
/// for.
struct TableDecoder {
    private var models = SDMXDecoder()
    private var nested = NestedDecoder()

    /// Decodes an element into a table. `source` keeps the element's tree alive.
    @inline(__always)
    mutating func decode(_ element: XMLView, keptBy source: XMLNode?, into table: inout FieldTable) {
        table.clear()
        table.source = source
        if table.format == .dataModel {
            models.decode(element, into: &table)
        } else {
            nested.decode(element, into: &table)
        }
    }
}
