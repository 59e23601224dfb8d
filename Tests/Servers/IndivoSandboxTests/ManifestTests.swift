import Foundation
import IndivoSandbox
import OrderedJSON
import Testing

@Suite("Manifests of apps")
struct ManifestTests {
    @Test("what a manifest leaves out has the real server's defaults, and its extras go")
    func completed() async throws {
        let given = """
            {"id": "a@apps.example.org", "name": "A", "index": "http://127.0.0.1:1/", "smart_version": "0.4",
             "consumer_secret": "s", "other": 1}
            """
        let smart: JSONValue = [
            "id": "a@apps.example.org", "name": "A", "index": "http://127.0.0.1:1/", "smart_version": "0.4",
            "description": "", "author": "", "version": "", "icon": "", "mode": "ui", "scope": "record",
            "requires": [:],
        ]
        let more: JSONValue = [
            "oauth_callback_url": "", "has_ui": true, "frameable": true, "indivo_version": "2.0.0",
        ]
        func sorted(_ members: [JSONMember]) -> [String] {
            members.map { "\($0.name): \($0.value.text())" }.sorted()
        }
        try await withSandbox { sandbox async throws in
            try await sandbox.addApp(SandboxApp(manifest: Data(given.utf8), consumerSecret: "s"))
            let port = try #require(sandbox.apiURL.port)
            let path = "/apps/a@apps.example.org"
            for (end, expected) in [
                ("", Array(smart.members ?? []) + Array(more.members ?? [])),
                ("/manifest", Array(smart.members ?? [])),
            ] {
                let answer = try await RawHTTP.request("GET", port: port, target: path + end)
                let told = try JSONValue(parsing: answer.text)
                #expect(sorted(Array(told.members ?? [])) == sorted(expected))
            }
        }
    }

    @Test("an autonomous app has a reason, and no page without an index")
    func autonomous() async throws {
        let given = "{\"id\": \"b@apps.example.org\", \"name\": \"B\", \"mode\": \"background\"}"
        try await withSandbox { sandbox async throws in
            try await sandbox.addApp(SandboxApp(manifest: Data(given.utf8), consumerSecret: "s"))
            let port = try #require(sandbox.apiURL.port)
            let path = "/apps/b@apps.example.org"
            let told = try JSONValue(parsing: await RawHTTP.request("GET", port: port, target: path).text)
            #expect(told["autonomous_reason"] == "" && told["has_ui"] == false && told["frameable"] == false)
            #expect(told["indivo_version"] == .null && told["smart_version"] == nil)
        }
    }
}
