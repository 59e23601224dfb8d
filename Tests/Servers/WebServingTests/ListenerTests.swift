import Foundation
import Synchronization
import TestSupport
import Testing

@testable import WebServing

@Suite("Strangers at a listener")
struct ListenerTests {
    private static let settings = HTTPListener.Configuration(
        address: "127.0.0.1",
        port: 0,
        bodyLimit: 1000,
        timeout: 60,
        serverName: "test",
        tooLarge: Response(status: 413),
        internalError: Response(status: 500),
        now: { Date(timeIntervalSince1970: 0) }
    )

    /// A server that responds with what it was sent.
    private func withListener(
        _ change: (inout HTTPListener.Configuration) -> Void = { _ in },
        handler: @escaping HTTPListener.Handler = { request in
            Response(type: "text/plain", text: "\(request.method) \(request.rawPath) \(request.body.count)")
        },
        _ body: (UInt16) async throws -> Void
    ) async throws {
        var settings = Self.settings
        change(&settings)
        let listener = try await HTTPListener(settings, handler: handler)
        do {
            try await body(listener.port)
        } catch {
            await listener.stop()
            throw error
        }
        await listener.stop()
    }

    private func exchange(_ text: String, _ port: UInt16) async throws -> String {
        let connection = try RawConnection(port: port)
        connection.write(text)
        return await connection.rest()
    }

    private func request(_ target: String, fields: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: x\r\n\(fields)Connection: close\r\n\r\n"
    }

    @Test(
        "a head of up to 64 kB is read, and a longer one gets 431 before its end has come",
        arguments: [
            "GET / HTTP/1.1\r\nX: ", "GET /", "",
            "GET / HTTP/1.1\r\n" + String(repeating: "X: 1\r\n", count: 500),
        ]
    )
    func headLimit(start: String) async throws {
        try await withListener { port in
            let fields = String(repeating: "X-Field: 0123456789\r\n", count: 3000)
            #expect(try await exchange(request("/a", fields: fields), port).hasPrefix("HTTP/1.1 200 OK\r\n"))
            let received = try await exchange(start + String(repeating: "a", count: 70_000), port)
            #expect(received.hasPrefix("HTTP/1.1 431 "), "\(received.prefix(100))")
            #expect(try await exchange(request("/b"), port).hasSuffix("GET /b 0"))
        }
    }

    @Test("many short lines are bounded as one long one is")
    func manyLines() async throws {
        try await withListener { port in
            let received = try await exchange(
                "GET / HTTP/1.1\r\n" + String(repeating: "X: 1\r\n", count: 20_000),
                port
            )
            #expect(received.hasPrefix("HTTP/1.1 431 "))
        }
    }

    @Test("clients that never finish a request, or say nothing, lock nobody out")
    func slowClients() async throws {
        try await withListener({ $0.connectionLimit = 8 }) { port in
            let starts = ["", "GET /x HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na"]
            var slow: [RawConnection] = []
            for number in 0..<40 {
                let connection = try RawConnection(port: port)
                connection.write(starts[number % starts.count])
                slow.append(connection)
                if number % 10 == 9 {
                    #expect(try await exchange(request("/\(number)"), port).hasSuffix("GET /\(number) 0"))
                }
            }
            // Of 44 at least the first was cut, and without a response.
            #expect(await slow[0].rest() == "")
        }
    }

    @Test("a connection whose request is being answered is not cut for others")
    func busyConnection() async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let (releases, release) = AsyncStream<Void>.makeStream()
        try await withListener({ $0.connectionLimit = 2 }) { request in
            if request.rawPath == "/slow" {
                arrival.yield()
                for await _ in releases { break }
            }
            return Response(type: "text/plain", text: request.rawPath)
        } _: { port in
            let busy = try RawConnection(port: port)
            busy.write(request("/slow"))
            for await _ in arrivals { break }
            for number in 0..<5 {
                #expect(try await exchange(request("/\(number)"), port).hasSuffix("/\(number)"))
            }
            release.yield()
            #expect(await busy.rest().hasSuffix("\r\n\r\n/slow"))
        }
    }

    @Test("requests follow each other on a connection, with bodies of either kind")
    func severalRequests() async throws {
        try await withListener { port in
            let received = try await exchange(
                "\r\nPOST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                    + """
                    POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \
                    chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n
                    """
                    + "HEAD /c HTTP/1.1\r\nHost: x\r\n\r\n"
                    + "POST /d HTTP/1.1\r\nContent-Length: 2000\r\n\r\n"
                    + String(repeating: "x", count: 2000) + request("/e"),
                port
            )
            let found = received.components(separatedBy: "HTTP/1.1 ").dropFirst().map { part in
                "\(part.prefix(3)) \(part.components(separatedBy: "\r\n\r\n")[1])"
            }
            #expect(found == ["200 POST /a 3", "200 POST /b 5", "200 ", "413 ", "200 GET /e 0"])
        }
    }

    @Test("bodies that are announced and do not come take nothing of the budget")
    func announcedBodies() async throws {
        try await withListener({
            $0.bodyLimit = 50_000
            $0.bodyBudget = 100_000
        }) { port in
            var silent: [RawConnection] = []
            for number in 0..<16 {
                let connection = try RawConnection(port: port)
                let field = number % 2 == 0 ? "Transfer-Encoding: chunked" : "Content-Length: 50000"
                connection.write("POST / HTTP/1.1\r\nHost: x\r\n\(field)\r\n\r\n")
                silent.append(connection)
            }
            #expect(try await exchange(request("/a"), port).hasSuffix("GET /a 0"))
            let body = String(repeating: "x", count: 50_000)
            #expect(
                try await exchange(request("/b", fields: "Content-Length: 50000\r\n") + body, port).hasSuffix(
                    "GET /b 50000"
                )
            )
            // They were open all the while.
            #expect(silent.count == 16)
        }
    }

    @Test("a body beyond the budget gets 503, and the next request has all of it")
    func usedUpBudget() async throws {
        try await withListener({
            $0.bodyLimit = 200_000
            $0.bodyBudget = 100_000
        }) { port in
            let long = String(repeating: "x", count: 150_000)
            let fitting = String(repeating: "y", count: 100_000)
            let received = try await exchange(
                "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 150000\r\n\r\n" + long
                    + request("/b", fields: "Content-Length: 100000\r\n") + fitting,
                port
            )
            #expect(received.hasPrefix("HTTP/1.1 503 ") && received.contains("\r\nRetry-After: 5\r\n"))
            #expect(received.hasSuffix("GET /b 100000"))
        }
    }

    /// A clock that a test moves ahead of the system's.
    private final class Ahead: Sendable {
        private let duration = Mutex(Duration.zero)
        var now: ContinuousClock.Instant { duration.withLock { .now + $0 } }
        func pass(_ seconds: Int) { duration.withLock { $0 += .seconds(seconds) } }
    }

    @Test("large bodies that stop coming give back their memory long before the deadline")
    func slowBodies() async throws {
        let clock = Ahead()
        try await withListener({
            $0.bodyLimit = 400_000
            $0.bodyBudget = 300_000
            $0.bodyRate = 1000
            $0.elapsing = { clock.now }
        }) { port in
            let start = "POST /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: "
            let slow = try (0..<2).map { _ in try RawConnection(port: port) }
            for connection in slow {
                connection.write(start + "200000\r\n\r\n" + String(repeating: "x", count: 100_000))
            }
            let small = try RawConnection(port: port)
            small.write(start + "2000\r\n\r\nx")
            let body =
                request("/b", fields: "Content-Length: 100000\r\n") + String(repeating: "y", count: 100_000)
            while try await !exchange(body, port).hasPrefix("HTTP/1.1 503 ") {
                try await Task.sleep(for: .milliseconds(50))
            }
            clock.pass(11)
            for connection in slow { #expect(await connection.rest() == "") }
            while try await !exchange(body, port).hasSuffix("GET /b 100000") {
                try await Task.sleep(for: .milliseconds(50))
            }
            // A small one has its whole time.
            small.write(String(repeating: "x", count: 1999))
            #expect(await small.rest().hasSuffix("POST /slow 2000"))
        }
    }

    @Test("a body is cut when it stops, or when its whole time is over", arguments: [true, false])
    func bodyPace(comes: Bool) throws {
        let clock = Ahead()
        let connections = OpenConnections(limit: 8, bodyBudget: 0) { clock.now }
        var ends: [Int32] = [0, 0]
        #if canImport(Glibc)
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        #else
        try #require(socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0)
        #endif
        defer { ends.forEach { close($0) } }
        func isCut() -> Bool {
            connections.cutOverdue()
            var descriptor = pollfd(fd: ends[1], events: Int16(POLLIN), revents: 0)
            return poll(&descriptor, 1, 0) > 0
        }
        try #require(connections.open(ends[0], for: .seconds(60)))
        var settings = Self.settings
        settings.bodyRate = 1000
        var body = IncomingBody(connections, ends[0], settings)
        body.begin()
        body.append([UInt8](repeating: 0, count: IncomingBody.free + 1)[...])
        guard comes else {
            clock.pass(11)
            #expect(isCut())
            return
        }
        for _ in 0..<6 {
            clock.pass(9)
            #expect(!isCut())
            body.append([UInt8](repeating: 0, count: 10_000)[...])
        }
        clock.pass(7)
        #expect(isCut())
    }

    @Test("a client that waits to be asked for its body is asked")
    func expectation() async throws {
        try await withListener { port in
            let received = try await exchange(
                """
                POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: \
                close\r\n\r\nx
                """,
                port
            )
            #expect(received.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
        }
    }

    @Test(
        "what is no request, or is ambiguous, gets an error and the end of the connection",
        arguments: [
            ("GET /\r\n\r\n", 400), ("\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505),
            ("GET  / HTTP/1.1\r\n\r\n", 400),
            ("G@T / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nX : 1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nX: 1\r\n 2\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nnonsense\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFF\r\n\r\n", 400),
            ("POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nExpect: 200-maybe\r\nContent-Length: 0\r\n\r\n", 417),
            ("POST / HTTP/1.1\r\nExpect: 100-continue, 200-maybe\r\nContent-Length: 0\r\n\r\n", 417),
        ]
    )
    func nonsense(text: String, status: Int) async throws {
        try await withListener { port in
            let received = try await exchange(text + request("/hidden"), port)
            #expect(received.hasPrefix("HTTP/1.1 \(status) "), "\(received.prefix(100))")
            #expect(!received.contains("/hidden"))
        }
    }

    @Test("an old client that expects to be asked is not, since it would not understand")
    func oldExpectation() async throws {
        try await withListener { port in
            let received = try await exchange(
                "POST /a HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
                port
            )
            #expect(received.hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test("methods are told apart by case")
    func methods() async throws {
        try await withListener { port in
            let received = try await exchange("get / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", port)
            #expect(received.hasSuffix("get / 0"))
        }
    }

    @Test("a handler that takes longer than its listener allows is cancelled", arguments: [30, 5])
    func cutWhileResponding(seconds: Int) async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let (cancellations, cancellation) = AsyncStream<Void>.makeStream()
        let clock = Mutex(ContinuousClock.now)
        try await withListener {
            $0.responseTimeout = seconds
            $0.elapsing = { clock.withLock { $0 } }
        } handler: { _ in
            await withTaskCancellationHandler {
                arrival.yield()
                for await _ in AsyncStream<Void>.makeStream().stream {}
            } onCancel: {
                cancellation.yield()
            }
            return Response()
        } _: { port in
            let connection = try RawConnection(port: port)
            connection.write(request("/"))
            for await _ in arrivals { break }
            clock.withLock { $0 += .seconds(seconds + 1) }
            for await _ in cancellations { break }
            #expect(await connection.rest().isEmpty)
        }
    }

    @Test("a handler whose client has left is cancelled")
    func clientLeaves() async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let (cancellations, cancellation) = AsyncStream<Void>.makeStream()
        try await withListener { _ in
        } handler: { _ in
            await withTaskCancellationHandler {
                arrival.yield()
                for await _ in AsyncStream<Void>.makeStream().stream {}
            } onCancel: {
                cancellation.yield()
            }
            return Response()
        } _: { port in
            do {
                let connection = try RawConnection(port: port)
                connection.write(request("/"))
                for await _ in arrivals { break }
                // It is closed when it is released.
                withExtendedLifetime(connection) {}
            }
            for await _ in cancellations { break }
        }
    }

    @Test("a response header that would end its line becomes an error")
    func responseHeader() async throws {
        try await withListener(handler: { _ in Response().adding("Location", "x\r\nSet-Cookie: a=b") }) {
            port in
            let received = try await exchange(request("/"), port)
            #expect(received.hasPrefix("HTTP/1.1 500 ") && !received.contains("Set-Cookie"))
        }
    }

    @Test("an address has so many connections, and the oldest idle one goes first")
    func connectionsOfOneAddress() async throws {
        try await withListener {
            $0.connectionsPerPeer = 2
        } _: { port in
            let idle = try (1...2).map { _ in try RawConnection(port: port) }
            #expect(try await exchange(request("/third"), port).hasSuffix("GET /third 0"))
            for (number, connection) in idle.enumerated() { connection.write(request("/\(number)")) }
            #expect(await idle[1].rest().hasSuffix("GET /1 0"))
            #expect(await idle[0].rest().isEmpty)
        }
    }

    @Test(
        "a client is its address or what the proxy says, for IPv6 the network",
        arguments: [
            ("6.6.6.6, 10.0.0.1", "10.0.0.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
            ("::ffff:10.0.0.1", "10.0.0.1"), ("unknown", "unknown"), (",", "127.0.0.1"),
        ]
    )
    func clients(forwarded: String, client: String) {
        let request = Request(method: "GET", target: "/", headers: ["x-forwarded-for": forwarded])
        #expect(request.client(isBehindProxy: true) == client)
        #expect(request.client(isBehindProxy: false) == "127.0.0.1")
    }
}
