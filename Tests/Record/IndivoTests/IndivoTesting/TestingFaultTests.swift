import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import Testing

@Suite("Injected faults")
struct TestingFaultTests {
    private func kind(of error: (any Error)?) -> HTTPTransportError.Kind? {
        (error as? HTTPTransportError)?.kind
    }

    @Test("a lost request never arrives, a lost answer does, and the errors tell them apart")
    func lost() async throws {
        let inner = EchoTransport()
        let transport = FaultyTransport(inner, faults: [.loseRequest, .loseResponse, nil])
        let request = await #expect(throws: HTTPTransportError.self) {
            try await transport.send(.example("/1"), body: nil)
        }
        #expect(request?.mayHaveReachedServer == false)
        #expect(inner.received.isEmpty)
        let answer = await #expect(throws: HTTPTransportError.self) {
            try await transport.send(.example("/2"), body: nil)
        }
        #expect(answer?.kind == .responseLost)
        #expect(answer?.mayHaveReachedServer == true)
        #expect(inner.received.map(\.path) == ["/2"])
        #expect(try await transport.send(.example("/3"), body: nil).text == "GET /3")
        #expect(try await transport.send(.example("/4"), body: nil).text == "GET /4")
        #expect(transport.requestCount == 4)
    }

    @Test("a delayed request waits for the hook, and fails as the hook throws")
    func delay() async throws {
        let inner = EchoTransport()
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let transport = FaultyTransport(
            inner,
            faults: [.delay { for await _ in released { break } }, .delay { throw CancellationError() }]
        )
        async let delayed = transport.send(.example("/1"), body: nil)
        release.yield()
        #expect(try await delayed.text == "GET /1")
        await #expect(throws: CancellationError.self) { try await transport.send(.example("/2"), body: nil) }
        #expect(inner.received.count == 1)
    }

    @Test("a cut body and a status of our own come after the server has acted")
    func changedAnswers() async throws {
        let inner = EchoTransport()
        let transport = FaultyTransport(
            inner,
            faults: [.cutBody(afterBytes: 3), .cutBody(afterBytes: 99), .status(500)]
        )
        #expect(try await transport.send(.example("/abc"), body: nil).text == "GET")
        #expect(try await transport.send(.example("/abc"), body: nil).text == "GET /abc")
        let answer = try await transport.send(.example("/abc"), body: nil)
        #expect(answer.response.status.code == 500)
        #expect(answer.body.isEmpty)
        #expect(inner.received.count == 3)
    }

    @Test("a reset connection leaves arrival unknown, and a wrong type comes with the body")
    func resetAndType() async throws {
        let inner = EchoTransport()
        let transport = FaultyTransport(inner, faults: [.reset, .contentType("text/html")])
        let error = await #expect(throws: HTTPTransportError.self) {
            try await transport.send(.example("/1"), body: nil)
        }
        #expect(error?.kind == .responseLost && error?.mayHaveReachedServer == true)
        #expect(inner.received.isEmpty)
        let answer = try await transport.send(.example("/2"), body: nil)
        #expect(answer.text == "GET /2")
        #expect(answer.response.headerFields[.contentType] == "text/html")
    }

    @Test("faults can depend on the request")
    func byRequest() async throws {
        let inner = EchoTransport()
        let transport = FaultyTransport(inner) { request, _ in request.method == .post ? .loseResponse : nil }
        #expect(try await transport.send(.example("/"), body: nil).text == "GET /")
        await #expect(throws: HTTPTransportError.self) {
            try await transport.send(.example("/", method: .post), body: nil)
        }
        #expect(inner.received.count == 2)
    }
}
