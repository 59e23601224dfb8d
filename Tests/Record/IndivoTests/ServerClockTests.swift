import Foundation
import HTTPTypes
import Indivo
import Synchronization
import Testing

@Suite("A slow device clock")
struct ServerClockTests {
    /// A server that refuses timestamps of more than five minutes ago, and tells its time.
    private func server(at serverTime: Int, saying date: String?, refusesAll: Bool = false)
        -> AnsweringTransport
    {
        AnsweringTransport { request, _ in
            let header = request.headerFields[.authorization] ?? ""
            let stamp = header.firstMatch(of: #/oauth_timestamp="(\d+)"/#).flatMap { Int($0.1) } ?? 0
            var fields: HTTPFields = [:]
            if let date, let name = HTTPField.Name("Date") { fields[name] = date }
            guard stamp >= serverTime - 300, !refusesAll else {
                return HTTPAnswer(
                    response: HTTPResponse(status: .forbidden, headerFields: fields),
                    body: Data("<h4>Permission Denied</h4>".utf8)
                )
            }
            return HTTPAnswer(
                response: HTTPResponse(status: .ok, headerFields: fields),
                body: Data((request.method == .get ? "<Record id=\"r-1\" label=\"x\"/>" : "<ok/>").utf8)
            )
        }
    }

    /// 2026-11-21T04:00:00Z.
    private static let noon = 1_795_233_600
    private static let noonText = "Sat, 21 Nov 2026 04:00:00 GMT"

    private func options(secondsSlow: Int) -> IndivoServer.Options {
        TestTiming(start: Date(timeIntervalSince1970: Double(Self.noon - secondsSlow))).options()
    }

    @Test("a device an hour behind is corrected once by the server's time, and stays so")
    func slow() async throws {
        let transport = server(at: Self.noon, saying: Self.noonText)
        let record = transport.record(options: options(secondsSlow: 3600))
        #expect(try await record.information().id == "r-1")
        #expect(transport.requests.count == 2)
        #expect(try await record.information().id == "r-1")
        #expect(transport.requests.count == 3)
    }

    @Test("a call that changes something is sent again too: refused, it has done nothing")
    func writing() async throws {
        let strict = server(at: Self.noon, saying: Self.noonText)
        let transport = AnsweringTransport { request, body in
            request.method == .put
                ? HTTPAnswer(response: HTTPResponse(status: .ok), body: Data("<Document id=\"d\"/>".utf8))
                : try strict.answer(request, body)
        }
        let problem = Problem()
        try await transport.record(options: options(secondsSlow: 3600)).add(problem, validation: .none)
        try await problem.setStatus(.void, reason: "test")
        #expect(transport.requests.map(\.method) == [.put, .post, .post])
    }

    @Test(
        "a device up to four minutes behind, or ahead, is not corrected",
        arguments: [
            0, 240, -3600,
        ]
    )
    func notSlow(secondsSlow: Int) async throws {
        let transport = server(at: Self.noon, saying: Self.noonText, refusesAll: true)
        let error = try await #require(throws: IndivoError.self) {
            try await transport.record(options: options(secondsSlow: secondsSlow)).information()
        }
        #expect(transport.requests.count == 1)
        guard case .refused(let causes) = error.reason else { throw error }
        #expect(!causes.contains(.slowClock))
    }

    @Test("a second refusal ends it, and the device's own time is used again")
    func refusedAllTheSame() async throws {
        let transport = server(at: Self.noon, saying: Self.noonText, refusesAll: true)
        let record = transport.record(options: options(secondsSlow: 3600))
        await #expect(throws: IndivoError.self) { try await record.information() }
        #expect(transport.requests.count == 2)
        await #expect(throws: IndivoError.self) { try await record.information() }
        let stamps = transport.requests.map {
            ($0.headerFields[.authorization] ?? "").firstMatch(of: #/oauth_timestamp="(\d+)"/#).flatMap {
                Int($0.1)
            }
        }
        #expect(stamps == [Self.noon - 3600, Self.noon, Self.noon - 3600, Self.noon])
    }

    @Test(
        "without a valid date the clock stays, and is named as a possible cause",
        arguments: [
            nil, "yesterday", "Sat, 21 Foo 2026 04:00:00 GMT", "2026-11-21T04:00:00Z",
        ]
    )
    func noDate(date: String?) async throws {
        let transport = server(at: Self.noon, saying: date)
        let error = try await #require(throws: IndivoError.self) {
            try await transport.record(options: options(secondsSlow: 3600)).information()
        }
        #expect(transport.requests.count == 1)
        guard case .refused(let causes) = error.reason else { throw error }
        #expect(causes.contains(.slowClock))
    }
}
