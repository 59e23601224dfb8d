import Foundation
import OAuth1
import Synchronization

/// Sends requests from so many clients at once, each over a connection that it keeps.
struct Load: Sendable {
    var server: ServerProcess
    var clients: Int
    /// Told how many requests are done, now and then.
    var progress: @Sendable (Int) -> Void = { _ in }

    struct Result {
        /// In microseconds, in order.
        var times: [UInt32] = []
        var problems: [String] = []
        var seconds = 0.0
        /// What each client knows of its record at the end.
        var workloads: [Int: Workload] = [:]

        var summary: String {
            func percentile(_ part: Double) -> String {
                guard !times.isEmpty else { return "–" }
                return String(format: "%.2f ms", Double(times[Int(Double(times.count - 1) * part)]) / 1000)
            }
            return String(format: "%6.0f requests/s", Double(times.count) / seconds)
                + "   p50 \(percentile(0.5))   p99 \(percentile(0.99))   \(times.count) requests, "
                + (problems.isEmpty ? "every answer right" : "\(problems.count) wrong")
        }
    }

    /// - Parameter atLeast: The run goes on until so much time is over, when the requests take less.
    func run(requests: Int, atLeast: Duration = .zero) async throws -> Result {
        let gathered = Gathered()
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for client in 0..<clients {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        // A thread of its own: the calls block.
                        Thread.detachNewThread {
                            gathered.add(
                                drive(client, requests: requests / clients, until: start + atLeast) {
                                    progress(gathered.countOne())
                                }
                            )
                            continuation.resume()
                        }
                    }
                }
            }
        }
        var result = gathered.result
        result.seconds = (ContinuousClock.now - start) / .seconds(1)
        result.times.sort()
        result.problems += checkAll(result)
        return result
    }

    /// What the clients have come to so far.
    private final class Gathered: Sendable {
        private let state = Mutex(Result())
        private let done = Atomic(0)

        var result: Result { state.withLock { $0 } }

        func countOne() -> Int { done.add(1, ordering: .relaxed).newValue }

        func add(_ result: Result) {
            state.withLock {
                $0.times += result.times
                $0.problems += result.problems
                $0.workloads.merge(result.workloads) { _, new in new }
            }
        }
    }

    private func drive(
        _ client: Int,
        requests: Int,
        until end: ContinuousClock.Instant,
        _ oneDone: () -> Void
    ) -> Result {
        var result = Result()
        result.times.reserveCapacity(requests + 1)
        let signer = signer(of: client)
        var workload = Workload(client: client, record: server.greeting.accesses[client].record)
        do {
            let connection = try KeepAliveConnection(port: server.greeting.port)
            while result.times.count < requests || ContinuousClock.now < end {
                let step = workload.next()
                let request = try bytes(of: step, signer)
                let begin = ContinuousClock.now
                let (status, body) = try connection.exchange(request)
                result.times.append(UInt32(clamping: Int((ContinuousClock.now - begin) / .microseconds(1))))
                oneDone()
                guard server.kind == .sandbox else { continue }
                let answer = Workload.Answer(status: status, body: body)
                if status == 200, step.check(answer) == nil {
                    workload.note(answer, of: step)
                } else {
                    let problem = status == 200 ? step.check(answer) ?? "" : "status \(status)"
                    result.problems.append(
                        "\(step.method) \(step.target): \(problem): \(answer.text.prefix(200))"
                    )
                }
            }
        } catch {
            result.problems.append("client \(client): \(error)")
        }
        result.workloads[client] = workload
        return result
    }

    /// Whether every document that was pushed is there, once: looked at when all clients are done, so that
    /// the large answers are no part of what was measured.
    private func checkAll(_ result: Result) -> [String] {
        guard server.kind == .sandbox else { return [] }
        return result.workloads.sorted { $0.key < $1.key }.compactMap { client, workload in
            let step = workload.lastStep()
            do {
                let connection = try KeepAliveConnection(port: server.greeting.port)
                let (status, body) = try connection.exchange(bytes(of: step, signer(of: client)))
                return step.check(Workload.Answer(status: status, body: body)).map {
                    "client \(client): \($0)"
                }
            } catch {
                return "client \(client): \(error)"
            }
        }
    }

    private func signer(of client: Int) -> OAuthSigner {
        let access = server.greeting.accesses[client]
        return OAuthSigner(
            credentials: OAuthCredentials(
                consumer: OAuthConsumer(key: "demo@apps.example.org", secret: "demo-secret"),
                token: OAuthToken(value: access.token, secret: Secret(access.secret))
            ),
            rule: .indivo
        )
    }

    private func bytes(of step: Workload.Step, _ signer: OAuthSigner) throws -> Data {
        let authority = "127.0.0.1:\(server.greeting.port)"
        let body = step.body ?? ""
        let type = step.body == nil ? nil : "application/xml"
        let request = OAuthRequest(
            method: step.method,
            scheme: "http",
            authority: authority,
            target: step.target,
            contentType: type,
            body: Array(body.utf8)
        )
        var text =
            "\(step.method) \(step.target) HTTP/1.1\r\nHost: \(authority)\r\nConnection: keep-alive\r\n"
        text += "Authorization: \(try signer.authorization(for: request).headerValue)\r\n"
        if let type { text += "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n" }
        return Data((text + "\r\n" + body).utf8)
    }
}
