import Foundation
import HTTPTypes
import Indivo
import Synchronization
import Testing

@Suite("Lost answers")
struct LostAnswerTests {
    /// Plays a server that stores what it is sent, and loses its first answer.
    private func server(stores: Bool, mayHaveArrived: Bool = true) -> (
        AnsweringTransport, stored: @Sendable () -> Int
    ) {
        let state = Mutex<(sent: Int, stored: Set<String>)>((0, []))
        let counter = Holder(state)
        let transport = AnsweringTransport { request, _ in
            let path = request.path ?? ""
            let isLookUp = path.hasSuffix("/meta")
            let external = String(path.split(separator: "/").dropLast(isLookUp ? 1 : 0).last ?? "")
            return try counter.value.withLock { state in
                if isLookUp {
                    return state.stored.contains(external)
                        ? HTTPAnswer(
                            response: HTTPResponse(status: .ok),
                            body: Data("<Document id=\"d-1\"/>".utf8)
                        )
                        : HTTPAnswer(response: HTTPResponse(status: .notFound))
                }
                state.sent += 1
                if state.sent == 1 {
                    if stores { state.stored.insert(external) }
                    throw HTTPTransportError(
                        kind: .responseLost,
                        server: "indivo.example.org",
                        mayHaveReachedServer: mayHaveArrived
                    )
                }
                #expect(state.stored.insert(external).inserted, "stored twice")
                return HTTPAnswer(
                    response: HTTPResponse(status: .ok),
                    body: Data("<Document id=\"d-1\"/>".utf8)
                )
            }
        }
        return (transport, { counter.value.withLock { $0.stored.count } })
    }

    @Test("a document whose answer was lost after it was stored is found, not sent again")
    func stored() async throws {
        let (transport, stored) = server(stores: true)
        let problem = Problem()
        try await transport.record().add(problem, validation: .none)
        #expect(problem.id == "d-1")
        #expect(stored() == 1)
        #expect(transport.requests.map(\.method) == [.put, .get])
    }

    @Test("a document whose request was lost is sent again under the same external id")
    func notStored() async throws {
        let (transport, stored) = server(stores: false)
        try await transport.record().add(Problem(), validation: .none)
        #expect(stored() == 1)
        #expect(transport.requests.map(\.method) == [.put, .get, .put])
        #expect(transport.requests[0].path == transport.requests[2].path)
    }

    @Test("reading is repeated when the answer is lost, not for ever")
    func reading() async throws {
        let losing = AnsweringTransport { _, _ in
            throw HTTPTransportError(
                kind: .responseLost,
                server: "indivo.example.org",
                mayHaveReachedServer: true
            )
        }
        await #expect(throws: IndivoError.self) { try await losing.record().reports(of: Problem.self).all() }
        #expect(losing.requests.count == 4)
        #expect(Set(losing.requests.compactMap { $0.headerFields[.authorization] }).count == 4)
    }

    @Test("each sending is signed anew: a nonce is used once")
    func nonces() async throws {
        let (transport, _) = server(stores: false)
        try await transport.record().add(Problem(), validation: .none)
        let headers = transport.requests.compactMap { $0.headerFields[.authorization] }
        #expect(Set(headers).count == headers.count)
    }

    @Test("a document whose request certainly did not arrive is sent again and stored once")
    func neverArrived() async throws {
        let (transport, stored) = server(stores: false, mayHaveArrived: false)
        let problem = Problem()
        try await transport.record().add(problem, validation: .none)
        #expect(stored() == 1 && problem.id == "d-1")
    }
}

/// A reference to something that cannot be copied.
private final class Holder<Value: ~Copyable & Sendable>: Sendable {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
}
