import Foundation
import Indivo
import IndivoSandbox
import IndivoTesting
import Testing

@Suite("What the tool tells of secrets")
struct ToolSecretsTests {
    private static let consumerSecret = "PLANTED/consumer+secret=1"
    private static let patient = "Seeded Patientia"

    /// A tool whose secrets, all of them, can be recognised wherever they come out.
    private func use(_ body: (ClientTool, SecretSearch) async throws -> Void) async throws {
        try await ClientTool.use { client in
            let app = SandboxApp(
                id: "planted@apps.example.org",
                name: "Planted",
                consumerSecret: Self.consumerSecret,
                startURL: "http://127.0.0.1:8002/start?record_id={record_id}&carenet_id={carenet_id}",
                callbackURL: ""
            )
            try await client.sandbox.addApp(app)
            let token = try await client.sandbox.issueAccessToken(
                app: app.id,
                record: client.record,
                account: Sandbox.demoAccount
            )
            let planted = client.with([
                "INDIVO_APP_ID": app.id, "INDIVO_CONSUMER_KEY": app.consumerKey,
                "INDIVO_CONSUMER_SECRET": Self.consumerSecret, "INDIVO_TOKEN": token.token,
                "INDIVO_TOKEN_SECRET": token.secret,
            ])
            try await body(
                planted,
                SecretSearch([
                    "consumer secret": Self.consumerSecret, "token": token.token,
                    "token secret": token.secret,
                ])
            )
        }
    }

    @Test("no command prints or keeps a secret, and a failing one prints no patient data")
    func output() async throws {
        try await use { client, secrets in
            let patient = SecretSearch(["patient": Self.patient, "document": "Seeded disease"])
            let document = """
                <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Problem">
                <Field name="name_title">Seeded disease</Field><Field name="notes">\(Self.patient)</Field>
                <Field name="startDate">\(Self.patient)</Field></Model></Models>
                """
            let good = vitaminC.replacing("Vitamin C, 500 MG", with: Self.patient)
            let wrongSecret = client.with(["INDIVO_CONSUMER_SECRET": "PLANTED-wrong-secret"])
            let unreachable = client.with(["INDIVO_API": "http://127.0.0.1:9"])
            var runs = 0
            for tool in [client, wrongSecret, unreachable] {
                for (arguments, input) in [
                    (["record"], ""), (["record", "--verbose"], ""),
                    (["documents", "add", "-", "--verbose"], document),
                    (["documents", "add", "-"], good), (["documents", "get", "no-such-id", "--verbose"], ""),
                    (["reports", "Problem", "--verbose"], ""), (["reports", "NoSuchModel"], ""),
                    (["call", "GET", "/records/x/../y"], ""), (["call", "POST", "/oauth/request_token"], ""),
                    (["settings"], ""), (["settings", "--json"], ""), (["sessions"], ""),
                    (["outbox", "list"], ""),
                    (["outbox", "flush", "--verbose"], ""), (["demographics", "set", "-"], document),
                    (["no-such-command", "x"], ""), (["login", "--out-of-band"], "not-a-record\nno-code\n"),
                ] {
                    let result = try await tool.run(arguments, input: input)
                    runs += 1
                    #expect(secrets.found(in: result.output + result.errors) == [], "\(arguments)")
                    // What --verbose tells may repeat what was sent, as its help says.
                    if arguments.contains("--verbose") { continue }
                    #expect(patient.found(in: result.errors) == [], "\(arguments): \(result.status)")
                    if result.status != 0 { #expect(patient.found(in: result.output) == [], "\(arguments)") }
                }
            }
            #expect(runs == 51)
            // What is left in the person's folder, the outbox with its key included; in no session was
            // anything kept.
            let files = try FileManager.default.subpathsOfDirectory(atPath: client.tool.folder.path)
            for file in files {
                guard
                    let content = FileManager.default.contents(
                        atPath: client.tool.folder.appending(path: file).path
                    )
                else { continue }
                #expect(secrets.found(in: content) == [], "\(file)")
            }
        }
    }

    #if os(Linux)
    @Test("neither the tool's arguments nor those of a process it starts hold a secret")
    func arguments() async throws {
        try await use { client, secrets in
            let running = try RunningTool(
                client.tool,
                ["login", "--out-of-band", "--verbose"],
                environment: client.environment
            )
            // It waits for an answer by then.
            var pages = running.addresses().makeAsyncIterator()
            _ = await pages.next()
            let processes = try Self.processes(from: running.processIdentifier)
            #expect(!processes.isEmpty)
            for process in processes {
                let line = try Data(contentsOf: URL(filePath: "/proc/\(process)/cmdline"))
                #expect(secrets.found(in: line) == [])
            }
            running.endInput()
            _ = await running.result()
        }
    }

    /// A process and all that descend from it.
    private static func processes(from root: Int32) throws -> [Int32] {
        var parents: [Int32: Int32] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
            guard let process = Int32(name),
                let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
                let parent = status.firstMatch(of: #/PPid:\s*(\d+)/#).flatMap({ Int32($0.1) })
            else { continue }
            parents[process] = parent
        }
        var found = [root]
        func isNewChild(_ process: Int32, of parent: Int32) -> Bool {
            found.contains(parent) && !found.contains(process)
        }
        while case let more = parents.filter({ isNewChild($0.key, of: $0.value) }).keys,
            !more.isEmpty
        {
            found += more
        }
        return found
    }
    #endif

    @Test("no option of any command takes a secret, so none gets into a shell's history")
    func options() throws {
        try Tool.use { tool in
            let dump = try tool.run("--experimental-dump-help")
            let help = try #require(
                try JSONSerialization.jsonObject(with: Data(dump.output.utf8)) as? [String: Any]
            )
            var names: [String] = []
            func collect(_ command: [String: Any]) {
                for argument in command["arguments"] as? [[String: Any]] ?? [] {
                    names += (argument["names"] as? [[String: Any]] ?? []).compactMap {
                        $0["name"] as? String
                    }
                }
                for sub in command["subcommands"] as? [[String: Any]] ?? [] { collect(sub) }
            }
            collect(try #require(help["command"] as? [String: Any]))
            #expect(names.count > 50)
            for name in names {
                #expect(
                    !["secret", "password", "token", "verifier", "passphrase"].contains {
                        name.lowercased().contains($0)
                    },
                    "\(name)"
                )
            }
        }
    }
}
