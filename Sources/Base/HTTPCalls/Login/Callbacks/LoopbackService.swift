import Dispatch
import Foundation
import Synchronization

/// Serves the few requests of one login. A thread of its own polls the connections, so that one which sends
/// nothing (browsers open such connections) does not block the others. A connection that takes longer than
/// `patience` is closed; if there are too many, so is the oldest.
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
        // If no descriptor is left, the connection keeps waiting: pause before polling again.
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
