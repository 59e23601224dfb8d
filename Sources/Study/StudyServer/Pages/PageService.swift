import Foundation
import IndivoBase
import Logging
import StudyWarehouse
import WebServing

/// Responds to requests for pages.
struct PageService: Sendable {
    static let bodyLimit = 16 << 10
    /// The requests of one client in a minute.
    private static let requestsPerMinute = 240

    let warehouse: Warehouse
    let queue: any MessageQueue
    let users: StudyUserFile
    let logger: Logger
    let sessions: SessionTable
    let limiter: LoginLimiter
    let checks: PasswordChecks
    let answers: AnswerCache
    /// The day, as in `2026-03-01`, and its number since 1970.
    let today: @Sendable () -> Timestamp
    private let host: String?
    private let requests: RateLimiter

    init(
        _ warehouse: Warehouse,
        _ queue: any MessageQueue,
        _ users: StudyUserFile,
        host: String? = nil,
        logger: Logger = Logger(label: "study.pages"),
        today: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        elapsed: @escaping @Sendable () -> Duration
    ) throws {
        self.warehouse = warehouse
        self.queue = queue
        self.users = users
        self.logger = logger
        self.host = host?.lowercased()
        self.today = today
        sessions = SessionTable(elapsed: elapsed)
        limiter = LoginLimiter(elapsed: elapsed)
        requests = RateLimiter(perMinute: Self.requestsPerMinute, elapsed: elapsed)
        answers = AnswerCache(elapsed: elapsed)
        checks = try PasswordChecks()
    }

    /// Whether browsers reach the pages over TLS.
    var isBehindTLS: Bool { host != nil }

    func respond(to request: Request) async -> Response {
        if request.rawPath == "/metrics", request.isFromThisMachine, request.namesThisMachine {
            return await metrics()
        }
        // A page elsewhere whose name was made to lead here sends its own name.
        guard request.isFor(host: host) else {
            return TeamPageLayout.problem(
                "Not here",
                "The pages have no such name; open them at the address that they were given.",
                status: 403
            )
        }
        if let seconds = requests.take(of: client(of: request)) {
            let wait = seconds == 1 ? "a second" : "\(seconds) seconds"
            return TeamPageLayout.problem("Too many requests", "Wait \(wait).", status: 429)
                .adding("Retry-After", String(seconds))
        }
        do {
            return try await find(request)
        } catch {
            // A database's error is for the log, without the statement, which may hold a name.
            logger.error(
                "a page fails",
                metadata: ["path": "\(request.rawPath.prefix(100))", "error": "\(type(of: error))"]
            )
            return TeamPageLayout.problem(
                "That did not work",
                "The database or the queue fails; try again later.",
                status: 500
            )
        }
    }

    private func find(_ request: Request) async throws -> Response {
        let path = request.rawPath.split(separator: "/").map(String.init)
        if path.count == 1, let file = PageAssets.response(path[0]) { return file }
        // HEAD is GET without a body, which the listener leaves out.
        let method = request.method == "HEAD" ? "GET" : request.method
        guard method == "GET" || method == "POST" else { return notAllowed("GET, POST") }
        if path == ["login"] { return try await method == "GET" ? loginForm(request) : logIn(request) }
        guard let session = try session(of: request) else { return .seeOther("/login") }
        let visit = PageVisit(request: request, session: session)
        guard method == "GET" else {
            // A form that changes something comes from a page of this session.
            guard request.isFromOwnPage, isToken(visit.form["csrf"], session.csrf) else {
                return TeamPageLayout.problem(
                    "Not allowed",
                    "The form is not from this session; open the page again.",
                    status: 403
                )
            }
            return try await change(visit, path)
        }
        switch (path.first, path.count) {
        case (nil, _): return try await overview(visit)
        case ("messages", 1): return try await messages(visit)
        case ("questions", 1): return try await questionSources(visit)
        case ("questions", 2): return try await questions(visit, of: path[1])
        case ("map", 1): return try await map(visit)
        case ("map.svg", 1): return try await mapPicture()
        default: return TeamPageLayout.problem("Not found", "There is nothing here.", visit, status: 404)
        }
    }

    private func change(_ visit: PageVisit, _ path: [String]) async throws -> Response {
        switch path {
        case ["logout"]:
            sessions.end(visit.request.cookie(cookie))
            return Response.seeOther("/login").adding("Set-Cookie", setCookie(cookie, nil))
        case ["messages", "redeliver"]: return try await redeliver(visit)
        case ["messages", "reprocess"]: return try await reprocess(visit)
        case ["messages", "approve"]: return try await decide(visit, "approved") { try $0.approve($1) }
        case ["messages", "dismiss"]: return try await decide(visit, "dismissed") { try $0.dismiss($1) }
        default:
            return TeamPageLayout.problem("Not allowed", "Nothing can be changed here.", visit, status: 405)
                .adding("Allow", "GET")
        }
    }

    private func notAllowed(_ methods: String) -> Response {
        TeamPageLayout.problem("Not allowed", "The pages do not take this method.", status: 405).adding(
            "Allow",
            methods
        )
    }

    // MARK: Who asks

    /// The address of the client.
    func client(of request: Request) -> String { request.client(isBehindProxy: isBehindTLS) }

    /// The session of a person who is still in the file, with the same password.
    private func session(of request: Request) throws -> SessionTable.Session? {
        guard let session = sessions.session(request.cookie(cookie)) else { return nil }
        return try users.users()[session.name] == session.hash ? session : nil
    }

    // MARK: Cookies

    /// The name of the session's cookie. Browsers take one that begins with `__Host-` over TLS alone, and of
    /// this host alone.
    var cookie: String { isBehindTLS ? "__Host-study" : "study" }

    func setCookie(_ name: String, _ value: String?) -> String {
        "\(name)=\(value ?? ""); Path=/; HttpOnly; SameSite=Strict" + (isBehindTLS ? "; Secure" : "")
            + (value == nil ? "; Max-Age=0" : "")
    }

    /// Whether a text is a token, in a time that says nothing of it.
    func isToken(_ text: String?, _ token: String) -> Bool {
        constantTimeEqual(Array((text ?? "").utf8), Array(token.utf8))
    }
}

/// A page that somebody who is logged in asks for.
struct PageVisit: Sendable {
    let request: Request
    let session: SessionTable.Session

    /// The fields of the form that was sent.
    var form: FormParameters { FormParameters(decoding: request.body) }

    /// A field that every form of the session has.
    var csrf: Markup { "<input type=\"hidden\" name=\"csrf\" value=\"\(session.csrf)\">" }
}
