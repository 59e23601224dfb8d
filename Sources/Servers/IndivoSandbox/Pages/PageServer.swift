import Foundation
import GRDB
import IndivoBase
import IndivoModel

/// Responds to browsers: login, an app's consent, records, and why requests were refused.
struct PageServer: Sendable {
    private static let pages = RouteTable(
        HomePages.pages + RecordPages.pages + RecordHealthPage.pages + LoginPages.pages + AppPages.pages
            + [
                .get(
                    "/{file}",
                    Page(needsLogin: false) { context in
                        try PageAssets.response(context["file"]).orNotFound()
                    }
                )
            ]
    )

    let answer: HTTPListener.Handler

    init(_ server: ServerContext) {
        answer = Middleware.handler([
            .checking { request in
                let why = "open the page by the machine's address, or at \(server.uiBase)"
                return request.namesThisMachine
                    ? nil
                    : PageFrame.indivoSandbox()
                        .problem("Not allowed", "The sandbox has no such name; \(why).", status: 403)
            }
        ]) { await Self.respond(to: $0, server) }
    }

    private static func respond(to request: Request, _ server: ServerContext) async -> Response {
        let frame = PageFrame.indivoSandbox()
        do {
            return try await find(request, server)
        } catch let refusal as Refusal {
            return switch refusal.response.status {
            case 403: frame.problem("Not allowed", "This is not allowed: \(refusal.reason).", status: 403)
            case 404: frame.notFound
            default: frame.problem("That did not work", refusal.reason, status: 400)
            }
        } catch {
            server.logger.error("\("\(request.method) \(request.rawPath) failed: \(error)".shown())")
            return frame.problem("The sandbox failed", "Its log says why.", status: 500)
        }
    }

    private static func find(_ request: Request, _ server: ServerContext) async throws -> Response {
        let path = try request.path.orNotFound().split(separator: "/").map(String.init)
        switch pages.match(request.method, path) {
        case .nothing: throw Refusal.notFound
        case .otherMethod(let allowed, _): return PageFrame.indivoSandbox().notAllowed(allowed)
        case .found(let page, let captures):
            let now = server.now
            let session = try await server.database.read { db in
                try BrowserSession.find(request, at: now, in: db)
            }
            if page.needsLogin, session == nil { return LoginPages.redirect(from: request) }
            // A form that changes something must come from a page of ours.
            if request.method == "POST", let session,
                !constantTimeEqual(request.form["csrf"] ?? "", session.csrf)
            {
                throw Refusal.permissionDenied(why: "the form is not from this session; open the page again")
            }
            return try await page.handler(
                PageContext(request: request, captures: captures, session: session, server: server, now: now)
            )
        }
    }
}

/// What a page shows or does.
struct Page: Sendable {
    typealias Handler = @Sendable (PageContext) async throws -> Response

    let needsLogin: Bool
    let handler: Handler

    init(needsLogin: Bool = true, _ handler: @escaping Handler) {
        self.needsLogin = needsLogin
        self.handler = handler
    }
}

struct PageContext: Sendable {
    let request: Request
    let captures: [String: String]
    let session: BrowserSession?
    let server: ServerContext
    let now: Timestamp

    subscript(name: String) -> String { captures[name] ?? "" }

    /// Who is logged in; the page is one that asks for it.
    var account: AccountRow {
        get throws { try (session?.account).orThrow(.permissionDenied(why: "nobody is logged in")) }
    }

    var database: any DatabaseWriter { server.database }

    func page(_ title: String, isNarrow: Bool = false, _ main: Markup) -> Response {
        PageFrame.indivoSandbox(session).page(title, isNarrow: isNarrow, main)
    }
}
