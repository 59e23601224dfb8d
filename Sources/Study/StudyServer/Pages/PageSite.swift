import WebServing

/// The pages of several studies: one login, a list of those that the person may see, and each below its name.
struct PageSite: Sendable {
    let access: PageAccess
    let hosted: HostedStudies<PageService>

    func respond(to request: Request) async -> Response {
        await access.respond(to: request) {
            await hosted.metrics { try await $0.metricsText() }
        } _: {
            try await page($0, $1)
        }
    }

    private func page(_ visit: PageVisit, _ path: [String]) async throws -> Response {
        guard let first = path.first else { return list(visit) }
        // Of a study in which somebody has no role, they learn nothing, not even that it is there.
        guard let name = hosted.name(first), visit.user.may(.view, in: name) else {
            try access.record(visit.session.name, "refused", ["path": visit.request.rawPath])
            return access.frame(visit).notFound
        }
        guard let service = hosted[name] else {
            return access.frame(visit).problem(
                "Not yet",
                "\(name) is being started; try again in a minute. The log says what it waits for.",
                status: 503
            )
            .adding("Retry-After", "30")
        }
        return try await service.page(visit, Array(path.dropFirst()))
    }

    private func list(_ visit: PageVisit) -> Response {
        guard visit.request.method == "GET" || visit.request.method == "HEAD" else {
            return access.frame(visit).notAllowed("GET, HEAD")
        }
        let entries = hosted.names.filter { visit.user.may(.view, in: $0) }.map { name -> Markup in
            let service = hosted[name]
            let state: Markup = service == nil ? " <span class=\"quiet\">is being started</span>" : .empty
            let title = service?.title ?? name.description
            return "<li><a href=\"/\(name.description)/\">\(title)\(state)</a></li>"
        }
        let list: Markup =
            entries.isEmpty
            ? "<p>You have no role in any study. Who runs the pages can give you one.</p>"
            : "<ul class=\"list\">\(entries)</ul>"
        return access.frame(visit).page("Studies", "<section aria-label=\"Studies\">\(list)</section>")
    }
}
