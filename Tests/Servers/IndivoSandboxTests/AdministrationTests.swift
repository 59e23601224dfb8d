import Foundation
import IndivoSandbox
import OAuth1
import Testing

/// What an operator and a UI server do: accounts, records, sharing.
@Suite("The calls of administrators and UI servers")
struct AdministrationTests {
    private static let demographics = """
        <Demographics xmlns="http://indivo.org/vocab/xml/documents#"><dateOfBirth>1990-02-03</dateOfBirth>\
        <gender>female</gender><Name><familyName>Lund</familyName><givenName>Nora</givenName></Name>\
        </Demographics>
        """
    private static let nora = "nora@example.org"

    private func admin(_ sandbox: Sandbox) -> TestApp {
        TestApp(
            sandbox,
            key: SandboxMachineApp.demoAdmin.consumerKey,
            secret: SandboxMachineApp.demoAdmin.consumerSecret
        )
    }

    private func session(_ sandbox: Sandbox, _ username: String, _ password: String) async throws -> TestApp?
    {
        let ui = TestApp(sandbox, key: "ui-key", secret: "ui-secret")
        let answer = try await ui.post(
            "/oauth/internal/session_create",
            form: ["username": username, "password": password]
        )
        return answer.status == 200 ? ui.with(try OAuthTokenResponse(parsing: answer.body).token) : nil
    }

    @Test("an account is made, logs in, changes its password and its name, and is closed")
    func accounts() async throws {
        try await withSandbox { sandbox async throws in
            _ = try await World(sandbox)
            let admin = admin(sandbox)
            let account = "/accounts/\(Self.nora)"
            let made = try await admin.post(
                "/accounts/",
                form: ["account_id": Self.nora, "full_name": "Nora Lund"]
            )
            #expect(made.text.contains("<Account id=\"\(Self.nora)\">"))
            #expect(try await admin.post("/accounts/", form: ["account_id": Self.nora]).status == 400)
            #expect(try await admin.post("/accounts/", form: ["account_id": "no address"]).status == 400)
            let logins = account + "/authsystems/"
            #expect(try await admin.post(logins, form: ["system": "password"]).status == 400)
            #expect(try await admin.post(logins, form: ["system": "card", "username": "n"]).status == 403)
            let login: FormParameters = ["system": "password", "username": "nora", "password": "first"]
            #expect(try await admin.post(logins, form: login).text.contains("<ok/>"))

            let nora = try #require(try await session(sandbox, "nora", "first"))
            let password = account + "/authsystems/password/"
            #expect(
                try await nora.post(password + "change", form: ["old": "wrong", "new": "second"]).status
                    == 403
            )
            #expect(try await nora.post(password + "change", form: ["old": "first"]).status == 400)
            #expect(
                try await nora.post(password + "change", form: ["old": "first", "new": "second"]).status
                    == 200
            )
            #expect(try await nora.post(password + "set-username", form: ["username": "demo"]).status == 400)
            #expect(try await nora.post(password + "set-username", form: ["username": "nl"]).status == 200)
            #expect(
                try await nora.post(account + "/info-set", form: ["full_name": "Nora Lunde"]).status == 200
            )
            #expect(try await nora.get(account).text.contains("<fullName>Nora Lunde</fullName>"))
            #expect(try await session(sandbox, "nl", "second") != nil)
            #expect(try await admin.post(password + "set", form: ["password": "third"]).status == 200)
            #expect(try await session(sandbox, "nl", "third") != nil)
            #expect(try await admin.get("/accounts/search?fullname=LUNDE").text.contains(Self.nora))
            #expect(try await admin.get("/accounts/search").status == 400)

            #expect(try await admin.post(account + "/set-state", form: ["state": "asleep"]).status == 400)
            #expect(try await admin.post(account + "/set-state", form: ["state": "disabled"]).status == 200)
            #expect(try await session(sandbox, "nl", "third") == nil)
            #expect(try await admin.post(account + "/set-state", form: ["state": "retired"]).status == 200)
            #expect(try await admin.post(account + "/set-state", form: ["state": "active"]).status == 403)
        }
    }

    @Test("an account is opened with its secrets, and anew when its password is forgotten")
    func secrets() async throws {
        try await withSandbox { sandbox async throws in
            _ = try await World(sandbox)
            let admin = admin(sandbox)
            let ui = TestApp(sandbox, key: "ui-key", secret: "ui-secret")
            let account = "/accounts/\(Self.nora)"
            _ = try await admin.post(
                "/accounts/",
                form: ["account_id": Self.nora, "secondary_secret_p": "1"]
            )
            func secret(_ call: String) async throws -> String {
                let text = try await admin.get(account + call).text
                return String(
                    try #require(text.firstMatch(of: /<secret>([^<]+)<\/secret>/), "\(text)").output.1
                )
            }
            let first = try await secret("/primary-secret")
            let second = try await secret("/secret")
            #expect(
                try await admin.get(account + "/check-secrets/\(first)?secondary_secret=\(second)").status
                    == 200
            )
            #expect(
                try await admin.get(account + "/check-secrets/guess?secondary_secret=\(second)").status == 403
            )
            let opening = account + "/initialize/\(first)"
            #expect(try await ui.post(opening, form: ["secondary_secret": "0"]).status == 403)
            #expect(try await ui.post(opening, form: ["secondary_secret": second]).status == 200)
            #expect(try await ui.post(opening, form: ["secondary_secret": second]).status == 400)
            #expect(try await admin.post(account + "/secret-resend", form: [:]).status == 200)
            let forgotten = try await admin.post(account + "/forgot-password", form: [:])
            #expect(forgotten.text == "<secret>\(second)</secret>")
            #expect(try await secret("/primary-secret") != first)
            #expect(try await admin.post(account + "/reset", form: [:]).status == 200)
        }
    }

    @Test("a record is made, found, given to an account and shared, and gets and loses apps")
    func records() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let admin = admin(sandbox)
            let record = try World.id(try await admin.post("/records/", xml: Self.demographics), "Record")
            #expect(try await admin.post("/records/", xml: "<broken").status == 400)
            let external = "/records/external/admin@apps.example.org/r1"
            let first = try World.id(try await admin.put(external, xml: Self.demographics), "Record")
            #expect(try World.id(try await admin.put(external, xml: Self.demographics), "Record") == first)
            #expect(
                try await admin.put("/records/external/ui@example.org/r1", xml: Self.demographics).status
                    == 403
            )
            #expect(try await admin.get("/records/search?label=LUND").text.contains(record))
            #expect(try await admin.get("/records/search").status == 400)

            let base = "/records/\(record)"
            #expect(
                try await admin.send("PUT", base + "/owner", type: "text/plain", body: "x@y").status == 400
            )
            let owner = try await admin.send("PUT", base + "/owner", type: "text/plain", body: World.stranger)
            #expect(
                owner.text.contains(
                    "<Account id=\"\(World.stranger)\"><fullName></fullName><contactEmail></contactEmail>"
                )
            )
            #expect(owner.text.contains("<lastStateChange></lastStateChange></Account>"))
            #expect(try await admin.get(base + "/owner").text == "<Account id='\(World.stranger)' />")

            let app = base + "/apps/demo@apps.example.org"
            #expect(try await admin.get(app).status == 404)
            #expect(try await admin.send("PUT", app).status == 200)
            #expect(try await admin.get(base + "/apps/").text.contains("demo@apps.example.org"))
            #expect(try await admin.get(app).status == 200)
            #expect(try await admin.send("DELETE", app).status == 200)
            #expect(try await admin.get(base + "/apps/").text == "[]")
            let setUp = try await admin.post(app + "/setup", xml: "<settings/>")
            let demo = TestApp(sandbox).with(try OAuthTokenResponse(parsing: setUp.body).token)
            #expect(try await demo.get(app + "/documents/").text.contains("total_document_count=\"1\""))

            let shares = base + "/shares/"
            #expect(try await world.ownerSession.get(base).status == 403)
            #expect(try await admin.post(shares, form: [:]).status == 400)
            #expect(try await admin.post(shares, form: ["account_id": World.victim]).status == 200)
            #expect(try await admin.get(shares).text.contains("account=\"\(World.victim)\""))
            #expect(try await world.ownerSession.get(base).status == 200)
            #expect(try await admin.send("DELETE", shares + World.victim).status == 200)
            #expect(try await admin.post(shares + World.victim + "/delete", form: [:]).status == 404)
            #expect(try await world.ownerSession.get(base).status == 403)
        }
    }

    @Test("the token of a set-up is nobody's: only an autonomous app reaches the record")
    func setUp() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let base = "/records/\(world.record)"
            for (id, secret, status) in [
                ("demo@apps.example.org", "demo-secret", 403),
                ("robot@apps.example.org", "robot-secret", 200),
            ] {
                let storage = base + "/apps/\(id)/"
                let issued = try await admin(sandbox).send("POST", storage + "setup")
                let token = try OAuthTokenResponse(parsing: issued.body).token
                let app = TestApp(sandbox, key: id, secret: secret).with(token)
                for path in ["", "/documents/", "/demographics", "/reports/Problem/", "/audits/query/"] {
                    #expect(try await app.get(base + path).status == status, "\(id) \(path)")
                }
                let sent = try await app.post(base + "/notifications/", form: ["content": "x"])
                #expect(sent.status == status)
                let stored = try await app.put(storage + "documents/external/kept", xml: "<a/>")
                #expect(stored.status == 200)
                #expect(stored.text.contains("<creator id=\"\(id)\" type=\"PHA\">"))
            }
        }
    }

    @Test("a carenet shows what is placed in it or shared by type, unless never shared")
    func carenets() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let person = world.ownerSession
            let base = "/records/\(world.record)"
            let made = try await person.post(base + "/carenets/", form: ["name": "Choir"])
            let carenet = try World.id(made, "Carenet")
            #expect(try await person.post(base + "/carenets/", form: ["name": "Choir"]).status == 400)
            #expect(
                try await person.post("/carenets/\(carenet)/rename", form: ["name": "Band"]).text.contains(
                    "Band"
                )
            )
            func shown() async throws -> Bool {
                try await person.get("/carenets/\(carenet)/documents/\(world.document)").status == 200
            }
            let type: FormParameters = ["type": "urn:xsecret"]
            let sharing = base + "/autoshare/carenets/\(carenet)/bytype/"
            #expect(try await !shown())
            #expect(try await person.post(sharing + "set", form: type).status == 200)
            #expect(try await shown())
            #expect(try await person.post(sharing + "set", form: type).status == 500, "it is shared already")
            let permissions = try await person.get("/accounts/\(World.victim)/permissions/").text
            #expect(permissions.contains(carenet) && permissions.contains("record_id=\"\""))
            #expect(try await person.get(base + "/autoshare/bytype/?type=urn:xsecret").text.contains(carenet))
            #expect(
                try await person.get(base + "/autoshare/bytype/all").text.contains("type=\"urn:xsecret\"")
            )
            #expect(try await person.get(base + "/autoshare/bytype/").status == 404)
            let document = base + "/documents/\(world.document)"
            #expect(try await person.send("DELETE", document + "/carenets/\(carenet)").status == 200)
            #expect(try await !shown())
            #expect(try await person.send("PUT", document + "/carenets/\(carenet)").status == 200)
            #expect(try await person.get(document + "/carenets/").text.contains("Band"))
            #expect(try await person.send("PUT", document + "/nevershare").status == 200)
            #expect(try await !shown())
            #expect(try await person.send("PUT", document + "/carenets/\(carenet)").status == 404)
            #expect(try await person.send("DELETE", document + "/nevershare").status == 200)
            #expect(try await shown())
            #expect(try await person.post(sharing + "unset", form: type).status == 200)
            #expect(try await person.send("DELETE", "/carenets/\(carenet)").status == 200)
            #expect(try await person.get("/carenets/\(carenet)/documents/").status == 404)
        }
    }

    @Test("an operator's message is read and put away, and a UI server gets credentials")
    func messagesAndCredentials() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let inbox = "/accounts/\(World.victim)/inbox/"
            let message: FormParameters = ["message_id": "m9", "subject": "Maintenance", "body": "Tonight."]
            let sent = try await admin(sandbox).post(inbox, form: message)
            let id = try World.id(sent, "Message")
            #expect(try await admin(sandbox).post(inbox, form: message).status == 400)
            #expect(try await world.ownerSession.get(inbox + id).text.contains("Maintenance"))
            #expect(try await world.ownerSession.post(inbox + id + "/archive", form: [:]).status == 200)
            #expect(try await !world.ownerSession.get(inbox).text.contains(id))
            #expect(try await world.ownerSession.get(inbox + "?include_archive=1").text.contains(id))

            let call = "/accounts/\(World.victim)/apps/demo@apps.example.org/connect_credentials"
            let answer = try await world.ownerSession.post(call, form: ["record_id": world.record])
            func value(_ name: String) throws -> String {
                let pattern = try Regex("<\(name)>([^<]+)</\(name)>", as: (Substring, Substring).self)
                return String(try #require(answer.text.firstMatch(of: pattern), "\(answer.text)").output.1)
            }
            let token = OAuthToken(value: try value("RESTToken"), secret: Secret(try value("RESTSecret")))
            #expect(try await TestApp(sandbox).with(token).get("/records/\(world.record)").status == 200)
            let connect = OAuthToken(
                value: try value("ConnectToken"),
                secret: Secret(try value("ConnectSecret"))
            )
            let ui = TestApp(sandbox, key: "ui-key", secret: "ui-secret").with(connect)
            #expect(try await ui.get("/records/\(world.record)").status == 200)
            #expect(try await world.ownerSession.post(call, form: ["record_id": "none"]).status == 404)
            let rival = "/accounts/\(World.victim)/apps/rival@apps.example.org/connect_credentials"
            #expect(try await world.ownerSession.post(rival, form: ["record_id": world.record]).status == 403)
        }
    }
}
