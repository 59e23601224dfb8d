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
    private let rest = Mutex(Data())

    private init(_ descriptor: Int32) {
        self.descriptor = Mutex(descriptor)
        // A child process must not keep the connection open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit { close() }

    /// Listens on a free port of 127.0.0.1.
    static func listen() throws -> (wire: Wire, port: UInt16) {
        let wire = Wire(socket())
        var address = Wire.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = wire.use(&address) { descriptor, address in
            bind(descriptor, address, length) == 0 && Foundation.listen(descriptor, 64) == 0
                && getsockname(descriptor, address, &length) == 0
        }
        guard listens == true else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRNOTAVAIL) }
        return (wire, UInt16(bigEndian: address.sin_port))
    }

    static func connect(to port: UInt16) -> Wire? {
        let wire = Wire(socket())
        var address = Wire.address(port)
        let isConnected = wire.use(&address) { descriptor, address in
            Foundation.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
        guard isConnected == true else { return nil }
        wire.sendAtOnce()
        return wire
    }

    private func use(_ address: inout sockaddr_in, _ body: (Int32, UnsafeMutablePointer<sockaddr>) -> Bool) -> Bool? {
        use { descriptor in
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body(descriptor, $0) }
            }
        }
    }

    func accept() -> Wire? {
        while true {
            let accepted = use { Foundation.accept($0, nil, nil) } ?? -1
            if accepted >= 0 {
                let wire = Wire(accepted)
                wire.sendAtOnce()
                return wire
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    @discardableResult
    func send(_ data: Data) -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let count = use { descriptor in
                rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Wire.sendFlags) }
            } ?? -1
            if count < 0 {
                if errno == EINTR { continue }
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads a whole request or response; nil when the connection ends before.
    func readMessage() -> Message? {
        var data = rest.withLock { rest in
            defer { rest = Data() }
            return rest
        }
        let blank = Data("\r\n\r\n".utf8)
        while data.range(of: blank) == nil {
            guard let more = receive() else { return nil }
            data.append(more)
        }
        guard let end = data.range(of: blank)?.upperBound else { return nil }
        let lines = String(decoding: data[..<end], as: UTF8.self).split(separator: "\r\n")
        let length = lines.dropFirst().compactMap { line -> Int? in
            guard line.lowercased().hasPrefix("content-length:") else { return nil }
            return Int(line.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces))
        }.first ?? 0
        while data.count < end + length {
            guard let more = receive() else { return nil }
            data.append(more)
        }
        rest.withLock { $0 = Data(data[(end + length)...]) }
        let bytes = Data(data[..<(end + length)])
        return Message(startLine: lines.first.map(String.init) ?? "", body: Data(bytes[end...]), bytes: bytes)
    }

    private func receive() -> Data? {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = use { recv($0, &buffer, buffer.count, 0) } ?? -1
            if count > 0 { return Data(buffer[..<count]) }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    /// Ends the connection with a reset, so that the other side sees that something broke.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        _ = use { setsockopt($0, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size)) }
        close()
    }

    /// Ends all waiting on the connection.
    func shutDown() { _ = use { shutdown($0, Int32(SHUT_RDWR)) } }

    func close() {
        let open = descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        guard open >= 0 else { return }
        shutdown(open, Int32(SHUT_RDWR))
        Foundation.close(open)
    }

    private func use<Result>(_ body: (Int32) -> Result) -> Result? {
        let open = descriptor.withLock { $0 }
        return open >= 0 ? body(open) : nil
    }

    private func sendAtOnce() {
        var yes: Int32 = 1
        _ = use { setsockopt($0, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size)) }
    }

    private static func socket() -> Int32 {
        #if canImport(Darwin) || canImport(Musl)
        Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #else
        Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static var sendFlags: Int32 {
        #if canImport(Darwin)
        0
        #else
        Int32(MSG_NOSIGNAL)
        #endif
    }
}
