import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A socket listening on 127.0.0.1, closed when it is let go.
final class LoopbackSocket: Sendable {
    let descriptor: Int32
    let port: UInt16
    /// Counts those who serve the socket, one after the other.
    private let turn = Mutex(0)

    /// - Parameter port: 0 for any that is free.
    init(port wanted: UInt16) throws {
        #if canImport(Darwin) || canImport(Musl)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw Self.failure(wanted) }
        // Whoever finds nothing to accept must not wait for it.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && Self.startListening(descriptor)
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        guard bound else {
            let error = Self.failure(wanted)
            throw error  // and the deinitialiser closes the socket
        }
    }

    deinit { close(descriptor) }

    /// Begins to serve the socket, in place of who served it before.
    /// - Returns: What to say in ``accept(in:)``.
    func begin() -> Int {
        turn.withLock { turn in
            turn += 1
            return turn
        }
    }

    /// Ends it. From now on connections wait for the next one who serves.
    func end(_ own: Int) { turn.withLock { if $0 == own { $0 += 1 } } }

    func isServed(in own: Int) -> Bool { turn.withLock { $0 == own } }

    /// Takes the next connection; `nil` when there is none, or somebody else's turn has begun.
    func accept(in own: Int) -> Int32? {
        turn.withLock { turn in
            guard turn == own else { return nil }
            #if canImport(Darwin)
            let connection = Darwin.accept(descriptor, nil, nil)
            // There it would be as the socket it comes from.
            _ = fcntl(connection, F_SETFL, 0)
            #elseif canImport(Glibc)
            let connection = Glibc.accept(descriptor, nil, nil)
            #else
            let connection = Musl.accept(descriptor, nil, nil)
            #endif
            return connection >= 0 ? connection : nil
        }
    }

    private static func startListening(_ descriptor: Int32) -> Bool { listen(descriptor, 16) == 0 }

    private static func failure(_ port: UInt16) -> IndivoError {
        IndivoError(.badCallback(
            "127.0.0.1 port \(port) cannot be listened on: \(String(cString: strerror(errno))). "
                + "Close what uses it, or register the app's start URL with another port"))
    }
}
