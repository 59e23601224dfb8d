import Foundation
import Synchronization

/// One request of a browser, and its response. If nobody gives a response, it is a page that says that the
/// login has ended.
final class LoopbackExchange: Sendable {
    private let connection: Mutex<Int32?>

    init(_ connection: Int32) { self.connection = Mutex(connection) }

    deinit {
        show("The login has ended before it was complete. You may close this page and go back to the app.")
    }

    /// Redirects the browser. A URL is percent-encoded, so that it contains no line break.
    func redirect(to url: URL) { answer("302 Found", "Location: \(url.absoluteString)") }

    func show(_ message: String) { page("200 OK", message) }

    func notFound(_ message: String = "There is nothing here.") { page("404 Not Found", message) }

    func refuse() {
        page("403 Forbidden", "This page is opened by a browser during a login, and in no other way.")
    }

    /// - Parameter message: Text of our own, without markup.
    private func page(_ status: String, _ message: String) {
        answer(
            status,
            "Content-Type: text/html; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n"
                + "Content-Security-Policy: default-src 'none'; img-src data:; frame-ancestors 'none'",
            "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Login</title>"
                + "<link rel=\"icon\" href=\"data:,\"><p>\(message)</p></html>\n"
        )
    }

    private func answer(_ status: String, _ fields: String, _ body: String = "") {
        guard let socket = connection.withLock({ $0.take() }) else { return }
        let response =
            """
            HTTP/1.1 \(status)\r\n\(fields)\r\nContent-Length: \(body.utf8.count)\r\nCache-Control: \
            no-store\r\n
            """
            + "Referrer-Policy: no-referrer\r\nConnection: close\r\n\r\n" + body
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        // It fits into the connection's buffer, which nothing was written to before: the connection does not
        // block.
        _ = Array(response.utf8).withUnsafeBytes { send(socket, $0.baseAddress, $0.count, flags) }
        shutdown(socket, Int32(SHUT_WR))
        close(socket)
    }
}
