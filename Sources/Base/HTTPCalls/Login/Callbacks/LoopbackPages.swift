import Foundation

/// The pages of one login on 127.0.0.1: for each step the path to which a browser comes.
package struct LoopbackPages: Sendable {
    package init(_ paths: [CallbackSession.Step: String], callback: String) {
        self.paths = paths
        self.callback = callback
    }

    private let paths: [CallbackSession.Step: String]
    /// The path of the callback.
    private let callback: String
    /// Why an arrival to a path does not end its step; nil where it does.
    package var problem: @Sendable (CallbackSession.Step, URL) -> String? = { _, _ in nil }
    /// Why there is nothing at another path.
    package var problemElsewhere: @Sendable (_ path: String) -> String? = { _ in nil }
    /// Whether a step accepts one arrival only, even if that arrival was not good.
    package var takesOne = true
    /// How long a connection may take to send its request.
    package var patience = Duration.seconds(10)

    /// An address on a port of this machine.
    package static func url(port: UInt16, path: String) -> URL? {
        URL(string: "http://127.0.0.1:\(port)\(path)")
    }

    /// Begins to serve them; each step takes the first arrival that is good.
    /// - Parameter keepsPort: Whether the socket serves another login afterwards.
    package func listen(on socket: LoopbackSocket, keepsPort: Bool) throws -> CallbackSession {
        guard let callbackURL = Self.url(port: socket.port, path: callback) else {
            throw CallbackError("“\(callback)” is no path; write it as /callback")
        }
        try socket.begin()
        let steps = paths.mapValues { path in
            let (arrivals, continuation) = AsyncStream.makeStream(
                of: CallbackSession.Arrival.self,
                bufferingPolicy: .bufferingOldest(1)
            )
            return (path: path, arrivals: arrivals, continuation: continuation)
        }
        let service = LoopbackService(socket: socket, patience: patience) { request, exchange in
            guard request.isNavigation(to: socket.port) else { return exchange.refuse() }
            guard let url = Self.url(port: socket.port, path: request.target) else {
                return exchange.notFound()
            }
            guard let (step, target) = steps.first(where: { $0.value.path == request.path }) else {
                return exchange.notFound(problemElsewhere(request.path) ?? "There is nothing here.")
            }
            if let problem = problem(step, url) { return exchange.notFound(problem) }
            let arrival = CallbackSession.Arrival(
                url: url,
                redirect: { exchange.redirect(to: $0) },
                finish: { exchange.show($0) }
            )
            if !target.continuation.take(arrival) {
                exchange.notFound(
                    step == .record
                        ? "No login is waiting for a record." : "No login is waiting for this page."
                )
            }
        }
        return CallbackSession(
            callback: callbackURL,
            next: { step in
                guard let target = steps[step] else { return nil }
                defer { if takesOne { target.continuation.finish() } }
                return await target.arrivals.first { _ in true }
            },
            close: {
                guard service.stop() else { return }
                for target in steps.values { target.continuation.finish() }
                socket.end(keepsPort: keepsPort)
            }
        )
    }
}
