import Foundation
import Indivo
import IndivoSandbox
import IndivoTesting
import Testing

@Suite("indivo login")
struct LoginTests {
    /// A tool beside a sandbox whose app comes back to a port that is free, and nobody logged in.
    private func use(_ body: (ClientTool, _ port: UInt16) async throws -> Void) async throws {
        try await ClientTool.use { client in
            let port = try LoopbackListener.onFreePort().port
            let app = SandboxApp(
                id: "loop@apps.example.org",
                name: "Loop",
                consumerSecret: "loop-secret",
                startURL: "http://127.0.0.1:\(port)/start?record_id={record_id}&carenet_id={carenet_id}",
                callbackURL: ""
            )
            try await client.sandbox.addApp(app)
            let settings = [
                "INDIVO_APP_ID": app.id, "INDIVO_CONSUMER_KEY": app.consumerKey,
                "INDIVO_CONSUMER_SECRET": app.consumerSecret,
            ]
            try await body(client.withoutToken.with(settings), port)
        }
    }

    private func logIn(_ client: ClientTool, _ port: UInt16, choosing label: String?) async throws -> Int32 {
        let running = try RunningTool(
            client.tool,
            ["login", "--port", "\(port)"],
            environment: client.environment
        )
        running.endInput()
        let browser = HeadlessBrowser()
        for await page in running.addresses() {
            _ = try await browser.logIn(at: page, userName: "demo", password: "demo", choosing: label)
        }
        return await running.result().status
    }

    @Test("a login keeps a session, which every command uses until the logout forgets it")
    func session() async throws {
        try await use { client, port in
            let before = try await client.run("record")
            #expect(before.status == 2)
            #expect(before.errors.contains("indivo login"))

            let records = try await client.sandbox.records()
            #expect(try await logIn(client, port, choosing: records[0].label) == 0)
            let file = client.tool.folder.appending(path: ".local/state/indivo/sessions.json").path
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)

            let record = try await client.run("record", "--json")
            #expect(record.status == 0, "\(record.errors)")
            #expect(try jsonObject(record.output)["id"] as? String == records[0].id)
            // The session tells the server and the app too; the secret is never kept.
            let bare = client.with(["INDIVO_API": nil, "INDIVO_APP_ID": nil, "INDIVO_CONSUMER_KEY": nil])
            #expect(try await bare.run("record").status == 0)
            let noSecret = try await bare.with(["INDIVO_CONSUMER_SECRET": nil]).run("record")
            #expect(noSecret.status == 2)
            #expect(noSecret.errors.contains("INDIVO_CONSUMER_SECRET"))
            #expect(!(try String(contentsOfFile: file, encoding: .utf8)).contains("loop-secret"))

            let sessions = try json(try await client.run("sessions", "--json").output)
            #expect(sessions.count == 1)
            #expect(Set(sessions[0].keys) == ["record", "label", "api", "app", "keptAt"])
            #expect(try await client.run("logout").status == 0)
            #expect(try await client.run("logout").status == 1)
            #expect(try await client.run("record").status == 2)
        }
    }

    @Test("of several open records none is taken unless it is named")
    func severalRecords() async throws {
        try await use { client, port in
            let records = try await client.sandbox.records()
            try #require(records.count > 1)
            for record in records.prefix(2) {
                #expect(try await logIn(client, port, choosing: record.label) == 0)
            }
            let unnamed = try await client.run("record")
            #expect(unnamed.status == 2)
            #expect(unnamed.errors.contains(records[0].id) && unnamed.errors.contains(records[1].id))
            for record in records.prefix(2) {
                let named = try await client.run("record", "--record", record.id, "--json")
                #expect(try jsonObject(named.output)["id"] as? String == record.id)
            }
            #expect(
                try await client.run("record", "--record", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff").status == 2
            )
            #expect(try await client.run("logout", "--all").status == 0)
            #expect(try await client.run("sessions", "--json").output == "[]\n")
        }
    }

    @Test("a login without an answer to its question, or a way back, ends with an error")
    func failures() async throws {
        try await use { client, port in
            let cancelled = try await client.run("login", "--out-of-band")
            #expect(cancelled.status == 1)
            #expect(cancelled.output.hasPrefix("http://"))
            let wrong = try await client.run(
                "login",
                "--out-of-band",
                "--record",
                "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
                input: "1234\n"
            )
            #expect(wrong.status == 3)
            #expect(wrong.errors.contains("indivo login"))
            let noPages = try await client.with(["INDIVO_UI": nil]).run("login")
            #expect(noPages.status == 2)
            #expect(noPages.errors.contains("INDIVO_UI"))
            let taken = try LoopbackListener.onFreePort()
            let session = try taken.listen()
            #expect(try await client.run("login", "--port", "\(taken.port)").status == 2)
            session.close()
        }
    }

    @Test("a login to a server where nobody listens ends at once, and names the address")
    func nobody() async throws {
        try await use { client, port in
            let free = "http://127.0.0.1:\(try LoopbackListener.onFreePort().port)"
            let noAPI = try await client.with(["INDIVO_API": free]).run("login", "--port", "\(port)")
            #expect(noAPI.status == 4)
            #expect(noAPI.output.isEmpty && noAPI.errors.contains("INDIVO_API"))
            let noPages = try await client.with(["INDIVO_UI": free]).run("login", "--port", "\(port)")
            #expect(noPages.status == 4)
            #expect(noPages.output.isEmpty && noPages.errors.contains("INDIVO_UI"))
            // Where the browser is on another machine, the pages may be there alone.
            let elsewhere = try await client.with(["INDIVO_UI": free]).run("login", "--out-of-band")
            #expect(elsewhere.status == 1)
        }
    }
}
