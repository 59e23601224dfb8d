import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A connection to 127.0.0.1 that sends just what it is told to.
package final class RawConnection: Sendable {
    private let descriptor: Int32

    package init(port: UInt16) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(descriptor) }

    package func write(_ text: String) {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// A request without a body, its `Host` that of the port unless `fields` has one.
    package func get(_ target: String, port: UInt16, _ fields: [String] = []) {
        let host = fields.contains { $0.hasPrefix("Host:") } ? [] : ["Host: 127.0.0.1:\(port)"]
        write(
            (["GET \(target) HTTP/1.1"] + host + fields.filter { $0 != "Host:" } + ["", ""]).joined(
                separator: "\r\n"
            )
        )
    }

    /// Everything up to the end of the connection; on a thread of its own, as it waits.
    package func rest() async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var all: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
                    all += buffer[..<count]
                }
                continuation.resume(returning: String(decoding: all, as: UTF8.self))
            }
        }
    }
}
