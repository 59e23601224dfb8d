import FlyingFox
import FlyingSocks
import Foundation
import Logging

/// One listening port: FlyingFox underneath, requests and answers of our own above.
struct HTTPListener: Sendable {
    /// Answers a request. It does not throw: whatever goes wrong has an answer.
    typealias Handler = @Sendable (Request) async -> Response

    /// Seconds that answering a request may take once it has arrived. FlyingFox keeps a timer of about 0.75 kB for every
    /// request until then, also for those answered long before: the shorter, the less memory a busy server holds; but on a
    /// machine that does much else an answer may take its time.
    private static let answerTimeout: TimeInterval = 30

    let port: UInt16
    private let server: HTTPServer
    private let task: Task<Void, any Error>

    /// Starts to listen.
    /// - Throws: ``SandboxError/cannotListen(address:port:reason:)``.
    init(
        address: String, port: UInt16, bodyLimit: Int, timeout: Int, now: @escaping @Sendable () -> Date,
        handler: @escaping Handler
    ) async throws {
        let pool = DeadlineSocketPool(timeout: .seconds(timeout))
        guard let socketAddress = try? sockaddr_in.inet(ip4: address, port: port) else {
            throw SandboxError.cannotListen(address: address, port: port, reason: "not an IPv4 address")
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
                guard let body else { return makeHTTPResponse(.tooLarge, method: method, now: now) }
                pool.requestArrived(from: request.remoteAddress)
                let response = await handler(Request(request, body: body))
                return makeHTTPResponse(response, method: method, now: now)
            })
        let task = Task { try await server.run() }
        do {
            self.port = try await HTTPListener.listeningPort(of: server, running: task)
        } catch {
            task.cancel()
            throw SandboxError.cannotListen(address: address, port: port, reason: "\(error.localizedDescription)")
        }
        self.server = server
        self.task = task
    }

    func stop() async {
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
/// sender comes to read the answer, and what follows on the connection is the next request.
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

private func makeHTTPResponse(_ response: Response, method: String, now: () -> Date) -> HTTPResponse {
    // The one way out for all headers: a value that would end its line, or the head, becomes none.
    let isWhole = response.headers.allSatisfy { _, value in value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 } }
    let response = isWhole ? response : .internalError
    var headers = HTTPHeaders()
    for (name, value) in response.headers {
        headers.addValue(value, for: HTTPHeader(name))
    }
    headers[HTTPHeader("Date")] = Timestamp(now()).httpDate
    headers[HTTPHeader("Server")] = "IndivoSandbox"
    var body = response.body
    if method == "HEAD" {
        headers[.contentLength] = String(body.count)
        body = Data()
    }
    return HTTPResponse(
        statusCode: HTTPStatusCode(response.status, phrase: reasonPhrase(response.status)), headers: headers, body: body
    )
}

private func reasonPhrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 302: "Found"
    case 303: "See Other"
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 413: "Content Too Large"
    case 500: "Internal Server Error"
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
