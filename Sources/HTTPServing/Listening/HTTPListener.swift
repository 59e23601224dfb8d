import FlyingFox
import FlyingSocks
import Foundation

/// One listening port: FlyingFox underneath, requests and responses of our own above.
package struct HTTPListener: Sendable {
    /// Responds to a request. It does not throw: whatever goes wrong has a response.
    package typealias Handler = @Sendable (Request) async -> Response

    /// Where a listener listens, and what it says by itself.
    package struct Configuration: Sendable {
        /// An IPv4 address.
        package var address: String
        /// 0 for a free one.
        package var port: UInt16
        /// The largest body that is read, in bytes.
        package var bodyLimit: Int
        /// Seconds without a byte, and for a whole request to arrive.
        package var timeout: Int
        /// The header `Server` of every response.
        package var serverName: String
        /// The response to a body beyond the limit.
        package var tooLarge: Response
        /// The response where the handler's cannot be sent.
        package var internalError: Response
        /// The clock.
        package var now: @Sendable () -> Date

        package init(
            address: String, port: UInt16, bodyLimit: Int, timeout: Int, serverName: String, tooLarge: Response,
            internalError: Response, now: @escaping @Sendable () -> Date
        ) {
            self.address = address
            self.port = port
            self.bodyLimit = bodyLimit
            self.timeout = timeout
            self.serverName = serverName
            self.tooLarge = tooLarge
            self.internalError = internalError
            self.now = now
        }
    }

    /// Seconds that answering a request may take once it has arrived. FlyingFox keeps a timer of about 0.75 kB for every
    /// request until then, also for those answered long before: the shorter, the less memory a busy server holds; but on a
    /// machine that does much else an answer may take its time.
    private static let answerTimeout: TimeInterval = 30

    package let port: UInt16
    private let server: HTTPServer
    private let task: Task<Void, any Error>

    /// Starts to listen.
    /// - Throws: ``ListeningError``.
    package init(_ settings: Configuration, handler: @escaping Handler) async throws {
        let (address, port, bodyLimit) = (settings.address, settings.port, settings.bodyLimit)
        let pool = DeadlineSocketPool(timeout: .seconds(settings.timeout))
        guard let socketAddress = try? sockaddr_in.inet(ip4: address, port: port) else {
            throw ListeningError(address: address, port: port, reason: "not an IPv4 address")
        }
        // A body of a length that is allowed is read before the handler is called, and so has the whole of `timeout`.
        let configuration = HTTPServer.Configuration(
            address: socketAddress, timeout: HTTPListener.answerTimeout, sharedRequestBufferSize: bodyLimit,
            sharedRequestReplaySize: bodyLimit, pool: pool, logger: .disabled)
        let server = HTTPServer(
            config: configuration,
            handler: ClosureHTTPHandler { request in
                let method = request.method.rawValue
                let body: Data?
                do {
                    body = try await read(request.bodySequence, limit: bodyLimit)
                } catch {
                    // Where the next request would begin nobody knows.
                    pool.cut(request.remoteAddress)
                    throw error
                }
                guard let body else { return makeHTTPResponse(settings.tooLarge, method: method, settings) }
                pool.requestArrived(from: request.remoteAddress)
                let response = await handler(Request(request, body: body))
                return makeHTTPResponse(response, method: method, settings)
            })
        let task = Task { try await server.run() }
        do {
            self.port = try await HTTPListener.listeningPort(of: server, running: task)
        } catch {
            task.cancel()
            throw ListeningError(address: address, port: port, reason: "\(error.localizedDescription)")
        }
        self.server = server
        self.task = task
    }

    /// Stops listening and closes every connection.
    package func stop() async {
        await server.stop(timeout: 0)
        task.cancel()
        _ = await task.result
    }

    /// The port, once the server listens. When it fails to, the error of its task is thrown at once.
    private static func listeningPort(of server: HTTPServer, running task: Task<Void, any Error>) async throws -> UInt16
    {
        let waiting = Task { try await server.waitUntilListening() }
        let watching = Task {
            _ = await task.result
            waiting.cancel()
        }
        defer { watching.cancel() }
        do {
            try await waiting.value
        } catch is CancellationError {
            try await task.value
            throw CancellationError()
        }
        guard case .ip4(_, let port) = await server.listeningAddress else { throw SocketError.disconnected }
        return port
    }
}

/// Reads a body of at most `limit` bytes; nil for a larger one, which is read to its end all the same, so that its
/// sender comes to read the response, and what follows on the connection is the next request.
private func read(_ body: HTTPBodySequence, limit: Int) async throws -> Data? {
    var data = Data()
    var isTooLarge = (body.count ?? 0) > limit
    for try await chunk in body {
        if !isTooLarge, data.count + chunk.count <= limit {
            data.append(chunk)
        } else {
            isTooLarge = true
            data = Data()
        }
    }
    return isTooLarge ? nil : data
}

private func makeHTTPResponse(
    _ response: Response, method: String, _ settings: HTTPListener.Configuration
) -> HTTPResponse {
    // The one way out for all headers: a value that would end its line, or the head, becomes none.
    let isWhole = response.headers.allSatisfy { _, value in value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 } }
    let response = isWhole ? response : settings.internalError
    var headers = HTTPHeaders()
    for (name, value) in response.headers {
        headers.addValue(value, for: HTTPHeader(name))
    }
    headers[HTTPHeader("Date")] = Timestamp(settings.now()).httpDate
    headers[HTTPHeader("Server")] = settings.serverName
    var body = response.body
    if method == "HEAD" {
        headers[.contentLength] = String(body.count)
        body = Data()
    }
    return HTTPResponse(
        statusCode: HTTPStatusCode(response.status, phrase: reasonPhrase(response.status)), headers: headers, body: body
    )
}

/// What stands after a status.
package func reasonPhrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 204: "No Content"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    default: "Status"
    }
}

extension Request {
    fileprivate init(_ request: HTTPRequest, body: Data) {
        var headers: [String: String] = [:]
        for (header, value) in request.headers { headers[header.rawValue.lowercased()] = value }
        let peer: String
        switch request.remoteAddress {
        case .ip4(let host, _), .ip6(let host, _): peer = host
        default: peer = ""
        }
        self.init(
            method: request.method.rawValue, rawPath: request.target.path(), rawQuery: request.target.query(),
            headers: headers, body: body, peer: peer)
    }
}
