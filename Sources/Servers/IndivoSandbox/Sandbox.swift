import Foundation

/// An Indivo X 2.0 server inside the process, for development and tests.
///
/// ```swift
/// let sandbox = try await Sandbox.start()
/// defer { … }
/// let server = IndivoServer(api: sandbox.apiURL, ui: sandbox.uiURL, app: …)
/// …
/// await sandbox.stop()
/// ```
/// It responds as the real server does, its refusals included, and verifies every signature, nonce and
/// timestamp. It listens on the loopback interface unless set otherwise.
///
/// Strangers are bounded: a request's head has at most 64 kB and arrives within ten seconds, and of more than
/// 256 connections the one that has waited longest for its client is closed.
///
/// What the sandbox remembers of requests by itself is bounded: the last 100 for the developer's home, the
/// last 20,000 in the audit, and nonces for five minutes.
public final class Sandbox: Sendable {
    /// The account of the demo data.
    public static let demoAccount = "demo@example.org"

    /// The API's base URL: `http://127.0.0.1:NNNN`.
    public let apiURL: URL

    /// The base URL of the pages for people: login, record choice, authorisation.
    public let uiURL: URL

    let context: ServerContext
    private let api: HTTPListener
    private let ui: HTTPListener
    private let watch: Task<Void, Never>?

    private init(_ context: ServerContext, api: HTTPListener, ui: HTTPListener) {
        self.context = context
        self.api = api
        self.ui = ui
        apiURL = api.url
        uiURL = ui.url
        watch = context.configuration.modelFolder.map { url in
            Task { await context.watchModels(in: ModelFolder(url: url)) }
        }
    }

    /// Starts a sandbox and returns once it listens.
    ///
    /// - Throws: ``SandboxError`` for an address or a port that cannot be listened on; SQLite's error for a
    ///   database that cannot be opened.
    public static func start(_ configuration: SandboxConfiguration = SandboxConfiguration()) async throws
        -> Sandbox
    {
        let context = try ServerContext(configuration)
        try await context.restoreNonces()
        let apiServer = APIServer(context)
        let api = try await HTTPListener(
            port: configuration.apiPort,
            bodyLimit: configuration.bodyLimit,
            of: configuration,
            handler: apiServer.answer
        )
        let ui: HTTPListener
        do {
            let pages = PageServer(context)
            ui = try await HTTPListener(
                port: configuration.uiPort,
                bodyLimit: 64 << 10,
                of: configuration,
                handler: pages.answer
            )
        } catch {
            await api.stop()
            throw error
        }
        context.setAddresses(api: api.url.absoluteString, ui: ui.url.absoluteString)
        let sandbox = Sandbox(context, api: api, ui: ui)
        do {
            // The demo data first: a configured app may be the demo app with another start URL.
            if configuration.demoData { try await sandbox.addDemoData() }
            for app in configuration.apps { try await sandbox.addApp(app) }
            for app in configuration.machineApps { try await sandbox.addMachineApp(app) }
        } catch {
            await sandbox.stop()
            throw error
        }
        context.logger.debug("the sandbox serves the API at \(api.url) and the pages at \(ui.url)")
        return sandbox
    }

    /// Stops listening, closes every connection and stores what is left to store.
    public func stop() async {
        watch?.cancel()
        async let apiStopped: Void = api.stop()
        async let uiStopped: Void = ui.stop()
        _ = await (apiStopped, uiStopped)
        do {
            try await context.storePending()
            try context.database.close()
        } catch {
            context.logger.error("the database did not close cleanly: \(error)")
        }
    }

    /// The demo account (user name and password `demo`), the demo app, an admin app, and sample records of
    /// invented people, for a database that has none of them.
    private func addDemoData() async throws {
        try await addApp(.demo)
        try await addMachineApp(.demoAdmin)
        guard try await context.database.read({ try AccountRow.find(Sandbox.demoAccount, in: $0) }) == nil
        else { return }
        try await addAccount(
            id: Sandbox.demoAccount,
            fullName: "Dana Demo",
            username: "demo",
            password: "demo"
        )
        for person in SamplePeople.all {
            let record = try await addRecord(
                owner: Sandbox.demoAccount,
                demographics: Data(person.demographics.description.utf8)
            )
            for fact in person.facts { try await addDocument(Data(fact.document.utf8), toRecord: record) }
        }
    }
}
