import Foundation
import IndivoSandbox
import OAuth1
import Testing

/// Two people who have nothing to do with each other, each with a record and an app on it.
struct World {
    let sandbox: Sandbox
    /// The record of the person whose things are to be kept from others.
    let record: String
    let document: String
    let appDocument: String
    let carenet: String
    let message: String
    let requestToken: OAuthToken
    /// The app that may.
    let owner: TestApp
    /// The session of the record's owner at a UI server.
    let ownerSession: TestApp

    // Who may not.
    let rival: TestApp
    let rivalToken: TestApp
    let rivalRequestToken: TestApp
    let autonomousToken: TestApp
    let strangerSession: TestApp

    static let victim = "demo@example.org"
    static let stranger = "stranger@example.org"

    init(_ sandbox: Sandbox) async throws {
        self.sandbox = sandbox
        let first = try await sandbox.records().first?.id
        let record = try #require(first)
        self.record = record
        try await sandbox.addAccount(
            id: World.stranger,
            fullName: "Sam Stranger",
            username: "stranger",
            password: "stranger"
        )
        try await sandbox.addApp(
            SandboxApp(
                id: "rival@apps.example.org",
                name: "Rival",
                consumerSecret: "rival-secret",
                startURL: "rival:///start",
                callbackURL: "rival:///back"
            )
        )
        try await sandbox.addApp(
            SandboxApp(
                id: "robot@apps.example.org",
                name: "Robot",
                consumerSecret: "robot-secret",
                startURL: "",
                callbackURL: "",
                isAutonomous: true
            )
        )
        try await sandbox.addMachineApp(
            SandboxMachineApp(
                id: "ui@example.org",
                name: "UI",
                consumerKey: "ui-key",
                consumerSecret: "ui-secret",
                isChrome: true
            )
        )
        let strangersRecord = try await sandbox.addRecord(
            owner: World.stranger,
            demographics: Data(
                """
                <Demographics \
                xmlns="http://indivo.org/vocab/xml/documents#"><dateOfBirth>1980-01-01</dateOfBirth>\
                <gender>male</gender><Name><familyName>Stranger</familyName><givenName>Sam</givenName></Name>\
                </Demographics>
                """.utf8
            )
        )
        try await sandbox.enable(app: "rival@apps.example.org", onRecord: strangersRecord)
        try await sandbox.enable(app: "robot@apps.example.org", onRecord: strangersRecord)

        let demo = TestApp(sandbox)
        requestToken = try await demo.requestToken(record: record)
        owner = try await demo.authorized(sandbox, record: record)
        ownerSession = try await World.session(sandbox, "demo", "demo")
        rival = TestApp(sandbox, key: "rival@apps.example.org", secret: "rival-secret")
        rivalToken = try await rival.authorized(
            sandbox,
            record: strangersRecord,
            username: "stranger",
            password: "stranger"
        )
        rivalRequestToken = rival.with(try await rival.requestToken(record: strangersRecord))
        let robot = TestApp(sandbox, key: "robot@apps.example.org", secret: "robot-secret")
        let issued = try await robot.send(
            "POST",
            "/apps/robot@apps.example.org/records/\(strangersRecord)/access_token"
        )
        autonomousToken = robot.with(try OAuthTokenResponse(parsing: issued.body).token)
        strangerSession = try await World.session(sandbox, "stranger", "stranger")

        let made = try await owner.post(
            "/records/\(record)/documents/",
            xml: "<secret xmlns=\"urn:x\">of Ines</secret>"
        )
        document = try World.id(made, "Document")
        let stored = try await owner.put(
            "/records/\(record)/apps/demo@apps.example.org/documents/external/settings",
            xml: "<settings/>"
        )
        appDocument = try World.id(stored, "Document")
        let carenets = try await ownerSession.get("/records/\(record)/carenets/")
        carenet = try World.id(carenets, "Carenet")
        _ = try await owner.post(
            "/records/\(record)/inbox/m1",
            form: ["subject": "for Ines", "body": "private"]
        )
        message = try World.id(try await owner.get("/accounts/\(World.victim)/inbox/"), "Message")
    }

    private static func session(_ sandbox: Sandbox, _ username: String, _ password: String) async throws
        -> TestApp
    {
        let ui = TestApp(sandbox, key: "ui-key", secret: "ui-secret")
        let answer = try await ui.post(
            "/oauth/internal/session_create",
            form: ["username": username, "password": password]
        )
        #expect(answer.status == 200)
        return ui.with(try OAuthTokenResponse(parsing: answer.body).token)
    }

    static func id(_ answer: RawHTTP.Answer, _ element: String) throws -> String {
        let pattern = try Regex("<\(element) id=\"([^\"]+)\"", as: (Substring, Substring).self)
        return String(try #require(answer.text.firstMatch(of: pattern), "\(answer.text)").output.1)
    }

    /// The path of a call, with what belongs to the victim in the place of the braces.
    func path(_ template: String) -> String {
        let isAppStorage = template.contains("/apps/{app}/documents/")
        let values = [
            "record": record, "app": "demo@apps.example.org", "account": World.victim, "carenet": carenet,
            "document": isAppStorage ? appDocument : document, "object": document,
            "requestToken": requestToken.value,
            "external": isAppStorage ? "settings" : "e1", "relation": "annotation", "model": "Problem",
            "smartModel": "problems", "fact": "00000000-0000-0000-0000-000000000000", "message": message,
            "number": "1",
            "code": "HBA1C", "function": "record", "secret": "guess", "system": "umls",
            "adminApp": "ui@example.org",
        ]
        return values.reduce(template) { $0.replacing("{\($1.key)}", with: $1.value) }
    }
}
