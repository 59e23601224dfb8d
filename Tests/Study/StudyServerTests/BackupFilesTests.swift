import Foundation
import OrderedJSON
import RecordCommands
import StudyDelivery
import StudyWarehouse
import Testing

@testable import IndivoCommand
@testable import StudyServer

/// What a configuration names: it is in backups, comes back from them, and is opened by a check.
@Suite struct BackupFilesTests {
    private static let questionnaire = #"""
        {"resourceType": "Questionnaire", "id": "sleep", "url": "https://example.org/Questionnaire/sleep",
         "version": "1", "status": "active", "item": [{"linkId": "1", "type": "boolean"}]}
        """#

    private static let configuration = #"""
        {"source": "STUDY", "queue": "sqlite:queue.sqlite", "store": "sqlite:study.sqlite",
         "questionnaires": ["sleep.json", "published"], "schedule": "schedule.json",
         "receiver": {"antispam": "antispam.txt", "registration": "codes", "codes": "codes.txt",
          "clients": "clients.sqlite", "contents": "published", "keyList": "keys.jwt"},
         "pages": {"users": "users"}, "audit": "audit.jsonl"}
        """#

    /// A study with all the files that its configuration names.
    private func fill(_ folder: Folder) throws {
        func write(_ text: String, _ name: String) throws {
            let file = folder.file(name)
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
        _ = try SQLiteMessageQueue(folder.file("queue.sqlite"))
        _ = try Warehouse(folder.file("study.sqlite"))
        try write(Self.configuration, "study.json")
        try write(Self.questionnaire, "sleep.json")
        try write(
            #"{"tasks": [{"taskId": "sleep", "taskType": "survey", "schedule": "Once"}]}"#,
            "schedule.json"
        )
        try write("token\n", "antispam.txt")
        try write("a code of an app\n", "codes.txt")
        try write("key list", "keys.jwt")
        try StudyUserFile(folder.file("users")).setPassword("a long password", of: "ada")
        let log = AuditLog(folder.file("audit.jsonl"))
        for number in 1...3 { try log.append(who: "ada", action: "view", ["page": "\(number)"]) }
        _ = try SQLiteMessageQueue(folder.file("clients.sqlite"))
        _ = try StudyContentsFolder(folder.file("published")).publish(
            [.init(.init(parsing: Data(Self.questionnaire.utf8)))],
            study: "s",
            signedBy: StudyKeys.key
        )
    }

    private func places(_ folder: Folder) throws -> StudyBackupPlaces {
        try .parse(["--config", folder.file("study.json").path])
    }

    private let names = [
        "config", "questionnaires.0", "questionnaires.1", "schedule", "audit", "pages.users",
        "receiver.antispam", "receiver.codes", "receiver.keyList", "receiver.contents", "receiver.clients",
    ]

    @Test("a backup has every file of the configuration and restores it where that says")
    func everyFile() async throws {
        let folder = try Folder()
        try fill(folder)
        let made = try await places(folder).backup().make(in: folder.file("backups"))
        #expect(Set(made.others.map(\.name)) == Set(names) && made.missing.isEmpty)
        #expect(try !folder.contains("PRIVATE KEY"))
        // Nothing is left but the backup, the configuration neither; the users go somewhere else now.
        let new = try Folder()
        let restored = try await places(new).backup(restoring: made.folder).restore(made.folder)
        #expect(Set(restored.others.map(\.name)) == Set(names) && restored.missing.isEmpty)
        let files = ["study.json", "sleep.json", "schedule.json", "antispam.txt", "codes.txt", "keys.jwt"]
        let published = try FileManager.default.contentsOfDirectory(atPath: folder.file("published").path)
        let shown = published.filter { !$0.hasPrefix(".") }.map { "published/\($0)" }
        #expect(shown.count == 2)
        for name in files + ["users", "audit.jsonl"] + shown {
            let old = folder.file(name).path
            let path = new.file(name).path
            #expect(FileManager.default.contentsEqual(atPath: old, andPath: path), "\(name)")
            let modes = try [old, path].map {
                try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
            }
            #expect(modes[0] == modes[1], "\(name)")
        }
        _ = try SQLiteMessageQueue(new.file("clients.sqlite"))
        #expect(try AuditLog(new.file("audit.jsonl")).verify().count == 3)
        // The restored study starts.
        let config = try StudyUpFile(new.file("study.json").path)
        _ = try config.plan()
        try config.checkFiles()
    }

    @Test("files go where the configuration that is there says")
    func presentConfiguration() async throws {
        let folder = try Folder()
        try fill(folder)
        let made = try await places(folder).backup().make(in: folder.file("backups"))
        let new = try Folder()
        let text = Self.configuration.replacing(#""users": "users""#, with: #""users": "new-users""#)
        try Data(text.utf8).write(to: new.file("study.json"))
        _ = try await places(new).backup(restoring: made.folder).restore(made.folder)
        #expect(try StudyUserFile(new.file("new-users")).names() == ["ada"])
        #expect(try String(contentsOf: new.file("study.json"), encoding: .utf8) == text)
    }

    @Test("a missing file is reported by name")
    func missing() async throws {
        let folder = try Folder()
        try fill(folder)
        try FileManager.default.removeItem(at: folder.file("users"))
        try FileManager.default.removeItem(at: folder.file("clients.sqlite"))
        let made = try await places(folder).backup().make(in: folder.file("backups"))
        #expect(made.missing.map(\.name).sorted() == ["pages.users", "receiver.clients"])
        let error = #expect(throws: CommandFailure.self) { try StudyBackupPlaces.check(made, "not there") }
        #expect(error?.description.contains("pages.users") == true && error?.status == .nothingFound)
        // The receiver makes its file of apps itself.
        #expect(error?.description.contains("clients") == false)
        let manifest = try String(contentsOf: made.folder.appending(path: "backup.json"), encoding: .utf8)
        #expect(manifest.contains(#""missing":["pages.users","receiver.clients"]"#))
    }

    @Test("a file with other content is in the way, and nothing is written")
    func inTheWay() async throws {
        let folder = try Folder()
        try fill(folder)
        let made = try await places(folder).backup().make(in: folder.file("backups"))
        let new = try Folder()
        try Data("eve:hash\n".utf8).write(to: new.file("users"))
        let error = await #expect(throws: StudyOperationsError.self) {
            try await places(new).backup(restoring: made.folder).restore(made.folder)
        }
        #expect(error?.description.contains("users is there already") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: new.url.path) == ["users"])
    }

    @Test("a manifest whose paths leave the folder is refused")
    func outside() async throws {
        let folder = try Folder()
        try fill(folder)
        let made = try await places(folder).backup().make(in: folder.file("backups"))
        let file = made.folder.appending(path: "backup.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        let path = #""path":"contents.jwt""#
        #expect(text.contains(path))
        try Data(text.replacing(path, with: #""path":"../evil""#).utf8).write(to: file)
        let new = try Folder()
        let error = await #expect(throws: StudyOperationsError.self) {
            try await places(new).backup(restoring: made.folder).restore(made.folder)
        }
        #expect(error?.description.contains("leaves its folder") == true)
    }

    @Test("a folder and files behind links are in the backup; what is neither is told")
    func links() async throws {
        let folder = try Folder()
        try fill(folder)
        let files = FileManager.default
        for name in ["published", "users"] {
            try files.moveItem(at: folder.file(name), to: folder.file("real-\(name)"))
            try files.createSymbolicLink(
                atPath: folder.file(name).path,
                withDestinationPath: folder.file("real-\(name)").path
            )
        }
        let made = try await places(folder).backup().make(in: folder.file("backups"))
        let manifest = try String(contentsOf: made.folder.appending(path: "backup.json"), encoding: .utf8)
        #expect(manifest.contains("published/contents.jwt"))
        #expect(files.fileExists(atPath: made.folder.appending(path: "published/contents.jwt").path))
        try files.createSymbolicLink(
            atPath: folder.file("published/elsewhere").path,
            withDestinationPath: folder.url.path
        )
        let error = await #expect(throws: StudyOperationsError.self) {
            try await places(folder).backup().make(in: folder.file("more"))
        }
        #expect(error?.description.contains("elsewhere") == true, "\(String(describing: error))")
    }

    @Test("a restore that fails leaves nothing, so that the next one finds its way free")
    func halfRestored() async throws {
        let folder = try Folder()
        try fill(folder)
        let made = try await places(folder).backup().make(in: folder.file("backups"))
        let file = made.folder.appending(path: "backup.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        let count = #""study_participant":0"#
        #expect(text.contains(count))
        try Data(text.replacing(count, with: #""study_participant":7"#).utf8).write(to: file)
        let new = try Folder()
        let error = await #expect(throws: StudyOperationsError.self) {
            try await places(new).backup(restoring: made.folder).restore(made.folder)
        }
        #expect(error?.description.contains("do not use it") == true)
        let left = try FileManager.default.subpathsOfDirectory(atPath: new.url.path)
        #expect(left.allSatisfy { $0 == "published" }, "\(left)")
        try Data(text.utf8).write(to: file)
        _ = try await places(new).backup(restoring: made.folder).restore(made.folder)
    }

    @Test("a backup without its warehouse, or that others may write, is not trusted")
    func hostileManifest() async throws {
        let folder = try Folder()
        try fill(folder)
        let made = try await places(folder).backup().make(in: folder.file("backups"))
        let file = made.folder.appending(path: "backup.json")
        var json = try JSONValue(parsing: Data(contentsOf: file))
        let entries = json["files"]?.elements.map(Array.init) ?? []
        for part in ["queue", "warehouse"] {
            json["files"] = JSONValue(entries.filter { $0["part"]?.string != part })
            try Data(json.utf8()).write(to: file)
            let new = try Folder()
            let error = await #expect(throws: StudyOperationsError.self) {
                try await places(new).backup(restoring: made.folder).restore(made.folder)
            }
            #expect(error?.description.contains("has no \(part)") == true)
        }
        json["files"] = JSONValue(
            entries.map { entry in
                var entry = entry
                entry["mode"] = 0o777
                return entry
            }
        )
        try Data(json.utf8()).write(to: file)
        let new = try Folder()
        _ = try await places(new).backup(restoring: made.folder).restore(made.folder)
        let attributes = try FileManager.default.attributesOfItem(atPath: new.file("antispam.txt").path)
        #expect(attributes[.posixPermissions] as? Int == 0o644)
    }

    @Test("no backup is made in a folder that is copied")
    func inside() async throws {
        let folder = try Folder()
        try fill(folder)
        let error = await #expect(throws: StudyOperationsError.self) {
            try await places(folder).backup().make(in: folder.file("published/backups"))
        }
        #expect(error?.description.contains("which is copied") == true)
    }

    @Test("what a backup left that was killed goes with the next one, a day later")
    func drafts() async throws {
        let folder = try Folder()
        try fill(folder)
        let backups = folder.file("backups")
        let old = ".making-8b0a3c1e-0c0f-4c55-9d3e-6a4f1f6f0a11"
        let new = ".making-8b0a3c1e-0c0f-4c55-9d3e-6a4f1f6f0a12"
        for (name, age) in [(old, 100_000.0), (new, 10)] {
            let draft = backups.appending(path: name)
            try FileManager.default.createDirectory(
                at: draft,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700, .modificationDate: Date(timeIntervalSinceNow: -age)]
            )
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)],
                ofItemAtPath: draft.path
            )
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: backups.path)
        let made = try await places(folder).backup().make(in: backups)
        let names = try FileManager.default.contentsOfDirectory(atPath: backups.path)
        #expect(Set(names) == [new, made.folder.lastPathComponent])
    }

    @Test("a backup of an earlier build gives back its files")
    func earlierBuild() async throws {
        let folder = try Folder()
        try fill(folder)
        let made = try await places(folder).backup().make(in: folder.file("backups"))
        let file = made.folder.appending(path: "backup.json")
        var text = try String(contentsOf: file, encoding: .utf8)
        for name in ["config", "pages.users"] { text.replace(#","names":["\#(name)"]"#, with: "") }
        try Data(text.utf8).write(to: file)
        let new = try Folder()
        _ = try await places(new).backup(restoring: made.folder).restore(made.folder)
        #expect(try StudyUserFile(new.file("users")).names() == ["ada"])
        #expect(FileManager.default.fileExists(atPath: new.file("study.json").path))
    }

    @Test(
        "a check opens each file of the configuration",
        arguments: [
            ("users", "eve\n", "users: line 1 is not a name"), ("users", nil, "users: there is no such file"),
            ("antispam.txt", nil, "antispam.txt: there is no such file"),
            ("clients.sqlite", "no database, no database", "clients.sqlite: this is no database of SQLite"),
            ("queue.sqlite", "no database, no database", "queue.sqlite: this is no database of SQLite"),
            ("published/contents.jwt", "a.b.c", "published: this is not a valid list"),
            ("codes.txt", "short\n", "codes.txt: a code of fewer than 8"),
            ("sleep.json", "{", "sleep.json"), ("schedule.json", nil, "schedule.json: there is no such file"),
        ]
    )
    func checkedFiles(name: String, content: String?, advice: String) throws {
        let folder = try Folder()
        try fill(folder)
        try FileManager.default.removeItem(at: folder.file(name))
        if let content {
            try Data(content.utf8).write(to: folder.file(name))
            let mode = [FileAttributeKey.posixPermissions: 0o600]
            try FileManager.default.setAttributes(mode, ofItemAtPath: folder.file(name).path)
        }
        let error = #expect(throws: (any Error).self) {
            let file = try StudyUpFile(folder.file("study.json").path)
            _ = try file.plan()
            try file.checkFiles()
        }
        #expect(error.map { "\($0)" }?.contains(advice) == true, "\(String(describing: error))")
    }

    @Test("a check tells all that is wrong")
    func checkedAll() throws {
        let folder = try Folder()
        try fill(folder)
        try FileManager.default.removeItem(at: folder.file("users"))
        try FileManager.default.removeItem(at: folder.file("audit.jsonl"))
        try FileManager.default.createDirectory(
            at: folder.file("audit.jsonl"),
            withIntermediateDirectories: false
        )
        let error = #expect(throws: CommandFailure.self) {
            try StudyUpFile(folder.file("study.json").path).checkFiles()
        }
        let text = error?.description ?? ""
        #expect(
            text.contains("“audit”") && text.contains("this is a folder") && text.contains("“pages.users”")
        )
    }
}
