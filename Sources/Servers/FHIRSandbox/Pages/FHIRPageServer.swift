import Foundation
import WebServing

/// The pages for people: patients, a patient's resources and charts, one resource, questionnaires to
/// answer.
struct FHIRPageServer: Sendable {
    private typealias Page = @Sendable (Session, _ captures: [String: String], QueryItems) throws -> Response

    private static let pages = RouteTable<Page>([
        .get("/") { session, _, query in try PatientList(session: session, query: query).page() },
        .get("/patients/{id}") { session, captures, _ in
            try PatientPage(session: session, id: captures["id"] ?? "").page()
        },
        .get("/patients/{id}/health") { session, captures, query in
            try PatientHealthPage(session: session, id: captures["id"] ?? "", query: query).page()
        },
        .get("/resources/{type}/{id}") { session, captures, _ in
            try ResourcePage(session: session, type: captures["type"] ?? "", id: captures["id"] ?? "").page()
        },
        .get("/{file}") { _, captures, _ in
            PageAssets.response(captures["file"] ?? "") ?? PageFrame.fhirSandbox.notFound
        },
    ])

    let server: ServerState
    let questionnaires: QuestionnairePages

    init(server: ServerState) {
        self.server = server
        questionnaires = QuestionnairePages(server)
    }

    func respond(to request: Request, _ segments: [String], base: String) async -> Response {
        do {
            if segments.first == "questionnaires" {
                return try await questionnaires.respond(to: request, Array(segments.dropFirst()), base: base)
            }
            switch Self.pages.match(request.method, segments) {
            case .found(let page, let captures):
                let query = try QueryItems(parsing: request.rawQuery)
                return try await server.read(base: base) { try page($0, captures, query) }
            case .otherMethod(let allowed, _): return PageFrame.fhirSandbox.notAllowed(allowed)
            case .nothing: return PageFrame.fhirSandbox.notFound
            }
        } catch let failure as FHIRFailure {
            let title =
                failure.status == 404 ? "Not found" : failure.status == 410 ? "Deleted" : "That did not work"
            return PageFrame.fhirSandbox.problem(title, failure.text, status: failure.status)
        } catch {
            server.logFailure(error)
            return PageFrame.fhirSandbox.problem("The sandbox failed", "Its log says why.", status: 500)
        }
    }
}

extension PageFrame {
    /// What every page of the sandbox has around it.
    static let fhirSandbox: PageFrame = {
        var frame = PageFrame(
            site: "FHIR sandbox",
            bar: """
                <a class="home" href="/">FHIR sandbox</a><a href="/questionnaires">Questionnaires</a> \
                <a href="/fhir/metadata?_format=json&amp;_pretty=true">What the server does</a>
                """
        )
        frame.footer = "For development and tests."
        frame.allowed = "; form-action 'self'"
        frame.referrerPolicy = "no-referrer"
        return frame
    }()
}
