import FHIR
import Foundation
import OrderedJSON
import WebServing

/// A FHIR R4 server inside the process, for development and tests.
///
/// ```swift
/// let sandbox = try await FHIRSandbox.start()
/// try await sandbox.load(AnyResource(bundle))
/// // … requests to sandbox.baseURL …
/// await sandbox.stop()
/// ```
/// It keeps every version of every resource in SQLite, finds resources by the search parameters of R4, does
/// batches and transactions, and shows patients on pages at ``pagesURL``. It listens on the loopback
/// interface unless set otherwise, and is for development and tests alone. With
/// ``FHIRSandboxConfiguration/smart`` it is a SMART server: people log in, apps get tokens, and scopes hold;
/// without, it has no users, and a token opens everything.
public final class FHIRSandbox: Sendable {
    /// The base of the REST interface: `http://127.0.0.1:NNNN/fhir`.
    public let baseURL: URL

    /// The pages for people: `http://127.0.0.1:NNNN/`.
    public let pagesURL: URL

    private let server: ServerState
    private let listener: HTTPListener

    private init(_ server: ServerState, _ listener: HTTPListener, baseURL: URL, pagesURL: URL) {
        self.server = server
        self.listener = listener
        self.baseURL = baseURL
        self.pagesURL = pagesURL
    }

    /// Starts a sandbox and returns once it listens.
    ///
    /// - Throws: ``FHIRSandboxError`` for an address or a port that cannot be listened on; SQLite's error for
    ///   a database that cannot be opened.
    public static func start(
        _ configuration: FHIRSandboxConfiguration = FHIRSandboxConfiguration()
    ) async throws -> FHIRSandbox {
        if let url = configuration.publicURL {
            guard ["http", "https"].contains(url.scheme), configuration.publicHost != nil,
                url.path(percentEncoded: true).split(separator: "/") == [Substring(FHIREndpoint.root)]
            else {
                throw FHIRSandboxError.misconfigured(
                    "\(url) is no base URL that ends in /fhir, as https://fhir.example.org/fhir"
                )
            }
        }
        let server = try ServerState(configuration)
        let front = FHIRServer(server)
        var settings = HTTPListener.Configuration(
            address: configuration.address,
            port: configuration.port,
            bodyLimit: configuration.limits.body,
            timeout: configuration.limits.connectionTimeout,
            serverName: "FHIRSandbox",
            tooLarge: front.endpoint.failure(
                .tooCostly("a body has at most \(configuration.limits.body) bytes", status: 413)
            ).adding("Connection", "close"),
            internalError: front.endpoint.failure(FHIRFailure(500, "exception", "the server failed")),
            now: configuration.now
        )
        // Several large ones at once, and not as many as there are connections.
        settings.bodyBudget = max(configuration.limits.body, 256 << 20)
        let listener: HTTPListener
        do throws(ListeningError) {
            listener = try await HTTPListener(settings, handler: front.respond)
        } catch {
            throw FHIRSandboxError.cannotListen(
                address: error.address,
                port: error.port,
                reason: error.reason
            )
        }
        return FHIRSandbox(
            server,
            listener,
            baseURL: listener.url.appending(path: FHIREndpoint.root),
            pagesURL: listener.url.appending(path: "/")
        )
    }

    /// Stops listening, closes every connection and the database.
    public func stop() async {
        await listener.stop()
        server.bulkJobs.removeAll()
        do {
            try server.database.writer.close()
        } catch {
            server.logger.error("the database did not close cleanly: \(error)")
        }
    }

    /// Stores a resource, or the entries of a Bundle. A transaction or batch is processed as if it were sent;
    /// of another Bundle, the resources are stored under their ids. A conditional reference that matches
    /// nothing stays as it is.
    ///
    /// - Returns: The number of resources.
    /// - Throws: ``FHIRSandboxError/refused(status:reason:)``.
    @discardableResult
    public func load(_ resource: AnyResource) async throws -> Int {
        let base = baseURL.absoluteString
        do {
            return try await server.database.writer.write { [server] db in
                let session = Session(
                    db: db,
                    server: server,
                    base: base,
                    now: server.now,
                    keepsConditionalReferences: true
                )
                return try session.load(resource.tree)
            }
        } catch let failure as FHIRFailure {
            let location = failure.expression.map { " at \($0)" } ?? ""
            throw FHIRSandboxError.refused(status: failure.status, reason: failure.text + location)
        }
    }
}

extension Session {
    /// Stores a resource, or what a Bundle holds.
    func load(_ json: JSONValue) throws -> Int {
        guard json.member("resourceType")?.isString("Bundle") == true else {
            try store(json)
            return 1
        }
        let entries = json.elements(of: "entry")
        switch json.member("type")?.string {
        case "transaction", "batch":
            var request = SandboxRequest(interaction: .bundle)
            request.body = .resource(json)
            let response = try process(SentBundle(request, limits: limits))
            // A batch that is loaded is loaded as a whole.
            for entry in response.elements(of: "entry") {
                let status = entry["response"]?["status"]?.string ?? ""
                guard status.hasPrefix("2") else {
                    let issue = entry["response"]?["outcome"]?["issue"]?[0]
                    throw FHIRFailure(
                        Int(status.prefix(3)) ?? 400,
                        "processing",
                        issue?["diagnostics"]?.string ?? "an entry is refused",
                        at: issue?["expression"]?[0]?.string
                    )
                }
            }
            return entries.count
        default:
            // The references between entries by urn:uuid hold after their resources have ids.
            var targets: [String: (type: String, id: String)] = [:]
            var resources: [(resource: JSONValue, id: String, fullURL: String?)] = []
            for entry in entries {
                guard let resource = entry.member("resource"),
                    let type = resource.resourceType
                else { continue }
                let id = resource.member("id")?.string ?? LogicalID.make()
                let url = entry.member("fullUrl")?.string
                resources.append((resource, id, url))
                if let url { targets[url] = (type, id) }
            }
            let links = BundleLinks(targets: targets, bases: bases)
            for (resource, id, url) in resources {
                var resolved = try links.resolve(resource, fullURL: url, conditional: { $0 })
                resolved["id"] = JSONValue(id)
                try store(resolved)
            }
            return resources.count
        }
    }

    private func store(_ resource: JSONValue) throws {
        var request = SandboxRequest(interaction: .bundle)
        request.body = .resource(resource)
        let checkedResource = try request.resource(of: nil)
        guard let type = checkedResource.resourceType else { return }
        let id = checkedResource.member("id")?.string ?? LogicalID.make()
        _ = try store.put(try checked(checkedResource, type), type, id, method: "PUT")
    }
}
