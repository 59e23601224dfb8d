import Foundation
import IndivoBase
import Logging
import StudyWarehouse
import WebServing

/// Who may see pages, and who is logged in. The studies of one listener share it: one login, one limit of
/// attempts and requests, one audit log.
struct PageAccess: Sendable {
    /// The requests of one client in a minute.
    private static let requestsPerMinute = 240

    /// The name of the site.
    let title: String
    let users: StudyUserFile
    let logger: Logger
    /// Where it is written down who did what; `nil` for nowhere.
    let audit: AuditLog?
    let sessions: SessionTable
    let limiter: LoginLimiter
    let checks: PasswordChecks
    let usedCodes = UsedCodes()
    private let host: String?
    private let requests: RateLimiter

    init(
        _ users: StudyUserFile,
        title: String,
        host: String?,
        audit: AuditLog?,
        logger: Logger,
        elapsed: @escaping @Sendable () -> Duration
    ) throws {
        self.users = users
        self.title = title
        self.host = host?.lowercased()
        self.audit = audit
        self.logger = logger
        sessions = SessionTable(elapsed: elapsed)
        limiter = LoginLimiter(elapsed: elapsed)
        requests = RateLimiter(perMinute: Self.requestsPerMinute, elapsed: elapsed)
        checks = try PasswordChecks()
    }

    /// Whether browsers reach the pages over TLS.
    var isBehindTLS: Bool { host != nil }

    /// What a path shows or does for somebody who is logged in.
    typealias Page = @Sendable (_ visit: PageVisit, _ path: [String]) async throws -> Response

    /// - Parameters:
    ///   - metrics: For a program on this machine.
    ///   - page: What somebody sees who is logged in; of a form that changes something it is known that it
    ///     comes from a page of the session.
    func respond(
        to request: Request,
        metrics: @Sendable () async -> Response,
        _ page: @escaping Page
    ) async -> Response {
        if request.rawPath == "/metrics", request.isFromThisMachineByName { return await metrics() }
        let steps = [
            Middleware.host(host, refusal: misdirected), .checking { tooManyRequests(of: $0) },
        ]
        return await Middleware.handler(steps) { request in
            do {
                return try await find(request, page)
            } catch {
                // A database's error is for the log, without the statement, which may hold a name.
                logger.error(
                    "a page fails",
                    metadata: [
                        "path": "\(request.rawPath.prefix(100))",
                        "reason": "\(FailureReason.text(of: error))",
                    ]
                )
                return frame().problem(
                    "That did not work",
                    "The database or the queue fails; try again later.",
                    status: 500
                )
            }
        }(request)
    }

    private var misdirected: Response {
        frame().problem(
            "Not here",
            "The pages have no such name; open them at the address that they were given.",
            status: 403
        )
    }

    private func tooManyRequests(of request: Request) -> Response? {
        guard let seconds = requests.take(of: client(of: request)) else { return nil }
        let wait = seconds == 1 ? "a second" : "\(seconds) seconds"
        return frame().problem("Too many requests", "Wait \(wait).", status: 429)
            .adding("Retry-After", String(seconds))
    }

    private static let routes = RouteTable<@Sendable (PageAccess, Request) async throws -> Response>([
        .get("/login") { access, request in access.loginForm(request) },
        .post("/login") { access, request in try await access.logIn(request) },
        .post("/logout") { access, request in try await access.logOut(request) },
    ])

    private func find(_ request: Request, _ page: Page) async throws -> Response {
        let path = request.rawPath.split(separator: "/").map(String.init)
        if path.count == 1, let file = PageAssets.response(path[0]) { return file }
        switch Self.routes.match(request.method, path) {
        case .found(let respond, _): return try await respond(self, request)
        case .otherMethod(let allowed, _): return frame().notAllowed(allowed)
        case .nothing: return try await forVisitor(request) { visit in try await page(visit, path) }
        }
    }

    /// A page for somebody who is logged in; others are sent to the login.
    private func forVisitor(
        _ request: Request,
        _ page: (_ visit: PageVisit) async throws -> Response
    ) async throws -> Response {
        guard let (session, user) = try session(of: request) else { return .seeOther("/login") }
        let visit = PageVisit(request: request, session: session, user: user)
        // A form that changes something comes from a page of this session.
        if request.method == "POST" {
            guard request.isFromOwnPage, constantTimeEqual(visit.form["csrf"] ?? "", session.csrf) else {
                return frame().problem(
                    "Not allowed",
                    "The form is not from this session; open the page again.",
                    status: 403
                )
            }
        }
        return try await page(visit)
    }

    private func logOut(_ request: Request) async throws -> Response {
        try await forVisitor(request) { visit in
            try record(visit.session.name, "change", ["path": request.rawPath])
            sessions.end(request.cookie(cookie))
            return Response.seeOther("/login").adding("Set-Cookie", setCookie(cookie, nil))
        }
    }

    /// What a page has around it.
    ///
    /// - Parameters:
    ///   - visit: Of somebody who is logged in.
    ///   - home: Where the name of the site leads.
    func frame(_ visit: PageVisit? = nil, site: String? = nil, home: String = "/", links: Markup = .empty)
        -> PageFrame
    {
        let site = site ?? title
        var bar: Markup = "<a class=\"home\" href=\"\(home)\">\(site)</a>\(links)"
        if let visit {
            bar += """
                <form class="account" method="post" \
                action="/logout"><span>\(visit.session.name)</span>\(visit.csrf)
                <button>Log out</button></form>
                """
        }
        var frame = PageFrame(site: site, bar: bar)
        frame.footer =
            """
            Numbers of people are rounded down to multiples of \(ShownCount.smallest), fewer are not \
            counted. Days are UTC's.
            """
        frame.allowed = "; form-action 'self'"
        return frame
    }

    /// Writes down who did what: what cannot be written down is not done.
    func record(_ who: String, _ action: String, _ details: [String: String] = [:]) throws {
        guard let audit else { return }
        let entry = try audit.append(who: who, action: action, details)
        // The head, where those who may write the file cannot.
        logger.info("audit", metadata: ["entry": "\(entry.number)", "head": "\(entry.digest)"])
    }

    // MARK: Who asks

    /// The address of the client.
    func client(of request: Request) -> String { request.client(isBehindProxy: isBehindTLS) }

    /// The session of a person who is still in the file, with the same password.
    private func session(of request: Request) throws -> (SessionTable.Session, StudyUser)? {
        guard let session = sessions.session(request.cookie(cookie)),
            let user = try users.users()[session.name], user.hash == session.hash
        else { return nil }
        return (session, user)
    }

    // MARK: Cookies

    /// The name of the session's cookie. Browsers take one that begins with `__Host-` over TLS alone, and of
    /// this host alone.
    var cookie: String { isBehindTLS ? "__Host-study" : "study" }

    func setCookie(_ name: String, _ value: String?) -> String {
        "\(name)=\(value ?? ""); Path=/; HttpOnly; SameSite=Strict" + (isBehindTLS ? "; Secure" : "")
            + (value == nil ? "; Max-Age=0" : "")
    }
}

/// A page that somebody who is logged in asks for.
struct PageVisit: Sendable {
    let request: Request
    let session: SessionTable.Session
    let user: StudyUser

    /// The fields of the form that was sent.
    var form: FormParameters { FormParameters(decoding: request.body) }

    /// A field that every form of the session has.
    var csrf: Markup { "<input type=\"hidden\" name=\"csrf\" value=\"\(session.csrf)\">" }
}
