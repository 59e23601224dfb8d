import Foundation
import OrderedJSON
import WebServing

/// Health and metrics of a study's back end, for those who run it: `/health` for anybody who reaches it,
/// `/metrics` for programs on the same machine.
public final class StudyOperations: Sendable {
    /// What is looked at.
    public struct Sources: Sendable {
        /// The parts of a process.
        public var supervisor: Supervisor?
        /// The consumers by the names of their parts: `consumer`, or `consumer sleep` for one of several
        /// studies.
        public var consumers: [(part: String, watch: ConsumerWatch)] = []
        /// The files of databases by what they are: `queue`, `warehouse`.
        public var files: [(name: String, path: String)] = []

        /// Nothing yet.
        public init() {}
    }

    /// Where it is reached.
    public let url: URL
    private let listener: HTTPListener

    private init(_ listener: HTTPListener) {
        url = listener.url
        self.listener = listener
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - address: An IPv4 address.
    ///   - port: 0 for a free one.
    /// - Throws: Why it cannot listen.
    public static func start(_ sources: Sources, address: String = "127.0.0.1", port: UInt16) async throws
        -> StudyOperations
    {
        let settings = HTTPListener.Configuration(
            address: address,
            port: port,
            bodyLimit: 0,
            serverName: "study"
        )
        let service = OperationsService(sources: sources)
        return StudyOperations(try await HTTPListener(settings) { service.respond(to: $0) })
    }

    /// Stops listening.
    public func stop() async { await listener.stop() }
}

/// Responds to those who run a study.
struct OperationsService: Sendable {
    let sources: StudyOperations.Sources

    private static let routes = RouteTable<@Sendable (OperationsService, Request) -> Response>([
        .get("/health") { service, _ in service.health },
        .get("/metrics") { service, request in
            request.isFromThisMachineByName
                ? MetricsText.response(service.metrics) : ReceiverResponse.notForOthers
        },
    ])

    func respond(to request: Request) -> Response {
        let path = request.rawPath.split(separator: "/").map(String.init)
        switch Self.routes.match(request.method, path) {
        case .found(let endpoint, _): return endpoint(self, request)
        case .otherMethod(let allowed, _): return ReceiverResponse.notAllowed(allowed)
        case .nothing: return ReceiverResponse.notFound
        }
    }

    private var health: Response {
        var problems: [String: String] = [:]
        for (name, state) in sources.supervisor?.states ?? [] where !state.isUp {
            problems[name] = state.failure == nil ? "starting" : "failing"
        }
        for (part, watch) in sources.consumers where watch.failure != nil { problems[part] = "failing" }
        for (name, path) in sources.files {
            do { try DiskSpace.check(at: path) } catch { problems[name] = "disk" }
        }
        // The reasons are in the log, and not for strangers.
        let members = problems.sorted { $0.key < $1.key }.map {
            JSONMember(name: $0.key, value: JSONValue($0.value))
        }
        let status = problems.isEmpty ? "ok" : "failing"
        return ReceiverResponse.json(
            problems.isEmpty ? 200 : 503,
            ["status": JSONValue(status), "problems": JSONValue(members: members)]
        )
    }

    private var metrics: String { parts + consumers + disks }

    /// With a label for the study where there are several.
    private var consumers: String {
        let texts = sources.consumers.map { part, watch in
            (study: String(part.dropFirst("consumer ".count)), text: watch.metrics)
        }
        guard let first = texts.first, texts.count == 1, first.study.isEmpty else {
            return MetricsText.merged(texts)
        }
        return first.text
    }

    private var parts: String {
        guard let states = sources.supervisor?.states else { return "" }
        return MetricsText.metric(
            "part_up",
            .gauge,
            "Whether a part of the process works.",
            states.map { ("part=\"\($0.name)\"", $0.state.isUp ? 1 : 0) }
        )
            + MetricsText.metric(
                "part_restarts_total",
                .counter,
                "How often a part was started again.",
                states.map { ("part=\"\($0.name)\"", $0.state.restarts) }
            )
    }

    private var disks: String {
        let free = sources.files.compactMap { name, path in
            DiskSpace.free(at: path).map { ("database=\"\(name)\"", $0) }
        }
        guard !free.isEmpty else { return "" }
        return MetricsText.metric(
            "disk_free_bytes",
            .gauge,
            "What the disk of a database has left.",
            free
        )
    }
}
