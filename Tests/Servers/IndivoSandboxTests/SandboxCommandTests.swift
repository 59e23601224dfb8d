import Foundation
import IndivoSandbox
import OAuth1
import Testing

@Suite("The command `indivo sandbox`", .enabled(if: Tool.url != nil, "the tool `indivo` is not built"))
struct SandboxCommandTests {
    @Test(
        "it prints what is needed in one line of JSON, and ends cleanly when interrupted",
        arguments: [SIGINT, SIGTERM]
    )
    func startAndStop(signal: Int32) async throws {
        let (process, summary) = try Tool.startSandbox([])
        #expect(
            Set(summary.keys) == [
                "api", "ui", "app_id", "consumer_key", "consumer_secret", "account", "password", "records",
            ]
        )
        let api = try #require((summary["api"] as? String).flatMap { URL(string: $0) })
        let records = try #require(summary["records"] as? [[String: String]])
        #expect(records.map { $0["label"] } == ["Ines Halloran", "Tomas Brandt", "Alma Halloran"])
        let app = TestApp(
            port: api.port ?? 0,
            key: summary["consumer_key"] as? String ?? "",
            secret: summary["consumer_secret"] as? String ?? ""
        )
        #expect(try await app.requestToken(record: records[0]["id"]).value.count == 20)
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
    }

    @Test("it registers apps by manifest, keeps their secrets, and has an admin app")
    func apps() async throws {
        try await withFolder { folder async throws in
            let manifest = folder.appending(path: "meds.json")
            try Data(
                """
                {"id": "meds@apps.example.org", "name": "Meds", "mode": "ui", "index": \
                "http://127.0.0.1:9/start",
                 "consumer_key": "meds-key", "consumer_secret": "meds-secret"}
                """.utf8
            ).write(to: manifest)
            let (process, summary) = try Tool.startSandbox(["--app", manifest.path])
            let port = (summary["api"] as? String).flatMap { URL(string: $0)?.port } ?? 0
            let records = summary["records"] as? [[String: String]] ?? []
            let app = TestApp(port: port, key: "meds-key", secret: "meds-secret")
            #expect(try await app.requestToken(record: records.first?["id"]).value.count == 20)
            let list = try await RawHTTP.request("GET", port: port, target: "/apps/")
            #expect(list.text.contains("meds@apps.example.org"))
            #expect(!list.text.contains("meds-secret"))
            let admin = TestApp(port: port, key: "admin@apps.example.org", secret: "demo-admin-secret")
            let made = try await admin.post(
                "/accounts/",
                form: ["account_id": "new@example.org", "full_name": "New"]
            )
            #expect(made.text.contains("<Account id=\"new@example.org\">"))
            process.terminate()
            process.waitUntilExit()
        }
    }

    @Test("says what is wrong with a manifest, a port and a folder, and ends with an error")
    func mistakes() throws {
        for options in [
            ["--app", "/no/such/manifest.json"], ["--models", "/no/such/folder"],
            ["--load", "/no/such/folder"],
            ["--address", "not an address"],
        ] {
            let process = Process()
            process.executableURL = Tool.url
            process.arguments = ["sandbox", "--port", "0", "--ui-port", "0"] + options
            let errors = Pipe()
            process.standardError = errors
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus != 0, "\(options)")
            #expect(text.contains(options[1]), "\(text)")
        }
    }
}
