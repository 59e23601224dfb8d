import FHIR
import Foundation
import IndivoBase
import Logging
import StudyFormats
import StudyWarehouse
import WebServing

/// The pages of one study.
struct PageService: Sendable {
    static let bodyLimit = 16 << 10
    /// Seconds: the table of a large study takes minutes.
    static let responseTimeout = 600

    let access: PageAccess
    /// The study among several; `nil` for the only one.
    let name: StudyName?
    /// Each table that is downloaded is in memory as a whole.
    let downloads: Slots
    let warehouse: Warehouse
    let queue: any MessageQueue
    let answers: PageCache<[QuestionSummary]>
    let progressCache: PageCache<StudyProgress?>
    /// What participants are asked for; `nil` where that is not known.
    let schedule: StudySchedule?
    /// The day, as in `2026-03-01`, and its number since 1970.
    let today: @Sendable () -> Timestamp
    let title: String
    /// They name the columns of exports.
    let questionnaires: [Questionnaire]

    init(
        _ access: PageAccess,
        _ name: StudyName?,
        _ warehouse: Warehouse,
        _ queue: any MessageQueue,
        title: String,
        schedule: StudySchedule? = nil,
        questionnaires: [Questionnaire] = [],
        today: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        elapsed: @escaping @Sendable () -> Duration
    ) {
        self.access = access
        self.name = name
        downloads = Slots(name == nil ? 2 : 1)
        self.warehouse = warehouse
        self.queue = queue
        self.title = title
        self.questionnaires = questionnaires
        self.today = today
        self.schedule = schedule
        answers = PageCache(elapsed: elapsed)
        progressCache = PageCache(elapsed: elapsed)
    }

    /// What the addresses of its pages begin with.
    var base: String { name.map { "/\($0)" } ?? "" }

    /// Responds as the only study.
    func respond(to request: Request) async -> Response {
        await access.respond(to: request, metrics: metrics) { try await page($0, $1) }
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
        .post("/messages/redeliver") { service, visit, _ in try await service.redeliver(visit) },
        .post("/messages/reprocess") { service, visit, _ in try await service.reprocess(visit) },
        .post("/messages/approve") { service, visit, _ in
            try await service.decide(visit, "approved") { try $0.approve($1) }
        },
        .post("/messages/dismiss") { service, visit, _ in
            try await service.decide(visit, "dismissed") { try $0.dismiss($1) }
        },
    ])

    /// What a path below the study's own shows or does, if the person may see it.
    func page(_ visit: PageVisit, _ path: [String]) async throws -> Response {
        let request = visit.request
        let needed = StudyRole.needed(for: request.method, path)
        guard visit.user.may(needed, in: name) else {
            try record(visit, "refused", ["method": request.method, "path": request.rawPath])
            let role = visit.user.role(in: name)?.rawValue ?? "none"
            return frame(visit).problem(
                "Not allowed",
                "Your role is \(role); this needs \(needed.rawValue).",
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

    /// Writes down what somebody did, with the study where there are several.
    func record(_ visit: PageVisit, _ action: String, _ details: [String: String] = [:]) throws {
        let study = name.map { ["study": $0.description] } ?? [:]
        try access.record(visit.session.name, action, details.merging(study) { first, _ in first })
    }
}
