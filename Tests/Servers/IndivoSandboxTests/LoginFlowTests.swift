import Foundation
import IndivoSandbox
import OAuth1
import Synchronization
import Testing

@Suite("The way from the login page to an access token")
struct LoginFlowTests {
    @Test("a person logs in, chooses a record, allows the app, and the app reads the record")
    func wholeWay() async throws {
        try await withSandbox { sandbox async throws in
            let app = TestApp(sandbox)
            let record = try #require(try await sandbox.records().first)
            var browser = TestBrowser(sandbox)

            let start = try await browser.get("/apps/demo@apps.example.org")
            #expect(start.status == 302)
            let login = try #require(start.header("Location"))
            #expect(login == "/login?return_url=%2Fapps%2Fdemo%40apps.example.org")
            let form = try await browser.get(login)
            #expect(form.status == 200)
            var fields = TestBrowser.hiddenFields(of: form.text)
            fields.append(name: "username", value: "demo")
            fields.append(name: "password", value: "demo")
            let loggedIn = try await browser.post("/login", fields)
            #expect(loggedIn.status == 302)
            #expect(loggedIn.header("Location") == "/apps/demo@apps.example.org")
            let cookie = try #require(loggedIn.header("Set-Cookie"))
            #expect(cookie.contains("HttpOnly"))
            #expect(cookie.contains("SameSite=Lax"))

            let list = try await browser.get("/apps/demo@apps.example.org")
            #expect(list.text.contains(record.label))
            let consent = try await browser.get(
                "/apps/demo@apps.example.org/complete/?record_id=\(record.id)"
            )
            #expect(consent.status == 200)
            let allowed = try await browser.post(
                "/apps/demo@apps.example.org/complete/",
                TestBrowser.hiddenFields(of: consent.text)
            )
            let startURL = try #require(allowed.header("Location"))
            #expect(
                startURL.hasPrefix(
                    "http://127.0.0.1:8002/start?record_id=\(record.id)&carenet_id=&oauth_header=OAuth%20"
                )
            )

            let request = try await app.requestToken(
                record: record.id,
                callback: "http://127.0.0.1:8002/callback/1"
            )
            let page = try await browser.get("/oauth/authorize?oauth_token=\(request.value)")
            #expect(page.status == 302, "the app is enabled already, so no page is shown")
            let callback = try #require(page.header("Location"))
            #expect(
                callback.hasPrefix(
                    "http://127.0.0.1:8002/callback/1?oauth_token=\(request.value)&oauth_verifier="
                )
            )
            let verifier = try #require(
                FormParameters(decoding: String(callback.split(separator: "?")[1]))["oauth_verifier"]
            )
            let answer = try await app.with(request).send("POST", "/oauth/access_token", verifier: verifier)
            #expect(answer.status == 200)
            #expect(answer.header("Content-Type") == "text/plain")
            let tokens = try OAuthTokenResponse(parsing: answer.body)
            #expect(tokens["xoauth_indivo_record_id"] == record.id)
            let read = try await app.with(tokens.token).get("/records/\(record.id)")
            #expect(read.status == 200)
            #expect(read.text.contains("label=\"\(record.label)\""))
        }
    }

    @Test("a wrong password shows the form again")
    func wrongPassword() async throws {
        try await withSandbox { sandbox async throws in
            var browser = TestBrowser(sandbox)
            let answer = try await browser.post("/login", ["username": "demo", "password": "wrong"])
            #expect(answer.status == 200)
            #expect(answer.text.contains("do not fit"))
            #expect(browser.cookie == nil)
        }
    }

    @Test("an app that has no address to return to is given its verifier by a person")
    func outOfBand() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first)
            try await sandbox.addApp(
                SandboxApp(
                    id: "terminal@apps.example.org",
                    name: "Terminal",
                    consumerSecret: "s",
                    startURL: "",
                    callbackURL: ""
                )
            )
            let app = TestApp(sandbox, key: "terminal@apps.example.org", secret: "s")
            let request = try await app.requestToken(record: record.id, callback: "oob")
            var browser = TestBrowser(sandbox)
            try await browser.logIn("demo", "demo")
            let consent = try await browser.get("/oauth/authorize?oauth_token=\(request.value)")
            let page = try await browser.post("/oauth/authorize", TestBrowser.hiddenFields(of: consent.text))
            #expect(page.status == 200)
            let verifier = try #require(page.text.firstMatch(of: /<code class="verifier">([A-Za-z0-9]{20})</))
                .output.1
            let answer = try await app.with(request).send(
                "POST",
                "/oauth/access_token",
                verifier: String(verifier)
            )
            #expect(answer.status == 200)
        }
    }

    @Test("an autonomous app's token is its own, though a person allowed it, and has no end")
    func autonomousApp() async throws {
        let ahead = Mutex(0.0)
        var configuration = SandboxConfiguration()
        configuration.now = { Date(timeIntervalSinceNow: ahead.withLock { $0 }) }
        try await withSandbox(configuration) { sandbox async throws in
            let world = try await World(sandbox)
            let id = "robot@apps.example.org"
            let account = "/accounts/\(World.stranger)"
            let record = try World.id(try await world.strangerSession.get(account + "/records/"), "Record")
            let robot = TestApp(sandbox, key: id, secret: "robot-secret")
            let allowed = try await robot.authorized(
                sandbox,
                record: record,
                username: "stranger",
                password: "stranger"
            )
            let credentials = try await world.strangerSession.post(
                account + "/apps/\(id)/connect_credentials",
                form: ["record_id": record]
            )
            let rest = try #require(
                credentials.text.firstMatch(of: /<RESTToken>(\w+)<\/RESTToken>\s*<RESTSecret>(\w+)</),
                "\(credentials.text)"
            ).output
            let opened = robot.with(OAuthToken(value: String(rest.1), secret: Secret(String(rest.2))))
            ahead.withLock { $0 = 10_000 }
            try await sandbox.cleanUpTokens()
            ahead.withLock { $0 = 0 }
            for app in [allowed, opened] {
                let made = try await app.post("/records/\(record)/documents/", xml: "<a/>")
                #expect(made.text.contains("<creator id=\"\(id)\" type=\"PHA\">"), "\(made.text)")
                #expect(try await app.get(account + "/records/").status == 403)
            }
        }
    }

    @Test("a request token that is bound to nothing cannot be approved")
    func unbound() async throws {
        try await withSandbox { sandbox async throws in
            let request = try await TestApp(sandbox).requestToken(record: nil)
            var browser = TestBrowser(sandbox)
            try await browser.logIn("demo", "demo")
            let page = try await browser.get("/oauth/authorize?oauth_token=\(request.value)")
            #expect(page.status == 400)
            #expect(page.text.contains("Choose the record first"))
        }
    }

    @Test("a form without the session's token is refused, and so is another's")
    func crossSiteForm() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first)
            var browser = TestBrowser(sandbox)
            try await browser.logIn("demo", "demo")
            for csrf in ["", "guessed"] {
                let answer = try await browser.post(
                    "/apps/demo@apps.example.org/complete/",
                    ["record_id": record.id, "csrf": csrf]
                )
                #expect(answer.status == 403)
            }
            let app = try await browser.get("/apps/demo@apps.example.org/complete/?record_id=\(record.id)")
            #expect(app.status == 200, "the app is still not enabled")
        }
    }

    @Test(
        "the login page sends nobody to another server",
        arguments: ["//evil.example", "https://evil.example/", "/\\evil"]
    )
    func openRedirect(url: String) async throws {
        try await withSandbox { sandbox async throws in
            var browser = TestBrowser(sandbox)
            let answer = try await browser.post(
                "/login",
                ["username": "demo", "password": "demo", "return_url": url]
            )
            #expect(answer.header("Location") == "/")
        }
    }
}

/// Runs a test against a sandbox that is stopped afterwards, however the test ends.
func withSandbox(
    _ configuration: SandboxConfiguration = SandboxConfiguration(),
    _ body: (Sandbox) async throws -> Void
) async throws {
    let sandbox = try await Sandbox.start(configuration)
    do {
        try await body(sandbox)
    } catch {
        await sandbox.stop()
        throw error
    }
    await sandbox.stop()
}
