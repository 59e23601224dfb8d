import FHIR
import Foundation
import HTTPServing
import StudyDelivery

/// Responds to requests of phones.
struct ReceiverService: Sendable {
    let queue: any MessageQueue
    let registry: ClientRegistry
    let configuration: ReceiverConfiguration
    let limiter: RateLimiter
    let metrics = ReceiverMetrics()
    private let room: QueueRoom

    init(queue: any MessageQueue, registry: ClientRegistry, configuration: ReceiverConfiguration, limiter: RateLimiter) {
        (self.queue, self.registry, self.configuration, self.limiter) = (queue, registry, configuration, limiter)
        room = QueueRoom(depth: configuration.depthLimit, bytes: configuration.byteLimit)
    }

    var isOriginal: Bool { configuration.answers == .original }

    /// A response, and the route that gave it, in words of the receiver's own.
    func respond(to request: Request) async -> (route: String, Response) {
        let path = request.rawPath.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        do {
            switch path.first {
            case "c3pro": return try await c3Pro(request, Array(path.dropFirst()))
            case "api" where path == ["api", "upload"]: return ("upload", try await upload(request))
            case "health" where path.count == 1: return ("health", try await health(request))
            case "metrics" where path.count == 1: return ("metrics", try await metricsPage(request))
            default: return ("none", ReceiverResponse.error(404, "not_found", "There is nothing here"))
            }
        } catch {
            // What a database says of its trouble is nothing for strangers.
            return ("error", ReceiverResponse.busy(30))
        }
    }

    // MARK: Clients

    /// Who asks: the address, or what the proxy before the receiver says of it.
    func client(of request: Request) -> String {
        guard configuration.trustsProxy, let forwarded = request.header("X-Forwarded-For") else { return request.peer }
        // The last is the proxy's own word; what stands before it, the client may have written.
        return forwarded.split(separator: ",").last.map { String($0.trimmingCharacters(in: .whitespaces).prefix(64)) }
            ?? request.peer
    }

    /// What a request takes of its client's turns: one, and one for each megabyte of its body.
    func cost(of request: Request) -> Double { 1 + Double(request.body.count >> 20) }

    // MARK: Queueing

    /// Puts a message into the queue.
    ///
    /// - Returns: A refusal, while the queue is too full; `nil` when the message is in the queue, now or since before.
    func enqueue(_ message: StudyMessage) async throws -> Response? {
        guard let isNew = try await room.send(message, to: queue) else { return ReceiverResponse.busy(60) }
        metrics.count(isNew: isNew)
        return nil
    }

    /// Now, as messages have it.
    var received: String { FHIRDateTime(Date()).description }

    // MARK: For those who run it

    private func health(_ request: Request) async throws -> Response {
        guard request.method == "GET" || request.method == "HEAD" else { return ReceiverResponse.notAllowed("GET, HEAD") }
        let isFull = try await room.isFull(queue)
        return ReceiverResponse.json(isFull ? 503 : 200, ["status": isFull ? "full" : "ok"])
    }

    /// For a program on the same machine: a request that came through a proxy names it.
    private func metricsPage(_ request: Request) async throws -> Response {
        let isLocal =
            request.peer.hasPrefix("127.") && request.header("X-Forwarded-For") == nil && request.header("Forwarded") == nil
        guard isLocal else { return ReceiverResponse.error(403, "access_denied", "Metrics are for programs on this machine") }
        return Response(type: "text/plain; version=0.0.4", text: metrics.text(try await queue.status()))
    }
}
