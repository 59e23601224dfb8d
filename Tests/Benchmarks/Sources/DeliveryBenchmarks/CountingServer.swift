import Foundation

/// A server of this machine that reads uploads, keeps nothing of them, and answers 200.
enum CountingServer {
    static func run(portFile: String) throws {
        #if canImport(Darwin)
        let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound, listen(listener, 8) == 0 else { throw MeasuredProcess.Failure(description: "no port") }
        try Data("\(UInt16(bigEndian: address.sin_port))".utf8).write(
            to: URL(filePath: portFile),
            options: .atomic
        )
        while case let connection = accept(listener, nil, nil), connection >= 0 {
            serve(connection)
            close(connection)
        }
    }

    private static func serve(_ connection: Int32) {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var received: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while true {
            while received.firstRange(of: end) == nil {
                let count = recv(connection, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                received += buffer[..<count]
            }
            guard let range = received.firstRange(of: end) else { return }
            let head = String(decoding: received[..<range.lowerBound], as: UTF8.self).lowercased()
            let fields = head.components(separatedBy: "\r\n")
            let length = fields.first { $0.hasPrefix("content-length:") }?.dropFirst(15)
            let size = length.flatMap { Int($0.trimmingCharacters(in: .whitespaces)) }
            if head.contains("100-continue") { write("HTTP/1.1 100 Continue\r\n\r\n", to: connection) }
            var rest = (size ?? 0) - (received.count - range.upperBound)
            while rest > 0 {
                let count = recv(connection, &buffer, min(buffer.count, rest), 0)
                guard count > 0 else { return }
                rest -= count
            }
            received = []
            write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", to: connection)
        }
    }

    private static func write(_ text: String, to connection: Int32) {
        let bytes = Array(text.utf8)
        _ = send(connection, bytes, bytes.count, 0)
    }
}
