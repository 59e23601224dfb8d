import Foundation
import HTTPTypes
import Indivo
import Testing

@Suite("Requests and errors")
struct CallTests {
    @Test("a request goes out with the path literal, the query encoded, and signed in the header")
    func request() async throws {
        let transport = AnsweringTransport("<Models/>")
        _ = try await transport.record().reports(of: Medication.self)
        let request = try #require(transport.requests.first)
        #expect(request.method == .get)
        #expect(request.authority == "indivo.example.org:8000")
        #expect(
            request.path
                == "/records/r-1/reports/Medication/?response_format=application%2Fxml&status=active&limit=101&offset=0")
        let header = try #require(request.headerFields[.authorization])
        #expect(header.hasPrefix("OAuth ") && header.contains("oauth_token=\"token\""))
        #expect(!header.contains("planted"))
        #expect(request.headerFields[.contentType] == nil)
    }

    @Test("an app id with @ stays literal in the path; the body is XML by exactly that type")
    func literalPath() async throws {
        let transport = AnsweringTransport("<Document id=\"d-1\"/>")
        let problem = Problem()
        try await transport.record().add(problem, externalID: "my-id_1~x")
        let request = try #require(transport.requests.first)
        #expect(request.method == .put)
        #expect(request.path == "/records/r-1/documents/external/meds@apps.example.org/my-id_1~x")
        #expect(request.headerFields[.contentType] == "application/xml")
        #expect(problem.id == "d-1")
    }

    @Test("host and scheme as both signature rules write them", arguments: [
        ("HTTPS://Indivo.Example.org:443", "indivo.example.org"), ("http://LOCALHOST:80/", "localhost"),
        ("http://[::1]:8000", "[::1]:8000"),
    ])
    func authority(api: String, expected: String) async throws {
        let transport = AnsweringTransport("<Models/>")
        _ = try await transport.record(api: api).reports(of: Problem.self)
        #expect(transport.requests.first?.authority == expected)
        #expect(transport.requests.first?.path?.hasPrefix("/records/") == true)
    }

    @Test("an id that cannot stand in a path is refused before anything is sent", arguments: ["a/b", "a b", "a%20b", "ä", "a;b", "", ".."])
    func badID(id: String) async throws {
        let transport = AnsweringTransport("<Document id=\"d\"/>")
        let error = await #expect(throws: IndivoError.self) { try await transport.record().add(Problem(), externalID: id) }
        #expect(transport.requests.isEmpty)
        #expect(error?.description.contains("not sent") == true)
    }

    @Test("each refusal names the call, the status, the server's words and what to do", arguments: [
        (403, "<h4>Permission Denied</h4>", "log in again"),
        (404, "<h4>We're sorry. …</h4>", "may not know the model"),
        (400, "Invalid filter for fact type Problem: bogus", "Invalid filter for fact type Problem: bogus"),
        (500, "<html><body><h4>Internal Server Error</h4></body></html>", "the server answered 500"),
        (302, "", "the server answered 302"), (405, "", "the server answered 405"),
    ])
    func refusals(status: Int, body: String, words: String) async throws {
        let transport = AnsweringTransport(status: HTTPResponse.Status(code: status), type: "text/html; charset=utf-8", body)
        let error = try await #require(throws: IndivoError.self) { try await transport.record().reports(of: Problem.self) }
        #expect(error.status == status)
        let text = error.description
        #expect(text.contains("generic_list") && text.contains("\(status)") && text.contains(words), "\(text)")
        #expect(!text.contains("planted") && !text.contains("r-1"))
    }

    @Test("an answer that is not what the call gives is an error, not a crash", arguments: [
        ("<html><body><p>Welcome</body></html>", "should be XML"), ("<Documents/>", "not <Models>"), ("", "should be XML"),
        ("<Models><Model name=\"Problem\"><Field name=\"startDate\">soon</Field></Model></Models>", "startDate"),
    ])
    func strangeAnswers(body: String, words: String) async throws {
        let transport = AnsweringTransport(body)
        let error = try await #require(throws: (any Error).self) { try await transport.record().reports(of: Problem.self) }
        #expect("\(error)".contains(words), "\(error)")
    }

    @Test("a server that is not there is an error that names host and port")
    func nobodyThere() async throws {
        let record = IndivoServer(
            api: URL(string: "http://127.0.0.1:1")!, ui: URL(string: "http://127.0.0.1:1")!,
            app: AppCredentials(id: "a", consumerKey: "a", consumerSecret: "a"),
            options: IndivoServer.Options(retry: .never)
        ).record(id: "r", token: OAuthToken(value: "t", secret: "t"))
        let error = try await #require(throws: IndivoError.self) { try await record.information() }
        #expect("\(error)".contains("127.0.0.1:1"))
        #expect(error.reason == .notReachable)
        #expect(error.isSafeToRepeat && error.transportError?.mayHaveReachedServer == false)
    }

    @Test("white space before the XML declaration does no harm")
    func leadingSpace() async throws {
        let transport = AnsweringTransport("\n<?xml version=\"1.0\" encoding=\"utf-8\"?><Models/>")
        #expect(try await transport.record().reports(of: Problem.self).isEmpty)
    }

    @Test("credentials never print their secrets")
    func secrets() {
        let record = AnsweringTransport("").record()
        var dumped = ""
        dump(record.server.app, to: &dumped)
        dump(record.token, to: &dumped)
        #expect(!dumped.contains("planted"))
    }
}
