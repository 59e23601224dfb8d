import Foundation
import IndivoSandbox
import OAuth1
import Testing

@Suite("Strangers at the sandbox's doors")
struct StrangerTests {
    // MARK: Callbacks

    @Test("a callback that ends a header line or is no address is refused and not echoed")
    func callbackLines() async throws {
        let callbacks = [
            "http://app.example.org/x\r\nSet-Cookie: injected=1",
            "http://app.example.org/x\nSet-Cookie: injected=1",
            "http://app.example.org/\r", "http://app.example.org/\u{0}", "no address", "", "/relative",
            "javascript:alert(1)",
            "http://app.example.org/\u{85}",
        ]
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = TestApp(sandbox)
            var browser = TestBrowser(sandbox)
            try await browser.logIn("demo", "demo")
            for callback in callbacks {
                let answer = try await app.send(
                    "POST",
                    "/oauth/request_token",
                    type: FormParameters.contentType,
                    body: "indivo_record_id=\(record)",
                    callback: callback
                )
                #expect(answer.status == 400, "\(answer.text)")
                guard let token = try? OAuthTokenResponse(parsing: answer.body).token else { continue }
                let consent = try await browser.get("/oauth/authorize?oauth_token=\(token.value)")
                let allowed = try await browser.post(
                    "/oauth/authorize",
                    TestBrowser.hiddenFields(of: consent.text)
                )
                #expect(allowed.header("Set-Cookie") == nil)
            }
        }
    }

    @Test("a signed URL with another address behind its signature is a mismatch")
    func addressBehindSignature() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let token = try #require(world.owner.token).value
            let stamp = Date().formatted(.iso8601)
            let url = "x?surl_timestamp=\(stamp)&surl_token=\(token)&surl_sig=x&y=://h/"
            let target = "/oauth/internal/surl-verify?" + (["url": url] as FormParameters).encoded
            #expect(try await world.ownerSession.get(target).text == "<result>mismatch</result>")
        }
    }

    @Test("without a page the verifier goes only to the address that the app has registered")
    func silentApproval() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = TestApp(sandbox)
            try await sandbox.enable(app: SandboxApp.demo.id, onRecord: record)
            var browser = TestBrowser(sandbox)
            try await browser.logIn("demo", "demo")
            for callback in [
                "http://evil.example/callback", "http://127.0.0.1:8003/callback",
                "https://127.0.0.1:8002/callback",
                "http://127.0.0.1:8002@evil.example/callback", "evil:/callback",
                "http://127.0.0.1.evil.example:8002/callback",
            ] {
                let token = try await app.requestToken(record: record, callback: callback)
                let page = try await browser.get("/oauth/authorize?oauth_token=\(token.value)")
                #expect(page.status == 200, "\(callback): \(page.header("Location") ?? "")")
                #expect(
                    page.text.contains("evil") || page.text.contains("127.0.0.1"),
                    "the page names where it leads"
                )
                let allowed = try await browser.post(
                    "/oauth/authorize",
                    TestBrowser.hiddenFields(of: page.text)
                )
                #expect(allowed.header("Location")?.hasPrefix(callback + "?oauth_token=") == true)
            }
            for callback in [
                "oob", "http://127.0.0.1:8002/callback", "http://127.0.0.1:8002/callback/one-of-its-own",
            ] {
                let token = try await app.requestToken(record: record, callback: callback)
                let page = try await browser.get("/oauth/authorize?oauth_token=\(token.value)")
                #expect(page.status == 302, "\(callback)")
            }
        }
    }

    // MARK: Pages

    @Test("a result that is no number, or beyond all measure, is shown and stops no page")
    func strangeResults() async throws {
        let groups = [
            ["inf"], ["nan"], ["1e999"], ["-inf", "5"], ["1e308", "-1e308"], ["1e-320", "0"],
            ["1e16", "1e16"], ["-0", "0"],
            ["9007199254740993", "9007199254740992"],
        ]
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            for (number, values) in groups.enumerated() {
                for value in values {
                    for range in [
                        "",
                        """
                        <Field name=\"quantitative_result_normal_range_min_value\">\(value)</Field><Field \
                        name=\"quantitative_result_normal_range_max_value\">1e308</Field>
                        """,
                    ] {
                        _ = try await app.post(
                            "/records/\(record)/documents/",
                            xml: """
                                <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model \
                                name="LabResult">\
                                <Field name="test_name_title">Odd test \(number)</Field><Field \
                                name="test_name_identifier">2276-4</Field>\
                                <Field \
                                name="test_name_system">http://purl.bioontology.org/ontology/LNC/</Field>\
                                <Field name="collected_at">2026-02-03T08:00:00Z</Field>\(range)\
                                <Field \
                                name="quantitative_result_value_value">\(value)</Field></Model></Models>
                                """
                        )
                    }
                }
            }
            var browser = TestBrowser(sandbox)
            try await browser.logIn("demo", "demo")
            let page = try await browser.get("/records/\(record)")
            #expect(page.status == 200)
            for number in groups.indices {
                #expect(page.text.contains("Odd test \(number)"), "\(groups[number])")
            }
            #expect(
                !page.text.contains("=\"nan") && !page.text.contains("=\"inf")
                    && !page.text.contains("=\"-inf")
            )
            #expect(page.body.count < 1 << 20)
        }
    }

    // MARK: The login

    @Test("a login from another page, or under another name than the sandbox's, is refused")
    func foreignLogin() async throws {
        let attempts = [
            [("Origin", "null")], [("Origin", "http://evil.example")],
            [("Origin", "http://evil.example"), ("Host", "evil.example")],
            [("Host", "evil.example")], [("Host", "evil.example:PORT")],
            [("Host", "127.0.0.1.evil.example:PORT")],
            [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
            [("Origin", "http://127.0.0.1:1")],
        ]
        try await withSandbox { sandbox async throws in
            let port = try #require(sandbox.uiURL.port)
            for headers in attempts {
                var browser = TestBrowser(sandbox)
                let answer = try await browser.send(
                    "POST",
                    "/login",
                    headers: headers.map { ($0.0, $0.1.replacing("PORT", with: "\(port)")) }
                        + [("Content-Type", FormParameters.contentType)],
                    body: Data("username=demo&password=demo&return_url=/".utf8)
                )
                #expect(answer.status == 403, "\(headers)")
                #expect(browser.cookie == nil)
            }
        }
    }

    @Test("a page under another name than the sandbox's is not shown")
    func rebinding() async throws {
        try await withSandbox { sandbox async throws in
            var browser = TestBrowser(sandbox)
            let port = try #require(sandbox.uiURL.port)
            for path in ["/", "/login", "/style.css"] {
                for host in ["evil.example", "evil.example:\(port)", "", "localhost.evil.example"] {
                    #expect(
                        try await browser.send("GET", path, headers: [("Host", host)]).status == 403,
                        "\(host)"
                    )
                }
                for host in [
                    "127.0.0.1:\(port)", "localhost:\(port)", "LOCALHOST:9000", "192.168.1.7:\(port)",
                ] {
                    #expect(
                        try await browser.send("GET", path, headers: [("Host", host)]).status == 200,
                        "\(host)"
                    )
                }
            }
        }
    }

    @Test("a browser's own login is taken, and the page lets the browser send its origin")
    func ownLogin() async throws {
        try await withSandbox { sandbox async throws in
            var first = TestBrowser(sandbox)
            let page = try await first.get("/login")
            // With no-referrer a browser says “Origin: null” of this page's own form too.
            #expect(page.header("Referrer-Policy") == "same-origin")
            for host in ["127.0.0.1:\(sandbox.uiURL.port ?? 0)", "localhost:\(sandbox.uiURL.port ?? 0)"] {
                var browser = TestBrowser(sandbox)
                let answer = try await browser.send(
                    "POST",
                    "/login",
                    headers: [
                        ("Host", host), ("Origin", "http://\(host)"), ("Sec-Fetch-Site", "same-origin"),
                        ("Content-Type", FormParameters.contentType),
                    ],
                    body: Data("username=demo&password=demo&return_url=/".utf8)
                )
                #expect(answer.status == 302, "\(host)")
            }
        }
    }

    @Test("simultaneous attempts to log in are counted one by one: only three are tried")
    func parallelAttempts() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<9 {
                    group.addTask {
                        var browser = TestBrowser(sandbox)
                        _ = try? await browser.post(
                            "/login",
                            ["username": "demo", "password": "guess \(number)"]
                        )
                    }
                }
            }
            let account = try await world.ownerSession.get("/accounts/\(World.victim)")
            #expect(account.text.contains("<failedLoginCount>3</failedLoginCount>"), "\(account.text)")
            var browser = TestBrowser(sandbox)
            #expect(
                try await browser.post("/login", ["username": "demo", "password": "demo"]).status == 200,
                "closed"
            )
        }
    }

    // MARK: Storage

    @Test(
        "the database and the files beside it are private to their owner, new or old",
        arguments: [false, true]
    )
    func fileModes(existsAlready: Bool) async throws {
        try await withFolder { folder async throws in
            let file = folder.appending(path: "indivo.sqlite")
            var configuration = SandboxConfiguration()
            configuration.database = .file(file)
            if existsAlready {
                try await withSandbox(configuration) { _ in }
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            }
            try await withSandbox(configuration) { sandbox async throws in
                _ = try await sandbox.records()
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(
                    Set(names).isSuperset(of: ["indivo.sqlite", "indivo.sqlite-wal", "indivo.sqlite-shm"])
                )
                for name in names {
                    let mode = try FileManager.default.attributesOfItem(
                        atPath: folder.appending(path: name).path
                    )[
                        .posixPermissions
                    ]
                    #expect((mode as? NSNumber)?.intValue == 0o600, "\(name)")
                }
            }
        }
    }

    @Test("a label's length is in code points, as in the client and the real database")
    func labels() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let document = try World.id(
                try await app.post("/records/\(record)/documents/", xml: "<a/>"),
                "Document"
            )
            for (label, status) in [
                (String(repeating: "e\u{301}", count: 50), 200),
                (String(repeating: "e\u{301}", count: 51), 500),
                (String(repeating: "👩‍⚕️", count: 26), 500), (String(repeating: "😀", count: 100), 200),
            ] {
                let answer = try await app.send(
                    "PUT",
                    "/records/\(record)/documents/\(document)/label",
                    type: "text/plain",
                    body: label
                )
                #expect(answer.status == status, "\(label.count)")
            }
        }
    }
}
