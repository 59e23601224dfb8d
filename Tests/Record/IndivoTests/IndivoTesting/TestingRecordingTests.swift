import Foundation
import HTTPTypes
import Indivo
import IndivoBase
import IndivoTesting
import Testing

private let lineWithBadBase64 = """
    {"name":"a","seq":1,"method":"GET","path":"/","host":"h","status":200,"response_body_b64":"?"}
    """

@Suite("Recording and replaying")
struct TestingRecordingTests {
    private func withTemporaryFile<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "recording-\(UUID().uuidString).har"
        )
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file)
    }

    @Test("a recording plays again status, fields, text and binary bodies, and failures")
    func roundTrip() async throws {
        let binary = Data([0xFF, 0x00, 0x1F])
        let lost = HTTPTransportError(
            kind: .responseLost,
            server: "indivo.example.org",
            mayHaveReachedServer: true,
            detail: "gone"
        )
        let inner = EchoTransport { request in
            switch request.path {
            case "/binary": return HTTPAnswer(response: HTTPResponse(status: .created), body: binary)
            case "/lost": throw lost
            default: return EchoTransport.echo(request)
            }
        }
        try await withTemporaryFile { file in
            let recorder = try RecordingTransport(inner, to: file)
            let text = try await recorder.send(.example("/text?a=b"), body: nil)
            let created = try await recorder.send(.example("/binary", method: .put), body: binary)
            await #expect(throws: lost) {
                try await recorder.send(.example("/lost", method: .post), body: Data())
            }

            let recording = try Recording(contentsOf: file)
            #expect(try HARRules.problems(of: Data(contentsOf: file)) == [])
            #expect(recording.exchanges.map(\.seq) == [1, 2, 3])
            #expect(recording.exchanges[1].requestBody == binary)
            #expect(recording.exchanges[2].requestBody == Data())
            #expect(recording.exchanges[0].requestBody == nil)
            // The file, and the same recording written out at once.
            for again in [recording, try Recording(parsing: recording.har())] {
                let replay = ReplayTransport(again, order: .asRecorded)
                #expect(try await replay.send(.example("/text?a=b"), body: nil) == text)
                #expect(try await replay.send(.example("/binary", method: .put), body: binary) == created)
                await #expect(throws: lost) {
                    try await replay.send(.example("/lost", method: .post), body: nil)
                }
                #expect(replay.remaining.isEmpty)
            }
            #expect(try HARRules.problems(of: recording.har()) == [])
        }
    }

    @Test("signatures, tokens, secrets, verifiers, passwords and cookies are not recorded")
    func redaction() async throws {
        let header = """
            OAuth realm="r", oauth_consumer_key="key", oauth_token="HUSH-0", oauth_verifier="HUSH1", \
            oauth_signature_method="HMAC-SHA1", oauth_signature="HUSH2%2F%3D"
            """
        let inner = EchoTransport { _ in
            var response = HTTPResponse(status: .found)
            response.headerFields[.setCookie] = "sessionid=HUSH3; path=/"
            response.headerFields[.location] =
                "http://a/?record_id=r&oauth_header=OAuth%20smart_oauth_token_secret=%22HUSH4%22,%20x=%22u%22"
            return HTTPAnswer(
                response: response,
                body: Data("oauth_token_secret=HUSH5&oauth_token=HUSH-0&x=y\n".utf8)
            )
        }
        try await withTemporaryFile { file in
            let recorder = try RecordingTransport(inner, to: file)
            var request = HTTPRequest.example("/cb?oauth_token=HUSH-0&oauth_verifier=HUSH6", method: .post)
            request.headerFields[.authorization] = header
            request.headerFields[.cookie] = "sessionid=HUSH7"
            let answer = try await recorder.send(
                request,
                body: Data("username=demo&password=HUSH8&my_password=seen".utf8)
            )
            #expect(answer.text.contains("HUSH5"), "the app itself gets the real answer")

            let written = try String(contentsOf: file, encoding: .utf8)
            #expect(!written.contains("HUSH"))
            for kept in [
                "HMAC-SHA1", "x=y", "demo", "my_password", "seen", "%22u%22",
                "record_id=r",
            ] {
                #expect(written.contains(kept), "\(kept)")
            }
            #expect(try HARRules.problems(of: Data(written.utf8)) == [])
            #expect(inner.received.first?.headerFields[.authorization] == header)

            // Each secret has a mark of its own, the same wherever it stands.
            let marks = written.matches(of: #/redacted-\d+/#).map { String($0.output) }
            let token = try #require(written.firstMatch(of: #/oauth_token=(redacted-\d+)&x=y/#)?.1)
            #expect(marks.filter { $0 == token }.count >= 3)
            #expect(Set(marks).count > 5)
        }
    }

    @Test("secrets in JSON and in the status line are not written down either")
    func redactionOfJSON() async throws {
        let inner = EchoTransport { _ in
            HTTPAnswer(
                response: HTTPResponse(status: .init(code: 400, reasonPhrase: "No oauth_token=HUSH-3")),
                body: Data(
                    #"""
                    {"access_token" : "HUSH-1", "note": "HUSH-2", "Refresh_Token": "HUSH\"\u002d2", "kept": "x"}
                    """#.utf8
                )
            )
        }
        try await withTemporaryFile { file in
            let recorder = try RecordingTransport(inner, to: file)
            let body = Data(#"{"password":"HUSH 4","client_secret":"HUSH-2"}"#.utf8)
            let answer = try await recorder.send(.example("/token", method: .post), body: body)
            #expect(answer.response.status.reasonPhrase.contains("HUSH-3"), "the app gets the real answer")
            let written = try String(contentsOf: file, encoding: .utf8)
            #expect(!written.contains("HUSH") && written.contains(#"\"kept\": \"x\""#))
            #expect(written.matches(of: /redacted-\d+/).count >= 6)
            #expect(try HARRules.problems(of: Data(written.utf8)) == [])
        }
    }

    @Test("a bearer token and other credentials are not written down either")
    func otherSchemes() async throws {
        try await withTemporaryFile { file in
            var request = HTTPRequest.example("/")
            request.headerFields[.authorization] = "Bearer HUSH"
            _ = try await RecordingTransport(EchoTransport(), to: file).send(request, body: nil)
            #expect(try !String(contentsOf: file, encoding: .utf8).contains("HUSH"))
        }
    }

    @Test("a value found or named as secret is left out wherever it stands")
    func everywhere() async throws {
        let inner = EchoTransport { request in
            request.path == "/token"
                ? HTTPAnswer(
                    response: HTTPResponse(status: .ok),
                    body: Data("oauth_token=HUSH/999&oauth_token_secret=HUSH%2F777".utf8)
                )
                : EchoTransport.echo(request)
        }
        try await withTemporaryFile { file in
            let recorder = try RecordingTransport(inner, to: file, leavingOut: ["my HUSH secret"])
            _ = try await recorder.send(.example("/token"), body: nil)
            _ = try await recorder.send(.example("/tokens/HUSH%2F999/claim?q=my%20HUSH%20secret"), body: nil)
            var page = HTTPRequest.example("/page", method: .post)
            page.headerFields[.contentType] = "text/html"
            _ = try await recorder.send(
                page,
                body: Data(
                    """
                    <input type=\"hidden\" name=\"csrf\" value=\"HUSH123\"><p>HUSH/777 HUSH123</p><code \
                    class=\"verifier\">HUSHcode</code>
                    """
                    .utf8
                )
            )
            _ = try await recorder.send(
                page,
                body: Data("<RESTSecret>HUSH456</RESTSecret><ConnectToken>HUSH789</ConnectToken>".utf8)
            )
            let written = try String(contentsOf: file, encoding: .utf8)
            #expect(!written.contains("HUSH"), "\(written)")
            #if !os(Windows)
            let mode =
                try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #endif
        }
    }

    @Test("the file is a whole archive after each exchange, and none at all is one too")
    func wholeAtAnyTime() async throws {
        try await withTemporaryFile { file in
            let recorder = try RecordingTransport(EchoTransport(), to: file)
            for count in 0...3 {
                #expect(try HARRules.problems(of: Data(contentsOf: file)) == [])
                #expect(try Recording(contentsOf: file).exchanges.count == count)
                _ = try await recorder.send(.example("/\(count)"), body: nil)
            }
        }
    }

    @Test("an archive that a browser wrote can be played")
    func foreignArchive() async throws {
        let archive = """
            {
              "log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "pages": [],
              "entries": [{
                "startedDateTime": "2026-11-21T09:30:00.123Z", "time": 12.5, "cache": {}, "connection": "443",
                "timings": {"blocked": -1, "dns": -1, "send": 0.1, "wait": 10, "receive": 2.4, "_queued": 1},
                "request": {
                  "method": "GET", "url": "https://indivo.example.org/version", "httpVersion": "h2", \
            "cookies": [],
                  "headers": [{"name": ":authority", "value": "indivo.example.org"}, {"name": "accept", \
            "value": "*/*"}],
                  "queryString": [], "headersSize": -1, "bodySize": 0},
                "response": {
                  "status": 200.0, "statusText": "", "httpVersion": "h2", "cookies": [],
                  "headers": [{"name": "content-type", "value": "text/plain"}],
                  "content": {"size": 5, "mimeType": "text/plain", "text": "Mi4wLjA=", "encoding": "base64"},
                  "redirectURL": "", "headersSize": -1, "bodySize": -1}
              }]}
            }
            """
        let recording = try Recording(parsing: Data(archive.utf8))
        let replay = ReplayTransport(recording)
        #expect(try await replay.send(.example("/version"), body: nil).text == "2.0.0")
        #expect(
            recording.exchanges[0].startedAt != nil && recording.exchanges[0].host == "indivo.example.org"
        )
    }

    @Test(
        "an archive that is broken is an error that names the entry and the member",
        arguments: [
            (
                #"{"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [{}]}}"#,
                "is missing"
            ),
            (#"{"log": {"version": "2.0", "creator": {"name": "x", "version": "1"}, "entries": []}}"#, "2.0"),
            (#"{"log": {"version": "1.2""#, "archive"),
        ]
    )
    func brokenArchive(text: String, word: String) throws {
        let error = #expect(throws: RecordingError.self) {
            try Recording(parsing: Data(text.utf8), named: "x.har")
        }
        #expect(error?.description.contains("x.har") == true)
        #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
    }

    @Test(
        "what HTTP does not allow in a path or a host comes back as it was recorded",
        arguments: ["/versi\u{7F}n", "/a\tb", "/é"]
    )
    func oddPaths(path: String) throws {
        var exchange = RecordedExchange(
            name: "a",
            seq: 1,
            request: .example("/x"),
            requestBody: nil,
            outcome: .answer(HTTPAnswer(response: HTTPResponse(status: .ok)))
        )
        exchange.path = path
        exchange.host = "h\u{7F}"
        let again = try Recording(parsing: Recording([exchange]).har())
        #expect(again.exchanges.map(\.path) == [path] && again.exchanges.map(\.host) == ["h\u{7F}"])
    }

    @Test("a hundred requests at once give a hundred whole entries")
    func concurrent() async throws {
        try await withTemporaryFile { file in
            let recorder = try RecordingTransport(EchoTransport(), to: file)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask { _ = try await recorder.send(.example("/\(number)"), body: nil) }
                }
                try await group.waitForAll()
            }
            let recording = try Recording(contentsOf: file)
            #expect(recording.exchanges.map(\.seq) == Array(1...100))
            #expect(Set(recording.exchanges.map(\.path)).count == 100)
        }
    }

    @Test("a file that cannot be written or read is an error that names it")
    func unusableFiles() throws {
        let nowhere = URL(filePath: "/no/such/folder/r.har")
        #expect(throws: RecordingError.self) { try RecordingTransport(EchoTransport(), to: nowhere) }
        let error = #expect(throws: RecordingError.self) { try Recording(contentsOf: nowhere) }
        #expect(error?.description.contains("/no/such/folder/r.har") == true)
    }

    @Test(
        "a line that is no exchange is an error that names the line and the key",
        arguments: [
            (#"{"name": "a""#, "line 2"), (#"{"name": "a", "seq": "x"}"#, "seq"),
            (#"{"name": "a"}"#, "“seq” is missing"),
            (#"{"name":"a","seq":1,"method":"GET","path":"/","host":"h","status":99}"#, "99 is no status"),
            (
                #"{"name":"a","seq":1,"method":"GET","path":"x","host":"h","status":200}"#,
                "does not begin with"
            ),
            (#"{"name":"a","seq":1,"method":"GET","path":"/","host":"h/x","status":200}"#, "part of a path"),
            (
                #"{"name":"a","seq":1,"method":"G T","path":"/","host":"h","status":200}"#,
                "the method is none"
            ),
            (
                #"{"name":"a","seq":1,"method":"GET","scheme":"file","path":"/","host":"h","status":200}"#,
                "neither http"
            ),
            (#"{"name":"a","seq":1,"method":"GET","path":"/","host":"h","failure":"tired"}"#, "“tired”"),
            (
                #"{"name":"a","seq":1,"method":"GET","path":"/","host":"h","request_headers":[["A"]]}"#,
                "[name, value]"
            ),
            (
                lineWithBadBase64,
                "base64"
            ),
        ]
    )
    func malformedLines(line: String, word: String) async throws {
        try await withTemporaryFile { file in
            try Data("\n\(line)\n".utf8).write(to: file)
            let error = #expect(throws: RecordingError.self) { try Recording(contentsOf: file) }
            #expect(error?.description.contains("line 2") == true)
            #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
        }
    }
}
