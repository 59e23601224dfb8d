import Foundation
import OrderedJSON
import StudyDelivery
import StudyTesting
import StudyWarehouse
import Testing

@testable import IndivoCommand
@testable import StudyServer

/// Backups that restore to what was there, and a folder of keys.
@Suite struct BackupTests {
    /// A study with participants, one of them loaded and one message in the queue.
    private func fill(_ queue: any MessageQueue, _ warehouse: Warehouse, participants: Int = 3) async throws {
        try await warehouse.store(samplesAs: .table)
        for number in 1...participants {
            let participant = UUID()
            let samples = try SampleTableTests.observations([SampleTableTests.sample(60)], of: participant)
            try await queue.send(Given.message(SampleTableTests.bundle(samples)))
            try await queue.send(Given.message(Given.contract(participant)))
            try await queue.send(Given.message(Given.response(participant, number)))
        }
        let keys = KeyRing([StudyKeys.id: StudyKeys.key])
        let consumer = Consumer(queue: queue, warehouse: warehouse, keys: keys)
        #expect(try await consumer.drain().loaded == 3 * participants)
        #expect(try await warehouse.read { try $0.hasSamples() })
        try await queue.send(Given.message(Given.response(UUID())))
    }

    @Test("files are copied while in use and restored with the same counts")
    func inUse() async throws {
        let folder = try Folder()
        let queue = try SQLiteMessageQueue(folder.file("queue.sqlite"))
        let warehouse = try Warehouse(folder.file("study.sqlite"))
        try await fill(queue, warehouse)
        try Data("ada:hash\n".utf8).write(to: folder.file("users"))
        let backup = StudyBackup(
            queue: .file(folder.file("queue.sqlite")),
            warehouse: .file(folder.file("study.sqlite")),
            others: [.init("pages.users", folder.file("users"))]
        )
        let made = try await backup.make(in: folder.file("backups"))
        #expect(made.counts["study_participant"] == 3 && made.counts["queue"] == 1)
        #expect(made.counts["study_sample"] == 3)
        let names = try FileManager.default.contentsOfDirectory(atPath: made.folder.path)
        #expect(Set(names) == ["backup.json", "queue.sqlite", "users", "warehouse.sqlite"])
        for name in names {
            let path = made.folder.appending(path: name).path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        // What came after the backup is not in it.
        try await queue.send(Given.message(Given.response(UUID())))
        let again = StudyBackup(
            queue: .file(folder.file("new-queue.sqlite")),
            warehouse: .file(folder.file("new.sqlite"))
        )
        #expect(try await again.restore(made.folder).counts == made.counts)
        let restored = try SQLiteMessageQueue(folder.file("new-queue.sqlite"))
        let consumer = Consumer(
            queue: restored,
            warehouse: try Warehouse(folder.file("new.sqlite")),
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        #expect(try await consumer.drain().waiting == 1)
    }

    @Test("a damaged backup and a file in the way are refused")
    func damaged() async throws {
        let folder = try Folder()
        let queue = try SQLiteMessageQueue(folder.file("queue.sqlite"))
        try await fill(queue, try Warehouse(folder.file("study.sqlite")), participants: 1)
        let backup = StudyBackup(
            queue: .file(folder.file("queue.sqlite")),
            warehouse: .file(folder.file("study.sqlite"))
        )
        let made = try await backup.make(in: folder.file("backups"))
        let inTheWay = await #expect(throws: StudyOperationsError.self) {
            try await backup.restore(made.folder)
        }
        #expect(inTheWay?.description.contains("is there already") == true)
        let file = made.folder.appending(path: "warehouse.sqlite")
        var data = try Data(contentsOf: file)
        data[data.count / 2] ^= 1
        try data.write(to: file)
        let other = StudyBackup(queue: .file(folder.file("q")), warehouse: .file(folder.file("w")))
        let damaged = await #expect(throws: StudyOperationsError.self) {
            try await other.restore(made.folder)
        }
        #expect(damaged?.description.contains("damaged") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.file("w").path))
        let foreign = StudyBackup(queue: nil, warehouse: .file(folder.file("w")), source: "OTHER")
        await #expect(throws: StudyOperationsError.self) { try await foreign.restore(made.folder) }
    }

    @Test("a database of PostgreSQL is dumped and restored")
    func postgreSQL() async throws {
        guard let url = try await TestDatabase.emptySchema() else { try Test.cancel("\(TestDatabase.hint)") }
        let folder = try Folder()
        let queue = try await PostgreSQLMessageQueue(url)
        let warehouse = try await Warehouse(postgreSQL: url)
        try await fill(queue, warehouse)
        let backup = StudyBackup(queue: .postgreSQL(url), warehouse: .postgreSQL(url))
        let made = try await backup.make(in: folder.file("backups"))
        #expect(made.counts["study_participant"] == 3 && made.counts["study_message"] == 9)
        // What is there is in the way.
        await #expect(throws: StudyOperationsError.self) { try await backup.restore(made.folder) }
        let schema = try await warehouse.read { try $0.currentSchema() }
        let database = PostgreSQLDatabase(try PostgreSQLAddress(url), connections: 1)
        try await database.run(.statement) { try $0.command("DROP SCHEMA \(schema) CASCADE") }
        #expect(try await backup.restore(made.folder).counts == made.counts)
        #expect(try await PostgreSQLMessageQueue(url).status().depth == 1)
    }

    // MARK: Keys

    @Test("a new key is published, and a revoked one is not")
    func newKey() throws {
        let folder = try Folder()
        let keys = StudyKeyFolder(folder.file("keys"))
        for _ in 0..<2 { _ = try keys.rotate(subject: "CN=Study", days: 30, bits: 2048) }
        #expect(try keys.entries().map(\.id.description) == ["key-1", "key-2"])
        let signer = try StudyKeys.certificate()
        let both = try keys.list(study: "s", signedBy: StudyKeys.key)
        #expect(both.keys.map(\.description) == ["key-1", "key-2"])
        try keys.revoke(KeyID("key-1"), reason: "the disk was stolen")
        let text = try keys.list(study: "s", signedBy: StudyKeys.key).text
        let list = try StudyKeyList(text, study: "s", signedBy: signer)
        #expect(list.keys.map(\.id.description) == ["key-2"])
        // Its messages can still be opened.
        #expect(try KeyRing(contentsOf: folder.file("keys")).all.count == 2)
        #expect(throws: (any Error).self) { try keys.revoke(KeyID("key-1"), reason: "") }
        #expect(throws: (any Error).self) { try keys.revoke(KeyID("key-9"), reason: "") }
        try keys.revoke(KeyID("key-2"), reason: "")
        // A file of that name that cannot be read does not make the key good again.
        let revoked = folder.file("keys").appending(path: "key-2/revoked.json")
        try FileManager.default.removeItem(at: revoked)
        try FileManager.default.createDirectory(at: revoked, withIntermediateDirectories: true)
        #expect(throws: StudyError.self) { try keys.entries() }
        #expect(throws: (any Error).self) { try keys.list(study: "s", signedBy: StudyKeys.key) }
    }

    @Test("phones fetch the list of keys from the receiver")
    func keyList() async throws {
        let folder = try Folder()
        let keys = StudyKeyFolder(folder.file("keys"))
        _ = try keys.rotate(subject: "CN=Study", days: 30, bits: 2048)
        let file = folder.file("keys.jwt")
        let receiver = try await Receiver.start(
            queue: SQLiteMessageQueue(nil),
            .open { $0.keyList = file }
        )
        let phone = Phone(url: receiver.url)
        #expect(try await phone.send(.get, "/c3pro/keys.jwt").status == 404)
        try Data(keys.list(study: "s", signedBy: StudyKeys.key).text.utf8).write(to: file)
        let answer = try await phone.send(.get, "/c3pro/keys.jwt")
        let list = try StudyKeyList(answer.text, study: "s", signedBy: StudyKeys.certificate())
        #expect(answer.status == 200 && list.keys.map(\.id.description) == ["key-1"])
        await receiver.stop()
    }

    @Test("the list of keys says what is lost without each")
    func lostKeys() async throws {
        let queue = try SQLiteMessageQueue(nil)
        let warehouse = try Warehouse(nil)
        try await fill(queue, warehouse, participants: 1)
        let lost = StudyKeys.known("key-lost")
        let body = try Given.envelope(Given.response(UUID()), key: StudyKeys.other, id: lost)
        try await queue.send(
            StudyMessage(
                id: "m",
                content: .envelope,
                received: "2026-03-02T00:00:00Z",
                client: nil,
                body: body
            )
        )
        let consumer = Consumer(
            queue: queue,
            warehouse: warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        _ = try await consumer.drain()
        let kept = try await warehouse.read { try KeptEnvelopes($0) }
        #expect(kept.byKey["key-lost"] == 1 && kept.unread["key-lost"] == 1)
        #expect(kept.unread["key-1"] == 1)
    }
}
