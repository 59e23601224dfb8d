import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import TestSupport
import Testing

@Suite("Replaying in order and in any order")
struct TestingReplayTests {
    private func recording(_ lines: [(HTTPRequest.Method, String, String)]) -> Recording {
        Recording(
            lines.enumerated().map { seq, line in
                RecordedExchange(
                    name: "\(seq)",
                    seq: seq,
                    request: .example(line.1, method: line.0),
                    requestBody: nil,
                    outcome: .answer(HTTPAnswer(response: HTTPResponse(status: .ok), body: Data(line.2.utf8)))
                )
            }
        )
    }

    @Test("in any order a request gets its answers one after the other, then the last again")
    func anyOrder() async throws {
        let replay = ReplayTransport(recording([(.get, "/a", "1"), (.get, "/b", "2"), (.get, "/a", "3")]))
        var answers: [String] = []
        for path in ["/b", "/a", "/a", "/a"] {
            answers.append(try await replay.send(.example(path), body: nil).text)
        }
        #expect(answers == ["2", "1", "3", "3"])
        #expect(replay.remaining.isEmpty)
    }

    @Test("a recording names its records, and an exchange its request and status")
    func names() {
        let recording = recording([
            (.post, "/oauth/request_token", ""), (.get, "/records/r%201/reports/Medication/?limit=1", ""),
            (.get, "/records/r-2", ""), (.get, "/records/r%201/documents/", ""), (.get, "/records/", ""),
        ])
        #expect(recording.recordIDs == ["r 1", "r-2"])
        #expect(recording.exchanges.map(\.description).dropFirst(2).first == "2 GET /records/r-2 → 200")
    }

    @Test("in the recorded order, another request is an error that names the one expected")
    func recordedOrder() async throws {
        let replay = ReplayTransport(recording([(.get, "/a", "1"), (.post, "/b", "2")]), order: .asRecorded)
        let early = await #expect(throws: UnrecordedRequestError.self) {
            try await replay.send(.example("/b", method: .post), body: nil)
        }
        #expect(early?.expected == .next("GET /a"))
        #expect(try await replay.send(.example("/a"), body: nil).text == "1")
        #expect(replay.remaining.map(\.path) == ["/b"])
        #expect(try await replay.send(.example("/b", method: .post), body: nil).text == "2")
        let late = await #expect(throws: UnrecordedRequestError.self) {
            try await replay.send(.example("/b", method: .post), body: nil)
        }
        #expect(late?.expected == UnrecordedRequestError.Expected.none)
    }

    @Test("in turn, each request gets the next answer, whatever it asks")
    func inTurn() async throws {
        let replay = ReplayTransport(recording([(.get, "/a", "1"), (.post, "/b", "2")]), order: .inTurn)
        #expect(try await replay.send(.example("/x"), body: nil).text == "1")
        #expect(try await replay.send(.example("/y"), body: nil).text == "2")
        await #expect(throws: UnrecordedRequestError.self) {
            try await replay.send(.example("/a"), body: nil)
        }
    }

    @Test(
        "a request is found by method, path, query and body, each as it is meant",
        arguments: [
            ("GET", "/a?x=1&y=%20z", "", "", true), ("GET", "/a?y=+z&x=1", "", "", true),
            ("GET", "/a?x=1&y=z", "", "", false), ("GET", "/a", "", "", false),
            ("POST", "/a?x=1&y=%20z", "", "", false),
            ("PUT", "/x", "application/xml", "<a y=\"2\" x='1'></a>", true),
            ("PUT", "/x", "application/xml", "<a x='1' y='3'/>", false),
            ("POST", "/f", "application/x-www-form-urlencoded", "b=2+3&a=1", true),
            ("POST", "/f", "application/x-www-form-urlencoded", "a=1&b=2", false),
            ("POST", "/f", "application/x-www-form-urlencoded", "a=1&b=2%203&password=other", false),
            (
                "POST", "/s", "application/x-www-form-urlencoded", "password=other&oauth_token=redacted-7",
                true
            ),
            ("PUT", "/records/r/documents/external/app@x/00000000-1111-2222-3333-444444444444", "", "", true),
            ("PUT", "/records/r/documents/external/app@x/not-made-by-the-library", "", "", false),
            (
                "PUT", "/records/s/documents/external/app@x/00000000-1111-2222-3333-444444444444", "", "",
                false
            ),
        ]
    )
    func matching(method: String, path: String, type: String, body: String, isFound: Bool) async throws {
        func request(_ method: String, _ path: String, _ type: String) throws -> HTTPRequest {
            var request = HTTPRequest.example(path, method: try #require(HTTPRequest.Method(method)))
            if !type.isEmpty { request.headerFields[.contentType] = type }
            return request
        }
        let recorded = [
            ("GET", "/a?x=1&y=%20z", "", ""), ("PUT", "/x", "application/xml", "<a x=\"1\" y=\"2\"/>"),
            ("POST", "/f", "application/x-www-form-urlencoded", "a=1&b=2%203"),
            ("POST", "/s", "application/x-www-form-urlencoded", "oauth_token=redacted-1&password=redacted-2"),
            ("PUT", "/records/r/documents/external/app@x/aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", "", ""),
        ]
        let answer = HTTPAnswer(response: HTTPResponse(status: .ok))
        let exchanges = try recorded.enumerated().map { index, line in
            RecordedExchange(
                name: "\(index)",
                seq: index,
                request: try request(line.0, line.1, line.2),
                requestBody: line.3.isEmpty ? nil : Data(line.3.utf8),
                outcome: .answer(answer)
            )
        }
        let replay = ReplayTransport(Recording(exchanges))
        let asked = try request(method, path, type)
        let sent = body.isEmpty ? nil : Data(body.utf8)
        if isFound {
            #expect(try await replay.send(asked, body: sent) == answer)
        } else {
            await #expect(throws: UnrecordedRequestError.self) { try await replay.send(asked, body: sent) }
        }
    }

    @Test("the path alone, or all but the body, can be compared; errors say what differs")
    func lessMatching() async throws {
        let recording = recording([(.post, "/a?x=1", "1")])
        let other = HTTPRequest.example("/a?x=2", method: .post)
        let same = HTTPRequest.example("/a?x=1", method: .post)
        #expect(
            try await ReplayTransport(recording, matching: .path).send(other, body: Data("b".utf8)).text
                == "1"
        )
        #expect(
            try await ReplayTransport(recording, matching: [.path, .query]).send(same, body: Data("b".utf8))
                .text == "1"
        )
        let error = await #expect(throws: UnrecordedRequestError.self) {
            try await ReplayTransport(recording).send(same, body: Data("b".utf8))
        }
        #expect(error?.isBodyOther == true)
        #expect(error?.description.contains("with this body") == true)
    }

    @Test("an unrecorded request is an error that lists the recorded ones, nearest first")
    func nearest() async throws {
        let replay = ReplayTransport(
            recording([
                (.get, "/version", ""), (.get, "/records/1/documents/", ""),
                (.get, "/records/1/documents", ""),
                (.post, "/records/1/documents/", ""), (.get, "/records/1/documents/", ""),
            ])
        )
        let error = await #expect(throws: UnrecordedRequestError.self) {
            try await replay.send(.example("/records/1/document/"), body: nil)
        }
        #expect(
            error?.nearest == [
                "GET /records/1/documents/", "GET /records/1/documents", "POST /records/1/documents/",
                "GET /version",
            ]
        )
        #expect(error?.description.contains("GET /records/1/document/") == true)
        let empty = await #expect(throws: UnrecordedRequestError.self) {
            try await ReplayTransport(Recording([])).send(.example("/"), body: nil)
        }
        #expect(empty?.description.contains("record some traffic first") == true)
    }

    @Test(
        "a recording of a real server can be read and played",
        .enabled(
            if: ServerRecordings.areWanted,
            "no recordings beside the package; name their folder in INDIVO_RECORDINGS"
        )
    )
    func realRecording() async throws {
        let file = ServerRecordings.folder.appending(path: "exchanges.jsonl")
        let recording = try Recording(contentsOf: file)
        #expect(!recording.exchanges.isEmpty)
        let replay = ReplayTransport(recording, order: .asRecorded)
        for exchange in recording.exchanges {
            let method = try #require(HTTPRequest.Method(exchange.method))
            var request = HTTPRequest.example(exchange.path, method: method)
            request.headerFields = HTTPFields(exchange.requestHeaders)
            let answer = try await replay.send(request, body: exchange.requestBody)
            #expect(exchange.outcome == .answer(answer))
        }
        #expect(replay.remaining.isEmpty)

        // As an archive it is shorter by its secrets, and the same otherwise.
        let archive = try recording.har()
        #expect(try HARRules.problems(of: archive) == [])
        let read = try Recording(parsing: archive)
        #expect(read.exchanges.map(\.name) == recording.exchanges.map(\.name))
        #expect(read.exchanges.map(\.requestBody?.count).count == recording.exchanges.count)
        let text = String(decoding: archive, as: UTF8.self)
        let credentials =
            try JSONSerialization.jsonObject(
                with: Data(contentsOf: ServerRecordings.folder.appending(path: "credentials.json"))
            ) as? [String: Any]
        let tokens = try #require(credentials?["tokens"] as? [String: [String: Any]])
        #expect(!tokens.isEmpty)
        for (name, token) in tokens {
            for part in ["token", "secret"] {
                if let value = token[part] as? String { #expect(!text.contains(value), "\(part) of \(name)") }
            }
        }
    }
}
