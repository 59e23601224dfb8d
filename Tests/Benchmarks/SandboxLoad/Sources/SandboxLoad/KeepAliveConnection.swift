import Foundation

/// One kept connection over which requests are sent one after the other, on the caller's thread.
final class KeepAliveConnection {
    struct Failure: Error {}

    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(port: Int) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure() }
    }

    deinit { close(descriptor) }

    /// Sends a request and reads the answer: its status and its body.
    func exchange(_ request: Data) throws -> (status: Int, body: Data) {
        let sent = request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
        guard sent == request.count else { throw Failure() }
        var received = Data()
        while true {
            if let head = received.range(of: Data("\r\n\r\n".utf8)) {
                let text = String(decoding: received[..<head.lowerBound], as: UTF8.self)
                let length =
                    text.components(separatedBy: "\r\n").first {
                        $0.lowercased().hasPrefix("content-length:")
                    }
                    .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
                if received.count >= head.upperBound + length {
                    let status = Int(text.split(separator: " ")[1]) ?? 0
                    return (status, received[head.upperBound..<head.upperBound + length])
                }
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw Failure() }
            received.append(contentsOf: buffer[..<count])
        }
    }
}
