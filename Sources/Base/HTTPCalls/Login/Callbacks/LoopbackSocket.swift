import Foundation
import Synchronization

/// A socket listening on 127.0.0.1, for one login at a time. Child processes do not inherit it or its
/// connections.
package final class LoopbackSocket: Sendable {
    private enum State { case idle, serving, closed }

    let descriptor: Int32
    package let port: UInt16
    private let state = Mutex(State.idle)

    /// - Parameter port: 0 for any that is free.
    package init(port wanted: UInt16) throws {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #elseif canImport(Musl)
        let type = SOCK_STREAM | SOCK_CLOEXEC
        #else
        let type = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw Self.failure(wanted) }
        Self.prepare(descriptor)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        // The deinitialiser closes the socket.
        guard bound else { throw Self.failure(wanted) }
    }

    deinit { end(keepsPort: false) }

    /// Begins to serve the socket, unless another login is being served.
    func begin() throws {
        try state.withLock { state in
            guard state == .idle else { throw Self.failure(port, "another login is waiting there") }
            state = .serving
        }
    }

    /// Stops serving: from now on connections wait for the next login, or the port is released.
    func end(keepsPort: Bool) {
        state.withLock { state in
            guard state != .closed else { return }
            state = keepsPort ? .idle : .closed
            if !keepsPort { close(descriptor) }
        }
    }

    /// Takes the next connection; `nil` when there is none, `errno` then says why.
    func next() -> Int32? {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return nil }
        Self.prepare(connection)
        return connection
    }

    /// Makes a descriptor non-blocking, and not inherited. (Linux's `accept4`, which makes such connections
    /// at once, is not visible to Swift.)
    private static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        #if canImport(Darwin)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    private static func failure(_ port: UInt16, _ why: String = String(cString: strerror(errno)))
        -> CallbackError
    {
        CallbackError(
            "127.0.0.1 port \(port) cannot be listened on: \(why). "
                + "Close what uses it, or register the app's addresses with another port"
        )
    }
}
