import Foundation
import Surveys
import WebServing

/// A server for one survey's pages.
///
/// ```swift
/// let server = try await SurveyServer.start(Survey(questionnaire), store: SurveyResponsesInMemory())
/// print(server.url)
/// // … people answer …
/// await server.stop()
/// ```
public final class SurveyServer: Sendable {
    /// The configuration of a server.
    public struct Configuration: Sendable {
        /// The IPv4 address to listen on.
        public var address = "127.0.0.1"
        /// The port, 0 for a free one.
        public var port: UInt16 = 0
        /// The name under which a proxy with TLS serves the pages. Without one, only requests for an address
        /// or `localhost` are served: a page elsewhere whose name was made to lead here sends its own name.
        public var host: String?
        /// A reference to whom the responses are about, such as `Patient/7`.
        public var subject: String?
        /// The time and the resources that the survey's expressions can refer to.
        public var context: @Sendable () -> SurveyContext = { SurveyContext() }

        /// Finds codes of value sets that are too large to be listed, such as `SurveyTerminology.search` of
        /// Surveys. It is asked by whoever can open the pages, for the survey's own value sets alone.
        public var search: OptionSearch.Function?

        /// The defaults given above.
        public init() {}
    }

    /// Why a server does not start.
    public struct StartError: Error, Sendable, CustomStringConvertible {
        public let description: String

        package init(description: String) { self.description = description }
    }

    /// The largest form, in bytes.
    static let bodyLimit = 24 << 20
    /// How many bytes of forms may be in memory at once.
    private static let bodyBudget = 8 * bodyLimit

    /// The address of the first page.
    public let url: URL
    private let listener: HTTPListener
    private let ending: @Sendable () async -> Void

    private init(_ listener: HTTPListener, _ ending: @escaping @Sendable () async -> Void) {
        self.listener = listener
        self.ending = ending
        url = listener.url.appending(path: "/")
    }

    /// Starts a server, and returns once it listens.
    ///
    /// - Throws: ``StartError`` for an address or port that cannot be listened on.
    public static func start(
        _ survey: Survey,
        store: any SurveyResponseStore,
        _ configuration: Configuration = Configuration()
    ) async throws -> SurveyServer {
        let pages = SurveyPages(
            survey,
            store: store,
            subject: configuration.subject,
            context: configuration.context,
            search: configuration.search
        )
        return try await start(configuration) { request in
            await pages.respond(to: request, request.rawPath.split(separator: "/").map(String.init))
        }
    }

    /// Starts a server of pages that are behind something else.
    ///
    /// - Parameter ending: What is done after the last request.
    package static func start(
        _ configuration: Configuration,
        respond: @escaping @Sendable (Request) async -> Response,
        ending: @escaping @Sendable () async -> Void = {}
    ) async throws -> SurveyServer {
        var settings = HTTPListener.Configuration(
            address: configuration.address,
            port: configuration.port,
            bodyLimit: bodyLimit,
            serverName: "SurveyServer",
            tooLarge: Response(
                status: 413,
                type: "text/plain; charset=utf-8",
                text:
                    """
                    The form is too large: at most \(bodyLimit >> 20) MB are taken. Go back; nothing is lost.
                    """
            )
        )
        settings.bodyBudget = bodyBudget
        let handler = Middleware.handler([.host(configuration.host, refusal: misdirected)], respond)
        do throws(ListeningError) {
            return SurveyServer(try await HTTPListener(settings, handler: handler), ending)
        } catch {
            throw StartError(description: error.description)
        }
    }

    private static let misdirected = Response(
        status: 403,
        type: "text/plain; charset=utf-8",
        text: "The survey has no such name; open it at the address that was given."
    )

    /// Stops listening and closes every connection.
    public func stop() async {
        await listener.stop()
        await ending()
    }
}
