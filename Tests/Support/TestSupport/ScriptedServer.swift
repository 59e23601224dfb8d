import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A server on a socket of this machine that answers bytes, and breaks off where the script says so.
package final class ScriptedServer: Sendable {
    /// What to do with a request that arrived whole.
    package enum Action: Sendable {
        /// Send these bytes, keep the connection.
        case answer(String)
        /// Send these bytes, close the connection.
        case answerAndClose(String)
        /// Close without a word.
        case close
        /// Never answer.
        case hang
    }

    /// A request as it arrived.
    package struct Received: Sendable {
        package var head: String
        package var body: [UInt8]
        /// Counts connections from 1.
        package var connection: Int

        package var requestLine: String { head.components(separatedBy: "\r\n")[0] }
        package var fields: [String] { Array(head.components(separatedBy: "\r\n").dropFirst()) }
        package var fieldNames: Set<String> {
            Set(fields.map { String($0.prefix { $0 != ":" }).lowercased() })
        }
    }

    package let port: Int
    package var authority: String { "127.0.0.1:\(port)" }

    /// Every request, as it arrives.
    package let arrivals: AsyncStream<Received>
    /// A connection's number, as the client closes it.
    package let closings: AsyncStream<Int>

    private let listener: Int32
    private let requests = Mutex<[Received]>([])
    private let connectionCount = Mutex(0)
    private let arrival: AsyncStream<Received>.Continuation
    private let closing: AsyncStream<Int>.Continuation

    /// Listens on a free port of 127.0.0.1; `script` is asked about each request. A greeting is sent on every
    /// new connection, before the client says anything.
    package init(greeting: String? = nil, _ script: @escaping @Sendable (Received) -> Action) throws {
        (listener, port) = try Self.bound()
        (arrivals, arrival) = AsyncStream.makeStream()
        (closings, closing) = AsyncStream.makeStream()
        guard listen(listener, 128) == 0 else { throw POSIXError(.EADDRINUSE) }
        Thread.detachNewThread { [self] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                let number = connectionCount.withLock {
                    $0 += 1
                    return $0
                }
                Thread.detachNewThread { [self] in
                    if let greeting { write(greeting, to: connection) }
                    serve(connection, number: number, script)
                    close(connection)
                    closing.yield(number)
                }
            }
            #if !canImport(Darwin)
            close(listener)
            #endif
        }
    }

    /// All requests so far, in the order of their arrival.
    package var received: [Received] { requests.withLock { $0 } }

    package var connections: Int { connectionCount.withLock { $0 } }

    /// Accepts no more connections.
    package func stop() {
        #if canImport(Darwin)
        close(listener)
        #else
        // This wakes the accepting thread, which closes: the number must not go to another socket before
        // that.
        shutdown(listener, Int32(SHUT_RDWR))
        #endif
    }

    /// Runs `body` with a port that is taken, and refuses connections as nobody listens.
    package static func withRefusingPort<Result>(_ body: (Int) async throws -> Result) async throws -> Result
    {
        let (socket, port) = try bound()
        defer { close(socket) }
        return try await body(port)
    }

    private func serve(_ connection: Int32, number: Int, _ script: (Received) -> Action) {
        while let request = read(from: connection, number: number) {
            requests.withLock { $0.append(request) }
            let action = script(request)
            arrival.yield(request)
            switch action {
            case .answer(let text):
                write(text, to: connection)
            case .answerAndClose(let text):
                write(text, to: connection)
                return
            case .close:
                return
            case .hang:
                var byte: UInt8 = 0
                while recv(connection, &byte, 1, 0) > 0 {}
                return
            }
        }
    }

    private func read(from connection: Int32, number: Int) -> Received? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let headEnd = bytes.firstRange(of: end) {
                let head = String(decoding: bytes[..<headEnd.lowerBound], as: UTF8.self)
                let length =
                    head.components(separatedBy: "\r\n")
                    .first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
                let body = bytes[headEnd.upperBound...]
                if body.count >= length {
                    return Received(head: head, body: Array(body.prefix(length)), connection: number)
                }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    private func write(_ text: String, to connection: Int32) {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    package static func bound() throws -> (socket: Int32, port: Int) {
        #if canImport(Darwin)
        let socket = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard socket >= 0 else { throw POSIXError(.EMFILE) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(socket, generic, length) == 0 && getsockname(socket, generic, &length) == 0
            }
        }
        guard status else {
            close(socket)
            throw POSIXError(.EADDRINUSE)
        }
        return (socket, Int(UInt16(bigEndian: address.sin_port)))
    }
}
