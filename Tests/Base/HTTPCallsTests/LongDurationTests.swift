import Foundation
import HTTPCalls
import HTTPTypes
import TestSupport
import Testing

@Suite("Durations that are too long for a library")
struct LongDurationTests {
    @Test(
        "count as the longest it takes",
        arguments: [
            Duration.seconds(Int64.max), .seconds(Int64.max / 1000 + 1), .milliseconds(Int64.max),
            .seconds(1 << 33),
        ]
    )
    func longest(duration: Duration) async throws {
        let server = try ScriptedServer { _ in
            // Longer than what a wrapped number leaves, a millisecond.
            usleep(30_000)
            return .answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
        }
        defer { server.stop() }
        let transport = SystemTransport(limits: HTTPLimits(connectTimeout: duration, deadline: duration))
        #expect(try await transport.send(.to(server)).body == Data("x".utf8))
    }
}
