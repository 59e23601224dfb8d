import Foundation
import IndivoSandbox
import Logging
import OAuth1
import Testing

@Suite("What the sandbox tells of secrets")
struct SecretsTests {
    @Test("neither log nor pages tell passwords, token secrets, signatures or verifiers")
    func logAndPages() async throws {
        let (messages, continuation) = AsyncStream.makeStream(of: String.self)
        var configuration = SandboxConfiguration()
        configuration.logger = Logger(label: "test") { _ in MessageStream(continuation, level: .trace) }
        configuration.apps = [
            SandboxApp(
                id: "planted@apps.example.org",
                name: "Planted",
                consumerSecret: "planted-consumer-secret",
                startURL: "http://app.example.org/start",
                callbackURL: "http://app.example.org/authorized"
            )
        ]
        var secrets = ["planted-", "correct horse battery", "wrong horse battery"]
        var pages = ""
        try await withSandbox(configuration) { sandbox async throws in
            try await sandbox.addAccount(
                id: "a@example.org",
                fullName: "A",
                username: "a",
                password: "correct horse battery"
            )
            let record = try #require(try await sandbox.records().first?.id)
            let app = TestApp(sandbox, key: "planted@apps.example.org", secret: "planted-consumer-secret")
            let request = try await app.requestToken(record: record)
            let authorized = try await TestApp(sandbox).authorized(sandbox, record: record)
            secrets += [request.secret.reveal(), try #require(authorized.token).secret.reveal()]
            #expect(try await authorized.get("/records/\(record)").status == 200)

            // Refused in all the ways in which what was sent might be told.
            let forger = TestApp(sandbox, key: "planted@apps.example.org", secret: "planted-other-secret")
            #expect(try await forger.get("/records/\(record)").status == 403)
            let verified = try await app.with(request).send(
                "POST",
                "/oauth/access_token",
                verifier: "planted-verifier"
            )
            #expect(verified.status == 403)
            let port = try #require(sandbox.apiURL.port)
            for header in [
                #"OAuth oauth_token="planted-token", oauth_signature="planted-signature""#,
                "OAuth planted-nonsense",
            ] {
                let answer = try await RawHTTP.request(
                    "GET",
                    port: port,
                    target: "/records/\(record)?oauth_signature=planted-query",
                    headers: [("Authorization", header), ("Host", "sandbox")]
                )
                #expect(answer.status == 403)
            }
            var browser = TestBrowser(sandbox)
            let failed = try await browser.post(
                "/login",
                ["username": "a", "password": "wrong horse battery"]
            )
            pages += failed.text
            try await browser.logIn("a", "correct horse battery")
            secrets.append(try #require(browser.cookie?.split(separator: "=").last.map(String.init)))
            pages += try await browser.get("/").text
        }
        continuation.finish()
        var log = ""
        for await message in messages { log += message + "\n" }
        #expect(log.contains("403") && pages.contains("/oauth/access_token"))
        for secret in secrets {
            #expect(!log.contains(secret), "\(secret) is in the log")
            #expect(!pages.contains(secret), "\(secret) is on a page")
        }
    }
}
