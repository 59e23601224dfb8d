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
    /// A list being written.
    private struct List {
        /// What each value was when it was read; `nil` for a new one.
        var old: [JSONValue?]
        /// What the values written so far have become.
        var new: [JSONValue.Member] = []
    }

    /// The lists being written, innermost last.
    private var lists: [List] = []
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
            let saysNothing = old.map { $0 == .null || !$0.isReadable(as: field) } ?? true
            if !isNew, saysNothing, value.lexical == field.shape.standIn { return }
            set(Self.json(value, was: old), field)
        }
    }

    /// What the value that is written next was when it was read.
    private var nextOldItem: JSONValue? {
        let list = lists[lists.count - 1]
        return list.new.count < list.old.count ? list.old[list.new.count] : nil
    }

    /// What a value of a list becomes where it takes the place of `old`.
    private static func item(
        in old: JSONValue?, _ index: Int, _ body: (Int, FieldWriter) throws -> Void
    ) rethrows -> JSONValue.Member? {
        let writer = JSONFieldWriter(.null)
        writer.lists = [List(old: [old])]
        writer.isInItem = true
        try body(index, writer)
        return writer.lists[0].new.first
    }

    /// Where each value of a list stood: under the same name in an object, where the same was said in a list.
    private static func places(
        of count: Int, among old: [JSONValue.Member], _ field: FieldLayout,
        _ body: (Int, FieldWriter) throws -> Void
    ) rethrows -> [Int?] {
        if field.keysItems {
            return try (0..<count).map { index in
                let name = try item(in: nil, index, body)?.name
                return old.lastIndex { $0.name == name }
            }
        }
        let readable = old.indices.filter { old[$0].value.isReadable(asItemOf: field) }
        return try ListMatch.places(of: count, among: readable.count, guessesChanged: true) { index, place in
            let value = old[readable[place]].value
            return try item(in: value, index, body)?.value == value
        }.map { $0.map { readable[$0] } }
    }

    private static func json<Value: LexicalValue>(_ value: Value, was old: JSONValue?) -> JSONValue {
        let text = value.lexical
        if let old, let oldText = old.scalarText, oldText == text || (try? Value(lexical: oldText)) == value {
            return old
        }
        return switch Value.dataType {
        case .boolean: .bool(text == "true")
        case .number where JSONValue.isNumber(text): .number(text)
        default: .string(text)
        }
    }

    override func absent(_ field: FieldLayout) throws {
        guard field.place != .key, let old = stack[top].value(of: field), !old.saysNothing, old.isReadable(as: field)
        else { return }
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
        let oldItems = old?.items ?? []
        let places = try Self.places(of: count, among: oldItems, field, body)
        lists.append(List(old: places.map { $0.map { oldItems[$0].value } }))
        for index in 0..<count {
            isInItem = true
            try body(index, self)
        }
        isInItem = false
        var items = zip(places, lists.removeLast().new).map { (place: $0, member: $1) }
        // What could not be read was never among the values: it stays before what stood behind it.
        for (place, member) in oldItems.enumerated() where !member.value.isReadable(asItemOf: field) {
            let next = items.firstIndex { $0.place.map { $0 > place } ?? false } ?? items.count
            items.insert((place, member), at: next)
        }
        let members = items.map(\.member)
        set(field.keysItems ? .object(members) : .array(members.map(\.value)), field)
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
    fileprivate func isReadable(as field: FieldLayout) -> Bool {
        switch (field.shape.kind, field.shape.isList) {
        case (.leaf(let type), false): scalarText.map { type.failure(of: $0) == nil } ?? false
        case (_, false): if case .object = self { true } else { false }
        case (_, true) where field.keysItems: if case .object = self { true } else { false }
        case (_, true): if case .array = self { true } else { false }
        }
    }

    /// Whether a list can have the value among its own.
    fileprivate func isReadable(asItemOf field: FieldLayout) -> Bool {
        guard case .leaf(let type) = field.shape.kind else {
            if case .object = self { return true }
            return false
        }
        return scalarText.map { !$0.isEmpty && type.failure(of: $0) == nil } ?? false
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
