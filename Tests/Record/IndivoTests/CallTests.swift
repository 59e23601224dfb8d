import Foundation
import HTTPTypes
import Indivo
import Testing

@Suite("Requests and errors")
struct CallTests {
    @Test("a request has a literal path, an encoded query and a signature in the header")
    func request() async throws {
        let transport = AnsweringTransport("<Models/>")
        _ = try await transport.record().reports(of: Medication.self).all()
        let request = try #require(transport.requests.first)
        #expect(request.method == .get)
        #expect(request.authority == "indivo.example.org:8000")
        #expect(
            request.path
                == """
                /records/r-1/reports/Medication/?response_format=application%2Fxml&status=active&limit=101&\
                offset=0
                """
        )
        let header = try #require(request.headerFields[.authorization])
        #expect(header.hasPrefix("OAuth ") && header.contains("oauth_token=\"token\""))
        #expect(!header.contains("planted"))
        #expect(request.headerFields[.contentType] == nil)
    }

    @Test("an app id with @ stays literal in the path; the body is XML by exactly that type")
    func literalPath() async throws {
        let transport = AnsweringTransport("<Document id=\"d-1\"/>")
        let problem = Problem()
        try await transport.record().add(problem, externalID: "my-id_1~x", validation: .none)
        let request = try #require(transport.requests.first)
        #expect(request.method == .put)
        #expect(request.path == "/records/r-1/documents/external/meds@apps.example.org/my-id_1~x")
        #expect(request.headerFields[.contentType] == "application/xml")
        #expect(problem.id == "d-1")
    }

    @Test(
        "host and scheme as both signature rules write them",
        arguments: [
            ("HTTPS://Indivo.Example.org:443", "indivo.example.org"), ("http://LOCALHOST:80/", "localhost"),
            ("http://[::1]:8000", "[::1]:8000"),
        ]
    )
    func authority(api: String, expected: String) async throws {
        let transport = AnsweringTransport("<Models/>")
        _ = try await transport.record(api: api).reports(of: Problem.self).all()
        #expect(transport.requests.first?.authority == expected)
        #expect(transport.requests.first?.path?.hasPrefix("/records/") == true)
    }

    @Test(
        "an id that cannot stand in a path is refused before anything is sent",
        arguments: [
            ("a/b", "has at position 2 a character (U+002F)"), ("a?b", "U+003F"), ("a#b", "U+0023"),
            ("a;b", "U+003B"),
            ("ab\n", "position 3 a character (U+000A)"), ("\u{7F}", "U+007F"), ("ä", "U+00E4"),
            ("", "the external id is empty"),
            ("..", "the external id is “..”"),
        ]
    )
    func badID(id: String, words: String) async throws {
        let transport = AnsweringTransport("<Document id=\"d\"/>")
        let error = try await #require(throws: IndivoError.self) {
            try await transport.record().add(Problem(), externalID: .chosen(id), validation: .none)
        }
        #expect(transport.requests.isEmpty)
        #expect(error.description.contains("not sent") && error.description.contains(words), "\(error)")
        #expect(error.attempts == 0 && !error.debugDetails.contains("once"), "\(error.debugDetails)")
        await #expect(throws: IndivoError.self) { try await transport.record().call(.get, "/a/ä\(id)/") }
        #expect(transport.requests.isEmpty)
    }

    @Test(
        "what has to be escaped in a path is signed decoded, as a server verifies it",
        arguments: [
            ("a b", "a%20b"), ("50%", "50%25"), ("a%20b", "a%2520b"), ("say \"x\"", "say%20%22x%22"),
            ("a[b]c\\d", "a%5Bb%5Dc%5Cd"),
            ("<{`^`}>", "%3C%7B%60%5E%60%7D%3E"), ("{record}", "%7Brecord%7D"), ("a+b@c~d", "a+b@c~d"),
        ]
    )
    func escapedPath(code: String, escaped: String) async throws {
        let transport = AnsweringTransport("<Reports><Summary total_document_count=\"0\"/></Reports>")
        let record = transport.record()
        _ = try await record.measurements(code).all()
        try await record.call(.get, "/records/r-1/reports/minimal/measurements/\(code)/")
        #expect(transport.requests.count == 2)
        for request in transport.requests {
            let target = try #require(request.path)
            #expect(target.prefix { $0 != "?" } == "/records/r-1/reports/minimal/measurements/\(escaped)/")
            let header = request.headerFields[.authorization] ?? ""
            let expected = ServerRule.signature(
                method: "GET",
                scheme: "https",
                host: request.authority ?? "",
                target: target,
                contentType: nil,
                body: nil,
                authorization: header,
                consumerSecret: "planted-consumer-secret",
                tokenSecret: "planted-token-secret"
            )
            #expect(
                expected != nil && ServerRule.parameter("oauth_signature", of: header) == expected,
                "\(target)"
            )
        }
    }

    @Test("a variable of a path is named in an error by what it is")
    func variables() async throws {
        let record = AnsweringTransport("<ok/>").record()
        for (words, call) in [
            ("the measurement code is empty", { _ = try await record.measurements("").all() }),
            ("the model's name is empty", { _ = try await record.reports(ofModel: "").all() }),
            ("the external id is empty", { _ = try await record.documentMetadata(externalID: "") }),
            ("the document id is empty", { _ = try await record.document("") }),
            ("the path has a “?”", { try await record.call(.get, "/version?a=b") }),
        ] as [(String, () async throws -> Void)] {
            let error = try await #require(throws: IndivoError.self) { try await call() }
            #expect(error.description.contains(words), "\(error)")
        }
    }

    @Test(
        "each refusal names the call, the status, the server's words and what to do",
        arguments: [
            (403, "<h4>Permission Denied</h4>", "log in again"),
            (404, "<h4>We're sorry. …</h4>", "may not know the model"),
            (
                400, "Invalid filter for fact type Problem: bogus",
                "Invalid filter for fact type Problem: bogus"
            ),
            (500, "<html><body><h4>Internal Server Error</h4></body></html>", "the server answered 500"),
            (302, "", "the server answered 302"), (405, "", "the server answered 405"),
        ]
    )
    func refusals(status: Int, body: String, words: String) async throws {
        let transport = AnsweringTransport(
            status: HTTPResponse.Status(code: status),
            type: "text/html; charset=utf-8",
            body
        )
        let error = try await #require(throws: IndivoError.self) {
            try await transport.record().reports(of: Problem.self).all()
        }
        #expect(error.status == status)
        let text = error.description
        #expect(
            text.contains("generic_list") && text.contains("\(status)") && text.contains(words),
            "\(text)"
        )
        #expect(!text.contains("planted") && !text.contains("r-1"))
    }

    @Test(
        "an answer that is not what the call gives is an error, not a crash",
        arguments: [
            ("<html><body><p>Welcome</body></html>", "should be XML"), ("<Documents/>", "not <Models>"),
            ("", "should be XML"),
            ("<Models><Model name=\"Medication\"/></Models>", "at Problem"),
        ]
    )
    func strangeAnswers(body: String, words: String) async throws {
        let transport = AnsweringTransport(body)
        let error = try await #require(throws: (any Error).self) {
            try await transport.record().reports(of: Problem.self).all()
        }
        #expect("\(error)".contains(words), "\(error)")
    }

    @Test("a server that is not there is an error that names host and port")
    func nobodyThere() async throws {
        let record = IndivoServer(
            api: URL(string: "http://127.0.0.1:1")!,
            ui: URL(string: "http://127.0.0.1:1")!,
            app: AppCredentials(id: "a", consumerKey: "a", consumerSecret: "a"),
            options: IndivoServer.Options(retry: .never)
        ).record(id: "r", token: OAuthToken(value: "t", secret: "t"))
        let error = try await #require(throws: IndivoError.self) { try await record.information() }
        #expect("\(error)".contains("127.0.0.1:1"))
        #expect(error.reason == .notReachable)
        #expect(error.isSafeToRetry && error.transportError?.mayHaveReachedServer == false)
    }

    @Test("white space before the XML declaration does no harm")
    func leadingSpace() async throws {
        let transport = AnsweringTransport("\n<?xml version=\"1.0\" encoding=\"utf-8\"?><Models/>")
        #expect(try await transport.record().reports(of: Problem.self).all().isEmpty)
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
