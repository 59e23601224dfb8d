#if SMART
import Foundation
import HTTPCalls

/// Receives the browser on 127.0.0.1, for tools and desktop apps (RFC 8252, section 7.3): the redirect URI is
/// `http://127.0.0.1:PORT/PATH`, as it is registered.
///
/// It listens only while a login is under way. What a browser does not send when a person goes to a page, and
/// what belongs to another login, gets a page that says so, and the login goes on.
public struct LoopbackRedirect: CallbackReceiver {
    public let redirectURI: URL
    private let port: UInt16
    private let socket: LoopbackSocket?

    /// - Parameter redirectURI: An `http` address of this machine, with a port.
    /// - Throws: `CallbackError` for another address.
    public init(_ redirectURI: URL) throws(CallbackError) {
        guard redirectURI.scheme == "http", redirectURI.host() == "127.0.0.1",
            let port = redirectURI.port.flatMap(UInt16.init(exactly:)), port > 0
        else {
            throw CallbackError(
                """
                a browser cannot come back to this redirect URI by itself: use \
                http://127.0.0.1:PORT/callback, or give launch another receiver, such as \
                URLSchemeReceiver(redirectURI:)
                """
            )
        }
        self.redirectURI = redirectURI
        self.port = port
        socket = nil
    }

    private init(_ redirectURI: URL, _ socket: LoopbackSocket) {
        self.redirectURI = redirectURI
        self.socket = socket
        port = socket.port
    }

    /// A receiver on a port that is free now, and kept; for servers that take any port, or that register the
    /// app now.
    /// - Parameter path: The path of the redirect URI.
    /// - Throws: `CallbackError` when the system gives none.
    public static func onFreePort(path: String = "/callback") throws -> LoopbackRedirect {
        let socket = try LoopbackSocket(port: 0)
        guard let url = LoopbackPages.url(port: socket.port, path: path) else {
            throw CallbackError("“\(path)” is no path; write it as /callback")
        }
        return LoopbackRedirect(url, socket)
    }

    public func listen() throws -> CallbackSession {
        let path = redirectURI.path(percentEncoded: true)
        var pages = LoopbackPages([.authorization: path.isEmpty ? "/" : path], callback: path)
        pages.takesOne = false
        let session = try pages.listen(on: socket ?? LoopbackSocket(port: port), keepsPort: socket != nil)
        return CallbackSession(callback: redirectURI, next: session.next, close: session.close)
    }
}
#endif
