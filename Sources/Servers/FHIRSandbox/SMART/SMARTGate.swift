import WebServing

/// Who may come in where there is an authorization server: a token's scopes count on the REST interface, a
/// login of staff on the pages.
struct SMARTGate: Sendable {
    let smart: SMARTEndpoints
    let endpoint: FHIREndpoint
    let pages: FHIRPageServer

    /// - Parameter isAllowed: Whether the request has one of the configured tokens, which open everything.
    func respond(to request: Request, _ segments: [String], base: String, isAllowed: Bool) async -> Response {
        if let response = await smart.respond(to: request, segments, base: base) { return response }
        let isOpen = FHIRServer.open.contains(request.rawPath)
        guard segments.first == FHIREndpoint.root else {
            guard !isOpen, !isAllowed else { return await pages.respond(to: request, segments, base: base) }
            let browser = SMARTPages(smart, request: request, base: base)
            guard let session = browser.session else { return browser.loginFirst() }
            guard session.user.patient == nil else {
                return browser.problem("These pages show all patients; they are for staff.", status: 403)
            }
            return await pages.respond(to: request, segments, base: base)
        }
        let access = isOpen || isAllowed ? nil : smart.access(request)
        guard isOpen || isAllowed || access != nil else {
            let text = "a token is needed, or another: this one is unknown or expired"
            var failure = FHIRFailure(401, "login", text)
            let error = request.header("Authorization") == nil ? "" : " error=\"invalid_token\""
            failure.headers = [("WWW-Authenticate", "Bearer" + error)]
            return CORS.open(endpoint.failure(failure))
        }
        let response = await endpoint.respond(
            to: request,
            Array(segments.dropFirst()),
            base: base,
            access: access
        )
        return CORS.open(response)
    }
}
