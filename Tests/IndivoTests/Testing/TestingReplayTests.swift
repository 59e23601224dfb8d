import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import Testing

@Suite("Replaying in order and in any order")
struct TestingReplayTests {
    private func recording(_ lines: [(HTTPRequest.Method, String, String)]) -> Recording {
        Recording(
            lines.enumerated().map { seq, line in
                RecordedExchange(
                    name: "\(seq)", seq: seq, request: .example(line.1, method: line.0), requestBody: nil,
                    outcome: .answer(HTTPAnswer(response: HTTPResponse(status: .ok), body: Data(line.2.utf8))))
            })
    }

    @Test("in any order, a request gets its answers one after the other, and then the last again")
    func anyOrder() async throws {
        let replay = ReplayTransport(recording([(.get, "/a", "1"), (.get, "/b", "2"), (.get, "/a", "3")]))
        var answers: [String] = []
        for path in ["/b", "/a", "/a", "/a"] {
            answers.append(try await replay.send(.example(path), body: nil).text)
        }
        #expect(answers == ["2", "1", "3", "3"])
        #expect(replay.remaining.isEmpty)
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

    @Test("a request that was not recorded is an error that lists the nearest recorded ones, nearest first")
    func nearest() async throws {
        let replay = ReplayTransport(
            recording([
                (.get, "/version", ""), (.get, "/records/1/documents/", ""), (.get, "/records/1/documents", ""),
                (.post, "/records/1/documents/", ""), (.get, "/records/1/documents/", ""),
            ]))
        let error = await #expect(throws: UnrecordedRequestError.self) {
            try await replay.send(.example("/records/1/document/"), body: nil)
        }
        #expect(error?.nearest == [
            "GET /records/1/documents/", "GET /records/1/documents", "POST /records/1/documents/", "GET /version",
        ])
        #expect(error?.description.contains("GET /records/1/document/") == true)
        let empty = await #expect(throws: UnrecordedRequestError.self) {
            try await ReplayTransport(Recording([])).send(.example("/"), body: nil)
        }
        #expect(empty?.description.contains("record some traffic first") == true)
    }

    @Test(
        "a recording of a real server can be read and played",
        .enabled(
            if: TestingReplayTests.isRealRecordingWanted,
            "no recordings beside the package; name their folder in INDIVO_RECORDINGS"))
    func realRecording() async throws {
        let file = Self.realRecordings.appending(path: "exchanges.jsonl")
        let recording = try Recording(contentsOf: file)
        #expect(!recording.exchanges.isEmpty)
        let replay = ReplayTransport(recording, order: .asRecorded)
        for exchange in recording.exchanges {
            let method = try #require(HTTPRequest.Method(exchange.method))
            let answer = try await replay.send(.example(exchange.path, method: method), body: exchange.requestBody)
            #expect(exchange.outcome == .answer(answer))
        }
        #expect(replay.remaining.isEmpty)
    }

    private static let realRecordings: URL =
        if let named = ProcessInfo.processInfo.environment["INDIVO_RECORDINGS"] {
            URL(filePath: named, directoryHint: .isDirectory)
        } else {
            URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../../shared/recordings").standardizedFileURL
        }

    static let isRealRecordingWanted =
        ProcessInfo.processInfo.environment["INDIVO_RECORDINGS"] != nil
        || FileManager.default.fileExists(atPath: realRecordings.path)
}
