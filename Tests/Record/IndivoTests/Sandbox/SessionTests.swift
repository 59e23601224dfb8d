import Foundation
import Indivo
import IndivoSandbox
import IndivoTesting
import Testing

@Suite("Sessions and logging out")
struct SessionTests {
    @Test("a kept session opens the record again; after logging out nothing is sent or kept")
    func keepAndLogOut() async throws {
        try await SandboxServer.run { place in
            let store = MemorySessionStore<IndivoSession>()
            func server(_ transport: any HTTPTransport = .system) -> IndivoServer {
                var options = IndivoServer.Options()
                options.sessions = store
                return SandboxServer.server(of: place.sandbox, transport: transport, options: options)
            }
            #expect(try await server().keptRecords().isEmpty)
            let record = server().record(id: place.record.id, token: place.record.token)
            try await record.keepSession(label: "mine")

            let counting = FaultyTransport(.system, faults: [])
            let again = try #require(try await server(counting).keptRecords().first)
            #expect(try await again.information().id == place.record.id)
            #expect(try await again.server.keptSessions().map(\.label) == ["mine"])
            let requests = counting.requestCount

            try await again.logOut()
            let error = try await #require(throws: IndivoError.self) { try await again.information() }
            #expect(error.reason == .login(.loggedOut))
            #expect(counting.requestCount == requests)
            #expect(try await server().keptRecords().isEmpty)
        }
    }

    @Test("a store that fails is an error of the client, without the store's own words")
    func failingStore() async throws {
        struct FailingStore: SessionStore {
            struct Failure: Error { let secret = "planted" }
            func sessions() throws -> [IndivoSession] { throw Failure() }
            func keep(_ session: IndivoSession) throws { throw Failure() }
            func forget(_ session: IndivoSession) throws { throw Failure() }
        }
        let url = try #require(URL(string: "https://one.example.org"))
        let app = AppCredentials(id: "a@apps.example.org", consumerKey: "a", consumerSecret: "s")
        var options = IndivoServer.Options()
        options.sessions = FailingStore()
        let server = IndivoServer(api: url, ui: url, app: app, options: options)
        let record = server.record(id: "r", token: OAuthToken(value: "t", secret: "s"))
        let failures = [
            await #expect(throws: IndivoError.self) { try await server.keptRecords() },
            await #expect(throws: IndivoError.self) { try await record.keepSession() },
            await #expect(throws: IndivoError.self) { try await record.logOut() },
        ]
        for failure in failures {
            guard case .login(.sessionNotKept(let why))? = failure?.reason else {
                Issue.record("\(String(describing: failure))")
                continue
            }
            #expect(!why.contains("planted"))
        }
    }

    @Test("sessions of several servers, records and apps are kept side by side")
    func several() async throws {
        let store = MemorySessionStore<IndivoSession>()
        var options = IndivoServer.Options()
        options.sessions = store
        var servers: [IndivoServer] = []
        for api in ["https://one.example.org:8000", "https://two.example.org"] {
            for app in ["a@apps.example.org", "b@apps.example.org"] {
                let url = try #require(URL(string: api))
                servers.append(
                    IndivoServer(
                        api: url,
                        ui: url,
                        app: AppCredentials(id: app, consumerKey: app, consumerSecret: "s"),
                        options: options
                    )
                )
            }
        }
        for server in servers {
            for record in ["r-1", "r-2"] {
                let token = OAuthToken(value: "\(server.api) \(server.app.id) \(record)", secret: "s")
                try await server.record(id: record, token: token).keepSession()
            }
        }
        #expect(store.sessions().count == 8)
        for server in servers {
            let records = try await server.keptRecords()
            #expect(records.map(\.id) == ["r-1", "r-2"])
            #expect(records.allSatisfy { $0.token.value == "\(server.api) \(server.app.id) \($0.id)" })
        }
        let spelledOtherwise = try #require(URL(string: "HTTPS://Two.example.org:443/"))
        let same = IndivoServer(
            api: spelledOtherwise,
            ui: spelledOtherwise,
            app: servers[2].app,
            options: options
        )
        #expect(try await same.keptRecords().count == 2)
        try await same.keptRecords()[0].logOut()
        #expect(try await servers[2].keptRecords().map(\.id) == ["r-2"])
        #expect(store.sessions().count == 7)
    }

    @Test("a device whose clock is an hour slow gets through, as the server tells its time")
    func slowDevice() async throws {
        try await SandboxServer.run { place in
            var options = IndivoServer.Options()
            options.timing.now = { Date(timeIntervalSinceNow: -3600) }
            let counting = FaultyTransport(.system, faults: [])
            let slow = SandboxServer.server(of: place.sandbox, transport: counting, options: options)
                .record(id: place.record.id, token: place.record.token)
            let first = try await slow.information().id
            #expect(first == place.record.id && counting.requestCount == 2)
            let second = try await slow.information().id
            #expect(second == place.record.id && counting.requestCount == 3)
        }
    }

    @Test("two records of two servers are open at once, each with its own token")
    func atOnce() async throws {
        try await SandboxServer.run { one in
            try await SandboxServer.run { two in
                async let first = one.record.information().id
                async let second = two.record.information().id
                let found = try await (first, second)
                #expect(found == (one.record.id, two.record.id))
                #expect(one.record.token != two.record.token)
            }
        }
    }

    @Test("a person without a reachable browser pastes the address, and then the code")
    @MainActor
    func outOfBand() async throws {
        var configuration = SandboxConfiguration()
        configuration.logger.logLevel = .error
        var app = SandboxApp.demo
        app.startURL = "oob-test:///start?record_id={record_id}&carenet_id={carenet_id}"
        app.callbackURL = ""
        configuration.apps = [app]
        let sandbox = try await Sandbox.start(configuration)
        let server = SandboxServer.server(of: sandbox)
        let landed = Box<URL>()
        let code = Box<String>()
        let receiver = OutOfBandReceiver { step in
            step == .record ? landed.value?.absoluteString : code.value.map { " \($0)\n" }
        }
        let browser = HeadlessBrowser(handOver: { landed.value = $0 })
        func browse(_ url: URL) async throws {
            if url.path.contains("/apps/") {
                try await browser.logIn(at: url, userName: "demo", password: "demo")
            } else {
                let page = try await browser.open(url)
                code.value = page.root.first("code", of: "verifier")?.text()
            }
        }
        let record = try await server.selectRecord(callback: receiver) { try await browse($0) }
        #expect(try await record.information().id == record.id)

        // The record is known now: only the code is asked for, and the bare one will do.
        code.value = nil
        let again = try await server.authorize(
            record: record.id,
            callback: OutOfBandReceiver { step in
                #expect(step == .authorization)
                return code.value
            }
        ) { try await browse($0) }
        #expect(again.id == record.id && again.token != record.token)
        await sandbox.stop()
    }
}

extension XMLNode {
    /// The first element of a name and a class below the node.
    fileprivate func first(_ element: String, of type: String) -> XMLNode? {
        for child in children() {
            if child.name == element, child.attr("class") == type { return child }
            if let found = child.first(element, of: type) { return found }
        }
        return nil
    }
}
