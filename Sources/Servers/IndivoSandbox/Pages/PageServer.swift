import Foundation
import GRDB
import IndivoBase
import IndivoModel

struct PageServer: Sendable {
    let server: ServerContext
    private let pages: RouteTree<Page>

    init(_ server: ServerContext) {
        self.server = server
        let files = ["style.css", "favicon.ico"].map { name in
            Page("GET", "/" + name, needsLogin: false) { _ in try PageAssets.response(name).orNotFound() }
        }
        let all = [
            HomePages.pages, RecordPages.pages, RecordHealthPage.pages, LoginPages.pages, AppPages.pages,
            files,
        ]
        pages = all.joined().reduce(into: RouteTree()) { $0.insert($1, at: $1.path) }
    }

    func answer(_ request: Request) async -> Response {
        do {
            return try await find(request)
        } catch let refusal as Refusal {
            return switch refusal.response.status {
            case 403:
                PageLayout.problem("Not allowed", "This is not allowed: \(refusal.reason).", status: 403)
            case 404: PageLayout.problem("Not found", "There is nothing here.", status: 404)
            default: PageLayout.problem("That did not work", refusal.reason)
            }
        } catch {
            server.logger.error("\("\(request.method) \(request.rawPath) failed: \(error)".shown())")
            return PageLayout.problem("The sandbox failed", "Its log says why.", status: 500)
        }
    }

    private func find(_ request: Request) async throws -> Response {
        let why =
            "the sandbox has no such name; open the page by the machine's address, or at \(server.uiBase)"
        try require(request.namesThisMachine, .permissionDenied(why: why))
        guard let path = request.path, let (candidates, captures) = pages.match(path) else {
            throw Refusal.notFound
        }
        // HEAD is GET without a body, which the listener leaves out.
        let method = request.method == "HEAD" ? "GET" : request.method
        guard let page = candidates.first(where: { $0.method == method }) else {
            return PageLayout.problem(
                "Not allowed",
                "This page does not take \(request.method).",
                status: 405
            )
            .adding("Allow", candidates.map(\.method).joined(separator: ", "))
        }
        let now = server.now
        let session = try await server.database.read { db in try BrowserSession.find(request, at: now, in: db)
        }
        if page.needsLogin, session == nil { return LoginPages.redirect(from: request) }
        // A form that changes something must come from a page of ours.
        if method == "POST", let session, !Secrets.areEqual(request.form["csrf"] ?? "", session.csrf) {
            throw Refusal.permissionDenied(why: "the form is not from this session; open the page again")
        }
        return try await page.handler(
            Visit(request: request, captures: captures, session: session, server: server, now: now)
        )
    }
}

/// One page: how it is addressed and what it shows or does.
struct Page: Sendable {
    typealias Handler = @Sendable (Visit) async throws -> Response

    let method: String
    let path: String
    let needsLogin: Bool
    let handler: Handler

    init(_ method: String, _ path: String, needsLogin: Bool = true, _ handler: @escaping Handler) {
        self.method = method
        self.path = path
        self.needsLogin = needsLogin
        self.handler = handler
    }
}

struct Visit: Sendable {
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
        PageLayout.page(title, session: session, isNarrow: isNarrow, main)
    }
}
