import Foundation
import HTTPCalls
import HTTPTypes
import TestSupport
import Testing

@Suite("Transport: when there is no answer")
struct TransportFailureTests {
    private func failure(
        of request: HTTPRequest,
        limits: HTTPLimits = HTTPLimits(),
        body: Data? = nil
    ) async -> HTTPTransportError? {
        do {
            _ = try await SystemTransport(limits: limits).send(request, body: body)
            return nil
        } catch {
            return error as? HTTPTransportError
        }
    }

    private func failure(
        with action: ScriptedServer.Action,
        limits: HTTPLimits = HTTPLimits()
    ) async throws -> HTTPTransportError {
        let server = try ScriptedServer { _ in action }
        defer { server.stop() }
        let error = try #require(await failure(of: .to(server, path: "/records/secret-id"), limits: limits))
        #expect(error.server == server.authority)
        #expect(error.description.contains(server.authority))
        #expect(!error.description.contains("secret-id"))
        return error
    }

    @Test("a server that never answers runs into the deadline, and may have acted")
    func deadline() async throws {
        // Long enough for the request to be sent, on a busy machine too.
        let error = try await failure(with: .hang, limits: HTTPLimits(deadline: .seconds(3)))
        #expect(error.kind == .timedOut)
        #expect(error.mayHaveReachedServer)
    }

    @Test("an answer that stops half-way runs into the deadline")
    func deadlineWithinTheAnswer() async throws {
        let error = try await failure(
            with: .answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
            limits: HTTPLimits(deadline: .milliseconds(150))
        )
        #expect(error.kind == .timedOut)
    }

    @Test("a port where nobody listens is told apart: nothing was sent")
    func refused() async throws {
        try await ScriptedServer.withRefusingPort { port in
            let error = await failure(
                of: HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(port)", path: "/")
            )
            #expect(error?.kind == .cannotConnect)
            #expect(error?.mayHaveReachedServer == false)
            #expect(error?.description.contains("127.0.0.1:\(port)") == true)
        }
    }

    @Test("a name without an address is told apart: nothing was sent")
    func unknownHost() async throws {
        // Names in .onion are never looked up (RFC 7686), so this needs no network.
        let error = await failure(
            of: HTTPRequest(method: .get, scheme: "http", authority: "indivo.onion", path: "/")
        )
        #expect(error?.kind == .hostNotFound)
        #expect(error?.mayHaveReachedServer == false)
    }

    @Test("a server that speaks no TLS is told apart: nothing was sent")
    func noTLS() async throws {
        let server = try ScriptedServer(greeting: "HTTP/1.1 400 Bad Request\r\n\r\n") { _ in .close }
        defer { server.stop() }
        let error = await failure(
            of: HTTPRequest(method: .get, scheme: "https", authority: server.authority, path: "/")
        )
        #expect(error?.kind == .tls)
        #expect(error?.mayHaveReachedServer == false)
    }

    @Test("an answer lost after the request was read says that the server may have acted")
    func lostAnswer() async throws {
        let error = try await failure(with: .close)
        #expect(error.kind == .responseLost)
        #expect(error.mayHaveReachedServer)
        #expect(error.description.contains("look before you repeat"))
    }

    @Test("an answer cut short is a lost answer", arguments: ["body", "chunk", "head"])
    func cutAnswer(at place: String) async throws {
        let rest = [
            "body": "Content-Length: 10\r\n\r\nhalf",
            "chunk": "Transfer-Encoding: chunked\r\n\r\na\r\nhalf",
            "head": "Content-Le",
        ]
        let error = try await failure(with: .answerAndClose("HTTP/1.1 200 OK\r\n" + #require(rest[place])))
        #expect(error.kind == .responseLost)
        #expect(error.mayHaveReachedServer)
    }

    @Test("a request lost on a kept connection is not sent again behind our back")
    func lostOnKeptConnection() async throws {
        let server = try ScriptedServer { request in
            request.requestLine.hasPrefix("POST /lost")
                ? .close : .answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let transport = SystemTransport()
        _ = try await transport.send(.to(server, path: "/kept"))
        let error = await #expect(throws: HTTPTransportError.self) {
            try await transport.send(.to(server, method: .post, path: "/lost"), body: Data("x".utf8))
        }
        #expect(error?.kind == .responseLost)
        #expect(error?.mayHaveReachedServer == true)
        #expect(server.received.map(\.requestLine) == ["GET /kept HTTP/1.1", "POST /lost HTTP/1.1"])
        #expect(try await transport.send(.to(server, path: "/again")).response.status.code == 200)
    }

    @Test(
        "an answer longer than the limit is not taken",
        arguments: [
            "announced", "chunked", "packed", "packed and chunked", "unending head",
        ]
    )
    func tooLarge(kind: String) async throws {
        let long = String(repeating: "x", count: 101)
        let rest = [
            "announced": "Content-Length: 101\r\n\r\n" + long,
            "chunked": "Transfer-Encoding: chunked\r\n\r\n65\r\n\(long)\r\n0\r\n\r\n",
            "packed": "Content-Encoding: gzip\r\nContent-Length: 101\r\n\r\n" + long,
            "packed and chunked":
                "Content-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n\(long)\r\n0\r\n\r\n",
            "unending head": String(repeating: "X-Long: \(long)\r\n", count: 3000) + "\r\n",
        ]
        let error = try await failure(
            with: .answerAndClose("HTTP/1.1 200 OK\r\n" + #require(rest[kind])),
            limits: HTTPLimits(maximumResponseBytes: 100)
        )
        #expect(error.kind == .responseTooLarge)
    }

    @Test("an answer as long as the limit is taken")
    func justFits() async throws {
        let server = try ScriptedServer { _ in
            .answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + String(repeating: "x", count: 100))
        }
        defer { server.stop() }
        let answer = try await SystemTransport(limits: HTTPLimits(maximumResponseBytes: 100)).send(
            .to(server)
        )
        #expect(answer.body.count == 100)
    }

    @Test("what is not HTTP is told apart")
    func notHTTP() async throws {
        for greeting in ["SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{1}\u{2}\r\n\r\n"] {
            #expect(try await failure(with: .answerAndClose(greeting)).kind == .malformedResponse)
        }
    }

    @Test("a cancelled request ends with CancellationError, and its connection is closed")
    func cancelled() async throws {
        let server = try ScriptedServer { _ in .hang }
        defer { server.stop() }
        let sending = Task { try await SystemTransport().send(.to(server)) }
        for await _ in server.arrivals { break }
        sending.cancel()
        await #expect(throws: CancellationError.self) { try await sending.value }
        for await number in server.closings {
            #expect(number == 1)
            break
        }
    }

    @Test("a task cancelled beforehand sends nothing")
    func cancelledBeforehand() async throws {
        let server = try ScriptedServer { _ in .hang }
        defer { server.stop() }
        let sending = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await SystemTransport().send(.to(server))
        }
        await #expect(throws: CancellationError.self) { try await sending.value }
        #expect(server.connections == 0)
    }

    @Test("many requests cancelled at any moment all end, and the transport works on")
    func cancelledInBulk() async throws {
        let server = try ScriptedServer { request in
            request.requestLine.contains("/hang")
                ? .hang : .answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        // Only cancelling is to end them, however busy the machine is.
        let transport = SystemTransport(limits: HTTPLimits(deadline: .seconds(3_600)))
        let sendings = (0..<200).map { number in
            let sending = Task {
                try await transport.send(.to(server, path: number % 2 == 0 ? "/hang" : "/"))
            }
            if number % 3 != 0 { sending.cancel() }
            return sending
        }
        for await _ in server.arrivals { break }
        for sending in sendings {
            sending.cancel()
            if case .failure(let error) = await sending.result { #expect(error is CancellationError) }
        }
        #expect(try await transport.send(.to(server)).response.status.code == 200)
    }

    @Test("a transport nobody uses any more closes its connections")
    func released() async throws {
        let server = try ScriptedServer { _ in .answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        defer { server.stop() }
        _ = try await SystemTransport().send(.to(server))
        for await number in server.closings {
            #expect(number == 1)
            break
        }
    }
}
