import FlyingSocks
import Foundation

#if !canImport(FlyingSocks)
#error("Servers and pages need the trait Sandbox of swift-indivo: .package(…, traits: [\"Sandbox\"])")
#endif

/// One listening port: FlyingSocks underneath, HTTP/1.1 (RFC 9112) above.
package struct HTTPListener: Sendable {
    /// Responds to a request. It does not throw: whatever goes wrong has a response. Its task is cancelled
    /// when the connection is cut because the response takes too long, and when its client has left.
    package typealias Handler = @Sendable (Request) async -> Response

    /// Where a listener listens, and the responses that it gives itself.
    package struct Configuration: Sendable {
        /// An IPv4 address.
        package var address: String
        /// 0 for a free one.
        package var port: UInt16
        /// The largest body that is read, in bytes.
        package var bodyLimit: Int
        /// How many bytes of bodies may be in memory at once.
        package var bodyBudget = Int.max
        /// The response if the budget is used up. The rest of a body for which there is no room is read to
        /// its end and discarded.
        package var overloaded = Response(status: 503, type: "text/plain", text: "Too much at once.\n")
            .adding("Retry-After", "5")
        /// The minimum rate of a body of more than 64 KiB, in bytes a second, measured over windows of ten
        /// seconds. The connection of a slower one is cut; 0 for no minimum.
        package var bodyRate = 0
        /// How many connections may be open. Beyond it, the one that has waited longest for its client is
        /// cut.
        package var connectionLimit = 256
        /// How many connections one address may have open. Beyond it, the one of them that has waited longest
        /// for its client is cut; while requests are being handled on all of them, one more is closed.
        package var connectionsPerPeer = Int.max
        /// Seconds without a byte, and for a whole request to arrive.
        package var timeout: Int
        /// How many seconds the handler may take for a response. On a busy machine it may need that long.
        package var responseTimeout = 30
        /// The header `Server` of every response.
        package var serverName: String
        /// The response to a body beyond the limit.
        package var tooLarge: Response
        /// The response where the handler's cannot be sent.
        package var internalError: Response
        /// The clock.
        package var now: @Sendable () -> Date
        /// What deadlines are measured by.
        package var elapsing: @Sendable () -> ContinuousClock.Instant = { .now }

        package init(
            address: String = "127.0.0.1",
            port: UInt16 = 0,
            bodyLimit: Int,
            timeout: Int = 60,
            serverName: String,
            tooLarge: Response? = nil,
            internalError: Response? = nil,
            now: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.address = address
            self.port = port
            self.bodyLimit = bodyLimit
            self.timeout = timeout
            self.serverName = serverName
            let text = "text/plain; charset=utf-8"
            self.tooLarge =
                tooLarge
                ?? Response(status: 413, type: text, text: "A body has at most \(bodyLimit) bytes.\n")
            self.internalError =
                internalError
                ?? Response(status: 500, type: text, text: "The response cannot be sent.\n")
            self.now = now
        }
    }

    /// The address at which it is reached, without a slash at the end. If it listens on all addresses, it is
    /// the loopback address.
    package let url: URL
    package let port: UInt16
    private let task: Task<Void, any Error>

    /// - Throws: ``ListeningError``.
    package init(_ settings: Configuration, handler: @escaping Handler) async throws(ListeningError) {
        let pool = SocketPool<Poll>.make()
        let listening: AsyncSocket
        do {
            listening = try AsyncSocket(socket: Self.bound(settings), pool: pool)
            guard case .ip4(_, let port) = try listening.socket.sockname() else {
                throw SocketError.unsupportedAddress
            }
            let host = settings.address == "0.0.0.0" ? "127.0.0.1" : settings.address
            guard let url = URL(string: "http://\(host):\(port)") else {
                throw SocketError.unsupportedAddress
            }
            self.port = port
            self.url = url
            try await pool.prepare()
        } catch {
            throw ListeningError(
                address: settings.address,
                port: settings.port,
                reason: error.localizedDescription
            )
        }
        let connections = OpenConnections(
            limit: settings.connectionLimit,
            peerLimit: settings.connectionsPerPeer,
            bodyBudget: settings.bodyBudget,
            now: settings.elapsing
        )
        task = Task {
            defer { try? listening.close() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await pool.run() }
                group.addTask { await Self.accept(on: listening, connections, settings, handler) }
                group.addTask {
                    while true {
                        try await Task.sleep(for: .seconds(1))
                        connections.cutOverdue()
                    }
                }
                try await group.next()
            }
        }
    }

    /// Stops listening and closes every connection.
    package func stop() async {
        task.cancel()
        _ = await task.result
    }

    private static func bound(_ settings: Configuration) throws -> Socket {
        guard let address = try? sockaddr_in.inet(ip4: settings.address, port: settings.port) else {
            throw SocketError.unsupportedAddress
        }
        let socket = try Socket(domain: Int32(AF_INET), type: .stream)
        do {
            try socket.setValue(true, for: .localAddressReuse)
            #if canImport(Darwin)
            try socket.setValue(true, for: .noSIGPIPE)
            #endif
            try socket.bind(to: address)
        } catch {
            try? socket.close()
            throw error
        }
        // It closes the socket where it fails.
        try socket.listen()
        return socket
    }

    /// Takes connections until the task is cancelled.
    private static func accept(
        on listening: AsyncSocket,
        _ connections: OpenConnections,
        _ settings: Configuration,
        _ handler: @escaping Handler
    ) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                do {
                    let socket = try await listening.accept()
                    // The address of the client.
                    let peer =
                        switch try? socket.socket.remotePeer() {
                        case .ip4(let host, _), .ip6(let host, _): host
                        default: ""
                        }
                    let connection = ServedConnection(
                        socket: socket,
                        peer: peer,
                        connections: connections,
                        settings: settings,
                        handler: handler
                    )
                    if await connection.open() {
                        group.addTask { await connection.serve() }
                    } else {
                        try? socket.close()
                    }
                } catch {
                    // Descriptors have run out, or the client went before it was accepted.
                    connections.cutLongestWaiting()
                    try? await Task.sleep(for: .milliseconds(50))
                }
            }
        }
    }
}

/// What stands after a status.
package func reasonPhrase(_ status: Int) -> String { phrases[status] ?? "Status" }

private let phrases = [
    200: "OK", 201: "Created", 204: "No Content", 302: "Found", 303: "See Other", 304: "Not Modified",
    400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
    408: "Request Timeout", 409: "Conflict", 410: "Gone", 412: "Precondition Failed",
    413: "Content Too Large",
    415: "Unsupported Media Type", 417: "Expectation Failed", 422: "Unprocessable Content",
    429: "Too Many Requests", 431: "Request Header Fields Too Large",
    500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable",
    505: "HTTP Version Not Supported",
]

/// Why an address or a port cannot be listened on.
package struct ListeningError: Error, Sendable, CustomStringConvertible {
    package let address: String
    package let port: UInt16
    package let reason: String

    package var description: String {
        "cannot listen on \(address):\(port): \(reason); choose another port, or 0 for a free one"
    }
}
