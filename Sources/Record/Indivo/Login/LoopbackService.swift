import Dispatch
import Foundation
import Synchronization

/// Serves the few requests of one login. A thread of its own polls the connections, so that one which sends
/// nothing (browsers open such) keeps no other waiting; one that takes longer than the patience is closed,
/// and of too many the oldest.
final class LoopbackService: Sendable {
    private let socket: LoopbackSocket
    private let patience: Duration
    private let handle: @Sendable (LoopbackRequest, LoopbackExchange) -> Void
    private let isServing = Mutex(true)
    private let ended = DispatchSemaphore(value: 0)

    /// Begins to serve.
    init(
        socket: LoopbackSocket,
        patience: Duration,
        handle: @escaping @Sendable (LoopbackRequest, LoopbackExchange) -> Void
    ) {
        self.socket = socket
        self.patience = patience
        self.handle = handle
        Thread.detachNewThread { self.run() }
    }

    /// Takes no connection any more, and returns once all that were taken are closed; false where it was
    /// stopped before.
    func stop() -> Bool {
        guard isServing.withLock({ exchange(&$0, with: false) }) else { return false }
        ended.wait()
        return true
    }

    /// How often it looks whether the login has ended, in milliseconds.
    private static let pause: Int32 = 50
    private static let maximumRequest = 16_384
    private static let maximumConnections = 32

    /// A connection whose request is not complete.
    private typealias Visitor = (request: [UInt8], deadline: ContinuousClock.Instant)

    private func run() {
        var visitors: [Int32: Visitor] = [:]
        while isServing.withLock({ $0 }) {
            for (connection, visitor) in visitors where visitor.deadline <= .now {
                close(connection)
                visitors[connection] = nil
            }
            var polled = ([socket.descriptor] + visitors.keys).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard poll(&polled, nfds_t(polled.count), Self.pause) > 0 else { continue }
            for entry in polled.dropFirst() where entry.revents != 0 {
                guard let visitor = visitors.removeValue(forKey: entry.fd) else { continue }
                visitors[entry.fd] = receive(entry.fd, visitor)
            }
            if polled[0].revents != 0 { takeNewcomers(&visitors) }
        }
        for connection in visitors.keys { close(connection) }
        ended.signal()
    }

    private func takeNewcomers(_ visitors: inout [Int32: Visitor]) {
        while let connection = socket.next() {
            if visitors.count >= Self.maximumConnections,
                let oldest = visitors.min(by: { $0.value.deadline < $1.value.deadline })?.key
            {
                close(oldest)
                visitors[oldest] = nil
            }
            visitors[connection] = ([], .now + patience)
        }
        // Without a descriptor left, the connection goes on waiting: not to be asked about without a pause.
        if errno == EMFILE || errno == ENFILE { poll(nil, 0, 20) }
    }

    /// Reads what has come; a visitor who is still unfinished goes back, a finished request is handled.
    private func receive(_ connection: Int32, _ visitor: Visitor) -> Visitor? {
        var visitor = visitor
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(connection, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return visitor }
        visitor.request += buffer.prefix(max(0, count))
        guard count > 0, visitor.request.count <= Self.maximumRequest else {
            close(connection)
            return nil
        }
        guard visitor.request.contains([13, 10, 13, 10]) else { return visitor }
        let exchange = LoopbackExchange(connection)
        if let request = LoopbackRequest(visitor.request) {
            handle(request, exchange)
        } else {
            exchange.notFound()
        }
        return nil
    }
}

/// The head of a request to the loopback listener, which whoever is on the machine can send, and every page
/// in its browser.
struct LoopbackRequest {
    /// Path and query.
    let target: String
    /// Values by the field's name in lower case.
    private let fields: [String: [String]]

    /// The head of a `GET`; `nil` for any other request, for what is not HTTP, and for a target with control
    /// characters.
    init?(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
        let words = (lines.first ?? []).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, words[0].elementsEqual("GET".utf8), words[1].first == UInt8(ascii: "/"),
            words[2].starts(with: "HTTP/1.".utf8), words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { return nil }
        var fields: [String: [String]] = [:]
        for line in lines.dropFirst().prefix(while: { !$0.isEmpty }) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { return nil }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            fields[String(decoding: line[..<colon], as: UTF8.self).lowercased(), default: []].append(
                value.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
            )
        }
        target = String(decoding: words[1], as: UTF8.self)
        self.fields = fields
    }

    /// The part of the target before a query.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// Whether the request is for this listener, and is one that a person's browser makes when it goes to a
    /// page.
    ///
    /// Another `Host` is that of a page elsewhere whose name was made to lead here. Scripts, images, frames
    /// and what a browser fetches ahead of time say so in `Sec-Fetch-Mode`, `Sec-Fetch-Dest` and
    /// `Sec-Purpose` (W3C, Fetch Metadata Request Headers); a browser too old for these names the page of a
    /// script in `Origin`. Where a navigation comes from (`Sec-Fetch-Site`) does not help: it comes from the
    /// server, which is another site.
    func isNavigation(to port: UInt16) -> Bool {
        guard let host = only("host")?.lowercased() else { return false }
        let names = ["127.0.0.1", "localhost"]
        guard names.contains(where: { host == "\($0):\(port)" || (port == 80 && host == $0) }) else {
            return false
        }
        guard fields["sec-purpose"] == nil, fields["purpose"] == nil else { return false }
        guard fields["sec-fetch-mode"] != nil || fields["sec-fetch-dest"] != nil else {
            return fields["origin"] == nil
        }
        return only("sec-fetch-mode") == "navigate"
            && (fields["sec-fetch-dest"] == nil || only("sec-fetch-dest") == "document")
    }

    /// A field's value, where the field stands once.
    private func only(_ name: String) -> String? { fields[name].flatMap { $0.count == 1 ? $0[0] : nil } }
}

/// One request of a browser, with one response: where nobody gives one, a page that says that the login has
/// ended.
final class LoopbackExchange: Sendable {
    private let connection: Mutex<Int32?>

    init(_ connection: Int32) { self.connection = Mutex(connection) }

    deinit { show("The login has ended without a record. You may close this page and go back to the app.") }

    /// Sends the browser on. A URL holds no line's end: it is percent-encoded, always.
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
