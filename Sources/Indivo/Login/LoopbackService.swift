import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Serves the few requests of one login: `GET` of expected paths, each answered by whoever handles it.
///
/// A thread of its own polls the connections, so that one which sends nothing (browsers open such) keeps no other waiting.
final class LoopbackService: Sendable {
    private let socket: LoopbackSocket
    private let isExpected: @Sendable (_ path: String) -> Bool
    private let handle: @Sendable (_ target: String, LoopbackExchange) -> Void
    private let turn: Int

    init(
        socket: LoopbackSocket, isExpected: @escaping @Sendable (_ path: String) -> Bool,
        handle: @escaping @Sendable (_ target: String, LoopbackExchange) -> Void
    ) {
        self.socket = socket
        self.isExpected = isExpected
        self.handle = handle
        turn = socket.begin()
    }

    func start() {
        Thread.detachNewThread { self.run() }
    }

    /// Takes no connection any more; the thread ends within a tenth of a second.
    func stop() { socket.end(turn) }

    private static let maximumRequest = 16_384
    private static let maximumConnections = 32

    private func run() {
        var requests: [Int32: [UInt8]] = [:]
        while socket.isServed(in: turn) {
            var polled = [pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)]
            polled += requests.keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&polled, nfds_t(polled.count), 100) > 0 else { continue }
            for entry in polled where entry.revents != 0 {
                if entry.fd == socket.descriptor {
                    guard let connection = socket.accept(in: turn) else { continue }
                    if requests.count < Self.maximumConnections { requests[connection] = [] } else { close(connection) }
                } else if let request = requests.removeValue(forKey: entry.fd) {
                    if let unfinished = receive(entry.fd, request) { requests[entry.fd] = unfinished }
                }
            }
        }
        for connection in requests.keys { close(connection) }
    }

    /// Reads what has come; what is still unfinished goes back, a finished request is handled.
    private func receive(_ connection: Int32, _ begun: [UInt8]) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(connection, &buffer, buffer.count, 0)
        let request = begun + buffer.prefix(max(0, count))
        guard count > 0, request.count <= Self.maximumRequest else {
            close(connection)
            return nil
        }
        guard request.contains([13, 10, 13, 10]) else { return request }
        let exchange = LoopbackExchange(connection)
        if let target = LoopbackRequest.target(of: request), isExpected(String(target.prefix { $0 != "?" })) {
            handle(target, exchange)
        } else {
            exchange.notFound()
        }
        return nil
    }
}

/// What a browser asks for.
enum LoopbackRequest {
    /// The target of a `GET`: path and query; `nil` for any other request, and for a target with control characters.
    static func target(of request: [UInt8]) -> String? {
        let words = request.prefix { $0 != 13 && $0 != 10 }.split(separator: UInt8(ascii: " "))
        guard words.count == 3, words[0].elementsEqual("GET".utf8), words[1].first == UInt8(ascii: "/"),
            words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { return nil }
        return String(decoding: words[1], as: UTF8.self)
    }
}

/// One request of a browser, to be answered once. Left unanswered, its connection is closed.
final class LoopbackExchange: Sendable {
    private let connection: Mutex<Int32?>

    init(_ connection: Int32) { self.connection = Mutex(connection) }

    deinit { answer(nil) }

    func redirect(to url: URL) {
        answer("HTTP/1.1 302 Found\r\nLocation: \(url.absoluteString)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }

    func show(_ message: String) { answer(page("200 OK", message)) }

    func notFound() { answer(page("404 Not Found", "There is nothing here.")) }

    /// - Parameter message: Text of our own, without markup.
    private func page(_ status: String, _ message: String) -> String {
        let body = "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Login</title><link rel=\"icon\" href=\"data:,\"><p>\(message)</p></html>\n"
        return "HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Connection: close\r\n\r\n" + body
    }

    private func answer(_ response: String?) {
        guard let socket = connection.withLock({ $0.take() }) else { return }
        if let response {
            #if canImport(Darwin)
            let flags: Int32 = 0
            #else
            let flags = Int32(MSG_NOSIGNAL)
            #endif
            let bytes = Array(response.utf8)
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes { send(socket, $0.baseAddress! + sent, bytes.count - sent, flags) }
                guard count > 0 else { break }
                sent += count
            }
            shutdown(socket, Int32(SHUT_WR))
        }
        close(socket)
    }
}
