import Foundation
import IndivoSandbox
import OAuth1
import Testing

@Suite("A sandbox that keeps its data in a file")
struct PersistenceTests {
    /// A folder that is gone when the test ends.
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "indivo-sandbox-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            try await body(folder)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        try FileManager.default.removeItem(at: folder)
    }

    @Test("records, documents and tokens are there after a restart, and the demo data is not added twice")
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
                document = try World.id(try await app.post("/records/\(record)/documents/", xml: "<kept/>"), "Document")
            }
            try await withSandbox(configuration) { sandbox async throws in
                #expect(try await sandbox.records().count == 3)
                let app = TestApp(sandbox).with(token)
                #expect(try await app.get("/records/\(record)/documents/\(document)").text == "<kept/>")
                let audits = try await app.get("/records/\(record)/audits/query/?function_name=document_create")
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
                        consumer: OAuthConsumer(key: "demo@apps.example.org", secret: "demo-secret")))
                header = try signer.authorization(
                    for: OAuthRequest(method: "GET", scheme: "http", authority: "sandbox", target: "/apps/")
                ).headerValue
                let answer = try await RawHTTP.request(
                    "GET", port: Int(port), target: "/apps/", headers: [("Authorization", header), ("Host", "sandbox")])
                #expect(answer.status == 200)
            }
            try await withSandbox(configuration) { sandbox async throws in
                let answer = try await RawHTTP.request(
                    "GET", port: sandbox.apiURL.port ?? 0, target: "/apps/",
                    headers: [("Authorization", header), ("Host", "sandbox")])
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
                    id: "a@example.org", fullName: "A", username: "a", password: "correct horse battery")
                let record = try #require(try await sandbox.records().first?.id)
                let app = try await TestApp(sandbox).authorized(sandbox, record: record)
                let token = try #require(app.token)
                secrets = [token.value, token.secret.reveal(), "correct horse battery"]
            }
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            #expect(!files.isEmpty)
            for file in files {
                let data = try Data(contentsOf: file)
                for secret in secrets { #expect(data.range(of: Data(secret.utf8)) == nil) }
            }
        }
    }

    @Test("models of a folder are known, with reports, and a mistake in one is told with its place")
    func customModels() async throws {
        try await withFolder { folder async throws in
            var configuration = SandboxConfiguration()
            configuration.modelFolder = folder
            try Data(
                """
                { "__modelname__": "SleepNight", "started": "Date", "score": "Number", "device": "CodedValue",
                  "phases": [ { "__modelname__": "SleepPhase", "kind": "String", "duration": "ValueAndUnit" } ] }
                """.utf8
            ).write(to: folder.appending(path: "sleep.sdml"))
            try await withSandbox(configuration) { sandbox async throws in
                let record = try #require(try await sandbox.records().first?.id)
                let app = try await TestApp(sandbox).authorized(sandbox, record: record)
                let made = try await app.post(
                    "/records/\(record)/documents/",
                    xml: """
                        <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="SleepNight">\
                        <Field name="started">2026-11-20T22:10:00Z</Field><Field name="score">81</Field>\
                        <Field name="device_title">Ring</Field><Field name="phases"><Models><Model name="SleepPhase">\
                        <Field name="kind">deep</Field><Field name="duration_value">90</Field></Model></Models></Field>\
                        </Model></Models>
                        """)
                #expect(made.status == 200, "\(made.text)")
                let report = try await app.get("/records/\(record)/reports/sleepnight/?score=81&response_format=application/xml")
                #expect(report.text.contains("<Field name=\"score\">81.0</Field>"))
                #expect(report.text.contains("name=\"SleepPhase\""))
                let average = try await app.get(
                    "/records/\(record)/reports/SleepNight/?aggregate_by=avg*score&date_group=started*month")
                #expect(average.text.contains("\"2026-11\""))
                let wrong = try await app.post(
                    "/records/\(record)/documents/",
                    xml: """
                        <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="SleepNight">\
                        <Field name="naps">1</Field></Model></Models>
                        """)
                #expect(wrong.text.hasSuffix("Invalid SDM data: Non-existent data field: naps"))
            }
            try Data("{ \"__modelname__\": \"Broken\" \"a\": \"String\" }".utf8)
                .write(to: folder.appending(path: "broken.sdml"))
            let error = await #expect(throws: SandboxError.self) {
                try await Sandbox.start(configuration).stop()
            }
            #expect(error?.description.contains("broken.sdml:1:") == true)
        }
    }
}
