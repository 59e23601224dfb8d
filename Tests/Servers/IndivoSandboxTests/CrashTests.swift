import Foundation
import IndivoSandbox
import OAuth1
import Testing

@Suite("A sandbox that is killed", .enabled(if: Tool.url != nil, "the tool `indivo` is not built"))
struct CrashTests {
    @Test("after kill -9 amid pushes the file holds exactly what was answered")
    func killed() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "indivo-crash-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = folder.appending(path: "indivo.sqlite")
        var configuration = SandboxConfiguration()
        configuration.database = .file(database)
        // Everything that is needed to push is made before, in this process.
        var record = ""
        var token: OAuthToken?
        try await withSandbox(configuration) { sandbox async throws in
            record = try #require(try await sandbox.records().first?.id)
            token = try await TestApp(sandbox).authorized(sandbox, record: record).token
        }

        let owner = record
        let accessToken = token
        let (process, summary) = try Tool.startSandbox(["--database", database.path])
        let api = try #require((summary["api"] as? String).flatMap { URL(string: $0) })

        let port = api.port ?? 0
        let answered = Answered()
        let pid = process.processIdentifier
        await withTaskGroup(of: Void.self) { group in
            for client in 0..<4 {
                group.addTask {
                    for number in 0..<250 {
                        let name = "c\(client)n\(number)"
                        let app = TestApp(port: port).with(accessToken)
                        let answer = try? await app.put(
                            "/records/\(owner)/documents/external/demo@apps.example.org/\(name)",
                            xml: CrashTests.document(name)
                        )
                        guard let answer, answer.status == 200 else { return }
                        if await answered.add(name) == 300 { kill(pid, SIGKILL) }
                    }
                }
            }
        }
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        let kept = await answered.names
        #expect(kept.count >= 300)

        try await withSandbox(configuration) { sandbox async throws in
            let app = TestApp(sandbox).with(token)
            for name in kept {
                let external = "/records/\(record)/documents/external/demo@apps.example.org/\(name)"
                let meta = try await app.get(external + "/meta")
                let id = try World.id(meta, "Document")
                let content = try await app.get("/records/\(record)/documents/\(id)")
                #expect(content.text == CrashTests.document(name))
            }
            // A push that was not answered may have been stored, whole; four were under way at most.
            let stored = try await app.get("/records/\(record)/reports/Equipment/?limit=0")
            let facts = try #require(try JSONSerialization.jsonObject(with: stored.body) as? [[String: Any]])
            let pushed = Set(
                facts.compactMap { $0["name"] as? String }.filter { $0.hasPrefix("c") && $0.contains("n") }
            )
            #expect(kept.isSubset(of: pushed))
            #expect(pushed.count <= kept.count + 4)
            let list = try await app.get("/records/\(record)/documents/?limit=1000")
            let documents = list.text.matches(of: /<Document id="/).count
            #expect(list.text.contains("total_document_count=\"\(documents)\""))
        }
    }

    /// The pushes that the server answered.
    private actor Answered {
        var names: Set<String> = []

        func add(_ name: String) -> Int {
            names.insert(name)
            return names.count
        }
    }

    private static func document(_ name: String) -> String {
        """
        <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Equipment">\
        <Field name="name">\(name)</Field></Model></Models>
        """
    }
}
