import Foundation
import IndivoBase
import WebServing

/// Responds to what comes in at the port: the REST interface below `/fhir`, pages elsewhere.
struct FHIRServer: Sendable {
    let endpoint: FHIREndpoint
    let respond: HTTPListener.Handler

    init(_ server: ServerState) {
        let endpoint = FHIREndpoint(server: server)
        let pages = FHIRPageServer(server: server)
        let misdirected = endpoint.failure(
            FHIRFailure(
                403,
                "forbidden",
                "the sandbox has no such name; use the machine's address or localhost"
            )
        )
        let tokens = server.configuration.tokens
        let smart = SMARTEndpoints(server)
        let publicHost = server.configuration.publicHost
        self.endpoint = endpoint
        respond = Middleware.handler([
            .checking { request in
                let isPublic = publicHost.map { request.isFor(host: $0) } ?? false
                return isPublic || request.isFor(host: nil) ? nil : misdirected
            },
            .checking { request in
                guard smart == nil else { return nil }
                return Self.refusal(of: request, tokens).map { endpoint.failure($0) }
            },
        ]) { request in
            var base = "http://\(request.header("Host") ?? "")/\(FHIREndpoint.root)"
            if let publicHost, request.isFor(host: publicHost) {
                base = server.configuration.publicBase ?? base
            }
            let segments: [String]
            do throws(FHIRFailure) {
                segments = try Self.segments(request.rawPath)
            } catch {
                return endpoint.failure(error)
            }
            if let smart {
                return await smart.respond(
                    to: request,
                    segments,
                    base: base,
                    endpoint: endpoint,
                    pages: pages
                )
            }
            return segments.first == FHIREndpoint.root
                ? await endpoint.respond(to: request, Array(segments.dropFirst()), base: base)
                : await pages.respond(to: request, segments, base: base)
        }
    }

    /// Paths for which no token is needed.
    private static let open = ["/\(FHIREndpoint.root)/metadata", "/style.css", "/favicon.ico"]

    /// What somebody without a token is told. A browser's password counts as one on the pages.
    private static func refusal(of request: Request, _ tokens: Set<String>) -> FHIRFailure? {
        if tokens.isEmpty || open.contains(request.rawPath) { return nil }
        let isInterface = request.rawPath.split(separator: "/").first.map(String.init) == FHIREndpoint.root
        let given: String? =
            switch request.credentials {
            case .bearer(let token): token
            case .basic(_, let password): isInterface ? nil : password
            case nil: nil
            }
        // Each is compared, so that the time says nothing of which it is.
        if let given, !given.isEmpty, tokens.reduce(false, { constantTimeEqual($1, given) || $0 }) {
            return nil
        }
        var failure = FHIRFailure(401, "login", "a bearer token is needed")
        let scheme = isInterface ? "Bearer" : "Basic realm=\"FHIR sandbox\", charset=\"UTF-8\""
        failure.headers = [("WWW-Authenticate", scheme)]
        return failure
    }

    /// The segments of a path; a slash at the end does not count.
    static func segments(_ path: String) throws(FHIRFailure) -> [String] {
        var segments: [String] = []
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            segments.append(try QueryItems.decode(part, plusIsSpace: false))
        }
        return segments
    }
}
