import Foundation
import StudyServer
import Testing

@testable import IndivoCommand
@testable import StudyWarehouse

/// What `indivo study consume` ends with when something else than a message fails.
@Suite struct StudyConsumeTests {
    @Test(arguments: [["--once"], ["--withdraw", UUID().uuidString]])
    func aWarehouseThatFailsIsNoMessageThatCouldNotBeProcessed(options: [String]) async throws {
        let folder = try Folder()
        let key = folder.file("keys").appending(path: "key-1")
        try FileManager.default.createDirectory(at: key, withIntermediateDirectories: true)
        let file = key.appending(path: "private-key.pem").path
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        #expect(
            FileManager.default.createFile(
                atPath: file,
                contents: Data(StudyKeys.key.pem.utf8),
                attributes: attributes
            )
        )
        let queue = folder.file("q.sqlite")
        let store = folder.file("s.sqlite")
        try await SQLiteMessageQueue(queue).send(Given.message(Given.response(UUID())))
        try await Warehouse(store).transaction { _ = try $0.db.execute(sql: "DROP TABLE study_message") }
        let places = [
            "--queue", "sqlite:\(queue.path)", "--store", "sqlite:\(store.path)", "--keys",
            folder.file("keys").path,
        ]
        let command = try StudyConsumeCommand.parse(places + options)
        do {
            try await command.run()
            #expect(Bool(false), "it is done")
        } catch let failure as CommandFailure {
            #expect(failure.status == .refused, "\(failure)")
        }
    }

    @Test("versions of a consent are read with the time from which they are required")
    func requiredConsents() throws {
        let base = ["--queue", "sqlite:q", "--store", "sqlite:s", "--keys", "k"]
        let command = try StudyConsumeCommand.parse(
            base + ["--require-consent", "a=b=2026-09-01", "--require-consent", "1.0=2026-03-01T12:00:00Z"]
        )
        let versions = try command.rules().consents.versions
        #expect(versions.map(\.name) == ["1.0", "a=b"])
        #expect(versions.map(\.from.description) == ["2026-03-01 12:00:00", "2026-09-01 00:00:00"])
        let odd = [
            ["--require-consent", "2.0"], ["--require-consent", "=2026-09-01"],
            ["--require-consent", "2.0=soon"], ["--withdrawn-data", "lost"],
            ["--withdraw", "-", "--stop", "-"],
        ]
        for options in odd {
            #expect(throws: (any Error).self, "\(options)") { try StudyConsumeCommand.parse(base + options) }
        }
    }
}
