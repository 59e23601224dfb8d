import Logging
import OrderedJSON
import WebServing

/// The studies of one receiver, each below a path of its own.
struct ReceiverStudies: Sendable {
    /// The requests of all studies that are under way at once, as the listener has connections for them.
    private static let maximumRequests = 192

    let hosted: HostedStudies<ReceiverService>
    /// For each study a part of them: one whose database does not respond leaves the others theirs.
    private let slots: [StudyName: Slots]
    private let trustsProxy: Bool
    private let logger: Logger

    init(_ names: Set<StudyName>, trustsProxy: Bool, logger: Logger) {
        hosted = HostedStudies(names)
        let part = max(4, Self.maximumRequests / max(1, names.count))
        slots = Dictionary(firstOf: names.map { ($0, Slots(part)) })
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
        if request.rawPath.hasPrefix("/"), let name = hosted.name(first) {
            guard let service = hosted[name] else { return ("\(name)", ReceiverResponse.busy(30)) }
            guard let slot = slots[name], slot.enter() else { return ("\(name)", ReceiverResponse.busy(5)) }
            defer { slot.leave() }
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
            let told = await hosted.asked { await $0.status() }
            let known = Dictionary(firstOf: told.map { ($0.name, $0.value ?? "failing") })
            let states = hosted.names.map { name in
                JSONMember(name: name.description, value: JSONValue(known[name] ?? "starting"))
            }
            let isOK = states.allSatisfy { $0.value.string == "ok" }
            return ReceiverResponse.json(
                isOK ? 200 : 503,
                ["status": isOK ? "ok" : "failing", "studies": JSONValue(members: states)]
            )
        }
    }

    private func metrics(_ request: Request) async -> Response {
        guard request.isFromThisMachineByName else {
            return ReceiverResponse.notForOthers
        }
        return await hosted.metrics { try await $0.metricsText() }
    }
}
