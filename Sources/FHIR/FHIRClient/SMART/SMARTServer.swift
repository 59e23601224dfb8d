#if SMART
import Foundation
import HTTPCalls

/// A FHIR server whose data an app gets by SMART App Launch.
///
/// ```swift
/// let server = try SMARTServer(base: URL(string: "https://fhir.example.org/r4")!, app: app)
/// let launch = try await server.launch { url in await openURL(url) }
/// try await launch.keep()         // the next time: try await server.keptLaunches().last
///
/// let client = try FHIRClient(launch)
/// for try await weight in client.search(Observation.self, [.parameter("code", .token("29463-7"))]) {
///     print(weight)
/// }
/// ```
/// A login uses the authorization code with PKCE by S256, a `state` of its own, and the redirect URI exactly
/// as it is registered; a server that offers less is refused. Codes and tokens go to the server's own
/// endpoints alone, and into no log.
public struct SMARTServer: Sendable {
    /// The base URL of the FHIR server.
    public let base: URL
    /// The app, as it is registered there.
    public let app: SMARTApp
    /// How requests behave, and where sessions are kept.
    public let options: Options

    let transport: any HTTPTransport
    let engine: CallEngine
    /// Host and port of the base.
    let authority: String

    /// - Parameters:
    ///   - base: The base URL of the FHIR server, with `https`. Plain HTTP is for this machine only, and for
    ///     the hosts that `options` name.
    ///   - app: The app, as it is registered there.
    ///   - transport: What carries requests.
    ///   - options: How requests behave, and where sessions are kept.
    /// - Throws: ``SMARTError`` for an address that cannot be used.
    public init(
        base: URL,
        app: SMARTApp,
        transport: any HTTPTransport = .system,
        options: Options = Options()
    ) throws(SMARTError) {
        do {
            authority = try ServerAddress(base, plainHTTPHosts: options.plainHTTPHosts).authority
        } catch {
            throw SMARTError(.badArgument(error.description), .discovery, server: base.host() ?? "")
        }
        self.base = base
        self.app = app
        self.options = options
        self.transport = transport
        engine = CallEngine(transport: transport, retry: options.retry, timing: options.timing)
    }

    /// How requests behave, and where sessions are kept.
    public struct Options: Sendable {
        /// How requests are retried that are safe to repeat.
        public var retry: RetryPolicy
        /// The hosts to which HTTP without TLS is allowed, besides this machine.
        public var plainHTTPHosts: Set<String>
        /// Where ``SMARTLaunch/keep()`` keeps sessions.
        public var sessions: any SessionStore<SMARTSession>
        /// The clocks; a test brings its own.
        public var timing: CallTiming

        /// Four attempts within a minute, TLS everywhere but on this machine, sessions in a private file,
        /// unless said otherwise.
        public init(
            retry: RetryPolicy = RetryPolicy(),
            plainHTTPHosts: Set<String> = [],
            sessions: any SessionStore<SMARTSession> = .standard,
            timing: CallTiming = .system
        ) {
            self.retry = retry
            self.plainHTTPHosts = plainHTTPHosts
            self.sessions = sessions
            self.timing = timing
        }
    }
}
#endif
