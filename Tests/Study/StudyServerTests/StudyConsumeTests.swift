import Foundation
import RecordCommands
import StudyServer
import Testing

@testable import IndivoCommand
@testable import StudyWarehouse

/// What `indivo study consume` ends with when something else than a message fails.
@Suite struct StudyConsumeTests {
    @Test(
        "a failing warehouse does not mean that a message cannot be processed",
        arguments: [["--once"], ["--withdraw", UUID().uuidString]]
    )
    func failingWarehouse(options: [String]) async throws {
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
        try await Warehouse(store).transaction { _ = try $0.db.execute("DROP TABLE study_message") }
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

    @Test("who is not known does not leave", arguments: ["--withdraw", "--stop"])
    func unknown(option: String) async throws {
        let folder = try Folder()
        let key = folder.file("keys").appending(path: "key-1")
        try FileManager.default.createDirectory(at: key, withIntermediateDirectories: true)
        let file = key.appending(path: "private-key.pem").path
        let contents = Data(StudyKeys.key.pem.utf8)
        let isMade = FileManager.default.createFile(
            atPath: file,
            contents: contents,
            attributes: [.posixPermissions: 0o600]
        )
        #expect(isMade)
        let store = folder.file("s.sqlite")
        let arguments = [
            "--queue", "sqlite:\(folder.file("q.sqlite").path)", "--store", "sqlite:\(store.path)", "--keys",
            folder.file("keys").path, option, UUID().uuidString,
        ]
        let command = try StudyConsumeCommand.parse(arguments)
        do {
            try await command.run()
            #expect(Bool(false), "it is done")
        } catch let failure as CommandFailure {
            #expect(failure.status == .nothingFound && "\(failure)".contains("nobody"), "\(failure)")
        }
        let count = try await Warehouse(store).read { db in
            try db.db.number("SELECT count(*) FROM study_withdrawal")
        }
        #expect(count == 0)
    }

    @Test("a member that stands twice in a configuration is refused")
    func membersTwice() throws {
        let folder = try Folder()
        let file = folder.file("study.json")
        let given = #"{"study": "a", "subject": "0b6d8f5e-3b0e-4c7d-9f43-2f0f6a1c9b11", "study": "b"}"#
        try Data(given.utf8).write(to: file)
        #expect { try StudyConfiguration(file.path) } throws: { "\($0)".contains("“study” is there twice") }
        let up = #"{"title": "a", "pages": {"users": "u", "users": "v"}, "queue": "sqlite:q"}"#
        let parsed = try StudyUpFile(Data(up.utf8), path: file.path)
        #expect { try parsed.plan() } throws: { "\($0)".contains("“users” is there twice") }
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
