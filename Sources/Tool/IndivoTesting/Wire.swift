import Foundation
import Synchronization

/// A TCP connection of this machine, or what listens for them.
final class Wire: Sendable {
    /// A request or a response of HTTP/1.1, as it stood on the wire.
    struct Message {
        let startLine: String
        let body: Data
        let bytes: Data
    }

    private let descriptor: Mutex<Int32>
    /// The socket; -1 once it is closed, which the system refuses with EBADF.
    private var open: Int32 { descriptor.withLock { $0 } }

    private init(_ descriptor: Int32) {
        self.descriptor = Mutex(descriptor)
        // A child process must not keep the connection open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        set(Int32(IPPROTO_TCP), TCP_NODELAY)
        #if canImport(Darwin)
        set(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
    }

    private convenience init() {
        #if canImport(Darwin) || canImport(Musl)
        self.init(socket(AF_INET, SOCK_STREAM, 0))
        #else
        self.init(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        #endif
    }

    deinit { close() }

    private func set(_ level: Int32, _ option: Int32) {
        var yes: Int32 = 1
        setsockopt(open, level, option, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Listens on a free port of 127.0.0.1.
    static func listen() throws -> (wire: Wire, port: UInt16) {
        let wire = Wire()
        let (listens, port) = withAddress(0) { address, length in
            bind(wire.open, address, length) == 0 && Foundation.listen(wire.open, 64) == 0
                && getsockname(wire.open, address, &length) == 0
        }
        guard listens else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRNOTAVAIL) }
        return (wire, port)
    }

    static func connect(to port: UInt16) -> Wire? {
        let wire = Wire()
        return withAddress(port) { Foundation.connect(wire.open, $0, $1) == 0 }.result ? wire : nil
    }

    /// Calls the system with the address of a port on 127.0.0.1, and tells which it is afterwards.
    private static func withAddress(
        _ port: UInt16,
        _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Bool
    ) -> (result: Bool, port: UInt16) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
        return (result, UInt16(bigEndian: address.sin_port))
    }

    func accept() -> Wire? {
        while true {
            let accepted = Foundation.accept(open, nil, nil)
            if accepted >= 0 { return Wire(accepted) }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    @discardableResult
    func send(_ data: Data) -> Bool {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(open, $0.baseAddress, $0.count, flags) }
            if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
        }
        return true
    }

    /// Reads a whole request or response, behind which the other side sends nothing; nil when the connection
    /// ends before.
    func readMessage() -> Message? {
        var data = Data()
        var head = 0..<0
        while head.isEmpty {
            guard let more = receive() else { return nil }
            data += more
            head = data.range(of: Data("\r\n\r\n".utf8)) ?? 0..<0
        }
        let lines = String(decoding: data[..<head.upperBound], as: UTF8.self).split(separator: "\r\n")
        let field = lines.dropFirst().first { $0.lowercased().hasPrefix("content-length:") }
        let end =
            head.upperBound
            + (field.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0)
        while data.count < end {
            guard let more = receive() else { return nil }
            data += more
        }
        return Message(
            startLine: lines.first.map(String.init) ?? "",
            body: Data(data[head.upperBound..<end]),
            bytes: data[..<end]
        )
    }

    private func receive() -> Data? {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = recv(open, &buffer, buffer.count, 0)
            if count > 0 { return Data(buffer[..<count]) }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    /// Ends the connection with a reset, so that the other side sees that something broke.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(open, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
        close()
    }

    /// Ends all waiting on the connection.
    func shutDown() { shutdown(open, Int32(SHUT_RDWR)) }

    func close() {
        shutDown()
        descriptor.withLock { descriptor in
            if descriptor >= 0 { Foundation.close(descriptor) }
            descriptor = -1
        }
    }
}
