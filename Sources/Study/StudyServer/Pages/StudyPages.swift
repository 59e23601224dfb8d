import FHIR
import Foundation
import Logging
import StudyFormats
import StudyWarehouse
import WebServing

/// A study team's pages: what came in, participants and consents, how they keep up, the queue, a map, and
/// charts of the answers, behind a login.
///
/// ```swift
/// let users = StudyUserFile(URL(filePath: "users"))
/// let pages = try await StudyPages.start(warehouse: warehouse, queue: queue, users: users)
/// print(pages.url)            // http://127.0.0.1:8090
/// …
/// await pages.stop()
/// ```
/// They show no answer of a single person: numbers of people are rounded down to multiples of five, fewer
/// than five are not counted, other numbers have two significant digits, and all of them change when five
/// participants gave something new.
public final class StudyPages: Sendable {
    /// How pages are served.
    public struct Configuration: Sendable {
        /// Listen on this IPv4 address.
        public var address = "127.0.0.1"
        /// The port; 0 for a free one.
        public var port: UInt16 = 8090
        /// The name under which a proxy serves the pages with TLS; `nil` without one, for people at this
        /// machine.
        ///
        /// With it cookies are sent over TLS alone, and `X-Forwarded-For` names the client.
        public var host: String?
        /// The study's name, which is the title of every page.
        public var title = "Study"
        /// What participants are asked for: the pages show what of it is done, due, late and missed.
        public var schedule: StudySchedule?
        /// Where it is written down who logged in, saw, exported and changed what; `nil` for nowhere. What
        /// cannot be written down is not done.
        public var audit: AuditLog?
        /// They name the columns of tables that are downloaded.
        public var questionnaires: [Questionnaire] = []

        /// The defaults given above.
        public init() {}
    }

    /// Where they are reached.
    public let url: URL
    private let listener: HTTPListener

    private init(_ listener: HTTPListener) {
        url = listener.url
        self.listener = listener
    }

    /// Starts to listen.
    ///
    /// - Parameter logger: Gets logins and what goes wrong, nothing of participants.
    /// - Throws: ``StudyPagesError``.
    public static func start(
        warehouse: Warehouse,
        queue: any MessageQueue,
        users: StudyUserFile,
        _ configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "study.pages")
    ) async throws -> StudyPages {
        _ = try users.users()
        do { _ = try await warehouse.transaction { try $0.overview(since: "9999") } } catch {
            throw StudyPagesError.badInput(
                "the warehouse does not keep what the pages show: \(error); "
                    + "after an upgrade start indivo study consume once, and grant the role of the pages all "
                    + "rights on study_published"
            )
        }
        let isLocal = configuration.address.hasPrefix("127.")
        guard isLocal || configuration.host != nil else {
            throw StudyPagesError.badInput(
                "on \(configuration.address) passwords would cross the network in clear; "
                    + "let a proxy with TLS serve the pages, and name it with --host"
            )
        }
        let start = ContinuousClock.now
        let service = try PageService(
            warehouse,
            queue,
            users,
            title: configuration.title,
            host: configuration.host,
            schedule: configuration.schedule,
            audit: configuration.audit,
            questionnaires: configuration.questionnaires,
            logger: logger
        ) {
            ContinuousClock.now - start
        }
        var settings = HTTPListener.Configuration(
            address: configuration.address,
            port: configuration.port,
            bodyLimit: PageService.bodyLimit,
            serverName: "study"
        )
        settings.responseTimeout = PageService.responseTimeout
        do throws(ListeningError) {
            return StudyPages(try await HTTPListener(settings) { await service.respond(to: $0) })
        } catch {
            throw StudyPagesError.badInput(error.description)
        }
    }

    /// Stops listening, and ends all sessions.
    public func stop() async { await listener.stop() }
}
