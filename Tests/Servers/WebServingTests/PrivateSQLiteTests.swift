import Foundation
import GRDB
import Testing

@testable import WebServing

@Suite("Databases that their owner alone can read")
struct PrivateSQLiteTests {
    @Test("that a database cannot be made is told with the reason, in words")
    func unmakeable() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID().uuidString)")
        let file = folder.appending(path: "study.sqlite")
        let error = try #require(throws: PrivateSQLite.ProtectionError.self) {
            _ = try PrivateSQLite.open(file)
        }
        let reason = String(cString: strerror(ENOENT))
        #expect("\(error)" == "it cannot be made a file that its owner alone can read: \(reason)")
        #expect(error.path == file.path)
    }

    @Test("connections that begin with a new file at once make its tables once")
    func migrations() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "new-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for number in 1...5 {
            let file = folder.appending(path: "\(number).sqlite")
            try await withThrowingTaskGroup { group in
                for _ in 1...6 {
                    group.addTask {
                        let database = try PrivateSQLite.open(file)
                        var migrator = DatabaseMigrator()
                        migrator.registerMigration("1") { db in
                            // The folder is locked meanwhile.
                            let lock = Foundation.open(folder.path, O_RDONLY | O_DIRECTORY)
                            defer { close(lock) }
                            #expect(flock(lock, LOCK_EX | LOCK_NB) != 0)
                            try db.execute(sql: "CREATE TABLE a (b)")
                        }
                        migrator.registerMigration("2") { try $0.execute(sql: "CREATE TABLE c (d)") }
                        try PrivateSQLite.migrate(database, by: migrator)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
