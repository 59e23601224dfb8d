import Foundation
import IndivoBase
import WebServing

extension SMARTEndpoints {
    /// Responds to whatever comes in at a server that has an authorization server: a token's scopes hold on
    /// the REST interface, and the pages are for staff that is logged in.
    func respond(
        to request: Request,
        _ segments: [String],
        base: String,
        endpoint: FHIREndpoint,
        pages: FHIRPageServer
    ) async -> Response {
        if let response = await respond(to: request, segments, base: base) { return response }
        let isInterface = segments.first == FHIREndpoint.root
        let open = [[FHIREndpoint.root, "metadata"], ["style.css"], ["favicon.ico"]]
        let isOpen = open.contains(segments) || opensAll(request)
        guard isInterface else {
            if !isOpen, let refusal = refusal(request, base: base) { return refusal }
            return await pages.respond(to: request, segments, base: base)
        }
        let access = isOpen ? nil : access(request)
        guard isOpen || access != nil else {
            var failure = FHIRFailure(
                401,
                "login",
                "a token is needed: there is none, or it is unknown or expired"
            )
            let error = request.header("Authorization") == nil ? "" : " error=\"invalid_token\""
            failure.headers = [("WWW-Authenticate", "Bearer" + error)]
            return CORS.open(endpoint.failure(failure))
        }
        return CORS.open(
            await endpoint.respond(to: request, Array(segments.dropFirst()), base: base, access: access)
        )
    }

    /// What somebody gets in place of a page who is not logged in, or is a patient.
    private func refusal(_ request: Request, base: String) -> Response? {
        let pages = SMARTPages(self, request: request, base: base)
        guard let session = pages.session else { return pages.loginFirst() }
        guard session.user.patient == nil else {
            return pages.problem("These pages show all patients; they are for staff.", status: 403)
        }
        return nil
    }

    /// Whether a request has one of the configuration's tokens. Each is compared, so that the time says
    /// nothing of which it is.
    private func opensAll(_ request: Request) -> Bool {
        guard let given = bearerToken(request), !given.isEmpty else { return false }
        return server.configuration.tokens.reduce(false) { isKnown, token in
            constantTimeEqual(Array(token.utf8), Array(given.utf8)) || isKnown
        }
    }

    /// What a request to the REST interface may see; nil for one without a token that is good.
    private func access(_ request: Request) -> SMARTAccess? {
        bearerToken(request).flatMap { state.access(by: $0) }
    }

    private func bearerToken(_ request: Request) -> String? {
        let parts = (request.header("Authorization") ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}
