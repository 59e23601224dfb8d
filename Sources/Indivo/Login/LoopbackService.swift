import Dispatch
import Foundation

/// Serves the few requests of one login, each with a response from whoever handles it.
///
/// A thread of its own polls the connections, so that one which sends nothing (browsers open such) keeps no other
/// waiting. A connection that takes longer than the
/// patience to send its request is closed; of too many the oldest goes.
final class LoopbackService: Sendable {
    private let socket: LoopbackSocket
    private let patience: Duration
    private let handle: @Sendable (LoopbackRequest, LoopbackExchange) -> Void
    /// A byte sent through this pair ends the thread.
    private let end: (read: Int32, write: Int32)
    private let ended = DispatchSemaphore(value: 0)

    /// Begins to serve.
    /// - Throws: ``IndivoError`` where the system gives no sockets.
    init(
        socket: LoopbackSocket, patience: Duration,
        handle: @escaping @Sendable (LoopbackRequest, LoopbackExchange) -> Void
    ) throws {
        self.socket = socket
        self.patience = patience
        self.handle = handle
        var pair: [Int32] = [-1, -1]
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #elseif canImport(Musl)
        let type = SOCK_STREAM | SOCK_CLOEXEC
        #else
        let type = SOCK_STREAM
        #endif
        let isMade = socketpair(AF_UNIX, type, 0, &pair) == 0
        #if canImport(Darwin)
        for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        #endif
        end = (pair[0], pair[1])
        guard isMade else {
            throw IndivoError(.badCallback("the system gives no sockets: \(String(cString: strerror(errno)))"))
        }
        Thread.detachNewThread { self.run() }
    }

    /// Takes no connection any more, and returns once all that were taken are closed. To be called once.
    func stop() {
        var byte: UInt8 = 0
        write(end.write, &byte, 1)
        ended.wait()
        close(end.write)
        close(end.read)
    }

    private static let maximumRequest = 16_384
    private static let maximumConnections = 32

    /// A connection whose request is not complete.
    private struct Visitor {
        var request: [UInt8] = []
        let deadline: ContinuousClock.Instant
    }

    private func run() {
        var visitors: [Int32: Visitor] = [:]
        while true {
            for (connection, visitor) in visitors where visitor.deadline <= .now {
                close(connection)
                visitors[connection] = nil
            }
            var polled = [end.read, socket.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            polled += visitors.keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let next = visitors.values.map(\.deadline).min()
            let wait = next.map { max(0, (ContinuousClock.now.duration(to: $0)).milliseconds + 1) } ?? -1
            guard poll(&polled, nfds_t(polled.count), Int32(clamping: wait)) > 0 else { continue }
            guard polled[0].revents == 0 else { break }
            for entry in polled.dropFirst(2) where entry.revents != 0 {
                guard let visitor = visitors.removeValue(forKey: entry.fd) else { continue }
                visitors[entry.fd] = receive(entry.fd, visitor)
            }
            if polled[1].revents != 0 { takeNewcomers(&visitors) }
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
            visitors[connection] = Visitor(deadline: .now + patience)
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
