import Foundation
import Indivo
import IndivoSandbox
import IndivoTesting
import Testing

@Suite("Logins that fail")
struct LoginFailureTests {
    /// What a login fails with, when the browser comes back with what `answer` makes of the genuine callback.
    private func reason(
        _ answer: @escaping @Sendable (_ genuine: URL) -> URL?
    ) async throws -> IndivoError.Reason? {
        let listener = try LoopbackListener.onFreePort()
        let sandbox = try await SandboxServer.start(for: listener)
        var reason: IndivoError.Reason?
        do {
            _ = try await SandboxServer.logIn(
                to: SandboxServer.server(of: sandbox),
                listener: TamperingReceiver(inner: listener, answer: answer)
            )
        } catch let error as IndivoError {
            #expect(error.isSafeToRetry)
            reason = error.reason
        }
        await sandbox.stop()
        return reason
    }

    @Test("the genuine callback does it")
    func genuine() async throws {
        #expect(try await reason { $0 } == nil)
    }

    @Test("a callback under another path than this login's is a wrong state")
    func wrongState() async throws {
        let found = try await reason {
            URL(string: $0.absoluteString.replacing("/callback/", with: "/callback/0"))
        }
        #expect(found == .login(.wrongState))
    }

    @Test("callbacks for another token, without one and without a verifier are told apart")
    func otherCallbacks() async throws {
        let other = try await reason {
            URL(string: $0.absoluteString.replacing("oauth_token=", with: "oauth_token=x"))
        }
        #expect(other == .login(.callbackForAnotherToken))
        let none = try await reason { URL(string: $0.absoluteString.replacing("oauth_token=", with: "t=")) }
        #expect(none == .login(.callbackForAnotherToken))
        let unverified = try await reason {
            URL(string: $0.absoluteString.replacing("oauth_verifier=", with: "v="))
        }
        #expect(unverified == .login(.noVerifier))
    }

    @Test("a wrong verifier is refused by the server, and so the error says first")
    func wrongVerifier() async throws {
        let found = try await reason {
            URL(string: $0.absoluteString.replacing("oauth_verifier=", with: "oauth_verifier=x"))
        }
        guard case .refused(let causes) = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(causes.first == .notAuthorized)
    }

    @Test("a callback that was used already is a replay, in its own login and in another")
    func replayed() async throws {
        let listener = try LoopbackListener.onFreePort()
        let sandbox = try await SandboxServer.start(for: listener)
        let server = SandboxServer.server(of: sandbox)
        let seen = Box<URL>()
        _ = try await SandboxServer.logIn(
            to: server,
            listener: TamperingReceiver(inner: listener) {
                seen.value = $0
                return $0
            }
        )
        let error = try await #require(throws: IndivoError.self) {
            try await SandboxServer.logIn(
                to: server,
                listener: TamperingReceiver(inner: listener) { _ in seen.value }
            )
        }
        #expect(error.reason == .login(.callbackReplayed))
        await sandbox.stop()
    }

    @Test(
        "no record, and a carenet in its place, are told apart",
        arguments: [
            ("x:///?record_id=&carenet_id=", IndivoError.LoginError.noRecordChosen),
            ("x:///", .noRecordChosen),
            ("x:///?record_id=&carenet_id=c", .carenetChosen),
        ]
    )
    func noRecord(url: String, expected: IndivoError.LoginError) async throws {
        let error = try await #require(throws: IndivoError.self) {
            try await Self.nobody.selectRecord(callback: ScriptedReceiver(urls: [url])) { _ in }
        }
        #expect(error.reason == .login(expected))
    }

    @Test("a login whose person gives up, or whose receiver begins another, is cancelled")
    func givenUp() async throws {
        let gaveUp = try await #require(throws: IndivoError.self) {
            try await Self.nobody.selectRecord(callback: OutOfBandReceiver { _ in nil }) { _ in }
        }
        #expect(gaveUp.reason == .login(.cancelled))

        let receiver = URLSchemeReceiver(scheme: "indivo-test")
        let (opened, signal) = AsyncStream.makeStream(of: Void.self)
        let login = Task { try await Self.nobody.selectRecord(callback: receiver) { _ in signal.yield() } }
        for await _ in opened { break }
        receiver.cancel()
        let closed = try await #require(throws: IndivoError.self) { try await login.value }
        #expect(closed.reason == .login(.cancelled))
    }

    @Test("cancelling the task ends a login that waits for the browser, with the same error")
    func cancelled() async throws {
        let (opened, signal) = AsyncStream.makeStream(of: Void.self)
        let listener = try LoopbackListener.onFreePort()
        let login = Task { try await Self.nobody.selectRecord(callback: listener) { _ in signal.yield() } }
        for await _ in opened { break }
        login.cancel()
        let error = try await #require(throws: IndivoError.self) { try await login.value }
        #expect(error.reason == .login(.cancelled))
    }

    @Test("what opening the browser throws comes through")
    func cannotOpen() async throws {
        struct NoBrowser: Error {}
        await #expect(throws: NoBrowser.self) {
            try await Self.nobody.selectRecord(callback: LoopbackListener.onFreePort()) { _ in
                throw NoBrowser()
            }
        }
    }

    @Test("pages without TLS on another machine are not opened")
    func plainPages() async throws {
        let server = IndivoServer(
            api: URL(string: "https://indivo.example.org:8000")!,
            ui: URL(string: "http://indivo.example.org")!,
            app: AppCredentials(id: "a", consumerKey: "a", consumerSecret: "a")
        )
        let error = try await #require(throws: IndivoError.self) {
            try await server.selectRecord(callback: ScriptedReceiver(urls: [])) { _ in Issue.record("opened")
            }
        }
        guard case .login(.badCallback(let why)) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(why.contains("plainHTTPHosts"))
    }

    /// A server that nobody reaches.
    private static let nobody = IndivoServer(
        api: URL(string: "http://127.0.0.1:1")!,
        ui: URL(string: "http://127.0.0.1:1")!,
        app: AppCredentials(id: "a", consumerKey: "a", consumerSecret: "a")
    )
}

/// Comes back with URLs that were fixed before.
private struct ScriptedReceiver: CallbackReceiver {
    var urls: [String] = []

    func listen() throws -> CallbackSession {
        let (arrivals, continuation) = AsyncStream.makeStream(of: CallbackSession.Arrival.self)
        for url in urls { continuation.yield(CallbackSession.Arrival(url: URL(string: url)!)) }
        return CallbackSession(
            callback: URL(string: "x:///callback")!,
            arrivals: arrivals,
            close: { continuation.finish() }
        )
    }
}

/// Hands on what another receiver gets, but for the callback of the authorisation, in whose place another may
/// come.
private struct TamperingReceiver: CallbackReceiver {
    let inner: LoopbackListener
    let answer: @Sendable (URL) -> URL?

    func listen() throws -> CallbackSession {
        let session = try inner.listen()
        let answer = answer
        return CallbackSession(
            callback: session.callback,
            next: { step in
                guard let visit = try await session.next(step) else { return nil }
                guard step == .authorization else { return visit }
                guard let url = answer(visit.url) else { return nil }
                return CallbackSession.Arrival(url: url, redirect: visit.redirect, finish: visit.finish)
            },
            close: session.close
        )
    }
}
