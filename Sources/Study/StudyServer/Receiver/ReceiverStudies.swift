import Logging
import OrderedJSON
import WebServing

/// The studies of one receiver, each below a path of its own.
struct ReceiverStudies: Sendable {
    let hosted: HostedStudies<ReceiverService>
    private let trustsProxy: Bool
    private let logger: Logger

    init(_ names: Set<StudyName>, trustsProxy: Bool, logger: Logger) {
        hosted = HostedStudies(names)
        self.trustsProxy = trustsProxy
        self.logger = logger
    }

    func open(
        _ name: StudyName,
        _ queue: any MessageQueue,
        _ clients: ReceiverClients,
        _ configuration: ReceiverConfiguration
    ) async throws {
        var configuration = configuration
        configuration.trustsProxy = trustsProxy
        var logger = logger
        logger[metadataKey: "study"] = "\(name)"
        hosted[name] = try await ReceiverService(
            queue,
            clients,
            configuration,
            base: "/\(name)",
            logger: logger
        )
    }

    /// A response, and the route that gave it, in words of the receiver's own.
    func respond(to request: Request) async -> (route: String, Response) {
        let path = request.rawPath.dropFirst()
        let first = String(path.prefix { $0 != "/" })
        if let name = hosted.name(first) {
            guard let service = hosted[name] else { return ("\(name)", ReceiverResponse.busy(30)) }
            guard request.body.count <= service.configuration.bodyLimit else {
                let refusal = ReceiverResponse.error(413, "invalid_request", "The body is too large")
                return ("\(name)", refusal)
            }
            var request = request
            request.rawPath = String(path.dropFirst(first.count))
            let (route, response) = await service.serve(request)
            return ("\(name) \(route)", response)
        }
        switch (request.rawPath, request.method) {
        case ("/health", "GET"), ("/health", "HEAD"): return ("health", await health)
        case ("/metrics", "GET"), ("/metrics", "HEAD"): return ("metrics", await metrics(request))
        default: return ("none", ReceiverResponse.error(404, "not_found", "There is nothing here"))
        }
    }

    private var health: Response {
        get async {
            var states: [JSONMember] = []
            for name in hosted.names {
                let status = await hosted[name]?.status() ?? "starting"
                states.append(JSONMember(name: name.description, value: JSONValue(status)))
            }
            let isOK = states.allSatisfy { $0.value.string == "ok" }
            return ReceiverResponse.json(
                isOK ? 200 : 503,
                ["status": isOK ? "ok" : "failing", "studies": JSONValue(members: states)]
            )
        }
    }

    private func metrics(_ request: Request) async -> Response {
        guard request.isOfThisMachine else {
            return ReceiverResponse.error(403, "access_denied", "Metrics are for programs on this machine")
        }
        var texts: [(study: String, text: String)] = []
        for (name, service) in hosted.all {
            do { texts.append((name.description, try await service.metricsText())) } catch {
                // The others' are told all the same; this one's health says that it fails.
                logger.error(
                    "the metrics fail",
                    metadata: ["study": "\(name)", "reason": "\(FailureReason.text(of: error))"]
                )
            }
        }
        return MetricsText.response(MetricsText.merged(texts))
    }
}
