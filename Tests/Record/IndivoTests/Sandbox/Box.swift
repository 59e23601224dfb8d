import Synchronization

/// A value that closures share.
final class Box<Value: Sendable>: Sendable {
    private let content: Mutex<Value?> = Mutex(nil)

    var value: Value? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
