import Foundation
import Indivo
import IndivoOutbox
import Testing

@Suite("The key of an outbox")
struct KeyTests {
    @Test("a key file is made readable by its owner only, and is the same the next time")
    func made() throws {
        try inFolder { folder in
            let store = FileKeyStore(folder.appending(path: "deep/outbox.key"))
            #expect(try store.key() == nil)
            let kept = try store.keep(QueueKey())
            let mode =
                try FileManager.default.attributesOfItem(atPath: store.file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let again = try #require(try store.key())
            #expect(again.withBytes { Data($0) } == kept.withBytes { Data($0) })
            #expect(try store.keep(QueueKey()).withBytes { Data($0) } == kept.withBytes { Data($0) })
        }
    }

    @Test("a key that others can read is refused", arguments: [0o640, 0o604, 0o666])
    func readable(mode: Int) throws {
        try inFolder { folder in
            let store = FileKeyStore(folder.appending(path: "outbox.key"))
            _ = try store.keep(QueueKey())
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: store.file.path)
            let error = #expect(throws: OutboxError.self) { try store.key() }
            #expect(error?.description.contains("chmod 600") == true)
        }
    }

    @Test("a key that is too short, too long or a link is refused")
    func malformed() throws {
        try inFolder { folder in
            let store = FileKeyStore(folder.appending(path: "outbox.key"))
            for length in [0, 31, 33] {
                try Data(repeating: 7, count: length).write(to: store.file)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600],
                    ofItemAtPath: store.file.path
                )
                #expect(throws: OutboxError.self) { try store.key() }
            }
            let link = FileKeyStore(folder.appending(path: "link.key"))
            try FileManager.default.createSymbolicLink(at: link.file, withDestinationURL: store.file)
            #expect(throws: OutboxError.self) { try link.key() }
        }
    }

    @Test("an outbox without its key, or with another, is refused and left as it is")
    func lost() async throws {
        try await Place.use { place in
            try await place.outbox().add(medication("A"))
            let key = try Data(contentsOf: place.keys.file)
            try FileManager.default.removeItem(at: place.keys.file)
            let gone = #expect(throws: OutboxError.self) { try place.outbox() }
            #expect(gone?.description.contains("its key is gone") == true)
            #expect(!FileManager.default.fileExists(atPath: place.keys.file.path), "no new key is made")
            _ = try place.keys.keep(QueueKey())
            let other = #expect(throws: OutboxError.self) { try place.outbox() }
            #expect(other?.description.contains("another key") == true)
            try key.write(to: place.keys.file)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: place.keys.file.path
            )
            #expect(try await place.outbox().items().count == 1)
        }
    }

    @Test("a key shows itself nowhere")
    func hidden() throws {
        let key = try #require(QueueKey(bytes: Data(repeating: 0x41, count: 32)))
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "•••" && String(reflecting: key) == "•••" && dumped.contains("•••"))
        #expect(!dumped.contains("AAAA") && !dumped.contains("65"))
        #expect(QueueKey(bytes: Data(repeating: 0x41, count: 16)) == nil)
    }

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "indivo-key-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }
}
