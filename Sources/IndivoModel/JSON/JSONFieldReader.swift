import Foundation

/// Reads a value from a JSON object: a field is a member named like it.
final class JSONFieldReader: FieldReader {
    /// A value and, inside an object, the name under which it stands there.
    private struct Level {
        var value: JSONValue
        var key: String?
    }

    private var stack: [Level]
    private var item: Level?

    init(_ value: JSONValue, documentName: String, problems: ReadingProblems?) {
        stack = [Level(value: value)]
        super.init(documentName: documentName, problems: problems)
    }

    private var current: Level { stack[stack.count - 1] }

    private func value(of field: FieldLayout) -> JSONValue? {
        switch field.place {
        case .key: current.key.map { .string($0) }
        case .text: current.value
        case .element, .attribute: item?.value ?? current.value.member(of: field)?.value
        }
    }

    override func text(of field: FieldLayout) throws -> FieldText? {
        switch value(of: field) {
        case nil, .null: return nil
        case .string(let text): return text.isEmpty ? nil : .string(text)
        case .number(let digits): return .string(digits)
        case .bool(let value): return .string(value.lexical)
        case .array, .object:
            try report(wrongKind(of: field, expected: "one value"))
            return nil
        }
    }

    override func isPresent(_ field: FieldLayout) -> Bool { value(of: field).map { $0 != .null } ?? false }

    override func enter(_ field: FieldLayout, _ layout: Layout) throws -> Bool {
        guard let level = item ?? value(of: field).map({ Level(value: $0) }), level.value != .null else { return false }
        guard case .object = level.value else {
            try report(wrongKind(of: field, expected: "an object"))
            return false
        }
        stack.append(level)
        item = nil
        enterPath(field)
        return true
    }

    override func leave(_ field: FieldLayout) {
        stack.removeLast()
        super.leave(field)
    }

    override func eachItem(of field: FieldLayout, _ body: () throws -> Void) throws {
        let items: [Level]
        switch value(of: field) {
        case nil, .null: items = []
        case .array(let values) where !field.keysItems: items = values.map { Level(value: $0) }
        case .object(let members) where field.keysItems: items = members.map { Level(value: $0.value, key: $0.name) }
        default: return try report(wrongKind(of: field, expected: field.keysItems ? "an object" : "a list"))
        }
        for level in items {
            item = level
            try body()
        }
        item = nil
    }

    override func related(_ field: FieldLayout, _ type: IndivoDocument.Type) throws -> IndivoDocument? {
        try report(
            DocumentError(
                .unsupportedField("JSON answers hold no documents; make the field a compound value"),
                document: documentName, property: propertyPath(field)))
        return nil
    }

    private func wrongKind(of field: FieldLayout, expected: String) -> DocumentError {
        let found = value(of: field)?.kindName ?? "nothing"
        return DocumentError(
            .notADocument(found: found, expected: expected), document: documentName, property: propertyPath(field))
    }
}

extension FieldLayout {
    /// Whether the field's values stand in an object, each under a name that is one of its own fields.
    var keysItems: Bool {
        guard shape.isList, case .compound(let type) = shape.kind else { return false }
        return type.hasKeyField
    }
}

extension CompoundValue {
    fileprivate static var hasKeyField: Bool { Layout.of(self).fields.contains { $0.place == .key } }
}

extension JSONValue {
    /// The member that holds a field; of a name given twice the last, as JSON's readers have it.
    func member(of field: FieldLayout) -> Member? {
        guard case .object(let members) = self else { return nil }
        return field.names.lazy.compactMap { name in members.last { $0.name == name } }.first
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
}
