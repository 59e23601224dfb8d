import Foundation
import WebServing

/// Responds to what comes in at the port: the REST interface below `/fhir`, pages elsewhere.
struct FHIRServer: Sendable {
    let server: ServerState
    let endpoint: FHIREndpoint
    let pages: FHIRPageServer
    let smart: SMARTEndpoints?

    init(_ server: ServerState) {
        self.server = server
        endpoint = FHIREndpoint(server: server)
        pages = FHIRPageServer(server: server)
        smart = SMARTEndpoints(server)
    }

    func respond(to request: Request) async -> Response {
        // A page elsewhere whose name was made to lead here (DNS rebinding) sends its own name.
        guard request.namesThisMachine else {
            return endpoint.failure(
                FHIRFailure(
                    403,
                    "forbidden",
                    "the sandbox has no such name; use the machine's address or localhost"
                )
            )
        }
        let base = "http://\(request.header("Host") ?? "")/\(FHIREndpoint.root)"
        let segments: [String]
        do {
            segments = try Self.segments(request.rawPath)
        } catch {
            return endpoint.failure(error)
        }
        if let smart {
            return await smart.respond(to: request, segments, base: base, endpoint: endpoint, pages: pages)
        }
        let isInterface = segments.first == FHIREndpoint.root
        let isOpen =
            segments == [FHIREndpoint.root, "metadata"] || segments == ["style.css"]
            || segments == ["favicon.ico"]
        guard
            isOpen
                || Authorization(tokens: server.configuration.tokens).allows(
                    request,
                    byPassword: !isInterface
                )
        else {
            var failure = FHIRFailure(401, "login", "a bearer token is needed")
            failure.headers = [
                (
                    "WWW-Authenticate",
                    isInterface ? "Bearer" : "Basic realm=\"FHIR sandbox\", charset=\"UTF-8\""
                )
            ]
            return endpoint.failure(failure)
        }
        if isInterface { return await endpoint.respond(to: request, Array(segments.dropFirst()), base: base) }
        return await pages.respond(to: request, segments, base: base)
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

/// Who may come in.
struct Authorization {
    let tokens: Set<String>

    /// - Parameter byPassword: whether a browser's password counts as a token.
    func allows(_ request: Request, byPassword: Bool) -> Bool {
        if tokens.isEmpty { return true }
        let parts = (request.header("Authorization") ?? "").split(separator: " ", maxSplits: 1).map(
            String.init
        )
        guard parts.count == 2 else { return false }
        switch parts[0].lowercased() {
        case "bearer": return isToken(parts[1])
        case "basic" where byPassword:
            guard let bytes = Base64.decode(parts[1]), let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
            else { return false }
            return isToken(String(decoding: bytes[(colon + 1)...], as: UTF8.self))
        default: return false
        }
    }

    /// Takes as long for a token that is wrong at its end as for one that is wrong at its beginning.
    private func isToken(_ text: String) -> Bool {
        let given = Array(text.utf8)
        var isKnown = false
        for token in tokens {
            let token = Array(token.utf8)
            var difference: UInt8 = token.count == given.count && !token.isEmpty ? 0 : 1
            for (a, b) in zip(token, given) { difference |= a ^ b }
            isKnown = isKnown || difference == 0
        }
        return isKnown
    }
}
