import Foundation
import HTTPCalls
import HTTPTypes
import TestSupport
import Testing

@Suite("Transport: what goes out")
struct TransportRequestTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    private let transport = SystemTransport()

    @Test(
        "the path goes out to the letter",
        arguments: [
            "/", "/a@b:c,d=e&f+g~h!i*j'k(l)m$n.o-p_q", "/%40/%2F/%7e/%25", "/./a/../b//c/", "/a?b=%20+c;d?e",
            "/a?", "/records/1/documents/external/me@apps.example.org/x", "/{}|[]^`\"<>",
        ]
    )
    func literalPath(path: String) async throws {
        let server = try ScriptedServer { _ in .answer(Self.ok) }
        defer { server.stop() }
        _ = try await transport.send(.to(server, path: path))
        #expect(server.received.map(\.requestLine) == ["GET \(path) HTTP/1.1"])
    }

    @Test("the Host header is the authority, to the letter")
    func host() async throws {
        let server = try ScriptedServer { _ in .answer(Self.ok) }
        defer { server.stop() }
        let authority = "LOCALHOST:\(server.port)"
        _ = try await transport.send(
            HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
        )
        #expect(server.received.first?.fields.contains("Host: \(authority)") == true)
    }

    @Test("a body has its exact type and length, and nothing is waited for", arguments: [0, 5, 3_000_000])
    func body(size: Int) async throws {
        let server = try ScriptedServer { _ in .answer(Self.ok) }
        defer { server.stop() }
        var request = HTTPRequest.to(server, method: .put)
        request.headerFields[.contentType] = "application/xml"
        request.headerFields[.authorization] = "OAuth oauth_nonce=\"n\""
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        _ = try await transport.send(request, body: body)
        let received = try #require(server.received.first)
        #expect(received.body == Array(body))
        #expect(received.fields.contains("Content-Type: application/xml"))
        #expect(received.fields.contains("Content-Length: \(size)"))
        #expect(received.fields.contains("Authorization: OAuth oauth_nonce=\"n\""))
        #expect(received.fieldNames == ["host", "accept", "authorization", "content-type", "content-length"])
    }

    @Test(
        "no content type is invented, and a length is said where a body is usual",
        arguments: [
            (HTTPRequest.Method.post, true), (.put, true), (.get, false), (.delete, false),
        ]
    )
    func nothingInvented(method: HTTPRequest.Method, hasLength: Bool) async throws {
        let server = try ScriptedServer { _ in .answer(Self.ok) }
        defer { server.stop() }
        _ = try await transport.send(.to(server, method: method))
        let names: Set = ["host", "accept"]
        #expect(server.received.first?.fieldNames == (hasLength ? names.union(["content-length"]) : names))
        #expect(server.received.first?.requestLine == "\(method.rawValue) / HTTP/1.1")
        _ = try await transport.send(.to(server, method: .post), body: Data("x".utf8))
        #expect(server.received.last?.fieldNames == ["host", "accept", "content-length"])
    }

    @Test("fields that the transport sets itself cannot be set twice, empty ones are sent")
    func fields() async throws {
        let server = try ScriptedServer { _ in .answer(Self.ok) }
        defer { server.stop() }
        var request = HTTPRequest.to(server, method: .post)
        request.headerFields[.contentLength] = "99"
        request.headerFields[.transferEncoding] = "chunked"
        request.headerFields[.expect] = "100-continue"
        request.headerFields[.accept] = "application/xml"
        request.headerFields[.init("X-Empty")!] = ""  // A valid field name.
        _ = try await transport.send(request, body: Data("abc".utf8))
        let received = try #require(server.received.first)
        #expect(received.fieldNames == ["host", "accept", "content-length", "x-empty"])
        #expect(received.fields.contains("Content-Length: 3"))
        #expect(received.fields.contains("Accept: application/xml"))
    }

    @Test("requests one after the other share a connection")
    func reuse() async throws {
        let server = try ScriptedServer { _ in .answer(Self.ok) }
        defer { server.stop() }
        // However slow the machine is just now.
        let patient = SystemTransport(
            limits: HTTPLimits(deadline: .seconds(86_400), idleConnectionAge: .seconds(86_400))
        )
        for _ in 0..<5 { _ = try await patient.send(.to(server)) }
        #expect(server.connections == 1)
        #expect(server.received.count == 5)
    }

    @Test("a hundred requests at once each get their own answer, over a few connections")
    func concurrent() async throws {
        let server = try ScriptedServer { request in
            let body = request.requestLine
            return .answer("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        defer { server.stop() }
        let transport = transport
        try await withThrowingTaskGroup(of: (Int, HTTPAnswer).self) { group in
            for number in 0..<100 {
                group.addTask { (number, try await transport.send(.to(server, path: "/\(number)"))) }
            }
            for try await (number, answer) in group {
                #expect(String(decoding: answer.body, as: UTF8.self) == "GET /\(number) HTTP/1.1")
            }
        }
        #expect(server.received.count == 100)
        // Eight at most at a time; one that idled while the machine was busy may be closed, and another
        // opened.
        #expect(server.connections <= 25)
    }

    @Test("a request that cannot be sent as it is says why, and nothing goes out")
    func invalidRequests() async throws {
        let cases: [(HTTPRequest, String)] = [
            (HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: "/"), "scheme"),
            (HTTPRequest(method: .get, scheme: "ftp", authority: "localhost", path: "/"), "ftp"),
            (HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/"), "host"),
            (HTTPRequest(method: .get, scheme: "http", authority: "", path: "/"), "host"),
            (HTTPRequest(method: .get, scheme: "http", authority: "me:hush@localhost", path: "/"), "user"),
            (HTTPRequest(method: .get, scheme: "http", authority: "localhost/x", path: "/"), "authority"),
            (HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: nil), "path"),
            (HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "a"), "path"),
            (HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/a b"), "space"),
            (HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/a#b"), "#"),
            (HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/é"), "ASCII"),
            (
                HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/a\r\nX: y"),
                "control"
            ),
        ]
        for (request, word) in cases {
            let error = await #expect(throws: HTTPTransportError.self) { try await transport.send(request) }
            #expect(error?.kind == .invalidRequest)
            #expect(error?.mayHaveReachedServer == false)
            #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
            #expect(error?.description.contains("hush") == false)
        }
    }
}
