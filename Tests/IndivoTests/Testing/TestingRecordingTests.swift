import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import Testing

@Suite("Recording and replaying")
struct TestingRecordingTests {
    private func withTemporaryFile<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let file = FileManager.default.temporaryDirectory.appending(path: "recording-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file)
    }

    @Test("what was recorded is played again: status, fields, text and binary bodies, failures")
    func roundTrip() async throws {
        let binary = Data([0xFF, 0x00, 0x1F])
        let lost = HTTPTransportError(
            kind: .answerLost, server: "indivo.example.org", mayHaveReachedServer: true, detail: "gone")
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
            await #expect(throws: lost) { try await recorder.send(.example("/lost", method: .post), body: Data()) }

            let recording = try Recording(contentsOf: file)
            #expect(recording.exchanges.map(\.seq) == [1, 2, 3])
            #expect(recording.exchanges[1].requestBody == binary)
            #expect(recording.exchanges[2].requestBody == Data())
            #expect(recording.exchanges[0].requestBody == nil)
            let replay = ReplayTransport(recording, order: .asRecorded)
            #expect(try await replay.send(.example("/text?a=b"), body: nil) == text)
            #expect(try await replay.send(.example("/binary", method: .put), body: nil) == created)
            await #expect(throws: lost) { try await replay.send(.example("/lost", method: .post), body: nil) }
            #expect(replay.remaining.isEmpty)
        }
    }

    @Test("no signature, token secret, verifier, password or cookie is written down, and all else is")
    func redaction() async throws {
        let header = """
            OAuth realm="r", oauth_consumer_key="key", oauth_token="token-1", oauth_verifier="HUSH1", \
            oauth_signature_method="HMAC-SHA1", oauth_signature="HUSH2%2F%3D"
            """
        let inner = EchoTransport { _ in
            var response = HTTPResponse(status: .found)
            response.headerFields[.setCookie] = "sessionid=HUSH3; path=/"
            response.headerFields[.location] =
                "http://a/?record_id=r&oauth_header=OAuth%20smart_oauth_token_secret=%22HUSH4%22,%20x=%22u%22"
            return HTTPAnswer(
                response: response, body: Data("oauth_token_secret=HUSH5&oauth_token=token-2&x=y\n".utf8))
        }
        try await withTemporaryFile { file in
            let recorder = try RecordingTransport(inner, to: file)
            var request = HTTPRequest.example("/cb?oauth_token=token-3&oauth_verifier=HUSH6", method: .post)
            request.headerFields[.authorization] = header
            request.headerFields[.cookie] = "sessionid=HUSH7"
            let answer = try await recorder.send(
                request, body: Data("username=demo&password=HUSH8&my_password=seen".utf8))
            #expect(answer.text.contains("HUSH5"), "the app itself gets the real answer")

            let written = try String(contentsOf: file, encoding: .utf8)
            #expect(!written.contains("HUSH"))
            for kept in [
                "token-1", "token-2", "token-3", "HMAC-SHA1", "x=y", "username=demo", "my_password=seen", "%22u%22",
                "record_id=r",
            ] {
                #expect(written.contains(kept), "\(kept)")
            }
            #expect(inner.received.first?.headerFields[.authorization] == header)
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

    @Test("a hundred requests at once give a hundred whole lines")
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
        let nowhere = URL(filePath: "/no/such/folder/r.jsonl")
        #expect(throws: RecordingError.self) { try RecordingTransport(EchoTransport(), to: nowhere) }
        let error = #expect(throws: RecordingError.self) { try Recording(contentsOf: nowhere) }
        #expect(error?.description.contains("/no/such/folder/r.jsonl") == true)
    }

    @Test("a line that is no exchange is an error that names the line and the key", arguments: [
        (#"{"name": "a""#, "line 2"), (#"{"name": "a", "seq": "x"}"#, "seq"), (#"{"name": "a"}"#, "“seq” is missing"),
        (#"{"name":"a","seq":1,"method":"GET","path":"/","host":"h","status":99}"#, "99 is no status"),
        (#"{"name":"a","seq":1,"method":"GET","path":"/","host":"h","failure":"tired"}"#, "“tired”"),
        (#"{"name":"a","seq":1,"method":"GET","path":"/","host":"h","request_headers":[["A"]]}"#, "[name, value]"),
        (#"{"name":"a","seq":1,"method":"GET","path":"/","host":"h","status":200,"response_body_b64":"?"}"#, "base64"),
    ])
    func malformedLines(line: String, word: String) async throws {
        try await withTemporaryFile { file in
            try Data("\n\(line)\n".utf8).write(to: file)
            let error = #expect(throws: RecordingError.self) { try Recording(contentsOf: file) }
            #expect(error?.description.contains("line 2") == true)
            #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
        }
    }
}
