import Foundation
import Indivo
import Synchronization

/// Secrets by name that last as long as the process: stands for the keychain in a test.
public final class MemorySecretItems: SecretItems {
    private let contents = Mutex<[String: Data]>([:])

    /// Without an item.
    public init() {}

    public func names() -> [String] { contents.withLock { Array($0.keys) } }

    public func content(of name: String) -> Data? { contents.withLock { $0[name] } }

    public func add(_ content: Data, as name: String) -> Bool { set(content, as: name, isNew: true) }

    public func replace(_ name: String, with content: Data) -> Bool { set(content, as: name, isNew: false) }

    public func remove(_ name: String) { contents.withLock { $0[name] = nil } }

    private func set(_ content: Data, as name: String, isNew: Bool) -> Bool {
        contents.withLock { contents in
            guard (contents[name] == nil) == isNew else { return false }
            contents[name] = content
            return true
        }
    }
}
