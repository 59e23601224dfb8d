import Foundation
import Indivo
import Testing

@Suite("Sessions in a file")
struct FileSessionStoreTests {
    private func withStore<Result>(_ body: (FileSessionStore<IndivoSession>) async throws -> Result)
        async throws -> Result
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sessions-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(FileSessionStore(file: folder.appending(path: "deep/sessions.json")))
    }

    private func session(_ record: String, token: String = "t", api: String = "https://indivo.example.org")
        -> IndivoSession
    {
        IndivoSession(
            api: URL(string: api)!,
            app: "meds@apps.example.org",
            record: record,  // The addresses above are ones.
            token: OAuthToken(value: token, secret: "planted-secret"),
            label: "Ana “Übung”",
            keptAt: Date(timeIntervalSince1970: 1_795_233_600)
        )
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(
        "any store reads what is kept; a record is kept once; forgetting forgets one"
    )
    func roundTrip() async throws {
        try await withStore { store in
            #expect(try store.sessions().isEmpty)
            try store.forget(session("r-0"))
            try store.keep(session("r-1"))
            try store.keep(session("r-2"))
            try store.keep(session("r-1", token: "newer"))
            try store.keep(session("r-1", token: "elsewhere", api: "https://two.example.org"))
            let other = FileSessionStore<IndivoSession>(file: store.file)
            #expect(
                try other.sessions() == [
                    session("r-2"), session("r-1", token: "newer"),
                    session("r-1", token: "elsewhere", api: "https://two.example.org"),
                ]
            )
            try other.forget(session("r-1"))
            #expect(try store.sessions().map(\.token.value) == ["t", "elsewhere"])
        }
    }

    @Test("file and folder are made for the owner alone, whatever the process's defaults")
    func modes() async throws {
        try await withStore { store in
            try store.keep(session("r"))
            #expect(try mode(store.file.path) == 0o600)
            #expect(try mode(store.file.deletingLastPathComponent().path) == 0o700)
            try store.keep(session("r-2"))
            #expect(try mode(store.file.path) == 0o600)
            // Nothing is left of the writing but the file and its lock.
            let names = try FileManager.default.contentsOfDirectory(
                atPath: store.file.deletingLastPathComponent().path
            )
            #expect(names.sorted() == ["sessions.json", "sessions.json.lock"])
        }
    }

    @Test(
        "a file that others can read or write is refused, and not overwritten",
        arguments: [0o644, 0o640, 0o606, 0o620]
    )
    func openFile(mode: Int) async throws {
        try await withStore { store in
            try store.keep(session("r"))
            let content = try Data(contentsOf: store.file)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: store.file.path)
            let error = #expect(throws: SessionStoreError.self) { try store.sessions() }
            #expect(error == .readableByOthers(file: store.file.path, mode: String(mode, radix: 8)))
            #expect(error?.description.contains("chmod 600") == true)
            #expect(throws: SessionStoreError.self) { try store.keep(session("r-2")) }
            #expect(try Data(contentsOf: store.file) == content)
        }
    }

    @Test("a link in the place of the file is refused")
    func link() async throws {
        try await withStore { store in
            try store.keep(session("r"))
            let aside = store.file.deletingLastPathComponent().appending(path: "aside.json")
            try FileManager.default.moveItem(at: store.file, to: aside)
            try FileManager.default.createSymbolicLink(at: store.file, withDestinationURL: aside)
            #expect(throws: SessionStoreError.notAPlainFile(file: store.file.path)) {
                try store.sessions()
            }
        }
    }

    @Test(
        "a file with something else in it is an error that says so, without repeating it",
        arguments: [
            "", "{}", "planted", #"{"sessions": [{"token": "planted"}]}"#,
        ]
    )
    func malformed(content: String) async throws {
        try await withStore { store in
            try store.keep(session("r"))
            try Data(content.utf8).write(to: store.file)
            let error = #expect(throws: SessionStoreError.self) { try store.sessions() }
            #expect(error == .malformed(file: store.file.path))
            #expect(error.map { "\($0)".contains("planted") } == false)
        }
    }

    @Test("a folder that cannot be made is an error that names the file")
    func nowhere() throws {
        let store = FileSessionStore<IndivoSession>(file: URL(filePath: "/dev/null/sessions.json"))
        let error = #expect(throws: SessionStoreError.self) { try store.keep(session("r")) }
        #expect(error?.description.contains("/dev/null/sessions.json") == true)
    }

    @Test("many that keep at once lose nothing")
    func concurrent() async throws {
        try await withStore { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask { try FileSessionStore(file: store.file).keep(session("r-\(number)")) }
                }
                try await group.waitForAll()
            }
            #expect(try Set(store.sessions().map(\.record)).count == 40)
        }
    }
}
