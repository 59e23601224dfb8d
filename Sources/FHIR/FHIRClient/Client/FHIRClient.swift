import FHIR
import Foundation
import HTTPCalls
import Logging
import OrderedJSON

/// A FHIR R4 server.
///
/// ```swift
/// let client = try FHIRClient(
///     base: URL(string: "https://fhir.example.org/r4")!, authorization: .bearer(token))
///
/// for try await weight in client.search(Observation.self, [
///     .parameter("patient", .reference("Patient/7")),
///     .parameter("code", .token(system: .loinc, "29463-7")),
///     .parameter("date", .date(.atLeast, "2026-01-01")),
/// ]) {
///     print(weight.value?.quantity?.value ?? "?")
/// }
///
/// let stored = try await client.create(
///     observation,
///     ifNoneExist: [.parameter("identifier", .token(system: system, id))]
/// )
/// ```
///
/// Requests that are safe to repeat are retried (`RetryPolicy`): reads, requests that have the same effect
/// when sent twice, and creates with a condition that finds the resource that an earlier attempt created. All
/// failures are ``FHIRClientError``.
///
/// ## Topics
///
/// ### Making a client
///
/// - ``init(base:authorization:transport:logger:options:)``
/// - ``Options``
/// - ``base``
/// - ``options``
///
/// ### Searching
///
/// - ``search(_:by:)``
/// - ``count(_:_:)``
/// - ``everything(aboutPatient:count:)``
///
/// ### Reading
///
/// - ``read(_:)``
/// - ``read(_:id:ifNot:)``
/// - ``capabilities()``
///
/// ### Writing
///
/// - ``create(_:ifNoneExist:returning:)``
/// - ``update(_:ifMatch:returning:)``
/// - ``update(_:where:returning:)``
/// - ``patch(_:id:_:ifMatch:returning:)``
/// - ``delete(_:where:)``
///
/// ### Several interactions at once
///
/// - ``transaction(_:)``
/// - ``batch(_:)``
///
/// ### Operations
///
/// - ``operation(_:on:_:changesState:)``
/// - ``operation(_:on:query:)``
/// - ``validate(_:profile:)``
public final class FHIRClient: Sendable {
    /// The address under which the server has `metadata`, `Patient` and so on.
    public let base: URL
    /// How requests behave.
    public let options: Options

    let address: ServiceAddress
    /// Where its tokens come from.
    package let authorization: any FHIRAuthorization
    let logger: Logger
    let engine: CallEngine

    /// - Parameters:
    ///   - base: The service's base URL, with `https`. Plain HTTP is for this machine only, and for the hosts
    ///     that `options` name.
    ///   - authorization: What is sent as credentials; to this server only.
    ///   - transport: What carries requests.
    ///   - logger: Gets interaction, type and status, never an id, a value or a token.
    ///   - options: How requests behave.
    /// - Throws: ``FHIRClientError`` for an address that cannot be used.
    public init(
        base: URL,
        authorization: any FHIRAuthorization = .anonymous,
        transport: any HTTPTransport = .system,
        logger: Logger = Logger(label: "fhir"),
        options: Options = Options()
    ) throws(FHIRClientError) {
        self.base = base
        self.options = options
        self.authorization = authorization
        self.logger = logger
        engine = CallEngine(
            transport: transport,
            retry: options.retry,
            timing: options.timing,
            maximumConcurrentCalls: options.maximumConcurrentRequests
        )
        do {
            address = try ServiceAddress(base, plainHTTPHosts: options.plainHTTPHosts)
        } catch {
            throw FHIRRequest.bad(error.description, "connect")
        }
    }

    /// How requests to a server behave.
    public struct Options: Sendable {
        /// How requests are retried that are safe to repeat.
        public var retry: RetryPolicy
        /// How many requests may be under way at a time; further ones wait.
        public var maximumConcurrentRequests: Int
        /// The hosts to which HTTP without TLS is allowed, besides this machine.
        public var plainHTTPHosts: Set<String>
        /// How many pages of one search or history are read.
        public var maximumPages: Int
        /// Searches with more bytes of parameters are sent by POST, since servers bound the length of a URL.
        public var maximumQueryBytes: Int
        /// The limits of a response's JSON.
        public var limits: JSONLimits
        /// The clocks; a test brings its own.
        public var timing: CallTiming

        /// Four attempts within a minute, eight requests at a time, TLS everywhere but on this machine,
        /// 10,000 pages, unless said otherwise.
        public init(
            retry: RetryPolicy = RetryPolicy(),
            maximumConcurrentRequests: Int = 8,
            plainHTTPHosts: Set<String> = [],
            maximumPages: Int = 10_000,
            maximumQueryBytes: Int = 2_000,
            limits: JSONLimits = JSONLimits(),
            timing: CallTiming = .system
        ) {
            self.retry = retry
            self.maximumConcurrentRequests = maximumConcurrentRequests
            self.plainHTTPHosts = plainHTTPHosts
            self.maximumPages = maximumPages
            self.maximumQueryBytes = maximumQueryBytes
            self.limits = limits
            self.timing = timing
        }
    }
}
