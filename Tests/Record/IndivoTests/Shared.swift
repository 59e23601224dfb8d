import Synchronization

/// A value that closures share.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func get() -> Value { value.withLock { $0 } }
    func set(_ value: Value) { self.value.withLock { $0 = value } }
}
