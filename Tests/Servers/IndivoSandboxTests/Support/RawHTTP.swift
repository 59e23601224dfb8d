import Foundation

/// An HTTP client that sends exactly the bytes it is told to and follows nothing: one connection a request.
enum RawHTTP {
    struct Answer: Sendable {
        var status: Int
        var headers: [(name: String, value: String)]
        var body: Data

        var text: String { String(decoding: body, as: UTF8.self) }

        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Sends a request and reads the answer. A `Host` header is added where none is given, and always a
    /// Content-Length for a body.
    static func request(
        _ method: String,
        port: Int,
        target: String,
        headers: [(String, String)] = [],
        body: Data = Data()
    ) async throws -> Answer {
        var head = "\(method) \(target) HTTP/1.1\r\n"
        let names = Set(headers.map { $0.0.lowercased() })
        if !names.contains("host") { head += "Host: 127.0.0.1:\(port)\r\n" }
        if !names.contains("content-length"), !body.isEmpty || method == "POST" || method == "PUT" {
            head += "Content-Length: \(body.count)\r\n"
        }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        head += "Connection: close\r\n\r\n"
        return try await exchange(Data(head.utf8) + body, port: port, isHead: method == "HEAD")
    }

    /// Sends bytes and reads what comes back until the server closes. The blocking calls run on threads of
    /// their own: the server needs the tasks' threads.
    static func exchange(_ bytes: Data, port: Int, isHead: Bool = false) async throws -> Answer {
        let received = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Data, any Error>) in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try blockingExchange(bytes, port: port) })
            }
        }
        return try parse(received)
    }

    private static func blockingExchange(_ bytes: Data, port: Int) throws -> Data {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure(description: "cannot connect to port \(port)") }
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    descriptor,
                    buffer.baseAddress?.advanced(by: sent),
                    buffer.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { break }
            sent += count
        }
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received.append(contentsOf: buffer[..<count])
        }
        return received
    }

    private static func parse(_ data: Data) throws -> Answer {
        guard let end = data.range(of: Data("\r\n\r\n".utf8)) else {
            throw Failure(description: "no answer: \(data.count) bytes came")
        }
        let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let headers = lines.dropFirst().map { line -> (name: String, value: String) in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
        return Answer(status: status, headers: headers, body: Data(data[end.upperBound...]))
    }
}
