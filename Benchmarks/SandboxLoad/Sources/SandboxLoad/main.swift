import Foundation
import IndivoSandbox
import OAuth1
import Synchronization

// Drives a sandbox with signed requests, nine reads to a write, from 1, 8 and 32 clients that keep their connections;
// and the same with a call that does nothing, which is what the HTTP library can do at best.
//
// usage: SandboxLoad [REQUESTS]     (30,000 unless given, a third for each number of clients)

let total = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 30_000
let sandbox = try await Sandbox.start()
let port = sandbox.apiURL.port ?? 0
let record = try await sandbox.records()[0].id
let issued = try await sandbox.issueAccessToken(
    app: SandboxApp.demo.id, record: record, account: Sandbox.demoAccount)
let token = OAuthToken(value: issued.token, secret: Secret(issued.secret))

let medication = """
    <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Equipment"><Field name="name">Pump</Field>\
    </Model></Models>
    """

func request(_ number: Int, trivial: Bool) throws -> Data {
    var method = "GET"
    var target = "/version"
    var body = ""
    if !trivial {
        switch number % 10 {
        case 0: (method, target, body) = ("POST", "/records/\(record)/documents/", medication)
        case 1, 2, 3: target = "/records/\(record)/reports/Medication/?limit=10"
        case 4, 5: target = "/records/\(record)/reports/LabResult/?limit=5&response_format=application/xml"
        case 6, 7: target = "/records/\(record)/documents/?limit=10"
        default: target = "/records/\(record)"
        }
    }
    let signer = OAuthSigner(
        credentials: OAuthCredentials(
            consumer: OAuthConsumer(key: "demo@apps.example.org", secret: "demo-secret"), token: token))
    let type = method == "POST" ? "application/xml" : nil
    let signed = OAuthRequest(
        method: method, scheme: "http", authority: "127.0.0.1:\(port)", target: target, contentType: type,
        body: Array(body.utf8))
    var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: keep-alive\r\n"
    if !trivial { text += "Authorization: \(try signer.authorization(for: signed).headerValue)\r\n" }
    if let type { text += "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n" }
    return Data((text + "\r\n" + body).utf8)
}

/// The memory of this process in megabytes, as far as the system tells.
func residentMegabytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096 / 1_000_000
}

/// What the clients measured.
final class Measurements: Sendable {
    private let state = Mutex((times: [Duration](), failures: 0))

    func add(_ times: [Duration], failures: Int) {
        state.withLock { state in
            state.times += times
            state.failures += failures
        }
    }

    var times: [Duration] { state.withLock { $0.times } }
    var failures: Int { state.withLock { $0.failures } }
}

func run(clients: Int, requests: Int, trivial: Bool) async -> String {
    let measurements = Measurements()
    let start = ContinuousClock.now
    await withTaskGroup(of: Void.self) { group in
        for client in 0..<clients {
            group.addTask {
                await withCheckedContinuation { continuation in
                    // Threads of their own: the server needs the tasks' threads.
                    Thread.detachNewThread {
                        var mine: [Duration] = []
                        var failures = 0
                        do {
                            let connection = try KeepAliveConnection(port: port)
                            for number in 0..<requests / clients {
                                let bytes = try request(client + number, trivial: trivial)
                                let begin = ContinuousClock.now
                                let answer = try connection.exchange(bytes)
                                mine.append(ContinuousClock.now - begin)
                                if answer.status != 200 || answer.body.isEmpty { failures += 1 }
                            }
                        } catch {
                            failures += 1
                        }
                        measurements.add(mine, failures: failures)
                        continuation.resume()
                    }
                }
            }
        }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let sorted = measurements.times.sorted()
    func percentile(_ part: Double) -> String {
        guard !sorted.isEmpty else { return "–" }
        return String(format: "%.2f ms", sorted[Int(Double(sorted.count - 1) * part)] / .milliseconds(1))
    }
    return String(format: "%6.0f requests/s", Double(sorted.count) / seconds)
        + "   p50 \(percentile(0.5))   p99 \(percentile(0.99))   \(measurements.failures) failed   \(residentMegabytes()) MB"
}

for clients in [1, 8, 32] {
    print("\(clients) clients, 9 reads to a write  ", await run(clients: clients, requests: total / 3, trivial: false))
    print("\(clients) clients, a call that does nothing", await run(clients: clients, requests: total / 3, trivial: true))
}
await sandbox.stop()
