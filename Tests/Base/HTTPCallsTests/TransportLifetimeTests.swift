#if canImport(CLibCurl)
import Foundation
import HTTPCalls
import HTTPTypes
import TestSupport
import Testing

@Suite("The end of a transport")
struct TransportLifetimeTests {
    /// `CurlLoop` asserts that nobody wakes a handle that is closed: a debug build stops there.
    @Test("transports that are dropped at once wake no handle that is closed already")
    func dropped() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        let transport = CurlTransport()
                        // Its thread is just starting, running, or waiting already.
                        let end = ContinuousClock.now + .microseconds(Int.random(in: 0..<300))
                        while .now < end {}
                        withExtendedLifetime(transport) {}
                    }
                }
            }
        }
    }

    @Test("a transport dropped while its requests are cancelled ends them and itself")
    func cancelled() async throws {
        let listener = try ScriptedServer.bound().port
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    // Nobody listens, or nobody answers: either way the cancellation ends it.
                    let request = Task {
                        try await CurlTransport().send(
                            HTTPRequest(
                                method: .get,
                                scheme: "http",
                                authority: "127.0.0.1:\(listener)",
                                path: "/"
                            )
                        )
                    }
                    request.cancel()
                    let result = await request.result
                    #expect(throws: (any Error).self) { try result.get() }
                }
            }
        }
    }
}
#endif
