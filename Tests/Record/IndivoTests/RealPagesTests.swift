import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import Testing

/// Logins as the pages of a real UI server lead them.
@Suite("Logins on a real server's pages")
struct RealPagesTests {
    /// An API that gives tokens, its parameters in this order.
    private func api(_ fields: [String], confirmed: String = "") -> AnsweringTransport {
        AnsweringTransport { request, _ in
            let isAccess = request.path?.hasSuffix("access_token") == true
            let values = [
                "token": "oauth_token=\(isAccess ? "AccessToken0123456789" : "RequestToken012345678")",
                "secret": "oauth_token_secret=Secret01234567890123",
                "record": isAccess ? "xoauth_indivo_record_id=r-1" : "",
            ]
            let body =
                fields.compactMap { values[$0] }.filter { !$0.isEmpty }.joined(separator: "&") + confirmed
            return HTTPAnswer(
                response: HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"]),
                body: Data(body.utf8)
            )
        }
    }

    /// Plays the browser to a listener: goes where it is told, and comes back as the server sends it.
    private func visit(_ url: String) async throws -> HTTPAnswer {
        let parts = url.dropFirst("http://".count)
        let slash = try #require(parts.firstIndex(of: "/"))
        let transport: some HTTPTransport = .system
        return try await transport.send(
            HTTPRequest(
                method: .get,
                scheme: "http",
                authority: String(parts[..<slash]),
                path: String(parts[slash...])
            )
        )
    }

    @Test(
        "unescaped headers in URLs, tokens in any order and appended callbacks are read",
        arguments: [
            ["token", "secret", "record"], ["secret", "token", "record"], ["record", "secret", "token"],
        ]
    )
    func login(fields: [String]) async throws {
        let transport = api(fields)
        let listener = try LoopbackListener.onFreePort()
        let header =
            """
            OAuth%20realm=%22%22,%20oauth_nonce=%22n%22,%20smart_app_id=%22probe%40apps.indivo.org%22,\
            %20smart_oauth_token=%22t%22
            """
        let start = "\(listener.startURL)?record_id=r-1&carenet_id=&oauth_header=\(header)"
        let opened = Shared<URL?>(nil)
        let server = transport.server(options: IndivoServer.Options())
        let record = try await server.selectRecord(callback: listener) { url in
            opened.set(url)
            Task {
                // Noise that browsers make comes first.
                _ = try await visit(
                    "\(listener.startURL.absoluteString.replacing("/start", with: "/favicon.ico"))"
                )
                let sentOn = try await visit(start)
                #expect(sentOn.response.status.code == 302)
                let authorize = try #require(sentOn.response.headerFields[.location])
                #expect(
                    authorize
                        == "https://indivo.example.org/oauth/authorize?oauth_token=RequestToken012345678"
                )
                let signed = try #require(
                    transport.requests.first { $0.method == .post }?.headerFields[.authorization]
                )
                let callback = try #require(ServerRule.parameter("oauth_callback", of: signed))
                let last = try await visit("\(callback)?oauth_token=RequestToken012345678&oauth_verifier=V")
                #expect(String(decoding: last.body, as: UTF8.self).contains("You are logged in"))
            }
        }
        #expect(opened.get()?.absoluteString == "https://indivo.example.org/apps/meds@apps.example.org")
        #expect(record.id == "r-1" && record.token.value == "AccessToken0123456789")
        #expect(
            transport.requests.map(\.path) == [
                "/apps/meds@apps.example.org", "/oauth/request_token", "/oauth/access_token",
            ]
        )
        #expect(transport.requests.map(\.method) == [.get, .post, .post])
    }

    @Test(
        "a callback with a query gets the server's second question mark and is understood"
    )
    func secondQuestionMark() async throws {
        let receiver = TwoVisits(
            callback: "myapp:///back?mine=1",
            visits: [
                "myapp:///start?record_id=r-1&carenet_id=",
                "myapp:///back?mine=1?oauth_token=RequestToken012345678&oauth_verifier=V",
            ]
        )
        let record = try await api(["token", "secret", "record"]).server().selectRecord(callback: receiver) {
            _ in
        }
        #expect(record.id == "r-1")
    }

    @Test(
        "strange requests do no harm to the listener, which serves the genuine one next",
        arguments: [
            "/start?%zz=%", "/start?record_id=%FF%FE", "/start?record_id={}|\\^`[]\"<>", "/callback/%00",
            "/start/../start", "/",
        ]
    )
    func strangeRequests(path: String) async throws {
        let listener = try LoopbackListener.onFreePort()
        let session = try listener.listen()
        defer { session.close() }
        let base = listener.startURL.absoluteString.replacing("/start", with: "")
        let browser = Task {
            _ = try await visit(base + path)
            return try await visit("\(listener.startURL)?record_id=genuine")
        }
        while let visit = try await session.next(.record) {
            visit.finish("Done.")
            if visit.url.query() == "record_id=genuine" { break }
        }
        #expect(String(decoding: try await browser.value.body, as: UTF8.self).contains("Done."))
    }

    @Test("a token answer for another record, without a secret or token, is refused")
    func otherTokens() async throws {
        for (fields, isLoginError) in [
            (["token", "secret"], true), (["token", "record"], false), ([], false),
        ] {
            let receiver = TwoVisits(
                callback: "myapp:///back",
                visits: [
                    "myapp:///start?record_id=r-1",
                    "myapp:///back?oauth_token=RequestToken012345678&oauth_verifier=V",
                ]
            )
            let error = try await #require(throws: IndivoError.self) {
                try await api(fields).server().selectRecord(callback: receiver) { _ in }
            }
            if isLoginError {
                #expect(error.reason == .login(.tokenForAnotherRecord))
            } else {
                guard case .malformedResponse = error.reason else { throw error }
            }
        }
    }
}

/// Comes back with URLs that were fixed before.
private struct TwoVisits: CallbackReceiver {
    let callback: String
    let visits: [String]

    func listen() throws -> CallbackSession {
        let (stream, continuation) = AsyncStream.makeStream(of: CallbackSession.Arrival.self)
        for visit in visits {
            continuation.yield(CallbackSession.Arrival(url: try #require(URL(string: visit))))
        }
        return CallbackSession(
            callback: try #require(URL(string: callback)),
            arrivals: stream,
            close: { continuation.finish() }
        )
    }
}
