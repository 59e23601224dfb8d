/// Writes a value into a JSON object, touching only what changed: unknown members, the order and the spelling of
/// numbers stay.
final class JSONFieldWriter: FieldWriter {
    /// An object being written.
    private struct Level {
        var members: [JSONValue.Member]
        /// The name under which the object is to stand, where a field of it says so.
        var key: String?
        /// The index of the member written last; a new one goes behind it.
        var last = -1

        func index(of field: FieldLayout) -> Int? {
            field.names.lazy.compactMap { name in members.lastIndex { $0.name == name } }.first
        }

        func value(of field: FieldLayout) -> JSONValue? { index(of: field).map { members[$0].value } }
    }

    /// One level for each object entered, the outermost first.
    private var stack: [Level]
    /// The items of the list being written, innermost last: what they were, and what they become.
    private var lists: [(old: [JSONValue], new: [JSONValue.Member])] = []
    private var isInItem = false

    /// Whether nothing was read from the original.
    private let isNew: Bool

    /// - Parameter original: The object that was read; `nil` for a new one.
    init(_ original: JSONValue?) {
        stack = [Level(members: original?.members ?? [])]
        isNew = original == nil
        super.init()
    }

    var value: JSONValue { .object(stack[0].members) }

    private var top: Int { stack.count - 1 }

    override func leaf<Value: LexicalValue>(_ value: Value, _ field: FieldLayout) throws {
        if field.place == .key {
            stack[top].key = value.lexical
        } else if isInItem {
            let old = nextOldItem
            lists[lists.count - 1].new.append(.init(name: "", value: Self.json(value, was: old)))
        } else {
            let old = stack[top].value(of: field)
            // A value that must be there may be only the stand-in for an original that could not be read.
            if !isNew, value.lexical == field.shape.standIn, old.map({ $0 == .null || !$0.isReadable(as: field) }) ?? true {
                return
            }
            set(Self.json(value, was: old), field)
        }
    }

    /// What is in the list's original at the place that is written next.
    private var nextOldItem: JSONValue? {
        let list = lists[lists.count - 1]
        return list.new.count < list.old.count ? list.old[list.new.count] : nil
    }

    private static func json<Value: LexicalValue>(_ value: Value, was old: JSONValue?) -> JSONValue {
        let text = value.lexical
        if let old, let oldText = old.scalarText, oldText == text || (try? Value(lexical: oldText)) == value { return old }
        return switch Value.dataType {
        case .boolean: .bool(text == "true")
        case .number where JSONValue.isNumber(text): .number(text)
        default: .string(text)
        }
    }

    override func absent(_ field: FieldLayout) throws {
        guard field.place != .key, let old = stack[top].value(of: field), !old.saysNothing, old.isReadable(as: field) else {
            return
        }
        stack[top].members.removeAll { field.names.contains($0.name) }
        stack[top].last = min(stack[top].last, stack[top].members.count - 1)
    }

    override func enter(_ field: FieldLayout, _ layout: Layout) throws {
        let old = isInItem ? nextOldItem : stack[top].value(of: field)
        isInItem = false
        stack.append(Level(members: (old ?? .null).members))
    }

    override func leave(_ field: FieldLayout) {
        let level = stack.removeLast()
        if field.shape.isList {
            lists[lists.count - 1].new.append(.init(name: level.key ?? "", value: .object(level.members)))
        } else {
            set(.object(level.members), field)
        }
    }

    override func items(_ count: Int, of field: FieldLayout, _ body: (Int, FieldWriter) throws -> Void) throws {
        let old = stack[top].value(of: field)
        guard count > 0 || old.map({ !$0.saysNothing && $0.isReadable(as: field) }) ?? false else { return }
        lists.append((old?.items ?? [], []))
        for index in 0..<count {
            isInItem = true
            try body(index, self)
        }
        isInItem = false
        let items = lists.removeLast().new
        set(field.keysItems ? .object(items) : .array(items.map(\.value)), field)
    }

    override func related(_ document: IndivoDocument, _ field: FieldLayout) throws {
        throw DocumentError(
            .unsupportedField("JSON answers hold no documents; make the field a compound value"),
            document: document.modelName, property: field.property)
    }

    private func set(_ value: JSONValue, _ field: FieldLayout) {
        if let index = stack[top].index(of: field) {
            stack[top].members[index] = .init(name: stack[top].members[index].name, value: value)
            stack[top].last = index
        } else {
            stack[top].last += 1
            stack[top].members.insert(.init(name: field.name, value: value), at: stack[top].last)
        }
    }
}

extension JSONValue {
    fileprivate var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// The values of a list or of an object.
    fileprivate var items: [JSONValue] {
        switch self {
        case .array(let items): items
        case .object(let members): members.map(\.value)
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
    fileprivate func isReadable(as field: FieldLayout) -> Bool {
        switch (field.shape.kind, field.shape.isList) {
        case (.leaf(let type), false): scalarText.map { type.failure(of: $0) == nil } ?? false
        case (_, false): if case .object = self { true } else { false }
        case (_, true) where field.keysItems: if case .object = self { true } else { false }
        case (_, true): if case .array = self { true } else { false }
        }
    }

    fileprivate var scalarText: String? {
        switch self {
        case .string(let text): text
        case .number(let digits): digits
        case .bool(let value): value.lexical
        case .null, .array, .object: nil
        }
    }
}
