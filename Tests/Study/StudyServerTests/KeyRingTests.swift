import Foundation
import StudyDelivery
import StudyServer
import StudyWarehouse
import Testing

@Suite struct KeyRingTests {
    /// - Returns: The path of the file.
    private func write(_ key: StudyPrivateKey, named name: String, to folder: Folder) throws -> String {
        try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: true)
        let file = folder.file(name).appending(path: "private-key.pem").path
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        #expect(
            FileManager.default.createFile(atPath: file, contents: Data(key.pem.utf8), attributes: attributes)
        )
        return file
    }

    @Test(
        "a key that comes while a consumer runs opens messages",
        arguments: [StudyMessage.Content.envelope, .package]
    )
    func newKey(content: StudyMessage.Content) async throws {
        let folder = try Folder()
        let queue = try SQLiteMessageQueue(nil)
        let warehouse = try Warehouse(nil)
        let participant = UUID()
        _ = try write(StudyKeys.key, named: "key-1", to: folder)
        let consumer = Consumer(queue: queue, warehouse: warehouse, keys: try KeyRing(contentsOf: folder.url))
        try await queue.send(Given.message(Given.contract(participant)))
        #expect(try await consumer.drain().loaded == 1)
        _ = try write(StudyKeys.other, named: "key-2", to: folder)
        let body: Data
        switch content {
        case .envelope:
            let id = StudyKeys.known("key-2")
            body = try Given.envelope(
                Given.response(participant),
                key: StudyKeys.other,
                id: id,
                form: .second
            )
        case .package:
            var archive = try StudyArchive(ArchiveInfo(study: "s", item: "diary"))
            try archive.add("response.json", Data(Given.response(participant).utf8))
            let encryption = try CMSEncryption(for: [StudyKeys.certificate(of: StudyKeys.other)])
            try archive.write(to: folder.file("p.cms"), encryption: encryption)
            body = try Data(contentsOf: folder.file("p.cms"))
        }
        try await queue.send(StudyMessage(content: content, received: "2026-03-02T00:00:00Z", body: body))
        #expect(try await consumer.drain().loaded == 1)
    }

    @Test("a folder of keys is read, and files that others can read are refused")
    func folder() throws {
        let folder = try Folder()
        let file = try write(StudyKeys.key, named: "key-1", to: folder)
        _ = try KeyRing(contentsOf: folder.url)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        #expect(throws: StudyError.self) { try KeyRing(contentsOf: folder.url) }
        #expect(throws: StudyError.self) { try KeyRing(contentsOf: folder.file("missing")) }
    }
}
