import Foundation
import HTTPTypes
import Indivo
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite("Strangers at the loopback listener")
struct LoopbackStrangerTests {
    @Test(
        "no visit for another host, by script, in a frame or by prefetch chooses a record",
        arguments: [
            ["Host: evil.example"], ["Host: evil.example:PORT"], ["Host: 127.0.0.1:1"], ["Host:"],
            ["Host: 127.0.0.1:PORT", "Host: evil.example"], ["Origin: https://evil.example"],
            ["Origin: null"],
            ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"],
            ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty"],
            ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"],
            ["Sec-Purpose: prefetch;prerender", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
        ]
    )
    func strangeOrigins(fields: [String]) async throws {
        let listener = try LoopbackListener.onFreePort()
        let session = try listener.listen()
        let stranger = try RawConnection(port: listener.port)
        stranger.get(
            "/start?record_id=planted",
            port: listener.port,
            fields.map { $0.replacing("PORT", with: "\(listener.port)") }
        )
        let person = try RawConnection(port: listener.port)
        person.get("/start?record_id=genuine", port: listener.port)
        let visit = try #require(try await session.next(.record))
        #expect(visit.url.query() == "record_id=genuine")
        visit.finish("Done.")
        session.close()
        #expect(await stranger.rest().hasPrefix("HTTP/1.1 403 "))
    }

    @Test(
        "a browser's navigation is taken, by address or name, and so is a silent client",
        arguments: [
            [], ["Host: localhost:PORT"],
            [
                "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-User: ?1",
                "Sec-Fetch-Dest: document",
            ],
            ["origin: null", "sec-fetch-mode: navigate", "sec-fetch-dest: document"],
        ]
    )
    func navigation(fields: [String]) async throws {
        let listener = try LoopbackListener.onFreePort()
        let session = try listener.listen()
        let person = try RawConnection(port: listener.port)
        person.get(
            "/start?record_id=genuine",
            port: listener.port,
            fields.map { $0.replacing("PORT", with: "\(listener.port)") }
        )
        let visit = try #require(try await session.next(.record))
        visit.finish("Done.")
        #expect(await person.rest().contains("Done."))
        session.close()
    }

    @Test("visits that a login does not wait for neither end it nor choose the record")
    func unexpected() async throws {
        let transport = Self.tokens()
        let listener = try LoopbackListener.onFreePort()
        let record = try await transport.server(options: IndivoServer.Options()).selectRecord(
            callback: listener
        ) { _ in
            Task {
                for target in [
                    "/callback/x?oauth_token=RequestToken012345678&oauth_verifier=V", "/callback/", "/start",
                    "/start?record_id=", "/start?record_id=&carenet_id=", "/start?carenet_id=c%201",
                ] {
                    let stranger = try RawConnection(port: listener.port)
                    stranger.get(target, port: listener.port)
                    #expect(await stranger.rest().hasPrefix("HTTP/1.1 4"), "\(target)")
                }
                let person = try RawConnection(port: listener.port)
                person.get("/start?record_id=r-1", port: listener.port)
                #expect(await person.rest().hasPrefix("HTTP/1.1 302 "))
                for target in ["/callback/x?oauth_token=T&oauth_verifier=V", "/start?record_id=planted"] {
                    let stranger = try RawConnection(port: listener.port)
                    stranger.get(target, port: listener.port)
                    #expect(await stranger.rest().hasPrefix("HTTP/1.1 4"), "\(target)")
                }
                let signed = try #require(
                    transport.requests.first { $0.method == .post }?.headerFields[.authorization]
                )
                let callback = try #require(
                    ServerRule.parameter("oauth_callback", of: signed).flatMap { URL(string: $0) }
                )
                let back = try RawConnection(port: listener.port)
                back.get(
                    callback.path + "?oauth_token=RequestToken012345678&oauth_verifier=V",
                    port: listener.port
                )
                #expect(await back.rest().contains("You are logged in"))
            }
        }
        #expect(record.id == "r-1")
    }

    @Test("a carenet in a record's place ends the login, and the page says why")
    func carenet() async throws {
        let transport = Self.tokens()
        let listener = try LoopbackListener.onFreePort()
        let page = Shared("")
        let (shown, signal) = AsyncStream.makeStream(of: Void.self)
        let error = try await #require(throws: IndivoError.self) {
            try await transport.server(options: IndivoServer.Options()).selectRecord(callback: listener) {
                _ in
                Task {
                    let person = try RawConnection(port: listener.port)
                    person.get("/start?record_id=&carenet_id=c-1", port: listener.port)
                    page.set(await person.rest())
                    signal.yield()
                }
            }
        }
        #expect(error.reason == .login(.carenetChosen))
        #expect(error.description.contains("choose a record"))
        for await _ in shown { break }
        #expect(page.get().hasPrefix("HTTP/1.1 200 ") && page.get().contains("a carenet"))
    }

    @Test("a page says that the login failed, wherever it fails")
    func failure() async throws {
        let transport = AnsweringTransport(
            status: .forbidden,
            type: "text/html",
            "<h4>Permission Denied</h4>"
        )
        let listener = try LoopbackListener.onFreePort()
        let page = Shared("")
        let (shown, signal) = AsyncStream.makeStream(of: Void.self)
        await #expect(throws: IndivoError.self) {
            try await transport.server().selectRecord(callback: listener) { _ in
                Task {
                    let person = try RawConnection(port: listener.port)
                    person.get("/start?record_id=r-1", port: listener.port)
                    page.set(await person.rest())
                    signal.finish()
                }
            }
        }
        for await _ in shown {}
        #expect(page.get().contains("The login failed"))
    }

    @Test("forty connections that say nothing keep nobody out")
    func crowd() async throws {
        let listener = try LoopbackListener.onFreePort()
        let session = try listener.listen()
        let idle = try (0..<40).map { _ in try RawConnection(port: listener.port) }
        let person = try RawConnection(port: listener.port)
        person.get("/favicon.ico", port: listener.port)
        #expect(await person.rest().hasPrefix("HTTP/1.1 404 "))
        session.close()
        for connection in idle { #expect(await connection.rest().isEmpty) }
    }

    @Test("a connection that does not send its request in time is closed")
    func patience() async throws {
        var listener = try LoopbackListener.onFreePort()
        listener.patience = .milliseconds(50)
        let session = try listener.listen()
        let silent = try RawConnection(port: listener.port)
        let slow = try RawConnection(port: listener.port)
        slow.write("GET /start?record_id=r-1 HTTP/1.1\r\nHost: 127")
        #expect(await silent.rest().isEmpty)
        #expect(await slow.rest().isEmpty)
        session.close()
    }

    @Test("a listener that serves a login takes no other, and is free afterwards")
    func oneAtATime() throws {
        let listener = try LoopbackListener.onFreePort()
        let session = try listener.listen()
        #expect(throws: CallbackError.self) { try listener.listen() }
        session.close()
        session.close()
        try listener.listen().close()
    }

    @Test("the port is free once a login is over")
    func portIsFree() async throws {
        let port = try LoopbackListener.onFreePort().port
        for _ in 0..<20 {
            let session = try LoopbackListener(port: port).listen()
            _ = try RawConnection(port: port)
            session.close()
        }
    }

    @Test("no process that is started meanwhile gets a socket of the listener")
    func closedOnExec() async throws {
        let listener = try LoopbackListener.onFreePort()
        let session = try listener.listen()
        let person = try RawConnection(port: listener.port)
        person.get("/start?record_id=r-1", port: listener.port)
        let visit = try #require(try await session.next(.record))
        var flags: [Int32] = []
        for descriptor in Int32(3)..<65_536 {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isOurs = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(descriptor, $0, &length) == 0
                }
            }
            guard isOurs, UInt16(bigEndian: address.sin_port) == listener.port else { continue }
            flags.append(fcntl(descriptor, F_GETFD))
        }
        #expect(flags.count == 2, "one listens, one is the visit's")
        #expect(flags.allSatisfy { $0 & FD_CLOEXEC != 0 })
        visit.finish("Done.")
        session.close()
    }

    /// A server that gives tokens for the record `r-1`.
    private static func tokens() -> AnsweringTransport {
        AnsweringTransport { request, _ in
            let isAccess = request.path?.hasSuffix("access_token") == true
            let body =
                "oauth_token=\(isAccess ? "AccessToken0123456789" : "RequestToken012345678")"
                + "&oauth_token_secret=Secret01234567890123"
                + (isAccess ? "&xoauth_indivo_record_id=r-1" : "")
            return HTTPAnswer(
                response: HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"]),
                body: Data(body.utf8)
            )
        }
    }
}
