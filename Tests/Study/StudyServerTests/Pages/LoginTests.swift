import Foundation
import IndivoBase
import Synchronization
import Testing
import WebServing

@testable import StudyServer

@Suite struct LoginTests {
    private static let paths = [
        "/", "/messages", "/questions", "/questions/x", "/map", "/progress", "/map.svg", "/nothing",
    ]

    @Test("a person logs in, sees the pages, and logs out")
    func wholeWay() async throws {
        var visitor = Visitor(try TestPages())
        let answer = await visitor.logIn()
        #expect(answer.status == 303 && answer.response.header("Location") == "/")
        let overview = await visitor.get("/")
        #expect(overview.status == 200 && overview.text.contains("What came in"))
        #expect(await visitor.post("/logout", ["csrf": overview.csrf]).status == 303)
        #expect(await visitor.get("/").status == 303)
    }

    @Test("who is not logged in gets no page", arguments: paths)
    func strangers(path: String) async throws {
        var visitor = Visitor(try TestPages())
        let answer = await visitor.get(path)
        #expect(
            answer.status == 303 && answer.response.header("Location") == "/login"
                && answer.response.body.isEmpty
        )
        #expect(await visitor.post(path, ["csrf": ""]).response.header("Location") == "/login")
    }

    @Test("a wrong password and an unknown name get the same page")
    func refusals() async throws {
        let pages = try TestPages()
        var one = Visitor(pages)
        var other = Visitor(pages)
        let wrong = await one.logIn("ada", "wrong")
        let unknown = await other.logIn("bob", TestPages.password)
        #expect(wrong.status == 403 && unknown.status == 403)
        func shown(_ answer: Visitor.Answer, _ name: String) -> String {
            answer.text.replacing(answer.csrf, with: "").replacing("value=\"\(name)\"", with: "")
        }
        #expect(shown(wrong, "ada") == shown(unknown, "bob"))
        #expect(await one.get("/").status == 303)
    }

    @Test("attempts at once are no more than attempts in turn")
    func parallelAttempts() async throws {
        let pages = try TestPages()
        let statuses = await withTaskGroup(of: Int.self) { group in
            for number in 0..<60 {
                group.addTask {
                    var visitor = Visitor(pages)
                    return await visitor.logIn("ada", "guess \(number)").status
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count == 60 && statuses.allSatisfy { [403, 429, 503].contains($0) })
        // What was looked at; the others were turned away before their passwords were.
        #expect((1...LoginLimiter.attempts.pair).contains(statuses.count { $0 == 403 }))
    }

    @Test("an attempt that finds no place to be looked at does not count")
    func noPlace() async throws {
        let pages = try TestPages()
        var visitor = Visitor(pages)
        var places = 0
        while pages.service.access.checks.slots.enter() { places += 1 }
        for _ in 0..<6 {
            let answer = await visitor.logIn("ada", "wrong")
            #expect(answer.status == 503 && answer.response.header("Retry-After") == "2")
        }
        for _ in 0..<places { pages.service.access.checks.slots.leave() }
        #expect(await visitor.logIn().status == 303)
    }

    @Test(
        "a name in another spelling, and what is no name, are nobody's",
        arguments: ["\u{212A}ate", "Kate ", "", "Kate:"]
    )
    func otherSpellings(name: String) async throws {
        var visitor = Visitor(try TestPages(names: ["Kate"]))
        #expect(await visitor.logIn(name).status == 403)
        #expect(await visitor.logIn("Kate").status == 303)
    }

    @Test("another spelling of a name has no attempts of its own")
    func spelledAttempts() async throws {
        var visitor = Visitor(try TestPages(names: ["Kate"]))
        for number in 0..<5 {
            #expect(await visitor.logIn(number % 2 == 0 ? "\u{212A}ate" : "no name", "wrong").status == 403)
        }
        #expect(await visitor.logIn("\u{212A}ate", "wrong").status == 429)
    }

    @Test("a password that is too long is a wrong one")
    func longPassword() async throws {
        var visitor = Visitor(try TestPages())
        #expect(await visitor.logIn("ada", String(repeating: "x", count: 257)).status == 403)
    }

    @Test("a name is not paused elsewhere for what few addresses try")
    func ownersElsewhere() {
        let limiter = LoginLimiter { .zero }
        for number in 0..<100 { _ = limiter.admit(name: "ada", address: "10.2.0.\(number % 20)") }
        #expect(limiter.admit(name: "ada", address: "10.2.0.1") != nil)
        // The addresses are far apart: nearly all have slots of their own.
        #expect((1...9).contains { limiter.admit(name: "ada", address: "10.9.9.\($0)") == nil })
    }

    @Test("a name is paused everywhere for what many addresses try")
    func manyAddresses() {
        let limiter = LoginLimiter { .zero }
        for number in 0..<LoginLimiter.attempts.name {
            _ = limiter.admit(name: "ada", address: "10.3.\(number / 200).\(number % 200)")
        }
        #expect((1...9).allSatisfy { limiter.admit(name: "ada", address: "10.9.9.\($0)") != nil })
        #expect(["bob", "cy", "dan"].contains { limiter.admit(name: $0, address: "10.9.8.7") == nil })
    }

    @Test("after five attempts even the right password has to wait")
    func lockOut() async throws {
        let pages = try TestPages()
        var visitor = Visitor(pages)
        for _ in 0..<5 { #expect(await visitor.logIn("ada", "wrong").status == 403) }
        let refused = await visitor.logIn()
        #expect(refused.status == 429 && refused.response.header("Retry-After") == "60")
        pages.pass(59)
        #expect(await visitor.logIn().status == 429)
        pages.pass(2)
        #expect(await visitor.logIn().status == 303)
        for _ in 0..<5 { #expect(await visitor.logIn("ada", "wrong").status == 403) }
        #expect(await visitor.logIn().status == 429)
    }

    @Test("pauses grow, and no number of other names ends one")
    func limiter() {
        let clock = TestPages.Clock()
        let limiter = LoginLimiter { clock.elapsed }
        func attempt(_ name: String = "ada", from address: String = "a") -> Int? {
            limiter.admit(name: name, address: address)
        }
        for _ in 0..<5 { #expect(attempt() == nil) }
        #expect(attempt() == 60)
        for number in 0..<30_000 { _ = attempt("name \(number)", from: "a\(number)") }
        #expect(attempt() == 60)
        clock.pass(61)
        #expect(attempt() == nil)
        #expect(attempt() == 120)
        for _ in 0..<20 {
            clock.pass(901)
            _ = attempt()
        }
        #expect(attempt().map { $0 <= 900 } == true)
    }

    @Test("an address has twenty attempts, whatever logins of its own succeed")
    func addresses() {
        let limiter = LoginLimiter { .zero }
        for number in 0..<20 {
            // The names are far apart: each is one of its own in nearly all slots.
            _ = limiter.admit(name: "name \(number)", address: "10.1.1.1")
            limiter.succeed(name: "name \(number)", address: "10.1.1.1")
        }
        #expect(limiter.admit(name: "another", address: "10.1.1.1") != nil)
        #expect((2...9).contains { limiter.admit(name: "another", address: "10.1.1.\($0)") == nil })
    }

    @Test("the form counts with its cookie and from these pages alone")
    func loginForm() async throws {
        var visitor = Visitor(try TestPages())
        let fields = ["name": "ada", "password": TestPages.password]
        #expect(await visitor.post("/login", fields).status == 403)
        let form = await visitor.get("/login")
        #expect(await visitor.post("/login", fields.merging(["csrf": "x"]) { $1 }).status == 403)
        #expect(await visitor.post("/login", fields.merging(["csrf": ""]) { $1 }).status == 403)
        for (name, value) in [
            ("sec-fetch-site", "cross-site"), ("origin", "https://evil.example"), ("origin", "null"),
        ] {
            visitor.headers = [name: value]
            #expect(
                await visitor.post("/login", fields.merging(["csrf": form.csrf]) { $1 }).status == 403,
                "\(name) \(value)"
            )
        }
        visitor.headers = ["origin": "http://127.0.0.1:8090"]
        #expect(await visitor.post("/login", fields.merging(["csrf": form.csrf]) { $1 }).status == 303)
    }

    @Test("cookies are for these pages alone, and behind TLS for TLS alone")
    func cookies() async throws {
        var visitor = Visitor(try TestPages())
        let plain = try #require(await visitor.logIn().response.header("Set-Cookie"))
        #expect(plain.hasPrefix("study=") && plain.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        var other = Visitor(try TestPages(host: "study.example.org"))
        #expect(await other.logIn().status == 403)
        other.host = "study.example.org"
        let secure = try #require(await other.logIn().response.header("Set-Cookie"))
        #expect(secure.hasPrefix("__Host-study=") && secure.hasSuffix("; SameSite=Strict; Secure"))
    }

    @Test("another name of the server is refused", arguments: ["evil.example", "127.0.0.1.evil.example", ""])
    func otherHosts(host: String) async throws {
        var visitor = Visitor(try TestPages())
        visitor.host = host
        #expect(await visitor.get("/login").status == 403)
    }

    @Test("behind a proxy its last word names the client, else nobody's")
    func proxies() async throws {
        let request = Request(
            method: "GET",
            target: "/",
            headers: ["x-forwarded-for": "1.1.1.1, 2.2.2.2"],
            peer: "127.0.0.1"
        )
        #expect(try TestPages().service.access.client(of: request) == "127.0.0.1")
        #expect(try TestPages(host: "a.example").service.access.client(of: request) == "2.2.2.2")
    }

    @Test("a session ends when nobody uses it, and after eight hours")
    func sessionTimes() async throws {
        let pages = try TestPages()
        var visitor = Visitor(pages)
        _ = await visitor.logIn()
        pages.pass(3599)
        #expect(await visitor.get("/").status == 200)
        pages.pass(3601)
        #expect(await visitor.get("/").status == 303)
        _ = await visitor.logIn()
        for _ in 0..<15 {
            #expect(await visitor.get("/").status == 200)
            pages.pass(1900)
        }
        pages.pass(400)
        #expect(await visitor.get("/").status == 303)
    }

    @Test("another password ends the sessions, and so does leaving the file")
    func revocation() async throws {
        let pages = try TestPages(names: ["ada", "bob"])
        var ada = Visitor(pages)
        var bob = Visitor(pages)
        _ = await ada.logIn()
        _ = await bob.logIn("bob")
        try pages.users.setPassword("another long password", of: "ada")
        #expect(await ada.get("/").status == 303)
        #expect(await bob.get("/").status == 200)
        let lines = try String(contentsOf: pages.users.url, encoding: .utf8).split(separator: "\n").filter {
            !$0.hasPrefix("bob")
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: pages.users.url)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: pages.users.url.path)
        #expect(await bob.get("/").status == 303)
        #expect(await ada.logIn("ada", "another long password").status == 303)
    }

    @Test(
        "a file that others can read, or that is malformed, is refused",
        arguments: [
            ("ada:$y$x", 0o644), ("ada", 0o600), (":$y$x", 0o600), ("a b:$y$x", 0o600), ("\u{FF}", 0o600),
        ]
    )
    func badFiles(text: String, mode: Int) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "users-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(text.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        #expect(throws: StudyPagesError.self) { try StudyUserFile(url).users() }
    }

    @Test(
        "passwords and names that will not do are refused",
        arguments: [
            ("ada", "short"), ("ada", String(repeating: "x", count: 257)), ("ada", "two lines\nof text"),
            ("a:b", TestPages.password),
            ("", TestPages.password), ("ä", TestPages.password),
        ]
    )
    func badPasswords(name: String, password: String) {
        let url = FileManager.default.temporaryDirectory.appending(path: "users-\(UUID().uuidString)")
        #expect(throws: StudyPagesError.self) {
            try StudyUserFile(url).setPassword(Secret(password), of: name)
        }
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test("the file has mode 0600 and no password in it")
    func userFile() throws {
        let pages = try TestPages()
        let mode =
            try FileManager.default.attributesOfItem(atPath: pages.users.url.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try !String(contentsOf: pages.users.url, encoding: .utf8).contains(TestPages.password))
        #expect(try pages.users.users()["ada"]?.hash.matches(TestPages.password) == true)
    }
}
