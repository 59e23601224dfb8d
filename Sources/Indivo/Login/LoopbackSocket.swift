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

    /// - Parameter port: 0 for any that is free.
    init(port wanted: UInt16) throws {
        #if canImport(Darwin) || canImport(Musl)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw Self.failure(wanted) }
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

    private static func startListening(_ descriptor: Int32) -> Bool { listen(descriptor, 16) == 0 }

    private static func failure(_ port: UInt16) -> IndivoError {
        IndivoError(.badCallback(
            "127.0.0.1 port \(port) cannot be listened on: \(String(cString: strerror(errno))). "
                + "Close what uses it, or register the app's start URL with another port"))
    }
}
