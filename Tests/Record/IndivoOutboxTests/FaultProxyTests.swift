import Foundation
import Indivo
import IndivoOutbox
import IndivoTesting
import Testing

@Suite("A network that fails")
struct FaultProxyTests {
    @Test(
        "each fault stores the document once or not at all, and delivery still succeeds",
        arguments: [
            (FaultProxy.Fault.loseRequest, false), (.cutRequest(afterBytes: 300), false),
            (.loseResponse, true),
            (.cutResponse(afterBytes: 40), true), (.cutResponse(afterBytes: 0), true),
            (.doubleRequest(secondResponse: false), true), (.doubleRequest(secondResponse: true), true),
            (.status(500, reachesServer: false), false), (.status(503, reachesServer: true), true),
            (.delayRequest(.milliseconds(1)), true), (.delayResponse(.milliseconds(1)), true),
        ]
    )
    func faults(fault: FaultProxy.Fault, arrives: Bool) async throws {
        try await Place.use { place in
            let proxy = try proxy(to: place) { $0.number == 0 ? fault : nil }
            defer { proxy.stop() }
            let record = through(proxy, place)
            let document = medication("A")
            // One sending alone, as it is on the wire.
            let outcome = await Result.of {
                try await record.deliverDocument(FileContent(document.xml()), externalID: "one")
            }
            await proxy.drain()
            #expect((try await place.record().documentMetadata(externalID: "one") != nil) == arrives)
            if case .failure(let error) = outcome { #expect(error is IndivoError) }
        }
        try await Place.use { place in
            let proxy = try proxy(to: place) { $0.number == 0 ? fault : nil }
            defer { proxy.stop() }
            let outbox = try place.outbox(record: through(proxy, place))
            try await outbox.add(medication("A"))
            #expect(try await outbox.flush().delivered.count == 1)
            #expect(try await place.medications() == ["Test A"])
        }
    }

    @Test("a seed gives the same numbers again, and each part of it others")
    func seeds() {
        func numbers(_ generator: SeededGenerator) -> [UInt64] {
            var generator = generator
            return (0..<4).map { _ in generator.next() }
        }
        #expect(
            numbers(SeededGenerator(seed: 1, part: 2, 3)) == numbers(SeededGenerator(seed: 1, part: 2, 3))
        )
        #expect(
            numbers(SeededGenerator(seed: 1, part: 2, 3)) != numbers(SeededGenerator(seed: 1, part: 3, 2))
        )
        #expect(numbers(SeededGenerator(seed: 1)) != numbers(SeededGenerator(seed: 2)))
    }

    private func proxy(
        to place: Place,
        fault: @escaping @Sendable (FaultProxy.Request) -> FaultProxy.Fault?
    ) throws -> FaultProxy {
        try FaultProxy(to: UInt16(place.sandbox.apiURL.port ?? 0), fault: fault)
    }

    private func through(_ proxy: FaultProxy, _ place: Place) -> IndivoRecord {
        place.record(api: URL(string: "http://127.0.0.1:\(proxy.port)"))
    }
}

extension Result where Failure == any Error {
    fileprivate static func of(_ body: () async throws -> Success) async -> Self {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
