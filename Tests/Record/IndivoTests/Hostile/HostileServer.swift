import Foundation
import Indivo
import OAuth1
import TestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A server that answers every connection by a routine of its own, for answers that never end or never fit.
///
/// It keeps no more than a few pieces in memory, so that what a process takes is the client's.
final class HostileServer: Sendable {
    /// Writes to a connection; gives false once the client is gone.
    struct Peer: Sendable {
        fileprivate let connection: Int32

        @discardableResult
        func say(_ text: String) -> Bool { say(Array(text.utf8)) }

        @discardableResult
        func say(_ bytes: [UInt8]) -> Bool {
            #if canImport(Darwin)
            let flags: Int32 = 0
            #else
            let flags = Int32(MSG_NOSIGNAL)
            #endif
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
                guard sent > 0 else { return false }
                rest = rest.dropFirst(sent)
            }
            return true
        }

        /// A head with what else it is to say.
        @discardableResult
        func begin(_ fields: String = "", type: String = "application/xml") -> Bool {
            say("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\(fields)\r\n")
        }

        /// Says the same again and again: so many bytes in all, or for ever.
        func repeatedly(_ piece: String, upTo limit: Int = .max) {
            let many = Array(String(repeating: piece, count: max(1, 65_536 / piece.utf8.count)).utf8)
            var said = 0
            while said < limit, say(many) { said += many.count }
        }

        /// Waits until the client is gone.
        func linger() {
            var byte: UInt8 = 0
            while recv(connection, &byte, 1, 0) > 0 {}
        }
    }

    let url: URL
    private let listener: Int32

    init(_ answer: @escaping @Sendable (Peer) -> Void) throws {
        let (listener, port) = try ScriptedServer.bound()
        self.listener = listener
        // Digits and dots form a URL.
        url = URL(string: "http://127.0.0.1:\(port)")!
        guard listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        Thread.detachNewThread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread.detachNewThread {
                    var request: [UInt8] = []
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    while !request.contains([13, 10, 13, 10]),
                        case let count = recv(connection, &buffer, 4096, 0), count > 0
                    {
                        request += buffer[..<count]
                    }
                    answer(Peer(connection: connection))
                    close(connection)
                }
            }
        }
    }

    /// A record on it, with a transport of its own.
    func record(limits: HTTPLimits) -> IndivoRecord {
        #if !canImport(CLibCurl)
        let transport = URLSessionTransport(limits: limits)
        #else
        let transport = CurlTransport(limits: limits)
        #endif
        return IndivoServer(
            api: url,
            ui: url,
            app: AppCredentials(id: "a@apps.example.org", consumerKey: "key", consumerSecret: "secret"),
            transport: transport,
            options: IndivoServer.Options(
                retry: .never,
                maximumReadingBytes: 64_000_000,
                sessions: MemorySessionStore()
            )
        ).record(id: "r-1", token: OAuthToken(value: "token", secret: "secret"))
    }
}
