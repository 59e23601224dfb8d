import Foundation
import Synchronization

/// Stands between a client and a server of this machine, and produces the faults of a network.
///
/// ```swift
/// let proxy = try FaultProxy(to: 8000) { request in
///     request.number == 2 ? .loseResponse : nil
/// }
/// // http://127.0.0.1:\(proxy.port) now leads to port 8000.
/// ```
/// Unlike ``FaultyTransport`` it works on the wire: the client's own HTTP library meets the fault. It
/// understands HTTP/1.1 with `Content-Length`, which is what the library and the sandbox speak, and not TLS.
public final class FaultProxy: Sendable {
    /// A request that a client sent.
    public struct Request: Sendable {
        /// Counted from 0, in the order in which requests arrived.
        public let number: Int
        /// The HTTP method.
        public let method: String
        /// Path and query.
        public let target: String
        /// The body, as it was sent.
        public let body: Data
        /// Head and body, as they were sent.
        public let bytes: Data
    }

    /// What goes wrong between the client and the server.
    public enum Fault: Sendable, Hashable {
        /// The connection breaks before anything of the request gets through.
        case loseRequest
        /// The connection breaks after so many bytes of the request got through.
        case cutRequest(afterBytes: Int)
        /// The request gets through, and the connection is closed instead of an answer.
        case loseResponse
        /// The request gets through, and the connection breaks with a reset after so many bytes of the
        /// answer.
        case cutResponse(afterBytes: Int)
        /// The request gets through only after a while, even if the client has given up by then.
        case delayRequest(Duration)
        /// The request gets through, its answer only after a while.
        case delayResponse(Duration)
        /// The request gets through twice; the client gets the first or the second answer.
        case doubleRequest(secondResponse: Bool)
        /// The client gets an answer of this status, whether the request gets through or not.
        case status(Int, reachesServer: Bool)
    }

    /// How far a request has come.
    public enum Point: Sendable, CaseIterable {
        /// The proxy has read it.
        case arrived
        /// The server has it.
        case forwarded
        /// The server has responded.
        case answered
        /// The client has the response.
        case finished
    }

    /// The port on 127.0.0.1 to which the client connects.
    public let port: UInt16

    private let listener: Wire
    private let fault: @Sendable (Request) -> Fault?
    private let watch: @Sendable (Request, Point) -> Void
    private let state: Mutex<State>
    private let count = Atomic(0)
    private let idle = DispatchGroup()

    private struct State {
        var server: UInt16
        var open: [ObjectIdentifier: Wire] = [:]
        var isStopped = false
    }

    /// - Parameters:
    ///   - server: The server's port on 127.0.0.1.
    ///   - watch: Called when a request comes to a point, before it is passed on.
    ///   - fault: What happens to a request; nil for nothing.
    public init(
        to server: UInt16,
        watch: @escaping @Sendable (Request, Point) -> Void = { _, _ in },
        fault: @escaping @Sendable (Request) -> Fault?
    ) throws {
        (listener, port) = try Wire.listen()
        self.fault = fault
        self.watch = watch
        state = Mutex(State(server: server))
        Thread { [weak self, listener] in while let client = listener.accept() { self?.serve(client) } }
            .start()
    }

    deinit { listener.close() }

    /// Leads to another port from now on: a server that was started anew may have one.
    public func redirect(to server: UInt16) { state.withLock { $0.server = server } }

    /// How many requests came.
    public var requestCount: Int { count.load(ordering: .relaxed) }

    /// Waits until everything that was delayed has got through, so that nothing happens on the server any
    /// more.
    public func drain() async {
        await withCheckedContinuation { done in idle.notify(queue: .global()) { done.resume() } }
    }

    /// Closes all connections, and takes no further ones. The server may still finish what it is doing.
    public func stop() {
        listener.close()
        state.withLock { state in
            state.isStopped = true
            for wire in state.open.values { wire.shutDown() }
        }
    }

    private func serve(_ client: Wire) {
        let isWelcome = state.withLock { state in
            if !state.isStopped { state.open[ObjectIdentifier(client)] = client }
            return !state.isStopped
        }
        guard isWelcome else { return client.close() }
        Thread {
            while let message = client.readMessage(), self.carry(message, from: client) {}
            self.state.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(client)) }
            client.close()
        }.start()
    }

    /// Carries one request to the server and its response back.
    /// - Returns: Whether the connection stays open.
    private func carry(_ message: Wire.Message, from client: Wire) -> Bool {
        idle.enter()
        defer { idle.leave() }
        let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
        let words = message.startLine.split(separator: " ")
        guard words.count == 3 else { return false }
        let request = Request(
            number: number,
            method: String(words[0]),
            target: String(words[1]),
            body: message.body,
            bytes: message.bytes
        )
        watch(request, .arrived)
        let fault = fault(request)
        switch fault {
        case .loseRequest: return false
        case .cutRequest(let length):
            connect()?.send(message.bytes.prefix(length))
            client.reset()
            return false
        case .status(let status, false): return client.send(FaultProxy.answer(status))
        case .delayRequest(let duration): Thread.sleep(forTimeInterval: duration / .seconds(1))
        default: break
        }
        guard let server = connect(), server.send(message.bytes) else { return false }
        defer { server.close() }
        watch(request, .forwarded)
        guard var answer = server.readMessage()?.bytes else { return false }
        if case .doubleRequest(let second) = fault, let again = connect() {
            defer { again.close() }
            if again.send(message.bytes), let copy = again.readMessage()?.bytes, second { answer = copy }
        }
        watch(request, .answered)
        switch fault {
        case .loseResponse: return false
        case .cutResponse(let length):
            client.send(answer.prefix(length))
            client.reset()
            return false
        case .delayResponse(let duration): Thread.sleep(forTimeInterval: duration / .seconds(1))
        case .status(let status, true): answer = FaultProxy.answer(status)
        default: break
        }
        guard client.send(answer) else { return false }
        watch(request, .finished)
        return true
    }

    private func connect() -> Wire? { Wire.connect(to: state.withLock { $0.server }) }

    private static func answer(_ status: Int) -> Data {
        Data("HTTP/1.1 \(status) Injected\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n".utf8)
    }
}
