import Foundation
import Synchronization

/// One request of a browser, which gets one response. Without one, as when the login fails elsewhere, it gets a page that says
/// that the login has ended.
final class LoopbackExchange: Sendable {
    private let connection: Mutex<Int32?>

    init(_ connection: Int32) { self.connection = Mutex(connection) }

    deinit { show("The login has ended without a record. You may close this page and go back to the app.") }

    func redirect(to url: URL) {
        // A URL holds no line's end: it is percent-encoded, always.
        answer(
            "HTTP/1.1 302 Found\r\nLocation: \(url.absoluteString)\r\nContent-Length: 0\r\nCache-Control: no-store\r\n"
                + "Referrer-Policy: no-referrer\r\nConnection: close\r\n\r\n")
    }

    func show(_ message: String) { answer(page("200 OK", message)) }

    func notFound(_ message: String = "There is nothing here.") { answer(page("404 Not Found", message)) }

    /// Refuses what came here by no way that a login goes.
    func refuse() { answer(page("403 Forbidden", "This page is opened by a browser during a login, and in no other way.")) }

    /// - Parameter message: Text of our own, without markup.
    private func page(_ status: String, _ message: String) -> String {
        let body = "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Login</title><link rel=\"icon\" href=\"data:,\"><p>\(message)</p></html>\n"
        return "HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
            + "Content-Security-Policy: default-src 'none'; img-src data:; frame-ancestors 'none'\r\n"
            + "Connection: close\r\n\r\n" + body
    }

    private func answer(_ response: String) {
        guard let socket = connection.withLock({ $0.take() }) else { return }
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        // It fits into the connection's buffer, which nothing was written to before: the connection does not block.
        _ = Array(response.utf8).withUnsafeBytes { send(socket, $0.baseAddress, $0.count, flags) }
        shutdown(socket, Int32(SHUT_WR))
        close(socket)
    }
}
