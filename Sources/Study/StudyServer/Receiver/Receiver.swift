import Foundation
import Logging
import Synchronization
import WebServing

/// Takes deliveries of phones to a study, and puts them into a queue. It has no key that opens any of them.
///
/// ```swift
/// let receiver = try await Receiver.start(queue: SQLiteMessageQueue(file), configuration)
/// print(receiver.url)            // http://127.0.0.1:8080
/// …
/// await receiver.stop()
/// ```
/// It speaks C3-PRO's protocol below `/c3pro` and ResearchKit's at `/api/upload`; `/health` and `/metrics`
/// are for those who run it. A proxy that ends TLS stands before it.
public final class Receiver: Sendable {
    /// Where it is reached.
    public let url: URL
    private let listener: HTTPListener
    private let gate: RequestGate

    private init(listener: HTTPListener, gate: RequestGate) {
        url = listener.url
        self.listener = listener
        self.gate = gate
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - clients: Where the apps are that registered.
    ///   - logger: Gets a line for each request: route, status, bytes and milliseconds, nothing of persons.
    /// - Throws: Why it cannot listen, or the apps' database not be opened.
    public static func start(
        queue: any MessageQueue,
        clients: ReceiverClients = .besideQueue,
        _ configuration: ReceiverConfiguration = ReceiverConfiguration(),
        logger: Logger = Logger(label: "study.receiver")
    ) async throws -> Receiver {
        let now: @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }
        let registry = try await ClientRegistry(clients, queue: queue, now: now)
        let start = configuration.clock()
        let service = ReceiverService(
            queue: queue,
            registry: registry,
            configuration: configuration,
            limiter: RateLimiter(perMinute: configuration.requestsPerMinute) {
                configuration.clock() - start
            },
            logger: logger
        )
        let gate = RequestGate()
        var listening = HTTPListener.Configuration(
            address: configuration.address,
            port: configuration.port,
            bodyLimit: configuration.bodyLimit,
            serverName: "study",
            tooLarge: ReceiverResponse.error(413, "invalid_request", "The body is too large"),
            internalError: ReceiverResponse.error(500, "server_error", "The response cannot be sent")
        )
        listening.bodyBudget = configuration.memoryLimit
        listening.bodyRate = configuration.bodyRate
        listening.overloaded = ReceiverResponse.busy(5)
        // Behind a proxy, and from this machine, all clients come from one address.
        if !configuration.trustsProxy, !configuration.address.hasPrefix("127.") {
            listening.connectionsPerPeer = configuration.connectionsPerAddress
        }
        let listener = try await HTTPListener(listening) { request in
            let start = ContinuousClock.now
            guard gate.enter() else { return ReceiverResponse.busy(5).adding("Connection", "close") }
            let (route, response) = await service.respond(to: request)
            gate.leave()
            service.metrics.count(route: route, status: response.status, bytes: request.body.count)
            let time = (ContinuousClock.now - start) / .milliseconds(1)
            logger.info(
                "request",
                metadata: [
                    "route": "\(route)", "status": "\(response.status)", "bytes": "\(request.body.count)",
                    "ms": "\(Int(time))",
                ]
            )
            return response
        }
        return Receiver(listener: listener, gate: gate)
    }

    /// Accepts no further requests, finishes those under way, and stops listening.
    public func stop() async {
        await gate.close(for: .seconds(10))
        await listener.stop()
    }
}

/// Lets requests in until it is closed, and knows when the last one has left.
final class RequestGate: Sendable {
    private struct State {
        var isOpen = true
        var inside = 0
    }

    private let state = Mutex(State())

    func enter() -> Bool {
        state.withLock { state in
            if state.isOpen { state.inside += 1 }
            return state.isOpen
        }
    }

    func leave() { state.withLock { $0.inside -= 1 } }

    /// Lets nobody in any more, and waits until everybody has left, but no longer than `duration`.
    func close(for duration: Duration) async {
        state.withLock { $0.isOpen = false }
        let end = ContinuousClock.now + duration
        while state.withLock({ $0.inside > 0 }), ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
