/// JSON as values have it: a field is a member named like it.
enum JSONFormat {
    /// Reads an object's members into a table.
    ///
    /// - Parameters:
    ///   - key: The name under which the object stands in another.
    ///   - report: Is called with what is no value of a field, and what was expected.
    static func decode(
        _ object: JSONValue, key: String? = nil, _ group: FieldGroup, into table: inout FieldTable,
        report: (JSONValue, String, FieldSchema) throws -> Void
    ) rethrows {
        for field in group.fields {
            let value: JSONValue? =
                switch field.place {
                case .key: key.map { .string($0) }
                case .text: object
                case .element, .attribute: object.member(of: field)?.value
                }
            guard let value, value != .null else { continue }
            if let relation = field.relation {
                guard field.shape.isList else { continue }
                switch value {
                case .array(let values) where !field.isKeyed:
                    table.relations[relation].items = values.map { TableItem(.json($0, key: nil)) }
                case .object(let members) where field.isKeyed:
                    table.relations[relation].items = members.map { TableItem(.json($0.value, key: $0.name)) }
                default: try report(value, field.isKeyed ? "an object" : "a list", field)
                }
            } else if let inner = field.inner, let number = field.group {
                guard case .object = value else {
                    try report(value, "an object", field)
                    continue
                }
                table.groups[number].text = .empty
                try decode(value, inner, into: &table, report: report)
            } else if let text = value.scalarText {
                table.set(text, at: field.leaf)
            } else {
                try report(value, "one value", field)
            }
        }
    }

    /// Writes a value into the object it was read from, touching only what changed: unknown members, the order and the
    /// spelling of numbers stay.
    ///
    /// - Parameter original: The object; `nil` for a new one.
    /// - Returns: The object, and the name under which it is to stand in another, where a field says so.
    static func updated(
        _ original: JSONValue?, with table: FieldTable, _ group: FieldGroup
    ) throws -> (value: JSONValue, key: String?) {
        var object = JSONObject(original)
        for field in group.fields {
            if let relation = field.relation {
                try object.setList(table.relations[relation].items, of: field)
            } else if let inner = field.inner, let number = field.group {
                if table.groups[number].isPresent {
                    object.set(try updated(object.value(of: field) ?? .null, with: table, inner).value, field)
                } else {
                    object.remove(field)
                }
            } else {
                object.setLeaf(table.string(of: field.leaf), table.schema.leaves[field.leaf], field)
            }
        }
        return (.object(object.members), object.key)
    }
}

/// An object being written.
private struct JSONObject {
    private(set) var members: [JSONValue.Member]
    /// The name under which the object is to stand, where a field of it says so.
    private(set) var key: String?
    /// The index of the member written last; a new one goes behind it.
    private var last = -1
    private let isNew: Bool

    init(_ original: JSONValue?) {
        members = original?.members ?? []
        isNew = original == nil
    }

    private func index(of field: FieldSchema) -> Int? {
        field.names.lazy.compactMap { name in members.lastIndex { $0.name == name } }.first
    }

    func value(of field: FieldSchema) -> JSONValue? { index(of: field).map { members[$0].value } }

    mutating func set(_ value: JSONValue, _ field: FieldSchema) {
        if let index = index(of: field) {
            members[index] = .init(name: members[index].name, value: value)
            last = index
        } else {
            last += 1
            members.insert(.init(name: field.name, value: value), at: last)
        }
    }

    /// The field has no value. What could not be read, or says nothing, stays.
    mutating func remove(_ field: FieldSchema) {
        guard field.place != .key, let old = value(of: field), !old.saysNothing, old.isReadable(as: field) else { return }
        members.removeAll { field.names.contains($0.name) }
        last = min(last, members.count - 1)
    }

    mutating func setLeaf(_ text: String?, _ leaf: SchemaLeaf, _ field: FieldSchema) {
        guard let text else { return remove(field) }
        if field.place == .key { return key = text }
        let old = value(of: field)
        // A value that must be there may be only the default for an original that could not be read.
        let saysNothing = old.map { $0 == .null || !$0.isReadable(as: field) } ?? true
        if !isNew, saysNothing, text == leaf.defaultText { return }
        set(JSONValue(text, as: leaf.type, was: old), field)
    }

    // MARK: Lists

    mutating func setList(_ items: [TableItem], of field: FieldSchema) throws {
        let old = value(of: field)
        guard !items.isEmpty || old.map({ !$0.saysNothing && $0.isReadable(as: field) }) ?? false else { return }
        let former = old?.items ?? []
        let positions = try Self.positions(of: items, among: former, field)
        var result = try zip(items, positions).map { item, position in
            (position: position, member: try Self.member(item, was: position.map { former[$0].value }, field))
        }
        // What could not be read was never among the values: it stays before what stood behind it.
        for (position, member) in former.enumerated() where !member.value.isReadable(asItemOf: field) {
            let next = result.firstIndex { $0.position.map { $0 > position } ?? false } ?? result.count
            result.insert((position, member), at: next)
        }
        let members = result.map(\.member)
        set(field.isKeyed ? .object(members) : .array(members.map(\.value)), field)
    }

    /// Where each value of a list stood: under the same name in an object, where the same was said in a list.
    private static func positions(
        of items: [TableItem], among former: [JSONValue.Member], _ field: FieldSchema
    ) throws -> [Int?] {
        if field.isKeyed {
            return try items.map { item in
                let name = try member(item, was: nil, field).name
                return former.lastIndex { $0.name == name }
            }
        }
        let readable = former.indices.filter { former[$0].value.isReadable(asItemOf: field) }
        return try ListMatch.positions(of: items.count, among: readable.count, guessesChanged: true, by: { index, position in
            let value = former[readable[position]].value
            return try member(items[index], was: value, field).value == value
        }).map { $0.map { readable[$0] } }
    }

    private static func member(
        _ item: TableItem, was old: JSONValue?, _ field: FieldSchema
    ) throws -> JSONValue.Member {
        switch item.content {
        case .value(let table):
            let (value, key) = try JSONFormat.updated(old ?? .null, with: table, table.schema.group)
            return .init(name: key ?? "", value: value)
        case .text(let text):
            guard case .leaf(let type) = field.shape.kind else { break }
            return .init(name: "", value: JSONValue(text, as: type, was: old))
        case .json(let value, let key): return .init(name: key ?? "", value: value)
        case .document, .element: break
        }
        throw DocumentError(
            .unsupportedField("JSON answers hold no documents; make the field a compound value"), document: field.path,
            property: field.property)
    }
}

extension JSONValue {
    /// A leaf's text as JSON has it: as it was, where it says the same.
    fileprivate init(_ text: String, as type: any LexicalValue.Type, was old: JSONValue?) {
        if let old, let oldText = old.scalarText, oldText == text || type.isSameValue(oldText, text, isField: false) {
            self = old
            return
        }
        self =
            switch type.dataType {
            case .boolean: .bool(text == "true")
            case .number where JSONValue.isNumber(text): .number(text)
            default: .string(text)
            }
    }

    /// The member that holds a field; of a name given twice the last, as JSON's readers have it.
    fileprivate func member(of field: FieldSchema) -> Member? {
        guard case .object(let members) = self else { return nil }
        return field.names.lazy.compactMap { name in members.last { $0.name == name } }.first
    }

    fileprivate var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// The values of a list, or of an object with their names.
    fileprivate var items: [Member] {
        switch self {
        case .array(let items): items.map { Member(name: "", value: $0) }
        case .object(let members): members
        default: []
        }
    }

    /// Whether a field with this value reads as one that is not there.
    fileprivate var saysNothing: Bool {
        switch self {
        case .null, .string(""), .array([]), .object([]): true
        default: false
        }
    }

    /// Whether a field can have the value; if not, it stays until another takes its place.
    fileprivate func isReadable(as field: FieldSchema) -> Bool {
        switch (field.shape.kind, field.shape.isList) {
        case (.leaf(let type), false): scalarText.map { type.failure(of: $0) == nil } ?? false
        case (_, false): if case .object = self { true } else { false }
        case (_, true) where field.isKeyed: if case .object = self { true } else { false }
        case (_, true): if case .array = self { true } else { false }
        }
    }

    /// Whether a list can have the value among its own.
    fileprivate func isReadable(asItemOf field: FieldSchema) -> Bool {
        guard case .leaf(let type) = field.shape.kind else {
            if case .object = self { return true }
            return false
        }
        return scalarText.map { !$0.isEmpty && type.failure(of: $0) == nil } ?? false
    }

    /// The text of a single value.
    var scalarText: String? {
        switch self {
        case .string(let text): text
        case .number(let digits): digits
        case .bool(let value): value.lexical
        case .null, .array, .object: nil
        }
    }

    /// What kind of value it is, for messages.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }

    /// That the value is not of the kind that was expected.
    func isNot(_ expected: String, document: String, property: String) -> DocumentError {
        DocumentError(.notADocument(found: kindName, expected: expected), document: document, property: property)
    }
}
