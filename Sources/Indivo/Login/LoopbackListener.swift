import Foundation
import OAuth1

/// Receives callbacks on 127.0.0.1, for tools and desktop apps (RFC 8252, section 7.3).
///
/// The app's start URL, as registered with the server, is ``startURL`` with the server's variables behind it:
/// `http://127.0.0.1:8002/start?record_id={record_id}&carenet_id={carenet_id}`.
/// The listener answers only while a login is going on, takes nothing from outside the machine, and gives each login a
/// callback of its own, under a random path.
public struct LoopbackListener: CallbackReceiver {
    /// The port listened on.
    public let port: UInt16
    private let socket: LoopbackSocket?

    /// A listener on a port that is taken when a login begins.
    public init(port: UInt16 = 8002) {
        self.port = port
        socket = nil
    }

    private init(socket: LoopbackSocket) {
        port = socket.port
        self.socket = socket
    }

    /// A listener on a port that is free now, and kept.
    /// - Throws: ``IndivoError`` with the reason ``LoginError/badCallback(_:)`` when the system gives none.
    public static func onFreePort() throws -> LoopbackListener {
        try LoopbackListener(socket: LoopbackSocket(port: 0))
    }

    /// Where the server's UI sends the browser once a record is chosen, without the query.
    public var startURL: URL { url(Self.startPath) }

    private static let startPath = "/start"
    private static let callbackFolder = "/callback/"

    /// Another login's callback comes in too, so that it can be told from this one's.
    private static func isExpected(_ path: String) -> Bool {
        path == startPath || path.hasPrefix(callbackFolder)
    }

    private func url(_ path: String) -> URL {
        // Digits, dots and a path of our own making always form a URL.
        URL(string: "http://127.0.0.1:\(port)\(path)")!
    }

    public func listen() throws -> CallbackSession {
        let socket = try socket ?? LoopbackSocket(port: port)
        let callbackPath = Self.callbackFolder + OAuthSigner.randomNonce()
        let inbox = CallbackInbox()
        let visits = inbox.open()
        let service = LoopbackService(socket: socket, isExpected: Self.isExpected) { target, exchange in
            guard let url = URL(string: "http://127.0.0.1:\(socket.port)\(target)") else { return exchange.notFound() }
            let visit = CallbackVisit(
                url: url, redirect: { exchange.redirect(to: $0) }, finish: { exchange.show($0) })
            if !inbox.put(visit) { exchange.show("No login is going on.") }
        }
        service.start()
        return CallbackSession(
            callback: url(callbackPath), visits: visits,
            close: {
                service.stop()
                inbox.close()
            })
    }
}
