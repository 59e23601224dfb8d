/// A value that copies share: a million samples have the same few devices and sources.
struct Shared<Value: Sendable & Hashable>: Sendable, Hashable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    init(_ value: Value) { box = Box(value) }

    var value: Value {
        get { box.value }
        set { box = Box(newValue) }
    }

    static func == (a: Self, b: Self) -> Bool { a.box === b.box || a.box.value == b.box.value }

    func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}
