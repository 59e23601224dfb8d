import FHIR
import Foundation
import OrderedJSON
import SurveyPages
import Surveys
import Synchronization
import WebServing

/// The questionnaires that are stored, and the pages on which they are answered; responses are stored on the
/// server.
final class QuestionnairePages: Sendable {
    /// So many questionnaires are kept ready.
    private static let maximumSurveys = 32
    private static let listLimit = 200

    private struct Entry {
        var version: Int
        var pages: SurveyPages
        var use: Int
    }

    private let server: ServerState
    private let entries = Mutex<(surveys: [String: Entry], uses: Int)>(([:], 0))

    init(_ server: ServerState) { self.server = server }

    /// - Parameter path: What follows `/questionnaires`.
    func respond(to request: Request, _ path: [String], base: String) async throws -> Response {
        guard let id = path.first else {
            return try await server.read(base: base) { try Self.list($0) }
        }
        let pages = try await pages(of: id, base: base)
        return await pages.respond(to: request, Array(path.dropFirst()))
    }

    private static func list(_ session: Session) throws -> Response {
        var request = SandboxRequest(interaction: .search(type: "Questionnaire"))
        request.query = QueryItems([("_sort", "title"), ("_count", String(listLimit))])
        let bundle = try session.search("Questionnaire", request)
        let rows = bundle.elements(of: "entry").compactMap { entry -> [Markup]? in
            guard let resource = entry["resource"], let id = resource["id"]?.string else { return nil }
            let title = resource["title"]?.string ?? resource["name"]?.string ?? id
            return [
                "<a href=\"/questionnaires/\(id)/\">\(title)</a>", PageTable.cell(resource["status"]?.string),
                PageTable.cell(resource["version"]?.string),
                "<a href=\"/resources/Questionnaire/\(id)\"><code>\(id)</code></a>",
            ]
        }
        let table = PageTable(
            heads: ["Questionnaire", "Status", "Version", "Resource"],
            rows: rows,
            empty: "There is no questionnaire yet. Send one to <code>\(session.base)/Questionnaire</code>."
        )
        return PageFrame.fhirSandbox.page(
            "Questionnaires",
            "<section aria-label=\"Questionnaires\">\(table.markup)</section>"
        )
    }

    /// The pages of the current version of a questionnaire.
    private func pages(of id: String, base: String) async throws -> SurveyPages {
        let version = try await server.read(base: base) { try $0.existing("Questionnaire", id).version }
        let known = entries.withLock { state -> SurveyPages? in
            guard state.surveys[id]?.version == version else { return nil }
            state.uses += 1
            state.surveys[id]?.use = state.uses
            return state.surveys[id]?.pages
        }
        if let known { return known }
        let survey = try await server.read(base: base) { session -> Survey in
            guard let questionnaire = Questionnaire(tree: try session.existing("Questionnaire", id).json())
            else {
                throw FHIRFailure.notFound("Questionnaire")
            }
            return Survey(questionnaire) { url in
                let canonical = String(url.prefix { $0 != "|" })
                let rows = try? session.matches("ValueSet", QueryItems([("url", canonical)]))
                return rows?.first.flatMap { try? session.store.current(row: $0)?.json() }.flatMap {
                    ValueSet(tree: $0)
                }
            }
        }
        let pages = SurveyPages(
            survey,
            base: "/questionnaires/\(id)",
            home: ("FHIR sandbox", "/questionnaires"),
            store: StoredResponses(server: server, base: base),
            now: server.configuration.now
        )
        entries.withLock { state in
            state.uses += 1
            state.surveys[id] = Entry(version: version, pages: pages, use: state.uses)
            if state.surveys.count > Self.maximumSurveys,
                let oldest = state.surveys.min(by: { $0.value.use < $1.value.use })
            {
                state.surveys[oldest.key] = nil
            }
        }
        return pages
    }
}

/// The responses of pages as resources of the server.
private struct StoredResponses: SurveyResponseStore {
    let server: ServerState
    let base: String

    func response(_ id: String) async throws -> QuestionnaireResponse? {
        let json = try await server.read(base: base) { session -> JSONValue? in
            guard let stored = try session.store.current("QuestionnaireResponse", id), !stored.isDeleted
            else { return nil }
            return try stored.json()
        }
        return json.flatMap { QuestionnaireResponse(tree: $0) }
    }

    func save(_ response: QuestionnaireResponse, id: String) async throws {
        var request = SandboxRequest(interaction: .update(type: "QuestionnaireResponse", id: id))
        request.body = .resource(response.tree)
        // A mistake in a questionnaire must not cost what a person answered.
        request.isValidated = false
        _ = try await server.perform(request, base: base)
    }
}
