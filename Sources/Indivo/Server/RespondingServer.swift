import Foundation
import HTTPTransport
import HTTPTypes

/// Which of Indivo's two servers a response comes from, as far as its own words say.
enum RespondingServer {
    /// The REST API.
    case api
    /// The UI server, or a proxy: a page for people, or the way to one.
    case pages

    /// - Returns: `nil` where the response could be either's.
    init?(_ answer: HTTPAnswer) {
        let type = answer.response.headerFields[.contentType]?.lowercased() ?? ""
        let beginning = String(decoding: answer.body.prefix(1024), as: UTF8.self).lowercased()
        switch answer.response.status.code {
        case 404 where beginning.contains("<h4>we're sorry. you have reached a page that has been disconnected"): self = .api
        case 200 where type.hasPrefix("application/json"): self = .api
        case 300..<400 where Self.isLogin(answer.response.headerFields[.location]): self = .pages
        case _ where beginning.contains("<!doctype html") || beginning.contains("<html"): self = .pages
        default: return nil
        }
    }

    private static func isLogin(_ location: String?) -> Bool {
        guard let path = location.flatMap({ URL(string: $0) })?.path(percentEncoded: false) else { return false }
        return path == "/login" || path.hasPrefix("/login/")
    }
}

extension IndivoServer {
    /// The page that a login begins with.
    var appPage: URL { ui.appending(path: "apps").appending(path: app.id, directoryHint: .notDirectory) }

    /// Asks for the page that a login begins with, as the API server has something at its path too: a browser would show
    /// that, and the login would wait for ever.
    ///
    /// A request that fails says nothing of the browser's, which may go through a proxy.
    /// - Throws: ``IndivoError`` where the API server responds; `CancellationError`.
    func checkPagesAreNotAPI(at address: ServerAddress) async throws {
        let request = HTTPRequest(
            method: .get, scheme: address.scheme, authority: address.authority, path: appPage.path(percentEncoded: true))
        let limit = min(Duration.seconds(5), options.retry.deadline)
        let answer = try? await HTTPLimits.$remaining.withValue(limit) { try await calls.transport.send(request) }
        try Task.checkCancellation()
        guard let answer, RespondingServer(answer) == .api else { return }
        throw IndivoError(
            .badCallback(
                "the API server responds at the UI server's address, \(address.authority), so that nobody can log in there. "
                    + "The UI server has an address of its own, mostly another port: give that as the address of the pages"))
    }
}
