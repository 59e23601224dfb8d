import FHIR
import FHIRClient
import FHIRSandbox
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import OrderedJSON
import Synchronization
import Testing

@Suite("Refreshing tokens")
struct RefreshTests {
    /// Takes the newest token alone, and gives numbered ones.
    private func refreshing() -> PlayedAuthorizationServer {
        let server = PlayedAuthorizationServer()
        server.play("/token") { [unowned server] received, number in
            if number > 0, received.form["refresh_token"] != "refresh-\(number - 1)" {
                return .json(["error": "invalid_grant"], status: 400)
            }
            return .json(
                server.tokens([
                    "access_token": JSONValue("access-\(number)"),
                    "refresh_token": JSONValue("refresh-\(number)"),
                ])
            )
        }
        server.play("/r4/Patient/7") { [unowned server] received, _ in
            let newest = "Bearer access-\(server.count("/token") - 1)"
            guard received.authorization == newest, newest != "Bearer access-0" else {
                return .json(["resourceType": "OperationOutcome"], status: 401)
            }
            return .json(["resourceType": "Patient", "id": "7"])
        }
        return server
    }

    @Test("sixteen tasks that meet an expired token make one refresh")
    func once() async throws {
        let server = refreshing()
        let client = try FHIRClient(try await server.launch())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { _ = try await client.read(Patient.self, id: "7") } }
            try await group.waitForAll()
        }
        #expect(server.count("/token") == 2)
    }

    @Test("a token that is over by the clock is refreshed before a request is sent with it")
    func expired() async throws {
        let server = refreshing()
        let seconds = Mutex(1_800_000_000.0)
        var timing = CallTiming.system
        timing.now = { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
        let client = try FHIRClient(
            try await server.launch(try server.server(scopes: [.launchPatient], timing: timing))
        )
        seconds.withLock { $0 += 3_599 }
        _ = try await client.read(Patient.self, id: "7")
        #expect(server.count("/Patient/7") == 1 && server.count("/token") == 2)
    }

    @Test("a refused refresh ends the session, which then asks for nothing but a login")
    func ended() async throws {
        let server = refreshing()
        let launch = try await server.launch()
        server.play("/token") { _, _ in .json(["error": "invalid_grant"], status: 400) }
        let client = try FHIRClient(launch)
        for _ in 0..<3 {
            do {
                _ = try await client.read(Patient.self, id: "7")
                Issue.record("the session goes on")
            } catch let error as FHIRClientError {
                guard case .authorization(let why) = error.reason else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(why.contains("log in again"))
            }
        }
        #expect(server.count("/token") == 2)
    }

    @Test("a refresh for another patient is not taken")
    func otherPatient() async throws {
        let server = refreshing()
        let launch = try await server.launch()
        server.play("/token") { [unowned server] _, _ in .json(server.tokens(["patient": "8"])) }
        let client = try FHIRClient(launch)
        await #expect(throws: FHIRClientError.self) { try await client.read(Patient.self, id: "7") }
    }

    @Test("a refresh token that cannot be kept is not used, and is kept once it can be")
    func fullDisk() async throws {
        struct FullDisk: Error {}
        final class Store: SessionStore {
            let inner = MemorySessionStore<SMARTSession>()
            let isFull = Mutex(false)
            func sessions() async throws -> [SMARTSession] { inner.sessions() }
            func keep(_ session: SMARTSession) async throws {
                if isFull.withLock({ $0 }) { throw FullDisk() }
                inner.keep(session)
            }
            func forget(_ session: SMARTSession) async throws { inner.forget(session) }
        }
        let server = refreshing()
        let store = Store()
        let launch = try await server.launch(try server.server(sessions: store))
        try await launch.keep()
        store.isFull.withLock { $0 = true }
        let client = try FHIRClient(launch)
        await #expect(throws: FHIRClientError.self) { try await client.read(Patient.self, id: "7") }
        store.isFull.withLock { $0 = false }
        #expect(try await client.read(Patient.self, id: "7").id == "7")
        #expect(server.count("/token") == 2)
        // What is kept goes on by itself.
        let kept = try #require(try await server.server(sessions: store).keptLaunches().first)
        #expect(try await FHIRClient(kept).read(Patient.self, id: "7").id == "7")
        #expect(server.count("/token") == 2)
    }

    /// Ends "the process" at a moment of a refresh: the response never arrives.
    private struct DyingTransport: HTTPTransport {
        /// Whether the request still reaches the server.
        let reaches: Bool

        func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
            let transport: some HTTPTransport = .system
            if reaches { _ = try await transport.send(request, body: body) }
            throw CancellationError()
        }
    }

    @Test("a process that ends in the middle of a refresh loses no session", arguments: [false, true])
    func killed(reaches: Bool) async throws {
        let store = MemorySessionStore<SMARTSession>()
        try await SandboxLaunchTests.withSandbox {
            $0.accessTokenLifetime = 0
        } _: { sandbox in
            let launch = try await SandboxLaunchTests.launch(
                try SandboxLaunchTests.server(sandbox, sessions: store)
            )
            try await launch.keep()
            for _ in 0..<3 {
                let good = try SandboxLaunchTests.server(sandbox, sessions: store)
                let dying = try SMARTServer(
                    base: good.base,
                    app: good.app,
                    transport: DyingTransport(reaches: reaches),
                    options: good.options
                )
                let last = try #require(try await dying.keptLaunches().first)
                await #expect(throws: (any Error).self) { try await last.authorization.token() }
                // The next process.
                let next = try #require(try await good.keptLaunches().first)
                #expect(try await next.authorization.token() != nil)
            }
        }
    }

    @Test("a process takes over a newer refresh token, also when its access token expired")
    func sharedLater() async throws {
        let store = MemorySessionStore<SMARTSession>()
        try await SandboxLaunchTests.withSandbox {
            $0.accessTokenLifetime = 0
        } _: { sandbox in
            let server = try SandboxLaunchTests.server(sandbox, sessions: store)
            let first = try await SandboxLaunchTests.launch(server)
            try await first.keep()
            let second = try #require(try await server.keptLaunches().first)
            for _ in 0..<3 {
                // The other one's token is spent by then.
                #expect(try await first.authorization.token() != nil)
                #expect(try await first.authorization.token() != nil)
                #expect(try await second.authorization.token() != nil)
            }
        }
    }

    @Test("two processes that share a session take over what the other refreshed")
    func shared() async throws {
        let server = refreshing()
        let store = MemorySessionStore<SMARTSession>()
        let first = try await server.launch(try server.server(sessions: store))
        try await first.keep()
        let second = try #require(try await server.server(sessions: store).keptLaunches().first)
        #expect(try await FHIRClient(first).read(Patient.self, id: "7").id == "7")
        #expect(try await FHIRClient(second).read(Patient.self, id: "7").id == "7")
        #expect(server.count("/token") == 2)
    }
}
