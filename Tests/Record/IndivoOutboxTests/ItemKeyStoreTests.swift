import Foundation
import IndivoOutbox
import IndivoTesting
import Testing

@Suite("The key of an outbox as an item of a keychain")
struct ItemKeyStoreTests {
    @Test("a key is kept once: whoever comes second gets the first one's")
    func kept() throws {
        let items = MemorySecretItems()
        let store = ItemKeyStore(items)
        #expect(try store.key() == nil)
        let kept = try store.keep(QueueKey())
        let second = try ItemKeyStore(items).keep(QueueKey())
        #expect(kept.withBytes { Data($0) } == second.withBytes { Data($0) })
        #expect(try store.key()?.withBytes { Data($0) } == kept.withBytes { Data($0) })
        #expect(try ItemKeyStore(items, name: "another").key() == nil)
    }

    @Test("an item that is no key is refused, and not replaced", arguments: [0, 31, 33])
    func malformed(length: Int) throws {
        let items = MemorySecretItems()
        _ = items.add(Data(repeating: 7, count: length), as: "outbox key")
        let store = ItemKeyStore(items)
        let error = #expect(throws: OutboxError.self) { try store.key() }
        #expect(error?.description.contains("keychain") == true)
        #expect(throws: OutboxError.self) { try store.keep(QueueKey()) }
        #expect(items.content(of: "outbox key")?.count == length)
    }
}
