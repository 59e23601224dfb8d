import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// FlyingFox's socket pool with what it lacks: TCP_NODELAY (without it each answer on a kept connection waits for the
/// client's delayed acknowledgement, 40 ms) and deadlines, after which a slow or idle client's connection is cut.
///
/// A connection may be silent for `timeout` seconds, and a request may take that long from its first byte waited for to
/// its last. The size of a request's head is not bounded: FlyingFox reads it before anyone is asked.
final class DeadlineSocketPool: AsyncSocketPool {
    private struct Connection {
        var peer: Socket.Address
        /// When the wait for the request began that is now being read, or its answer written.
        var since: ContinuousClock.Instant
        var isWaiting = false
    }

    private let base: any AsyncSocketPool
    private let timeout: Duration
    private let connections = Mutex<[Socket.FileDescriptor: Connection]>([:])

    init(timeout: Duration) {
        base = HTTPServer.defaultPool()
        self.timeout = timeout
    }

    func prepare() async throws { try await base.prepare() }

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.base.run() }
            group.addTask {
                while true {
                    try await Task.sleep(for: .seconds(1))
                    self.cutOverdue()
                }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        // A listening socket has no peer and no deadline.
        guard let peer = try? socket.remotePeer() else {
            return try await base.suspendSocket(socket, untilReadyFor: events)
        }
        connections.withLock { connections in
            if connections[socket.file]?.peer == peer {
                connections[socket.file]?.isWaiting = true
            } else {
                try? socket.setValue(
                    true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
                connections[socket.file] = Connection(peer: peer, since: .now, isWaiting: true)
            }
        }
        defer { connections.withLock { $0[socket.file]?.isWaiting = false } }
        try await base.suspendSocket(socket, untilReadyFor: events)
    }

    /// Starts the deadline of a connection anew: a request has arrived whole.
    func requestArrived(from address: HTTPRequest.Address?) {
        guard case .ip4(let host, let port) = address else { return }
        connections.withLock { connections in
            for (file, connection) in connections where connection.peer == .ip4(host, port: port) {
                connections[file]?.since = .now
            }
        }
    }

    /// Cuts the connection of a request that is being answered.
    func cut(_ address: HTTPRequest.Address?) {
        guard case .ip4(let host, let port) = address else { return }
        connections.withLock { connections in
            for (file, connection) in connections where connection.peer == .ip4(host, port: port) {
                // The descriptor is open: its owner waits for the answer. One of an earlier connection is another's now.
                guard (try? Socket(file: file).remotePeer()) == connection.peer else { continue }
                shutdown(file.rawValue, Int32(SHUT_RDWR))
            }
        }
    }

    private func cutOverdue() {
        let now = ContinuousClock.now
        connections.withLock { connections in
            for (file, connection) in connections where now - connection.since > timeout {
                // The descriptor is open while its owner waits in `suspendSocket`, which cannot end before this lock is
                // released. One that nobody waits for may be closed: only what is remembered of it goes.
                if connection.isWaiting {
                    shutdown(file.rawValue, Int32(SHUT_RDWR))
                } else {
                    connections[file] = nil
                }
            }
        }
    }
}
