import Foundation
import OrderedJSON

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
                case .key: key.map { JSONValue($0) }
                case .text: object
                case .element, .attribute: object.value(of: field)
                }
            guard let value, !value.isNull else { continue }
            if let relation = field.relation {
                guard field.shape.isList else { continue }
                if !field.isKeyed, let values = value.elements {
                    table.relations[relation].items = values.map { TableItem(.json($0, key: nil)) }
                } else if field.isKeyed, let members = value.members {
                    table.relations[relation].items = members.map { TableItem(.json($0.value, key: $0.name)) }
                } else {
                    try report(value, field.isKeyed ? "an object" : "a list", field)
                }
            } else if let inner = field.inner, let number = field.group {
                guard value.kind == .object else {
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
        return (JSONValue(members: object.members), object.key)
    }
}

/// An object being written.
private struct JSONObject {
    private(set) var members: [JSONMember]
    /// The name under which the object is to stand, where a field of it says so.
    private(set) var key: String?
    /// The index of the member written last; a new one goes behind it.
    private var last = -1
    private let isNew: Bool

    init(_ original: JSONValue?) {
        members = Array(original?.members ?? [])
        isNew = original == nil
    }

    private func index(of field: FieldSchema) -> Int? {
        field.names.lazy.compactMap { name in members.lastIndex { $0.isNamed(equalTo: name) } }.first
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
        members.removeAll { member in field.names.contains { member.isNamed(equalTo: $0) } }
        last = min(last, members.count - 1)
    }

    mutating func setLeaf(_ text: String?, _ leaf: SchemaLeaf, _ field: FieldSchema) {
        guard let text else { return remove(field) }
        if field.place == .key { return key = text }
        let old = value(of: field)
        // A value that must be there may be only the default for an original that could not be read.
        let saysNothing = old.map { $0.isNull || !$0.isReadable(as: field) } ?? true
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
        set(field.isKeyed ? JSONValue(members: members) : JSONValue(members.map(\.value)), field)
    }

    /// Where each value of a list stood: under the same name in an object, where the same was said in a list.
    private static func positions(
        of items: [TableItem], among former: [JSONMember], _ field: FieldSchema
    ) throws -> [Int?] {
        if field.isKeyed {
            return try items.map { item in
                let name = try member(item, was: nil, field).name
                return former.lastIndex { $0.isNamed(equalTo: name) }
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
    ) throws -> JSONMember {
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
            case .boolean: JSONValue(text == "true")
            case .number: JSONValue(digits: text)
            default: JSONValue(text)
            }
    }

    /// The value of a field; of a name given twice the last, as JSON's readers have it.
    fileprivate func value(of field: FieldSchema) -> JSONValue? { field.names.lazy.compactMap { self[$0] }.first }

    /// The values of a list, or of an object with their names.
    fileprivate var items: [JSONMember] {
        if let members { return Array(members) }
        return (elements ?? []).map { JSONMember(name: "", value: $0) }
    }

    /// Whether a field with this value reads as one that is not there.
    fileprivate var saysNothing: Bool {
        switch kind {
        case .null: true
        case .string: isString("")
        case .array: elements?.isEmpty ?? true
        case .object: members?.isEmpty ?? true
        case .boolean, .number: false
        }
    }

    /// Whether a field can have the value; if not, it stays until another replaces it.
    fileprivate func isReadable(as field: FieldSchema) -> Bool {
        switch (field.shape.kind, field.shape.isList) {
        case (.leaf(let type), false): scalarText.map { type.failure(of: $0) == nil } ?? false
        case (_, false): kind == .object
        case (_, true): kind == (field.isKeyed ? .object : .array)
        }
    }

    /// Whether a list can have the value among its own.
    fileprivate func isReadable(asItemOf field: FieldSchema) -> Bool {
        guard case .leaf(let type) = field.shape.kind else { return kind == .object }
        return scalarText.map { !$0.isEmpty && type.failure(of: $0) == nil } ?? false
    }

    /// A number, or a text where these are no digits that JSON's readers take.
    init(digits text: String) {
        let number = text.utf8.count <= JSONLimits().numberLength ? JSONValue(number: text) : nil
        self = number ?? JSONValue(text)
    }

    /// The text of a single value.
    var scalarText: String? { string ?? number ?? boolean?.lexical }

    /// What kind of value it is, for messages.
    var kindName: String {
        switch kind {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }

    /// The value as a text file: indented, with a line feed at its end.
    package var fileData: Data { Data(utf8(.pretty) + [UInt8(ascii: "\n")]) }

    /// That the value is not of the kind that was expected.
    func isNot(_ expected: String, document: String, property: String) -> DocumentError {
        DocumentError(.notADocument(found: kindName, expected: expected), document: document, property: property)
    }
}
