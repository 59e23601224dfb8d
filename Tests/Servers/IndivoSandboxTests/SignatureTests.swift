import Foundation
import IndivoSandbox
import OAuth1
import Synchronization
import Testing

@Suite("Signatures, nonces and timestamps")
struct SignatureTests {
    /// Signs a call with parts of the signature as the test wants them.
    private func send(
        _ sandbox: Sandbox,
        nonce: String = OAuthSigner.randomNonce(),
        time: Int = OAuthSigner.systemTime(),
        secret: String = "demo-secret",
        method: String = "GET",
        target: String = "/apps/",
        edit: (String) -> String = { $0 }
    ) async throws -> RawHTTP.Answer {
        let port = sandbox.apiURL.port ?? 0
        let signer = OAuthSigner(
            credentials: OAuthCredentials(
                consumer: OAuthConsumer(key: "demo@apps.example.org", secret: Secret(secret))
            ),
            rule: .indivo,
            nonce: { nonce },
            clock: { time }
        )
        let request = OAuthRequest(
            method: method,
            scheme: "http",
            authority: "127.0.0.1:\(port)",
            target: target
        )
        let header = try signer.authorization(for: request).headerValue
        return try await RawHTTP.request(
            method,
            port: port,
            target: target,
            headers: [("Authorization", edit(header))]
        )
    }

    @Test("a call that anybody may make fails with a bad signature all the same")
    func badSignature() async throws {
        try await withSandbox { sandbox async throws in
            #expect(try await send(sandbox).status == 200)
            #expect(try await send(sandbox, secret: "wrong").status == 403)
            #expect(try await send(sandbox, edit: { $0.replacing("OAuth ", with: "oauth ") }).status == 403)
            #expect(try await send(sandbox, edit: { _ in "Bearer abc" }).status == 403)
            #expect(try await send(sandbox, edit: { _ in "nonsense" }).status == 403)
            #expect(
                try await send(sandbox, edit: { $0.replacing("apps.example.org", with: "other.example.org") })
                    .status
                    == 403
            )
        }
    }

    @Test("a nonce is taken once, whatever its timestamp")
    func nonceOnce() async throws {
        try await withSandbox { sandbox async throws in
            let now = OAuthSigner.systemTime()
            #expect(try await send(sandbox, nonce: "n1", time: now).status == 200)
            #expect(try await send(sandbox, nonce: "n1", time: now).status == 403)
            #expect(try await send(sandbox, nonce: "n1", time: now + 1).status == 403)
            #expect(try await send(sandbox, nonce: "n2", time: now).status == 200)
        }
    }

    @Test("a request that is refused does not spend its nonce")
    func refusedNonce() async throws {
        try await withSandbox { sandbox async throws in
            #expect(try await send(sandbox, nonce: "n1", secret: "wrong").status == 403)
            #expect(try await send(sandbox, nonce: "n1").status == 200)
        }
    }

    @Test("a timestamp may be five minutes old, not more, and any time ahead")
    func timestamps() async throws {
        let now = 1_800_000_000
        var configuration = SandboxConfiguration()
        configuration.now = { Date(timeIntervalSince1970: 1_800_000_000) }
        try await withSandbox(configuration) { sandbox async throws in
            #expect(try await send(sandbox, time: now - 290).status == 200)
            #expect(try await send(sandbox, time: now - 310).status == 403)
            #expect(try await send(sandbox, time: now + 86_400).status == 200)
        }
    }

    @Test("a timestamp below zero is too old, and one that is no number is a mistake")
    func malformedTimestamps() async throws {
        try await withSandbox { sandbox async throws in
            for (text, status) in [("-1", 403), ("soon", 500)] {
                let answer = try await send(
                    sandbox,
                    edit: { $0.replacing(/oauth_timestamp="\d+"/, with: "oauth_timestamp=\"\(text)\"") }
                )
                #expect(answer.status == status, "\(text)")
            }
        }
    }

    @Test("a nonce of the future is remembered for as long as its timestamp is good")
    func futureNonce() async throws {
        let clock = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        var configuration = SandboxConfiguration()
        configuration.now = { clock.withLock { $0 } }
        try await withSandbox(configuration) { sandbox async throws in
            let ahead = 1_800_000_000 + 10_000
            #expect(try await send(sandbox, nonce: "n1", time: ahead).status == 200)
            clock.withLock { $0 += 9_000 }
            #expect(try await send(sandbox, nonce: "n1", time: ahead).status == 403)
        }
    }

    @Test("a timestamp as large as can be is a timestamp")
    func largestTimestamp() async throws {
        try await withSandbox { sandbox async throws in
            #expect(try await send(sandbox, nonce: "n1", time: .max).status == 200)
            #expect(try await send(sandbox, nonce: "n1", time: .max).status == 403)
        }
    }

    @Test("ten requests with one nonce at the same time: one is answered")
    func race() async throws {
        try await withSandbox { sandbox async throws in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<10 { group.addTask { try await send(sandbox, nonce: "same").status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 1)
            #expect(statuses.filter { $0 == 403 }.count == 9)
        }
    }

    @Test("three wrong passwords close an account for a minute")
    func lockout() async throws {
        let clock = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        var configuration = SandboxConfiguration()
        configuration.now = { clock.withLock { $0 } }
        try await withSandbox(configuration) { sandbox async throws in
            var browser = TestBrowser(sandbox)
            for _ in 0..<3 {
                #expect(
                    try await browser.post("/login", ["username": "demo", "password": "guess"]).status == 200
                )
            }
            #expect(try await browser.post("/login", ["username": "demo", "password": "demo"]).status == 200)
            clock.withLock { $0 += 61 }
            #expect(try await browser.post("/login", ["username": "demo", "password": "demo"]).status == 302)
        }
    }
}
