import Foundation
import IndivoSandbox
import Testing

@Suite("The server's HTTP")
struct HTTPTests {
    private func port(_ sandbox: Sandbox) -> Int { sandbox.apiURL.port ?? 0 }

    @Test("the version is told to anybody, with the headers of HTTP")
    func version() async throws {
        try await withSandbox { sandbox async throws in
            let answer = try await RawHTTP.request("GET", port: port(sandbox), target: "/version")
            #expect(answer.status == 200)
            #expect(answer.text == "2.0.0")
            #expect(answer.header("Content-Type") == "text/plain")
            #expect(answer.header("Content-Length") == "5")
            let date = try #require(answer.header("Date"))
            #expect(date.wholeMatch(of: /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/) != nil)
        }
    }

    @Test(
        "a path exists or not before anything else is looked at",
        arguments: [
            "/", "/versions", "/version/", "//version", "/records", "/apps", "/records/x/documents",
            "/records/00000000-0000-0000-0000-000000000000", "/oauth/authorize",
        ]
    )
    func unknownPath(path: String) async throws {
        try await withSandbox { sandbox async throws in
            let answer = try await RawHTTP.request("GET", port: port(sandbox), target: path)
            #expect(answer.status == 404)
            #expect(answer.text.hasPrefix("<h4>We're sorry."))
        }
    }

    @Test("a wrong method is told before the signature is checked, with the right ones")
    func wrongMethod() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let answer = try await RawHTTP.request(
                "PATCH",
                port: port(sandbox),
                target: "/records/\(record)/documents/"
            )
            #expect(answer.status == 405)
            #expect(answer.body.isEmpty)
            let allowed = Set((answer.header("Allow") ?? "").components(separatedBy: ", "))
            #expect(allowed == ["GET", "POST", "DELETE"])
        }
    }

    @Test("a HEAD request is answered without a body")
    func head() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let answer = try await app.send("HEAD", "/records/\(record)")
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
            #expect(answer.header("Content-Length") != "0")
        }
    }

    @Test("a body over the limit is answered 413, with a length or in chunks")
    func tooLarge() async throws {
        var configuration = SandboxConfiguration()
        configuration.bodyLimit = 10_000
        try await withSandbox(configuration) { sandbox async throws in
            let body = Data(repeating: UInt8(ascii: "x"), count: 20_000)
            let sized = try await RawHTTP.request(
                "POST",
                port: port(sandbox),
                target: "/oauth/request_token",
                body: body
            )
            #expect(sized.status == 413)
            let chunked =
                Data(
                    ("POST /oauth/request_token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
                        + "Connection: close\r\n\r\n4e20\r\n").utf8
                ) + body + Data("\r\n0\r\n\r\n".utf8)
            #expect(try await RawHTTP.exchange(chunked, port: port(sandbox)).status == 413)
            let small = try await RawHTTP.request(
                "POST",
                port: port(sandbox),
                target: "/oauth/request_token",
                body: body.prefix(9_000)
            )
            #expect(small.status == 403)
        }
    }

    @Test(
        "bytes that are no HTTP do not stop the server",
        arguments: [
            "\r\n\r\n", "GET\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
            """
            POST /version HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nno number\r\nGET /version \
            HTTP/1.1\r\n\r\n
            """,
            "POST /version HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        ]
    )
    func nonsense(text: String) async throws {
        try await withSandbox { sandbox async throws in
            _ = try? await RawHTTP.exchange(Data(text.utf8), port: port(sandbox))
            let answer = try await RawHTTP.request("GET", port: port(sandbox), target: "/version")
            #expect(answer.status == 200)
        }
    }

    @Test(
        "a client that stops in the middle of a request is cut off",
        arguments: [
            "", "GET /version HTTP/1.1\r\nHost: x",
            "POST /oauth/request_token HTTP/1.1\r\nContent-Length: 90\r\n\r\na=b",
            "POST /oauth/request_token HTTP/1.1\r\nContent-Length: 9000\r\n\r\na=b",
            "POST /oauth/request_token HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n",
        ]
    )
    func slowClient(text: String) async throws {
        var configuration = SandboxConfiguration()
        configuration.connectionTimeout = 1
        configuration.demoData = false
        try await withSandbox(configuration) { sandbox async throws in
            // The answer is what the server sends before it closes: nothing. Without a deadline this would
            // never return.
            await #expect(throws: RawHTTP.Failure.self) {
                try await RawHTTP.exchange(Data(text.utf8), port: port(sandbox))
            }
        }
    }

    @Test("a client that keeps its connection and asks for nothing more is cut off")
    func idleClient() async throws {
        var configuration = SandboxConfiguration()
        configuration.connectionTimeout = 1
        configuration.demoData = false
        try await withSandbox(configuration) { sandbox async throws in
            let request = "GET /version HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n"
            #expect(
                try await RawHTTP.exchange(Data((request + request).utf8), port: port(sandbox)).status == 200
            )
        }
    }

    @Test("a port that is taken is named in the error")
    func portTaken() async throws {
        try await withSandbox { sandbox async throws in
            var configuration = SandboxConfiguration()
            configuration.apiPort = UInt16(port(sandbox))
            let error = await #expect(throws: SandboxError.self) {
                try await Sandbox.start(configuration).stop()
            }
            #expect(error?.description.contains("\(port(sandbox))") == true)
        }
    }
}
