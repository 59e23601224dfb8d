import WebServing

/// What is at the addresses of a receiver.
extension ReceiverService {
    private typealias Respond =
        @Sendable (ReceiverService, Request, _ captures: [String: String]) async throws -> Response

    /// What an address does, and its name in the metrics.
    private struct Endpoint: Sendable {
        let name: String
        let respond: Respond
    }

    private typealias Route = RouteTable<Endpoint>.Route

    private static let routes = RouteTable(
        common + [.post("/api/upload", package)] + envelopePaths.map { .put($0, envelope) }
    )

    /// C3-PRO's own receiver takes a package by any method, and an envelope by POST alone.
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
            get("/c3pro/map.svg", "map") { service, request, _ in try await service.map(request) },
            get("/c3pro/keys.jwt", "keys") { service, request, _ in service.keyList(request) },
            get("/c3pro/contents.jwt", "contents") { service, request, _ in service.contentsList(request) },
            get("/c3pro/contents/{digest}", "contents") { service, request, captures in
                service.contentsFile(request, captures["digest"] ?? "")
            },
        ] + envelopePaths.map { .post($0, envelope) }

    /// An envelope goes to the address that its resource would have: what it says there is not read.
    private static let envelopePaths = [
        "/c3pro/encfhir", "/c3pro/encfhir/", "/c3pro/encfhir/{type}", "/c3pro/encfhir/{type}/{id}",
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
            switch (isOriginal ? Self.originalRoutes : Self.routes).match(request.method, path) {
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
}
