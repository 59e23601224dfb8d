import Foundation
import IndivoBase
import StudyWarehouse
import Testing
import WebServing

@testable import StudyServer

/// What people may do on the pages, what is written down of it, and second factors.
@Suite struct RoleTests {
    private static let changes = [
        "/messages/redeliver", "/messages/reprocess", "/messages/approve", "/messages/dismiss",
    ]

    private func visitor(_ pages: TestPages, _ role: StudyRole) async throws -> Visitor {
        try pages.users.setRole(role, of: "ada")
        var visitor = Visitor(pages)
        #expect(await visitor.logIn().status == 303)
        return visitor
    }

    @Test("a role may do what those before it may, and no more", arguments: StudyRole.allCases)
    func roles(role: StudyRole) async throws {
        let pages = try TestPages()
        var visitor = try await visitor(pages, role)
        for path in ["/", "/messages", "/questions", "/map"] {
            #expect(await visitor.get(path).status == 200, "\(path)")
        }
        #expect(await visitor.get("/export").status == (role >= .export ? 200 : 403))
        #expect(await visitor.get("/export/codebook.csv").status == (role >= .export ? 200 : 403))
        #expect(await visitor.get("/people").status == (role >= .administer ? 200 : 403))
        #expect(await visitor.get("/audit").status == (role >= .administer ? 200 : 403))
        let csrf = await visitor.get("/").csrf
        for path in Self.changes {
            let answer = await visitor.post(path, ["csrf": csrf, "id": "m"])
            #expect(answer.status == (role >= .operate ? 303 : 403), "\(path)")
        }
        let links = await visitor.get("/").text
        #expect(links.contains(#"href="/export""#) == (role >= .export))
        #expect(links.contains(#"href="/audit""#) == (role >= .administer))
    }

    @Test("a new person may see the pages alone")
    func newPerson() async throws {
        let pages = try TestPages()
        try pages.users.setPassword(Secret(TestPages.password), of: "bob")
        #expect(try pages.users.users()["bob"]?.role == .view)
        // Another password takes no role away.
        try pages.users.setPassword("another password", of: "ada")
        #expect(try pages.users.users()["ada"]?.role == .operate)
        var visitor = Visitor(pages)
        #expect(await visitor.logIn("bob").status == 303)
        #expect(await visitor.get("/export/codebook.csv").status == 403)
    }

    @Test("a form that is not known needs the right to operate")
    func unknownForms() {
        #expect(StudyRole.needed(for: "POST", ["something", "new"]) == .operate)
        #expect(StudyRole.needed(for: "DELETE", []) == .operate)
        #expect(StudyRole.needed(for: "POST", ["export"]) == .export)
    }

    @Test("another role counts from the next request on")
    func changedRole() async throws {
        let pages = try TestPages()
        var visitor = try await visitor(pages, .administer)
        #expect(await visitor.get("/people").status == 200)
        try pages.users.setRole(.view, of: "ada")
        #expect(await visitor.get("/people").status == 403)
        try pages.users.remove("ada")
        #expect(await visitor.get("/").status == 303)
    }

    @Test("people of earlier files may do what they could, and wrong lines are refused")
    func earlierFiles() throws {
        let pages = try TestPages()
        func read(_ change: (String) -> String) throws -> [String: StudyUser] {
            let text = try String(contentsOf: pages.users.url, encoding: .utf8)
            let file = pages.users.url.deletingLastPathComponent().appending(path: UUID().uuidString)
            try Data(change(text).utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            return try StudyUserFile(file).users()
        }
        #expect(try read { $0.replacing(":operate\n", with: "\n") }["ada"]?.role == .operate)
        for wrong in [":god\n", ":view:short\n", ":view:JBSWY3DPEHPK3PXP:more\n", ":\n"] {
            #expect(throws: StudyPagesError.self) { try read { $0.replacing(":operate\n", with: wrong) } }
        }
    }

    @Test("a login from before there were roles may decide, but download only with a role")
    func withoutRole() async throws {
        let pages = try TestPages()
        let text = try String(contentsOf: pages.users.url, encoding: .utf8)
        try Data(text.replacing(":operate\n", with: "\n").utf8).write(to: pages.users.url)
        var visitor = Visitor(pages)
        #expect(await visitor.logIn().status == 303)
        #expect(await visitor.get("/export/codebook.csv").status == 403)
        let home = await visitor.get("/")
        #expect(!home.text.contains(#"href="/export""#))
        let decided = await visitor.post("/messages/approve", ["csrf": home.csrf, "id": "m"])
        #expect(decided.status == 303)
        // Another password is no role.
        try pages.users.setPassword("another password", of: "ada")
        #expect(try pages.users.users()["ada"]?.hasRole == false)
        #expect(throws: StudyPagesError.self) { try pages.users.makeSecondFactor(of: "ada", study: "s") }
        try pages.users.setRole(.operate, of: "ada")
        #expect(await visitor.logIn("ada", "another password").status == 303)
        #expect(await visitor.get("/export/codebook.csv").status == 200)
    }

    // MARK: What is written down

    @Test("a form's field is written down where it names a message alone")
    func fields() async throws {
        let pages = try TestPages()
        var visitor = try await visitor(pages, .view)
        let csrf = await visitor.get("/").csrf
        _ = await visitor.post("/logout", ["csrf": csrf, "id": "anything"])
        var entries: [AuditLog.Entry] = []
        try pages.audit.verify { entries.append($0) }
        #expect(entries.last?.details == ["path": "/logout"])
    }

    @Test("logins, views, exports, changes and refusals are logged before they are done")
    func writtenDown() async throws {
        let pages = try TestPages()
        var stranger = Visitor(pages)
        _ = await stranger.logIn("ada", "a wrong password")
        _ = await stranger.logIn("a secret password", "ada")
        var visitor = try await visitor(pages, .operate)
        _ = await visitor.get("/messages")
        _ = await visitor.get("/export/codebook.csv")
        _ = await visitor.post("/messages/approve", ["csrf": visitor.get("/").csrf, "id": "message 7"])
        _ = await visitor.get("/people")
        var entries: [AuditLog.Entry] = []
        try pages.audit.verify { entries.append($0) }
        #expect(
            entries.map(\.action) == [
                "login fails", "login fails", "login", "view", "view", "export", "view", "change", "refused",
            ]
        )
        #expect(entries[1].who == "-" && entries.dropFirst(2).allSatisfy { $0.who == "ada" })
        #expect(entries[7].details == ["path": "/messages/approve", "message": "message 7"])
        let text = try String(contentsOf: pages.audit.url, encoding: .utf8)
        #expect(!text.contains("secret"))
    }

    @Test("what cannot be written down is not done")
    func unwritable() async throws {
        let pages = try TestPages()
        var visitor = try await visitor(pages, .operate)
        let csrf = await visitor.get("/").csrf
        try FileManager.default.removeItem(at: pages.audit.url)
        try FileManager.default.createDirectory(at: pages.audit.url, withIntermediateDirectories: false)
        #expect(await visitor.post("/messages/reprocess", ["csrf": csrf]).status == 500)
        #expect(await visitor.get("/").status == 500)
    }

    @Test("without an audit log a download is in the log of the pages")
    func withoutAudit() async throws {
        let log = OperationsTests.Lines()
        let pages = try TestPages(logger: log.logger())
        var visitor = Visitor(pages)
        #expect(await visitor.logIn().status == 303)
        #expect(await !visitor.get("/export").text.contains("written down"))
        #expect(await visitor.get("/export/codebook.csv").status == 200)
        let line = log.text.split(separator: "\n").first { $0.hasPrefix("a download") }
        #expect(line?.contains("codebook.csv") == true && line?.contains("ada") == true)
        var audited = Visitor(try TestPages())
        #expect(await audited.logIn().status == 303)
        #expect(await audited.get("/export").text.contains("What you download is written down."))
    }

    // MARK: Second factors

    /// RFC 6238, appendix B.
    @Test(
        "codes are those of RFC 6238",
        arguments: [
            (59, "94287082", "46119246", "90693936"), (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_111_111_111, "14050471", "67062674", "99943326"),
            (1_234_567_890, "89005924", "91819424", "93441116"),
            (2_000_000_000, "69279037", "90698825", "38618901"),
            (20_000_000_000, "65353130", "77737706", "47863826"),
        ]
    )
    func vectors(time: Int, sha1: String, sha256: String, sha512: String) {
        let digits = Data("1234567890".utf8)
        let long = (0..<7).reduce(into: Data()) { data, _ in data += digits }
        for (algorithm, length, code) in [
            (TOTP.Algorithm.sha1, 20, sha1), (.sha256, 32, sha256), (.sha512, 64, sha512),
        ] {
            var totp = TOTP(secret: long.prefix(length))
            totp.digits = 8
            totp.algorithm = algorithm
            #expect(totp.code(step: totp.step(at: time)) == code)
        }
    }

    /// RFC 4648, section 10.
    @Test("secrets are written in base32 and read again")
    func base32() {
        #expect(TOTP(secret: Data("foobar".utf8)).base32 == "MZXW6YTBOI")
        #expect(TOTP(secret: Data("fooba".utf8)).base32 == "MZXW6YTB")
        let totp = TOTP.make()
        #expect(totp.secret.count == 20 && TOTP(base32: totp.base32) == totp)
        #expect(TOTP(base32: "MZXW6YTBOI") == nil && TOTP(base32: "0123456789ABCDEF0") == nil)
        #expect(
            totp.uri(name: "ada", issuer: "Sleep & rest")
                == "otpauth://totp/Sleep%20%26%20rest:ada?secret=\(totp.base32)&issuer=Sleep%20%26%20rest"
                + "&algorithm=SHA1&digits=6&period=30"
        )
    }

    @Test("a code counts for its time and a step around it, and once")
    func codesOnce() {
        let totp = TOTP.make()
        let now = 1_772_000_000
        let step = totp.step(at: now)
        for offset in -1...1 {
            #expect(UsedCodes().take(totp.code(step: step + offset), of: "ada", totp, at: now))
        }
        #expect(!UsedCodes().take(totp.code(step: step + 3), of: "ada", totp, at: now))
        #expect(!UsedCodes().take("", of: "ada", totp, at: now))
        let used = UsedCodes()
        #expect(used.take(totp.code(step: step), of: "ada", totp, at: now))
        #expect(!used.take(totp.code(step: step), of: "ada", totp, at: now))
        #expect(!used.take(totp.code(step: step - 1), of: "ada", totp, at: now))
        #expect(used.take(totp.code(step: step + 1), of: "ada", totp, at: now))
    }

    @Test("who has a second factor logs in with it alone")
    func secondFactor() async throws {
        let pages = try TestPages()
        let uri = try pages.users.makeSecondFactor(of: "ada", study: "Sleep")
        let totp = try #require(
            uri.firstMatch(of: /secret=([A-Z2-7]+)/).flatMap { TOTP(base32: String($0.1)) }
        )
        var visitor = Visitor(pages)
        let without = await visitor.logIn()
        #expect(without.status == 403)
        // A wrong password with the right code uses none up, and gets the same page.
        let code = totp.code(step: totp.step(at: Int(Date().timeIntervalSince1970)))
        func fields(_ password: String, _ form: Visitor.Answer) -> [String: String] {
            ["name": "ada", "password": password, "code": code, "csrf": form.csrf]
        }
        let wrong = await visitor.post("/login", fields("a wrong password", visitor.get("/login")))
        #expect(wrong.status == 403)
        #expect(wrong.text.replacing(wrong.csrf, with: "") == without.text.replacing(without.csrf, with: ""))
        #expect(await visitor.post("/login", fields(TestPages.password, visitor.get("/login"))).status == 303)
        #expect(await visitor.get("/").status == 200)
        // Somebody who looked over a shoulder comes too late.
        var other = Visitor(pages)
        #expect(await other.post("/login", fields(TestPages.password, other.get("/login"))).status == 403)
        // Another password keeps the second factor.
        try pages.users.setPassword(Secret("another long password"), of: "ada")
        #expect(try pages.users.users()["ada"]?.totp == totp)
        try pages.users.removeSecondFactor(of: "ada")
        #expect(await other.logIn("ada", "another long password").status == 303)
    }
}
