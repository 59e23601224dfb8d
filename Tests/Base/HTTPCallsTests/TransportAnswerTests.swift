import Foundation
import HTTPCalls
import HTTPTypes
import TestSupport
import Testing

@Suite("Transport: what comes back")
struct TransportAnswerTests {
    private func answer(
        _ text: String,
        method: HTTPRequest.Method = .get,
        closing: Bool = false
    ) async throws -> HTTPAnswer {
        let server = try ScriptedServer { _ in closing ? .answerAndClose(text) : .answer(text) }
        defer { server.stop() }
        return try await SystemTransport().send(.to(server, method: method))
    }

    @Test("status, reason, fields and body come as they are")
    func plain() async throws {
        let answer = try await answer(
            "HTTP/1.1 403 FORBIDDEN\r\nContent-Type: text/html; charset=utf-8\r\nX-A: 1\r\nX-A:  2 \r\n"
                + "Content-Length: 26\r\n\r\n<h4>Permission Denied</h4>\n"
        )
        #expect(answer.response.status.code == 403)
        #expect(answer.response.status.reasonPhrase == "FORBIDDEN")
        #expect(answer.response.headerFields[.contentType] == "text/html; charset=utf-8")
        #expect(answer.response.headerFields[values: .init("X-A")!] == ["1", "2"])  // A valid field name.
        #expect(String(decoding: answer.body, as: UTF8.self) == "<h4>Permission Denied</h4>")
    }

    @Test("an answer of HTTP/1.0 ends where the connection does")
    func closeDelimited() async throws {
        let answer = try await answer(
            "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n2.0.0",
            closing: true
        )
        #expect(String(decoding: answer.body, as: UTF8.self) == "2.0.0")
    }

    @Test("a chunked answer is put together, its trailers are no fields of the head")
    func chunked() async throws {
        let answer = try await answer(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Late\r\n\r\n"
                + "4\r\n<a/>\r\n6;x=y\r\n<bcde/\r\n1\r\n>\r\n0\r\nX-Late: 1\r\n\r\n"
        )
        #expect(String(decoding: answer.body, as: UTF8.self) == "<a/><bcde/>")
        #expect(answer.response.headerFields.allSatisfy { $0.name.canonicalName != "x-late" })
    }

    @Test("an interim answer is passed over, a reason may be missing")
    func interim() async throws {
        let answer = try await answer(
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx"
        )
        #expect(answer.response.status.code == 200)
        #expect(answer.response.headerFields[.init("Link")!] == nil)  // A valid field name.
        #expect(answer.body == Data("x".utf8))
    }

    @Test(
        "answers without a body have none: 204, 304, and any to HEAD",
        arguments: [
            (HTTPRequest.Method.get, 204), (.get, 304), (.head, 200),
        ]
    )
    func noBody(method: HTTPRequest.Method, status: Int) async throws {
        let length = status == 204 ? "" : "Content-Length: 7\r\n"
        let answer = try await answer("HTTP/1.1 \(status) X\r\n\(length)\r\n", method: method)
        #expect(answer.body.isEmpty)
        #expect(answer.response.status.code == status)
    }

    @Test("a redirect is an answer like any other and is not followed", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let elsewhere = try ScriptedServer { _ in .close }
        defer { elsewhere.stop() }
        let answer = try await answer(
            """
            HTTP/1.1 \(status) Found\r\nLocation: http://\(elsewhere.authority)/\r\nContent-Length: 0\r\n\r\n
            """
        )
        #expect(answer.response.status.code == status)
        #expect(answer.response.headerFields[.location] == "http://\(elsewhere.authority)/")
        #expect(elsewhere.connections == 0)
    }

    @Test("a compressed body is not unpacked")
    func compressed() async throws {
        let packed = "\u{1F}packed?"
        let answer = try await answer(
            """
            HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.utf8.count)\r\n\r\n\(packed)
            """
        )
        #expect(answer.body == Data(packed.utf8))
        #expect(answer.response.headerFields[.contentEncoding] == "gzip")
    }
}
