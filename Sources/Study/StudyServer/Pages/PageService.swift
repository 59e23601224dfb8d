import FHIR
import Foundation
import IndivoBase
import Logging
import StudyFormats
import StudyWarehouse
import WebServing

/// Responds to requests for pages.
struct PageService: Sendable {
    static let bodyLimit = 16 << 10
    /// Seconds: the table of a large study takes minutes.
    static let responseTimeout = 600
    /// The requests of one client in a minute.
    private static let requestsPerMinute = 240

    let warehouse: Warehouse
    let queue: any MessageQueue
    let users: StudyUserFile
    let logger: Logger
    let sessions: SessionTable
    let limiter: LoginLimiter
    let checks: PasswordChecks
    /// Each table that is downloaded is in memory as a whole.
    let downloads = Slots(2)
    let answers: PageCache<[QuestionSummary]>
    let progressCache: PageCache<StudyProgress?>
    /// What participants are asked for; `nil` where that is not known.
    let schedule: StudySchedule?
    /// The day, as in `2026-03-01`, and its number since 1970.
    let today: @Sendable () -> Timestamp
    let title: String
    /// Where it is written down who did what; `nil` for nowhere.
    let audit: AuditLog?
    /// They name the columns of exports.
    let questionnaires: [Questionnaire]
    let usedCodes = UsedCodes()
    private let host: String?
    private let requests: RateLimiter

    init(
        _ warehouse: Warehouse,
        _ queue: any MessageQueue,
        _ users: StudyUserFile,
        title: String = "Study",
        host: String? = nil,
        schedule: StudySchedule? = nil,
        audit: AuditLog? = nil,
        questionnaires: [Questionnaire] = [],
        logger: Logger = Logger(label: "study.pages"),
        today: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        elapsed: @escaping @Sendable () -> Duration
    ) throws {
        self.warehouse = warehouse
        self.queue = queue
        self.users = users
        self.logger = logger
        self.title = title
        self.audit = audit
        self.questionnaires = questionnaires
        self.host = host?.lowercased()
        self.today = today
        sessions = SessionTable(elapsed: elapsed)
        limiter = LoginLimiter(elapsed: elapsed)
        requests = RateLimiter(perMinute: Self.requestsPerMinute, elapsed: elapsed)
        answers = PageCache(elapsed: elapsed)
        progressCache = PageCache(elapsed: elapsed)
        self.schedule = schedule
        checks = try PasswordChecks()
    }

    /// Whether browsers reach the pages over TLS.
    var isBehindTLS: Bool { host != nil }

    func respond(to request: Request) async -> Response {
        if request.rawPath == "/metrics", request.isOfThisMachine {
            return await metrics()
        }
        let steps = [
            Middleware.host(host, refusal: misdirected), .checking { tooManyRequests(of: $0) },
        ]
        return await Middleware.handler(steps) { request in
            do {
                return try await find(request)
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

    /// What a page of somebody who is logged in shows or does.
    private typealias Page =
        @Sendable (PageService, PageVisit, _ captures: [String: String]) async throws
        -> Response

    private static let pages = RouteTable<Page>([
        .get("/") { service, visit, _ in try await service.overview(visit) },
        .get("/progress") { service, visit, _ in try await service.progress(visit) },
        .get("/messages") { service, visit, _ in try await service.messages(visit) },
        .get("/questions") { service, visit, _ in try await service.questionSources(visit) },
        .get("/questions/{name}") { service, visit, captures in
            try await service.questions(visit, of: captures["name"] ?? "")
        },
        .get("/map") { service, visit, _ in try await service.map(visit) },
        .get("/map.svg") { service, _, _ in try await service.mapPicture() },
        .get("/export") { service, visit, _ in try await service.exports(visit) },
        .get("/export/{file}") { service, visit, captures in
            try await service.export(visit, captures["file"] ?? "")
        },
        .get("/people") { service, visit, _ in try service.people(visit) },
        .get("/audit") { service, visit, _ in try service.auditPage(visit) },
        .post("/logout") { service, visit, _ in
            service.sessions.end(visit.request.cookie(service.cookie))
            return Response.seeOther("/login").adding("Set-Cookie", service.setCookie(service.cookie, nil))
        },
        .post("/messages/redeliver") { service, visit, _ in try await service.redeliver(visit) },
        .post("/messages/reprocess") { service, visit, _ in try await service.reprocess(visit) },
        .post("/messages/approve") { service, visit, _ in
            try await service.decide(visit, "approved") { try $0.approve($1) }
        },
        .post("/messages/dismiss") { service, visit, _ in
            try await service.decide(visit, "dismissed") { try $0.dismiss($1) }
        },
    ])

    private func find(_ request: Request) async throws -> Response {
        let path = request.rawPath.split(separator: "/").map(String.init)
        if path.count == 1, let file = PageAssets.response(path[0]) { return file }
        if path == ["login"] {
            switch request.method {
            case "GET", "HEAD": return loginForm(request)
            case "POST": return try await logIn(request)
            default: return frame().notAllowed("GET, HEAD, POST")
            }
        }
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
        let needed = StudyRole.needed(for: request.method, path)
        guard user.may(needed) else {
            try record(visit, "refused", ["method": request.method, "path": request.rawPath])
            return frame(visit).problem(
                "Not allowed",
                "Your role is \(user.hasRole ? user.role.rawValue : "none"); this needs \(needed.rawValue).",
                status: 403
            )
        }
        switch Self.pages.match(request.method, path) {
        case .found(let page, let captures):
            // Written down before it is done: what cannot be written down is not done.
            let message = path.first == "messages" ? visit.form["id"].map { ["message": $0] } : nil
            try record(
                visit,
                request.method == "POST" ? "change" : "view",
                ["path": request.rawPath].merging(message ?? [:]) { first, _ in first }
            )
            return try await page(self, visit, captures)
        case .otherMethod(let allowed, _): return frame(visit).notAllowed(allowed)
        case .nothing: return frame(visit).notFound
        }
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
