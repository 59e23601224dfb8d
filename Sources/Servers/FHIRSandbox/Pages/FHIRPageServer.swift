import Foundation
import OrderedJSON
import WebServing

/// The pages for people: patients, a patient's resources and charts, one resource, questionnaires to
/// answer.
struct FHIRPageServer: Sendable {
    let server: ServerState
    let questionnaires: QuestionnairePages

    init(server: ServerState) {
        self.server = server
        questionnaires = QuestionnairePages(server)
    }

    func respond(to request: Request, _ segments: [String], base: String) async -> Response {
        guard request.method == "GET" || request.method == "HEAD" || segments.first == "questionnaires" else {
            return FHIRPageLayout.problem(
                "Not allowed",
                "The pages only show; change resources at \(base).",
                status: 405
            )
            .adding("Allow", "GET, HEAD")
        }
        do {
            switch (segments.first, segments.count) {
            case (nil, _):
                let query = try QueryItems(parsing: request.rawQuery)
                return try await server.read(base: base) { try PatientList(session: $0, query: query).page() }
            case ("questionnaires", _):
                return try await questionnaires.respond(to: request, Array(segments.dropFirst()), base: base)
            case ("patients", 2):
                let id = segments[1]
                return try await server.read(base: base) { try PatientPage(session: $0, id: id).page() }
            case ("patients", 3) where segments[2] == "health":
                let id = segments[1]
                let query = try QueryItems(parsing: request.rawQuery)
                return try await server.read(base: base) {
                    try PatientHealthPage(session: $0, id: id, query: query).page()
                }
            case ("resources", 3):
                let type = segments[1]
                let id = segments[2]
                return try await server.read(base: base) {
                    try ResourcePage(session: $0, type: type, id: id).page()
                }
            case (let name?, 1):
                return PageAssets.response(name)
                    ?? FHIRPageLayout.problem("Not found", "There is nothing here.", status: 404)
            default: return FHIRPageLayout.problem("Not found", "There is nothing here.", status: 404)
            }
        } catch let failure as FHIRFailure {
            let title =
                failure.status == 404 ? "Not found" : failure.status == 410 ? "Deleted" : "That did not work"
            return FHIRPageLayout.problem(title, failure.text, status: failure.status)
        } catch {
            server.logFailure(error)
            return FHIRPageLayout.problem("The sandbox failed", "Its log says why.", status: 500)
        }
    }
}
