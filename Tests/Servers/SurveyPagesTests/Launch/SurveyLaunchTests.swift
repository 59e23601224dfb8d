import FHIR
import FHIRClient
import FHIRSandbox
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import OrderedJSON
import SurveyPages
import Surveys
import Synchronization
import TestSupport
import Testing

/// The whole chain in a browser: launch, populate, ask, check, extract, send.
@Suite("Surveys behind a health record's login")
struct SurveyLaunchTests {
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"

    /// A survey that is filled with the birth date and extracts a weight.
    private static let questionnaire = """
        {"resourceType": "Questionnaire", "url": "urn:example:intake", "title": "Intake", "status": "active",
         "extension": [{"url": "\(sdc)launchContext", "extension": [
           {"url": "name", "valueCoding": {"code": "patient"}}, {"url": "type", "valueCode": "Patient"}]}],
         "item": [
          {"linkId": "born", "type": "date", "text": "When were you born?", "extension": [
            {"url": "\(sdc)initialExpression",
             "valueExpression": {"language": "text/fhirpath", "expression": "%patient.birthDate"}}]},
          {"linkId": "weight", "type": "decimal", "text": "Your weight", "required": true,
           "code": [{"system": "http://loinc.org", "code": "29463-7"}], "extension": [
            {"url": "\(sdc)observationExtract", "valueBoolean": true},
            {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
             "valueCoding": {"system": "http://unitsofmeasure.org", "code": "kg", "display": "kg"}}]}]}
        """

    /// Passes requests on, and loses a response where it is told to.
    private final class Line: HTTPTransport {
        let losesNext = Mutex(false)
        let authorizations = Mutex<[String]>([])

        func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
            let transport: some HTTPTransport = .system
            if let authorization = request.headerFields[.authorization] {
                authorizations.withLock { $0.append(authorization) }
            }
            let answer = try await transport.send(request, body: body)
            let isLost = losesNext.withLock { loses in
                defer { if loses, body != nil { loses = false } }
                return loses && body != nil
            }
            if isLost { throw URLError(.networkConnectionLost) }
            return answer
        }
    }

    private struct World {
        let sandbox: FHIRSandbox
        let survey: SurveyServer
        let store: SurveyResponsesInMemory
        let line: Line
        let reports: Reports

        func count(_ search: String) async throws -> JSONValue {
            let (data, _) = try await Self.get(sandbox.baseURL.appending(path: "").absoluteString + search)
            return try JSONValue(parsing: data)
        }

        private static func get(_ address: String) async throws -> (Data, Int) {
            let url = try #require(URL(string: address))
            let transport: some HTTPTransport = .system
            var request = HTTPRequest(
                method: .get,
                scheme: "http",
                authority: "127.0.0.1:\(url.port ?? 0)",
                path: url.path(percentEncoded: true) + "?" + (url.query(percentEncoded: true) ?? "")
            )
            request.headerFields[.authorization] = "Bearer everything"
            let answer = try await transport.send(request, body: nil)
            return (answer.body, answer.response.status.code)
        }

        /// Goes to the survey as far as its first page.
        func enter(_ browser: Browser, _ address: URL? = nil, patient: String = "ann") async throws
            -> Browser.Page
        {
            let page = try await browser.open(address ?? survey.url)
            try #require(page.url.port == sandbox.baseURL.port, "\(page.url)")
            return try await browser.open(try await browser.logIn(page.url, patient: patient))
        }
    }

    private final class Reports: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var text: String { lines.withLock { $0.joined(separator: "\n") } }
    }

    /// A record with two patients, and the survey, an app that has registered itself there.
    private func use(
        scopes: [SMARTScope] = [.launchPatient, .patient("*", .all)],
        questionnaire: String = questionnaire,
        _ body: (World) async throws -> Void
    ) async throws {
        var configuration = FHIRSandboxConfiguration()
        configuration.smart = SMARTSandboxConfiguration()
        configuration.tokens = ["everything"]
        let sandbox = try await FHIRSandbox.start(configuration)
        do {
            for (id, day) in [("ann", "1970-04-01"), ("bob", "1980-05-02")] {
                let patient: JSONValue = [
                    "resourceType": "Patient", "id": JSONValue(id), "birthDate": JSONValue(day),
                ]
                try await sandbox.load(AnyResource(view: patient))
            }
            let questionnaire = try Questionnaire(parsing: Data(questionnaire.utf8))
            let store = SurveyResponsesInMemory()
            let line = Line()
            let reports = Reports()
            let survey = try await SurveyServer.start(
                Survey(questionnaire),
                store: store,
                report: { reports.add($0) }
            ) { redirectURI in
                var options = SMARTServer.Options(sessions: MemorySessionStore())
                options.retry = .never
                let id = try await Self.register(redirectURI, sandbox)
                let app = SMARTApp(id: id, redirectURI: redirectURI, scopes: scopes)
                return try SMARTServer(base: sandbox.baseURL, app: app, transport: line, options: options)
            }
            do {
                let world = World(
                    sandbox: sandbox,
                    survey: survey,
                    store: store,
                    line: line,
                    reports: reports
                )
                try await body(world)
            } catch {
                await survey.stop()
                throw error
            }
            await survey.stop()
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    private static func register(_ redirectURI: URL, _ sandbox: FHIRSandbox) async throws -> String {
        let metadata: JSONValue = [
            "redirect_uris": [JSONValue(redirectURI.absoluteString)], "client_name": "Intake",
            "token_endpoint_auth_method": "none",
            "launch_url": JSONValue(redirectURI.absoluteString.replacing("/callback", with: "/launch")),
        ]
        var request = HTTPRequest(
            method: .post,
            scheme: "http",
            authority: "127.0.0.1:\(sandbox.baseURL.port ?? 0)",
            path: "/auth/register"
        )
        request.headerFields[.contentType] = "application/json"
        let transport: some HTTPTransport = .system
        let answer = try await transport.send(request, body: Data(metadata.utf8()))
        return try #require(try JSONValue(parsing: answer.body)["client_id"]?.string)
    }

    @Test("a person logs in and completes the filled survey, and the record has its extract")
    func chain() async throws {
        try await use { world in
            let browser = Browser()
            let page = try await world.enter(browser)
            #expect(page.status == 200 && page.text.contains("1970"), "\(page.text)")
            #expect(page.text.contains("Log out"))
            // It is checked before it is sent.
            let incomplete = try await browser.send(page, ["action": "send"])
            #expect(incomplete.status == 422)
            let done = try await browser.send(incomplete, ["weight.0": "72.5", "action": "send"])
            #expect(done.text.contains("Thank you"), "\(done.text)")
            let responses = try await world.count("QuestionnaireResponse?subject=Patient/ann")
            #expect(responses["total"]?.integer == 1)
            let response = responses["entry"]?[0]?["resource"]
            #expect(response?["status"]?.string == "completed")
            let weights = try await world.count("Observation?subject=Patient/ann&code=29463-7")
            #expect(weights["total"]?.integer == 1)
            let weight = weights["entry"]?[0]?["resource"]
            #expect(weight?["valueQuantity"]?["value"]?.number == "72.5")
            let id = response?["id"]?.string ?? "?"
            #expect(weight?["derivedFrom"]?[0]?["reference"]?.string == "QuestionnaireResponse/\(id)")
            #expect(world.reports.text.isEmpty, "\(world.reports.text)")
        }
    }

    @Test("a value set too large to be listed is searched with the visitor's login")
    func searched() async throws {
        let questionnaire = """
            {"resourceType": "Questionnaire", "status": "active", "item": [
             {"linkId": "q", "type": "choice", "text": "Which?", "answerValueSet": "urn:example:all"}]}
            """
        try await use(questionnaire: questionnaire) { world in
            let concepts = (0..<1_100).map { #"{"code": "c\#($0)", "display": "Condition \#($0)"}"# }
            for (id, text) in [
                (
                    "codes",
                    """
                    {"resourceType": "CodeSystem", "url": "urn:example:conditions", "status": "active",
                     "content": "complete", "concept": [\(concepts.joined(separator: ",")),
                      {"code": "a", "display": "Asthma"}]}
                    """
                ),
                (
                    "all",
                    """
                    {"resourceType": "ValueSet", "url": "urn:example:all", "status": "active",
                     "compose": {"include": [{"system": "urn:example:conditions"}]}}
                    """
                ),
            ] {
                var json = try JSONValue(parsing: Data(text.utf8))
                json["id"] = JSONValue(id)
                try await world.sandbox.load(AnyResource(view: json))
            }
            let browser = Browser()
            let page = try await world.enter(browser)
            let found = try await browser.send(page, ["q.search": "asth", "action": "find q"])
            #expect(found.text.contains("Asthma"), "\(found.text) \(world.reports.text)")
            let done = try await browser.send(
                found,
                ["q.search": "asth", "q": "urn:example:conditions|a", "action": "send"]
            )
            #expect(done.text.contains("Thank you"), "\(done.text)")
            let responses = try await world.count("QuestionnaireResponse?subject=Patient/ann")
            let coding = responses["entry"]?[0]?["resource"]?["item"]?[0]?["answer"]?[0]?["valueCoding"]
            #expect(coding?["display"]?.string == "Asthma")
        }
    }

    @Test("a response is its patient's, and leads to the login without one")
    func strangers() async throws {
        try await use { world in
            let ann = Browser()
            let page = try await world.enter(ann)
            _ = try await ann.send(page, ["weight.0": "72.5", "action": "save"])
            let address = try #require(URL(string: page.url.path(), relativeTo: world.survey.url))
                .absoluteURL
            #expect(try await ann.open(address).text.contains("72.5"))
            let stranger = Browser()
            #expect(try await stranger.open(address).url.path() == "/auth/authorize")
            let posted = try await stranger.open(address, form: ["action": "send"])
            #expect(posted.status == 403)
            let bob = try await world.enter(Browser(), address, patient: "bob")
            #expect(bob.status == 404 && !bob.text.contains("72.5"))
            let again = try await world.enter(Browser(), address, patient: "ann")
            #expect(again.status == 200 && again.text.contains("72.5"))
        }
    }

    @Test("a form shown to one patient is not stored for another, or over others' answers")
    func anothersForm() async throws {
        try await use { world in
            let ann = Browser()
            let begun = try await world.enter(ann)
            let bob = Browser()
            let own = try await world.enter(bob, patient: "bob")
            // As where the second has logged in in the same browser.
            let sent = try await bob.send(begun, ["weight.0": "72.5", "action": "save"])
            #expect(sent.status == 409 && !sent.text.contains("72.5"))
            _ = try await ann.send(begun, ["weight.0": "70", "action": "save"])
            let late = try await bob.send(begun, ["weight.0": "99", "action": "save"])
            #expect(late.status == 409)
            // Also a form of their own at the other's address.
            var moved = own
            moved.url = begun.url
            #expect(try await bob.send(moved, ["weight.0": "99", "action": "save"]).status == 409)
            #expect(try await ann.open(begun.url).text.contains("value=\"70\""))
        }
    }

    @Test("an earlier login does not overwrite what a later one has opened")
    func twoLogins() async throws {
        try await use { world in
            let first = Browser()
            let page = try await world.enter(first)
            let saved = try await first.send(page, ["weight.0": "70", "action": "save"])
            let second = Browser()
            let address = try #require(URL(string: saved.url.path(), relativeTo: world.survey.url))
            let other = try await world.enter(second, address.absoluteURL)
            _ = try await second.send(other, ["weight.0": "71", "action": "save"])
            let late = try await first.send(saved, ["weight.0": "69", "action": "save"])
            #expect(late.status == 409)
            #expect(try await first.open(address.absoluteURL).text.contains("71"))
        }
    }

    @Test("a login ends in the browser that began it alone, and with one try")
    func injected() async throws {
        try await use { world in
            let browser = Browser()
            let page = try await browser.open(world.survey.url)
            let back = try await browser.logIn(page.url)
            // The address of the attacker's own login, opened by somebody else.
            let victim = Browser()
            #expect(try await victim.open(back).status == 400)
            let address = world.survey.url.absoluteString
            let forged = try #require(URL(string: address + "callback?state=x&code=y"))
            #expect(try await browser.open(forged).status == 400)
            #expect(try await victim.open(world.survey.url).url.path() == "/auth/authorize")
            #expect(try await browser.open(back).status == 200)
            #expect(try await browser.open(back).status == 400)
            // What the person does not allow.
            let next = Browser()
            let asked = try await next.open(world.survey.url)
            let query = FormParameters(decoding: asked.url.query(percentEncoded: true) ?? "")
            let state = query["state"] ?? ""
            let denied = "callback?error=access_denied&state=\(state)"
            let url = try #require(URL(string: world.survey.url.absoluteString + denied))
            #expect(try await next.open(url).status == 403)
            #expect(try await next.open(url).status == 400)
        }
    }

    @Test("a health record opens the survey for a patient, and other launches are refused")
    func fromHealthRecord() async throws {
        try await use { world in
            let browser = Browser()
            var page = try await browser.open(world.sandbox.pagesURL.appending(path: "auth/launch"))
            page = try await browser.submit(page, to: "/auth/login", ["name": "demo", "password": "demo"])
            let app = try #require(page.text.firstMatch(of: /name="app" value="([^"]*)"/)).1
            page = try await browser.submit(
                page,
                to: "/auth/launch",
                ["app": String(app), "patient": "bob"]
            )
            #expect(page.url.path() == "/launch")
            page = try await browser.open(page.url)
            #expect(page.url.path() == "/auth/authorize")
            page = try await browser.open(try await browser.logIn(page.url))
            #expect(page.text.contains("1980"))
            for query in ["iss=https%3A%2F%2Fevil.example.org%2Ffhir&launch=x", "launch=x", ""] {
                let url = try #require(URL(string: world.survey.url.absoluteString + "launch?" + query))
                #expect([400, 403].contains(try await Browser().open(url).status))
            }
        }
    }

    @Test("when the record's response is lost, the same answers are still stored once")
    func lost() async throws {
        try await use { world in
            let browser = Browser()
            let page = try await world.enter(browser)
            world.line.losesNext.withLock { $0 = true }
            let failed = try await browser.send(page, ["weight.0": "72.5", "action": "send"])
            #expect(failed.status == 503)
            let done = try await browser.send(page, ["weight.0": "72.5", "action": "send"])
            #expect(done.text.contains("Thank you"), "\(done.text)")
            #expect(try await world.count("QuestionnaireResponse?")["total"]?.integer == 1)
            #expect(try await world.count("Observation?")["total"]?.integer == 1)
        }
    }

    @Test("answers that the record refuses are kept, and person and operator are told")
    func refused() async throws {
        try await use(scopes: [.launchPatient, .patient("*", .reading)]) { world in
            let browser = Browser()
            let page = try await world.enter(browser)
            let failed = try await browser.send(page, ["weight.0": "72.5", "action": "send"])
            #expect(failed.status == 502 && failed.text.contains("kept here"), "\(failed.text)")
            let kept = try #require(world.store.response(page.url.lastPathComponent))
            #expect(kept.status == .inProgress && kept.tree.text().contains("72.5"))
            #expect(world.reports.text.contains("not stored"))
            #expect(!world.reports.text.contains("72.5") && !world.reports.text.contains("ann"))
        }
    }

    @Test("a logout ends the login, and has the record revoke the tokens")
    func logout() async throws {
        try await use { world in
            let browser = Browser()
            _ = try await world.enter(browser)
            let logout = world.survey.url.appending(path: "logout")
            #expect(try await browser.open(logout).text.contains("Log out"))
            let bearer = try #require(
                world.line.authorizations.withLock { $0.last { $0.hasPrefix("Bearer ") } }
            )
            #expect(try await status(bearer, world) == 200)
            #expect(try await browser.open(logout, form: [:]).text.contains("You are logged out"))
            #expect(try await status(bearer, world) == 401)
            let next = try await browser.open(world.survey.url)
            #expect(next.url.path() == "/auth/authorize")
        }
    }

    private func status(_ authorization: String, _ world: World) async throws -> Int {
        var request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "127.0.0.1:\(world.sandbox.baseURL.port ?? 0)",
            path: "/fhir/Patient/ann"
        )
        request.headerFields[.authorization] = authorization
        let transport: some HTTPTransport = .system
        return try await transport.send(request, body: nil).response.status.code
    }
}
