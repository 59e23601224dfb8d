import FlyingSocks
import Foundation

/// One client's connection: requests in, responses out, until either side closes.
struct ServedConnection {
    /// What the head of a request may take once its first byte has come.
    private static let headTimeout = Duration.seconds(10)
    /// What a client may still send once the last response is on its way.
    private static let closing = (timeout: Duration.seconds(2), bytes: 1 << 20)

    let socket: AsyncSocket
    /// The address of the client.
    let peer: String
    let connections: OpenConnections
    let settings: HTTPListener.Configuration
    let handler: HTTPListener.Handler

    private var timeout: Duration { .seconds(settings.timeout) }
    private var file: Int32 { socket.socket.file.rawValue }

    /// False where all that its client may have are busy, or the listener ends.
    func open() async -> Bool {
        guard !connections.isFull(of: peer) else { return false }
        while !connections.open(file, of: peer, for: timeout) {
            // Every connection is being answered, or about to close: new ones wait in the queue of the
            // system.
            do { try await Task.sleep(for: .milliseconds(10)) } catch { return false }
        }
        return true
    }

    func serve() async {
        try? socket.socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
        var reader = RequestReader(socket)
        // An error is a client that went, or was cut: there is nobody to report it to.
        while (try? await exchange(with: &reader)) == true {}
        connections.remove(file)
        try? socket.close()
    }

    /// Reads a request and responds to it. False when the connection is at its end.
    private func exchange(with reader: inout RequestReader) async throws -> Bool {
        connections.enter(.idle, file, for: timeout)
        guard try await reader.waitForMore() else { return false }
        let head: RequestHead
        var body = IncomingBody(connections, file, settings)
        defer { body.giveBack() }
        do {
            connections.enter(.receiving, file, for: min(timeout, Self.headTimeout))
            head = try await reader.head()
            body.begin()
            if head.expectsContinue { try await socket.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
            try await reader.read(head.body, into: &body)
        } catch let error as RequestError {
            try await send(Response(status: error.rawValue), method: "GET", closes: true)
            await close()
            return false
        }
        let request = Request(
            method: head.method,
            target: head.target,
            headers: head.headers,
            body: body.data,
            peer: peer
        )
        let response = if let refusal = body.refusal { refusal } else { await respond(to: request) }
        let closes = !head.keepsAlive || response.header("Connection")?.lowercased() == "close"
        try await send(response, method: head.method, closes: closes)
        if closes { await close() }
        return !closes
    }

    /// Lets the handler work until the response is there, or the connection is cut.
    private func respond(to request: Request) async -> Response {
        connections.enter(.responding, file, for: .seconds(settings.responseTimeout))
        let work = Task { [handler] in await handler(request) }
        connections.whenCut(file) { work.cancel() }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }

    private func send(_ response: Response, method: String, closes: Bool) async throws {
        connections.enter(.sending, file, for: timeout)
        try await socket.write(response.message(method: method, closes: closes, settings))
    }

    /// Waits until the client has closed: to close while it still sends would make it lose the response.
    private func close() async {
        connections.enter(.closing, file, for: Self.closing.timeout)
        shutdown(file, Int32(SHUT_WR))
        var left = Self.closing.bytes
        while left > 0, let bytes = try? await socket.read(atMost: 4096) { left -= bytes.count }
    }
}

extension Response {
    /// The response as it is sent.
    func message(method: String, closes: Bool, _ settings: HTTPListener.Configuration) -> Data {
        // The one way out for all headers: a value that would end its line, or the head, becomes none.
        let isWhole = headers.allSatisfy { name, value in
            (name + value).utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
        }
        guard isWhole else { return settings.internalError.message(method: method, closes: closes, settings) }
        var lines = ["HTTP/1.1 \(status) \(reasonPhrase(status))"]
        lines += headers.map { "\($0.name): \($0.value)" }
        lines += ["Date: \(Timestamp(settings.now()).httpDate)", "Server: \(settings.serverName)"]
        // These have no body, whatever a length would say.
        if status != 204, status != 304, header("Content-Length") == nil {
            lines.append("Content-Length: \(body.count)")
        }
        if header("Connection") == nil {
            lines.append(closes ? "Connection: close" : "Connection: keep-alive")
        }
        var message = Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        if method != "HEAD", status != 204, status != 304 { message.append(body) }
        return message
    }
}
