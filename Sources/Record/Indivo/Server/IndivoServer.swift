import Foundation
import HTTPTypes
import Logging
import OAuth1
import Synchronization

/// An Indivo X server, and the app that talks to it.
///
/// ```swift
/// let server = IndivoServer(
///     api: URL(string: "https://indivo.example.org:8000")!,
///     ui: URL(string: "https://indivo.example.org")!,
///     app: AppCredentials(id: "meds@apps.example.org", consumerKey: "…", consumerSecret: "…"))
/// let record = try await server.selectRecord { loginURL in open(loginURL) }
/// ```
public final class IndivoServer: Sendable {
    /// The address of the REST API.
    public let api: URL
    /// The address of the pages people see: login, record choice, authorisation.
    public let ui: URL
    public let app: AppCredentials
    /// How calls behave: which are retried, how many go out at a time.
    public let options: Options

    let calls: CallClient
    let logger: Logger
    /// The nonces of launches that were taken.
    let launchNonces: OAuthNonceMemory
    /// The request tokens whose callbacks were used: the newest few hundred.
    let usedCallbacks = Mutex<[String]>([])

    /// - Parameters:
    ///   - api: The REST API: scheme, host, port; mostly not `ui`, the UI server. Plain HTTP is for this
    ///     machine only, and for the hosts that `options` name.
    ///   - transport: What carries requests; the system's own unless a test or an app brings another.
    ///   - logger: Gets the name and status of each call, never a secret or anything about the patient.
    public init(
        api: URL,
        ui: URL,
        app: AppCredentials,
        transport: any HTTPTransport = .system,
        logger: Logger = Logger(label: "indivo"),
        options: Options = Options()
    ) {
        self.api = api
        self.ui = ui
        self.app = app
        self.logger = logger
        self.options = options
        launchNonces = OAuthNonceMemory(clock: { [now = options.timing.now] in
            Int(now().timeIntervalSince1970)
        })
        calls = CallClient(base: api, transport: transport, logger: logger, options: options)
    }

    /// How calls to a server behave.
    public struct Options: Sendable {
        /// How calls that are safe to retry are retried.
        public var retry: RetryPolicy
        /// How many requests may be under way at a time; further calls wait for their turn.
        public var maximumConcurrentCalls: Int
        /// The hosts to which HTTP without TLS is allowed, besides this machine. Anyone on the network can
        /// read what is sent to them.
        public var plainHTTPHosts: Set<String>
        /// How much memory reading one response may take, in bytes: for the response itself and for what is
        /// read from it, estimated at about a kilobyte for each element. A larger response is refused
        /// (``IndivoError/Reason/responseTooLarge``).
        public var maximumReadingBytes: Int
        /// Where sessions are kept by ``IndivoRecord/keepSession(label:)``.
        public var sessions: any SessionStore<IndivoSession>
        /// The clocks; a test brings its own.
        public var timing: CallTiming

        /// Four attempts within a minute, eight requests at a time, TLS everywhere but on this machine, 128
        /// MB to read a response, sessions in `FileSessionStore.standard`, unless said otherwise.
        public init(
            retry: RetryPolicy = RetryPolicy(),
            maximumConcurrentCalls: Int = 8,
            plainHTTPHosts: Set<String> = [],
            maximumReadingBytes: Int = 128_000_000,
            sessions: any SessionStore<IndivoSession> = .standard,
            timing: CallTiming = .system
        ) {
            self.retry = retry
            self.maximumConcurrentCalls = maximumConcurrentCalls
            self.plainHTTPHosts = plainHTTPHosts
            self.maximumReadingBytes = maximumReadingBytes
            self.sessions = sessions
            self.timing = timing
        }
    }

    /// The version the server says it has, such as `2.0.0` (`get_version`).
    public func version() async throws -> String {
        let response = try await asAnyone.sendUntilWhole(.getVersion)
        // A UI server or a proxy may have a page for every path.
        guard response.body.count <= 100, !response.body.contains(UInt8(ascii: "<")) else {
            throw response.malformed("it should be a version")
        }
        return response.content.text
    }

    /// A record for which the app already has a token, as one kept from an earlier login.
    public func record(id: String, token: OAuthToken) -> IndivoRecord {
        IndivoRecord(server: self, id: id, token: token)
    }

    /// A carenet for which the app already has a token.
    public func carenet(id: String, token: OAuthToken) -> IndivoCarenet {
        IndivoCarenet(server: self, id: id, token: token, record: nil)
    }

    var twoLegged: OAuthCredentials { OAuthCredentials(consumer: app.consumer) }

    /// The page that a login begins with.
    var appPage: URL { ui.appending(path: "apps").appending(path: app.id, directoryHint: .notDirectory) }

    /// Requests the page that a login begins with. The API server also responds at its path: a browser would
    /// show that response, and the login would wait forever. A failed request proves nothing, since the
    /// browser may use a proxy.
    func checkPages(areThere: Bool = false) async throws {
        // A password is typed into the pages: they need TLS as the API does.
        let address: ServerAddress
        do { address = try ServerAddress(ui, plainHTTPHosts: options.plainHTTPHosts) } catch {
            throw IndivoError(.badCallback("the UI server's address cannot be used: \(error)"))
        }
        let request = HTTPRequest(
            method: .get,
            scheme: address.scheme,
            authority: address.authority,
            path: appPage.path(percentEncoded: true)
        )
        let limit = min(Duration.seconds(5), options.retry.deadline)
        let answer: HTTPAnswer
        do {
            answer = try await HTTPLimits.$remaining.withValue(limit) {
                try await calls.engine.transport.send(request)
            }
        } catch {
            try Task.checkCancellation()
            let failure = IndivoError(thrown: error, by: .loginPage, server: address.authority)
            guard areThere, failure.reason == .notReachable else { return }
            throw failure
        }
        try Task.checkCancellation()
        guard RespondingServer(answer) == .api else { return }
        throw IndivoError(
            .badCallback(
                """
                the API server responds at the UI server's address, \(address.authority), so that nobody \
                can log in there. The UI server has an address of its own, mostly another port: \
                give that as the address of the pages
                """
            )
        )
    }

    /// Sends a harmless request to both servers, so that no login waits for a browser that finds no server.
    ///
    /// - Parameter withPages: Whether a browser on this machine has to reach the UI server.
    /// - Throws: ``IndivoError`` where nobody listens, or the addresses are wrong.
    package func checkIsThere(withPages: Bool) async throws {
        let limit = min(Duration.seconds(5), options.retry.deadline)
        do {
            _ = try await HTTPLimits.$remaining.withValue(limit) {
                try await calls.attempt(CallClient.OutgoingCall(call: .getVersion))
            }
        } catch let error as IndivoError where error.reason == .notReachable {
            throw error
        } catch {}
        if withPages { try await checkPages(areThere: true) }
    }
}

/// The identity of an app on an Indivo server, as its administrator registered it.
public struct AppCredentials: Sendable, Hashable {
    /// The app's id, shaped like an e-mail address: `meds@apps.example.org`.
    public let id: String
    let consumer: OAuthConsumer

    /// An app's id, and its OAuth consumer key and secret. Anything shipped in an app can be read out of it.
    public init(id: String, consumerKey: String, consumerSecret: Secret) {
        self.id = id
        consumer = OAuthConsumer(key: consumerKey, secret: consumerSecret)
    }

    /// The OAuth consumer key.
    public var consumerKey: String { consumer.key }
}

/// Which of Indivo's two servers sent a response, as far as the response shows it.
enum RespondingServer {
    /// The REST API.
    case api
    /// The UI server, or a proxy: a page for people, or the way to one.
    case pages

    /// - Returns: `nil` where the response could be either's.
    init?(_ answer: HTTPAnswer) {
        let type = answer.response.headerFields[.contentType]?.lowercased() ?? ""
        let beginning = String(decoding: answer.body.prefix(1024), as: UTF8.self).lowercased()
        let location =
            answer.response.headerFields[.location].flatMap { URL(string: $0)?.filePath }
            ?? ""
        switch answer.status {
        case 404
        where beginning.contains("<h4>we're sorry. you have reached a page that has been disconnected"):
            self = .api
        case 200 where type.hasPrefix("application/json"): self = .api
        case 300..<400 where (location + "/").hasPrefix("/login/"): self = .pages
        case _ where beginning.contains("<!doctype html") || beginning.contains("<html"): self = .pages
        default: return nil
        }
    }
}

extension IndivoCall {
    /// The page of the UI server that a login begins with. It is not a call of the API.
    fileprivate static let loginPage = Self("login", .get, "/apps/{app}", .text, "")
}
