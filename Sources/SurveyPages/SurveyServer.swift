import Foundation
import HTTPServing
import Surveys

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
        /// A reference to whom the responses are about, such as `Patient/7`.
        public var subject: String?
        /// The time and the resources that the survey's expressions can refer to.
        public var context: @Sendable () -> SurveyContext = { SurveyContext() }

        /// The defaults given above.
        public init() {}
    }

    /// Why a server does not start.
    public struct StartError: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// The largest form, in bytes.
    static let bodyLimit = 24 << 20

    /// The address of the first page.
    public let url: URL
    private let listener: HTTPListener

    private init(_ listener: HTTPListener, _ url: URL) { (self.listener, self.url) = (listener, url) }

    /// Starts a server, and returns once it listens.
    ///
    /// - Throws: ``StartError`` for an address or port that cannot be listened on.
    public static func start(
        _ survey: Survey, store: any SurveyResponseStore, _ configuration: Configuration = Configuration()
    ) async throws -> SurveyServer {
        let pages = SurveyPages(
            survey, store: store, subject: configuration.subject, context: configuration.context)
        let settings = HTTPListener.Configuration(
            address: configuration.address, port: configuration.port, bodyLimit: bodyLimit, timeout: 60, serverName: "SurveyServer",
            tooLarge: Response(
                status: 413, type: "text/plain; charset=utf-8",
                text: "The form is too large: at most \(bodyLimit >> 20) MB are taken. Go back; nothing is lost."),
            internalError: Response(status: 500, type: "text/plain; charset=utf-8", text: "The server failed."), now: { Date() })
        let listener: HTTPListener
        do {
            listener = try await HTTPListener(settings) { request in
                // Any Host will do, so that a proxy may stand before it: without a token there is only the questionnaire to see.
                await pages.respond(to: request, request.rawPath.split(separator: "/").map(String.init))
            }
        } catch let error as ListeningError {
            throw StartError(description: error.description)
        }
        let host = configuration.address == "0.0.0.0" ? "127.0.0.1" : configuration.address
        guard let url = URL(string: "http://\(host):\(listener.port)/") else {
            await listener.stop()
            throw StartError(description: "\(host) is not an address")
        }
        return SurveyServer(listener, url)
    }

    /// Stops listening and closes every connection.
    public func stop() async { await listener.stop() }
}
