import Foundation
import IndivoSandbox
import OAuth1
import Testing

@Suite("A sandbox that keeps its data in a file")
struct PersistenceTests {
    @Test("records, documents and tokens outlive a restart, and demo data is added once")
    func restart() async throws {
        try await withFolder { folder async throws in
            var configuration = SandboxConfiguration()
            configuration.database = .file(folder.appending(path: "indivo.sqlite"))
            var record = ""
            var document = ""
            var token: OAuthToken?
            try await withSandbox(configuration) { sandbox async throws in
                record = try #require(try await sandbox.records().first?.id)
                let app = try await TestApp(sandbox).authorized(sandbox, record: record)
                token = app.token
                document = try World.id(
                    try await app.post("/records/\(record)/documents/", xml: "<kept/>"),
                    "Document"
                )
            }
            try await withSandbox(configuration) { sandbox async throws in
                #expect(try await sandbox.records().count == 3)
                let app = TestApp(sandbox).with(token)
                #expect(try await app.get("/records/\(record)/documents/\(document)").text == "<kept/>")
                let audits = try await app.get(
                    "/records/\(record)/audits/query/?function_name=document_create"
                )
                #expect(audits.text.contains("total_document_count=\"1\""))
            }
        }
    }

    @Test("a nonce that was used before a restart is refused after it")
    func nonces() async throws {
        try await withFolder { folder async throws in
            var configuration = SandboxConfiguration()
            configuration.database = .file(folder.appending(path: "indivo.sqlite"))
            // The same port again, so that the very same request can be sent.
            var port: UInt16 = 0
            var header = ""
            try await withSandbox(configuration) { sandbox async throws in
                port = UInt16(sandbox.apiURL.port ?? 0)
                let signer = OAuthSigner(
                    credentials: OAuthCredentials(
                        consumer: OAuthConsumer(key: "demo@apps.example.org", secret: "demo-secret")
                    )
                )
                header = try signer.authorization(
                    for: OAuthRequest(method: "GET", scheme: "http", authority: "sandbox", target: "/apps/")
                ).headerValue
                let answer = try await RawHTTP.request(
                    "GET",
                    port: Int(port),
                    target: "/apps/",
                    headers: [("Authorization", header), ("Host", "sandbox")]
                )
                #expect(answer.status == 200)
            }
            try await withSandbox(configuration) { sandbox async throws in
                let answer = try await RawHTTP.request(
                    "GET",
                    port: sandbox.apiURL.port ?? 0,
                    target: "/apps/",
                    headers: [("Authorization", header), ("Host", "sandbox")]
                )
                #expect(answer.status == 403)
            }
        }
    }

    @Test("neither tokens nor their secrets nor passwords stand in the file")
    func secretsAtRest() async throws {
        try await withFolder { folder async throws in
            var configuration = SandboxConfiguration()
            configuration.database = .file(folder.appending(path: "indivo.sqlite"))
            var secrets: [String] = []
            try await withSandbox(configuration) { sandbox async throws in
                try await sandbox.addAccount(
                    id: "a@example.org",
                    fullName: "A",
                    username: "a",
                    password: "correct horse battery"
                )
                let record = try #require(try await sandbox.records().first?.id)
                let app = try await TestApp(sandbox).authorized(sandbox, record: record)
                let token = try #require(app.token)
                secrets = [token.value, token.secret.reveal(), "correct horse battery"]
            }
            let files = try FileManager.default.contentsOfDirectory(
                at: folder,
                includingPropertiesForKeys: nil
            )
            #expect(!files.isEmpty)
            for file in files {
                let data = try Data(contentsOf: file)
                for secret in secrets { #expect(data.range(of: Data(secret.utf8)) == nil) }
            }
        }
    }
}
