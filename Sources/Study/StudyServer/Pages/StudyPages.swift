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
    /// `nil` where there is one study.
    private let site: PageSite?

    private init(_ listener: HTTPListener, _ site: PageSite? = nil) {
        url = listener.url
        self.listener = listener
        self.site = site
    }

    /// Starts to listen, for one study.
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
        let clock = Self.clock()
        let access = try PageAccess(users, configuration, logger: logger, elapsed: clock)
        try await check(warehouse)
        let service = PageService(access, nil, warehouse, queue, configuration, elapsed: clock)
        return StudyPages(try await listen(configuration) { await service.respond(to: $0) })
    }

    /// Starts to listen, for several studies: one login, and the pages of each below its name.
    ///
    /// - Parameters:
    ///   - configuration: `title` is that of all together; each study's own come with
    ///     ``open(_:warehouse:queue:_:)``.
    ///   - logger: Gets logins and what goes wrong, nothing of participants.
    /// - Throws: ``StudyPagesError``.
    public static func start(
        studies: Set<StudyName>,
        users: StudyUserFile,
        _ configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "study.pages")
    ) async throws -> StudyPages {
        let access = try PageAccess(users, configuration, logger: logger, elapsed: Self.clock())
        let site = PageSite(access: access, hosted: HostedStudies(studies))
        return StudyPages(try await listen(configuration) { await site.respond(to: $0) }, site)
    }

    /// Shows a study from now on.
    ///
    /// - Parameters:
    ///   - name: One of those that the pages were started with.
    ///   - configuration: Its title, schedule and questionnaires; the rest is not read.
    /// - Throws: ``StudyPagesError``.
    public func open(
        _ name: StudyName,
        warehouse: Warehouse,
        queue: any MessageQueue,
        _ configuration: Configuration = Configuration()
    ) async throws {
        guard let site, site.hosted.names.contains(name) else {
            throw StudyPagesError.badInput("the pages were not started with the study \(name)")
        }
        try await Self.check(warehouse)
        site.hosted[name] = PageService(
            site.access,
            name,
            warehouse,
            queue,
            configuration,
            elapsed: Self.clock()
        )
    }

    /// Shows a study no more.
    public func close(_ name: StudyName) { site?.hosted[name] = nil }

    private static func clock() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }

    private static func check(_ warehouse: Warehouse) async throws {
        do { _ = try await warehouse.transaction { try $0.overview(since: "9999") } } catch {
            throw StudyPagesError.badInput(
                "the warehouse does not keep what the pages show: \(error); "
                    + "after an upgrade start indivo study consume once, and grant the role of the pages all "
                    + "rights on study_published"
            )
        }
    }

    private static func listen(
        _ configuration: Configuration,
        _ handler: @escaping HTTPListener.Handler
    ) async throws -> HTTPListener {
        let isLocal = configuration.address.hasPrefix("127.")
        guard isLocal || configuration.host != nil else {
            throw StudyPagesError.badInput(
                "on \(configuration.address) passwords would cross the network in clear; "
                    + "let a proxy with TLS serve the pages, and name it with --host"
            )
        }
        var settings = HTTPListener.Configuration(
            address: configuration.address,
            port: configuration.port,
            bodyLimit: PageService.bodyLimit,
            serverName: "study"
        )
        settings.responseTimeout = PageService.responseTimeout
        do throws(ListeningError) { return try await HTTPListener(settings, handler: handler) } catch {
            throw StudyPagesError.badInput(error.description)
        }
    }

    /// Stops listening, and ends all sessions.
    public func stop() async { await listener.stop() }
}

extension PageAccess {
    fileprivate init(
        _ users: StudyUserFile,
        _ configuration: StudyPages.Configuration,
        logger: Logger,
        elapsed: @escaping @Sendable () -> Duration
    ) throws {
        _ = try users.users()
        try self.init(
            users,
            title: configuration.title,
            host: configuration.host,
            audit: configuration.audit,
            logger: logger,
            elapsed: elapsed
        )
    }
}

extension PageService {
    fileprivate init(
        _ access: PageAccess,
        _ name: StudyName?,
        _ warehouse: Warehouse,
        _ queue: any MessageQueue,
        _ configuration: StudyPages.Configuration,
        elapsed: @escaping @Sendable () -> Duration
    ) {
        self.init(
            access,
            name,
            warehouse,
            queue,
            title: configuration.title,
            schedule: configuration.schedule,
            questionnaires: configuration.questionnaires,
            elapsed: elapsed
        )
    }
}
