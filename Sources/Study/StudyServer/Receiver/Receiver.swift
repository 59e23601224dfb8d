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
///
/// One receiver takes deliveries to several studies, each with its own queue, apps and rules, below a path
/// of its own:
///
/// ```swift
/// let sleep = try StudyName("sleep")
/// let receiver = try await Receiver.start(studies: [sleep, try StudyName("asthma")], configuration)
/// try await receiver.open(sleep, queue: SQLiteMessageQueue(file), configuration)
/// // phones deliver to https://study.example.org/sleep/c3pro
/// ```
public final class Receiver: Sendable {
    /// Where it is reached.
    public let url: URL
    private let listener: HTTPListener
    private let gate: RequestGate
    /// `nil` where it has one study.
    private let studies: ReceiverStudies?

    private init(listener: HTTPListener, gate: RequestGate, studies: ReceiverStudies? = nil) {
        url = listener.url
        self.listener = listener
        self.gate = gate
        self.studies = studies
    }

    /// Starts to listen for deliveries to one study.
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
        let service = try await ReceiverService(queue, clients, configuration, logger: logger)
        let gate = RequestGate()
        let listener = try await listen(configuration, gate, logger) { await service.serve($0) }
        return Receiver(listener: listener, gate: gate)
    }

    /// Starts to listen for deliveries to several studies. What comes for one is answered with 503 until it
    /// is open.
    ///
    /// - Parameters:
    ///   - configuration: How it listens: the address, the port, the limits of bodies and connections, and
    ///     whether a proxy stands before it.
    ///   - logger: Gets a line for each request: route, status, bytes and milliseconds, nothing of persons.
    /// - Throws: Why it cannot listen.
    public static func start(
        studies names: Set<StudyName>,
        _ configuration: ReceiverConfiguration = ReceiverConfiguration(),
        logger: Logger = Logger(label: "study.receiver")
    ) async throws -> Receiver {
        let studies = ReceiverStudies(names, trustsProxy: configuration.trustsProxy, logger: logger)
        let gate = RequestGate()
        let listener = try await listen(configuration, gate, logger) { await studies.respond(to: $0) }
        return Receiver(listener: listener, gate: gate, studies: studies)
    }

    /// Takes deliveries to a study from now on.
    ///
    /// - Parameters:
    ///   - name: One of those that the receiver was started with.
    ///   - configuration: The study's rules. How the receiver listens is not read.
    /// - Throws: ``StudyOperationsError`` for another name; why the apps' database cannot be opened.
    public func open(
        _ name: StudyName,
        queue: any MessageQueue,
        clients: ReceiverClients = .besideQueue,
        _ configuration: ReceiverConfiguration = ReceiverConfiguration()
    ) async throws {
        guard let studies, studies.hosted.names.contains(name) else {
            throw StudyOperationsError.failed("the receiver was not started with the study \(name)")
        }
        try await studies.open(name, queue, clients, configuration)
    }

    /// Takes no more deliveries to a study; phones are told to try again later.
    public func close(_ name: StudyName) { studies?.hosted[name] = nil }

    private static func listen(
        _ configuration: ReceiverConfiguration,
        _ gate: RequestGate,
        _ logger: Logger,
        _ respond: @escaping @Sendable (Request) async -> (route: String, Response)
    ) async throws -> HTTPListener {
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
        return try await HTTPListener(listening) { request in
            let start = ContinuousClock.now
            guard gate.enter() else { return ReceiverResponse.busy(5).adding("Connection", "close") }
            let (route, response) = await respond(request)
            gate.leave()
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
