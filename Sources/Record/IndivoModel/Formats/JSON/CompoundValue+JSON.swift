import Foundation
import OrderedJSON

extension CompoundValue {
    /// The value as a JSON object, indented: a member for each field that has a value. Throws for a field
    /// that holds a document.
    package func json() throws -> Data { try jsonValue().fileData }

    fileprivate func jsonValue() throws -> JSONValue {
        let table = FieldTable(self, .nested)
        return try table.json(of: table.schema.group)
    }
}

extension Array where Element: CompoundValue {
    /// The values as a JSON list.
    package func json() throws -> Data { try JSONValue(map { try $0.jsonValue() }).fileData }
}

extension FieldTable {
    fileprivate func json(of group: FieldGroup) throws -> JSONValue {
        JSONValue(
            members: try group.fields.compactMap { field in
                try value(of: field).map { JSONMember(name: field.name, value: $0) }
            }
        )
    }

    private func value(of field: FieldSchema) throws -> JSONValue? {
        if let relation = field.relation {
            let items = relations[relation].items
            return items.isEmpty ? nil : JSONValue(try items.map { try $0.json(in: field) })
        }
        if let inner = field.inner, let group = field.group {
            return groups[group].isPresent ? try json(of: inner) : nil
        }
        return string(of: field.leaf).map { JSONValue($0, as: schema.leaves[field.leaf].type) }
    }
}

extension TableItem {
    fileprivate func json(in field: FieldSchema) throws -> JSONValue {
        switch (self, field.shape.kind) {
        case (.value(let value), _): return try value.jsonValue()
        case (.text(let text), .leaf(let type)): return JSONValue(text, as: type)
        default:
            throw DocumentError(
                .unsupportedField("JSON answers hold no documents; make the field a compound value"),
                document: field.path,
                property: field.property
            )
        }
    }
}

extension JSONValue {
    /// A leaf's text as JSON has it.
    fileprivate init(_ text: String, as type: any LexicalValue.Type) {
        switch type.dataType {
        case .boolean: self.init(text == "true")
        case .number: self.init(digits: text)
        default: self.init(text)
        }
    }

    /// A number, or a text where these are not digits that JSON's readers take.
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
}
