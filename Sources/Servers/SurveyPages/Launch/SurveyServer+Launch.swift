import FHIR
@_exported import FHIRClient
import Foundation
import IndivoBase
import Surveys
import Synchronization
import WebServing

extension SurveyServer {
    /// Starts a server whose visitors log in at a health record (SMART App Launch), get a survey that is
    /// filled from it, and whose answers go back to it.
    ///
    /// ```swift
    /// let server = try await SurveyServer.start(
    ///     Survey(questionnaire),
    ///     store: SurveyResponsesInMemory()
    /// ) { redirectURI in
    ///     let scopes: [SMARTScope] = [.launchPatient, .patient("*", .all)]
    ///     return try SMARTServer(
    ///         base: base, app: SMARTApp(id: "intake", redirectURI: redirectURI, scopes: scopes))
    /// }
    /// ```
    /// The first page leads to the record's login; so does `/launch`, which a health record opens with `iss`
    /// and `launch`. Responses are about the patient in context. One that is complete is extracted and stored
    /// in the record, with the response itself where the scopes permit it, before it counts as sent; the same
    /// response is stored once.
    ///
    /// - Parameters:
    ///   - survey: The survey. Modules and value sets that it lacks are asked for with the visitor's token.
    ///   - store: Where responses are kept, in progress and complete. A visitor gets those about the patient.
    ///   - configuration: The address, and the name that a proxy with TLS serves the pages under. Its
    ///     subject is not used: the launch says whom the responses are about.
    ///   - terminology: The terminology servers that value sets are asked from; by default the record, with
    ///     the visitor's token.
    ///   - report: Gets what could not be had or stored, without anything of a patient.
    ///   - record: The record and the app, made with the redirect URI of the pages, which the app is
    ///     registered with: `http://127.0.0.1:8082/callback`, or `https://HOST/callback` behind a proxy.
    /// - Throws: ``StartError`` for an address or port that cannot be listened on;
    ///   what `record` throws.
    public static func start(
        _ survey: Survey,
        store: any SurveyResponseStore,
        _ configuration: Configuration = Configuration(),
        terminology: SurveyTerminology? = nil,
        report: @escaping @Sendable (String) -> Void = { _ in },
        record: (_ redirectURI: URL) async throws -> SMARTServer
    ) async throws -> SurveyServer {
        // The redirect URI needs the port, which is known once the server listens.
        let place = Place()
        let server = try await start(configuration) { request in
            guard let pages = place.pages.withLock({ $0 }) else { return Response(status: 503) }
            return await pages.respond(to: request)
        } ending: {
            await place.pages.withLock({ $0 })?.end()
        }
        do {
            let address = configuration.host.map { "https://\($0)/" } ?? server.url.absoluteString
            guard let redirectURI = URL(string: address + LaunchPages.callback) else {
                throw StartError(description: "“\(address)” is no address; give the name of the host alone")
            }
            let launched = LaunchPages(
                survey,
                record: try await record(redirectURI),
                store: store,
                context: configuration.context,
                terminology: terminology,
                report: report
            )
            place.pages.withLock { $0 = launched }
            return server
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Where the pages are put when they are made.
    private final class Place: Sendable {
        let pages = Mutex<LaunchPages?>(nil)
    }
}
