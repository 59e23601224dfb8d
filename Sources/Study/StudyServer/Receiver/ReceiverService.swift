import FHIR
import Foundation
import Logging
import OrderedJSON
import StudyFormats
import WebServing

/// Responds to requests of phones.
struct ReceiverService: Sendable {
    let queue: any MessageQueue
    let registry: ClientRegistry
    let configuration: ReceiverConfiguration
    let limiter: RateLimiter
    let metrics = ReceiverMetrics()
    /// What its paths begin with, as in `/sleep`; empty for the only study of a receiver.
    let base: String
    private let quota: QueueQuota
    private let health: QueueHealth
    let logger: Logger

    init(
        queue: any MessageQueue,
        registry: ClientRegistry,
        configuration: ReceiverConfiguration,
        limiter: RateLimiter,
        base: String = "",
        logger: Logger = Logger(label: "study.receiver")
    ) {
        self.base = base
        self.queue = queue
        self.registry = registry
        self.configuration = configuration
        self.limiter = limiter
        self.logger = logger
        quota = QueueQuota(depth: configuration.depthLimit, bytes: configuration.byteLimit)
        health = QueueHealth(logger: logger)
    }

    /// - Throws: Why the apps' database cannot be opened.
    init(
        _ queue: any MessageQueue,
        _ clients: ReceiverClients,
        _ configuration: ReceiverConfiguration,
        base: String = "",
        logger: Logger
    ) async throws {
        let now: @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }
        let start = configuration.clock()
        self.init(
            queue: queue,
            registry: try await ClientRegistry(clients, queue: queue, now: now),
            configuration: configuration,
            limiter: RateLimiter(perMinute: configuration.requestsPerMinute) {
                configuration.clock() - start
            },
            base: base,
            logger: logger
        )
    }

    var isOriginal: Bool { configuration.answers == .original }

    // MARK: Routes

    private typealias Respond =
        @Sendable (ReceiverService, Request, _ captures: [String: String]) async throws -> Response

    /// What an address does, and its name in the metrics.
    private struct Endpoint: Sendable {
        let name: String
        let respond: Respond
    }

    private typealias Route = RouteTable<Endpoint>.Route

    private static let routes = RouteTable(
        common + [.post("/api/upload", package), .put("/c3pro/encfhir", envelope)]
    )

    /// C3-PRO's own receiver takes a package by each of these methods, and an envelope by POST alone.
    private static let originalRoutes = RouteTable(
        common + [
            .get("/api/upload", package), .post("/api/upload", package), .put("/api/upload", package),
            .patch("/api/upload", package), .delete("/api/upload", package),
        ]
    )

    private static let common =
        [
            get("/health", "health") { service, _, _ in await service.health() },
            get("/metrics", "metrics") { service, request, _ in try await service.metricsPage(request) },
            post("/c3pro/register", "register") { service, request, _ in try await service.register(request)
            },
            post("/c3pro/challenge", "challenge") { service, request, _ in
                try await service.challenge(request)
            },
            post("/c3pro/oauth", "oauth") { service, request, _ in try await service.token(request) },
            .post("/c3pro/encfhir", envelope),
            get("/c3pro/map.svg", "map") { service, request, _ in try await service.map(request) },
            get("/c3pro/keys.jwt", "keys") { service, request, _ in service.keyList(request) },
            get("/c3pro/contents.jwt", "contents") { service, request, _ in service.contentsList(request) },
            get("/c3pro/contents/{digest}", "contents") { service, request, captures in
                service.contentsFile(request, captures["digest"] ?? "")
            },
        ]

    private static let package = Endpoint(name: "upload") { service, request, _ in
        try await service.upload(request)
    }

    private static let envelope = Endpoint(name: "encfhir") { service, request, _ in
        try await service.authorized(request) { try await service.envelope(request, of: $0) }
    }

    private static func get(_ path: String, _ name: String, _ respond: @escaping Respond) -> Route {
        .get(path, Endpoint(name: name, respond: respond))
    }

    private static func post(_ path: String, _ name: String, _ respond: @escaping Respond) -> Route {
        .post(path, Endpoint(name: name, respond: respond))
    }

    /// A response, and the name of the endpoint that gave it.
    func respond(to request: Request) async -> (route: String, Response) {
        let path = request.rawPath.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .map(String.init)
        do {
            // Below it are FHIR's interactions, with answers of FHIR's form, for a client with a token.
            if path.starts(with: ["c3pro", "fhir"]) {
                let response = try await authorized(request) { client in
                    try await resource(request, Array(path.dropFirst(2)), of: client)
                }
                return ("fhir", response)
            }
            // An envelope goes to the address that its resource would have: what that says is not read.
            let address = path.starts(with: ["c3pro", "encfhir"]) ? ["c3pro", "encfhir"] : path
            switch (isOriginal ? Self.originalRoutes : Self.routes).match(request.method, address) {
            case .found(let endpoint, let captures):
                return (endpoint.name, try await endpoint.respond(self, request, captures))
            case .otherMethod(let allowed, _): return ("none", ReceiverResponse.notAllowed(allowed))
            case .nothing: return ("none", ReceiverResponse.notFound)
            }
        } catch {
            // The errors of a database are not for strangers, but for those who run it.
            logger.error("a request fails", metadata: ["reason": "\(FailureReason.text(of: error))"])
            return ("error", ReceiverResponse.busy(30))
        }
    }

    /// A response, which is counted.
    func serve(_ request: Request) async -> (route: String, Response) {
        let (route, response) = await respond(to: request)
        metrics.count(route: route, status: response.status, bytes: request.body.count)
        return (route, response)
    }

    // MARK: Clients

    /// Who asks, as far as the connection shows it.
    func client(of request: Request) -> String { request.client(isBehindProxy: configuration.trustsProxy) }

    /// Takes a submission's rate-limit tokens twice, from its client's and from the address's: one address
    /// may register many clients. Where everybody may register, an address has the tokens of one client,
    /// otherwise those of ten.
    ///
    /// - Returns: `nil` when there were enough; else in how many seconds there will be.
    func takeTokens(of client: String, _ request: Request) -> Int? {
        let cost = cost(of: request)
        let share = configuration.attestation is NoAttestation ? 1 : 0.1
        return limiter.take(cost, of: "client \(client)")
            ?? limiter.take(cost * share, of: "submissions \(self.client(of: request))")
    }

    /// The refusal of a request that is one too many from its address; `nil` where it is not.
    func tooMany(_ request: Request, _ cost: Double = 1) -> Response? {
        limiter.take(cost, of: "address \(client(of: request))").map { ReceiverResponse.tooMany($0) }
    }

    /// The rate-limit tokens of a request: one, and one for each megabyte of its body.
    func cost(of request: Request) -> Double { 1 + Double(request.body.count >> 20) }

    /// What a package takes, which may unpack to fifty times its size: the consumer's work counts, not the
    /// receiver's.
    func costOfPackage(_ request: Request) -> Double { 1 + Double(request.body.count >> 16) }

    // MARK: Queueing

    /// Puts a message into the queue.
    ///
    /// - Returns: A refusal, while the queue is too full; `nil` when the message is in the queue, now or
    ///   since before.
    func enqueue(_ message: StudyMessage) async throws -> Response? {
        do {
            guard let isNew = try await quota.send(message, to: queue) else {
                return ReceiverResponse.busy(60)
            }
            health.succeeded()
            metrics.count(isNew: isNew)
            return nil
        } catch {
            health.failed(error)
            throw error
        }
    }

    /// Now, as messages have it.
    var received: String { FHIRDateTime(Date()).description }

    // MARK: For those who run it

    func health() async -> Response {
        let status = await status()
        return ReceiverResponse.json(status == "ok" ? 200 : 503, ["status": JSONValue(status)])
    }

    /// `ok`, `full` or `failing`; the reason is in the log.
    func status() async -> String {
        switch await health.state(of: queue, quota) {
        case .ok: "ok"
        case .full: "full"
        case .failing: "failing"
        }
    }

    func metricsPage(_ request: Request) async throws -> Response {
        guard request.isFromThisMachineByName else { return ReceiverResponse.notForOthers }
        return MetricsText.response(try await metricsText())
    }

    func metricsText() async throws -> String {
        metrics.text(try await queue.status()) + contentsMetric
    }
}
