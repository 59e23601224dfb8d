import Foundation
import HTTPCalls
import HTTPTypes
import OrderedJSON
import StudyTesting
import StudyWarehouse
import Synchronization
import Testing

@testable import StudyServer

/// The queues that a study may have.
enum QueueKind: String, CaseIterable, Sendable {
    case sqlite
    case postgreSQL
    case sqs

    /// Whether it knows what it had before.
    var knowsWhatItHad: Bool { self != .sqs }
}

/// An empty queue, and how time passes for it. The test is skipped where its service is not there.
struct TestQueue {
    let queue: any MessageQueue
    let pass: @Sendable (_ seconds: Int) async throws -> Void

    init(_ kind: QueueKind, receives: Int = 3, file: URL? = nil) async throws {
        switch kind {
        case .sqlite:
            let clock = Clock()
            queue = try SQLiteMessageQueue(file, maximumReceives: receives) { clock.now }
            pass = { clock.advance($0) }
        case .postgreSQL:
            guard let url = try await TestDatabase.emptySchema() else {
                try Test.cancel("\(TestDatabase.hint)")
            }
            let queue = try await PostgreSQLMessageQueue(url, maximumReceives: receives)
            self.queue = queue
            pass = { try await queue.pass(seconds: $0) }
        case .sqs:
            queue = try await TestSQS().queue(receives: receives)
            pass = { try await Task.sleep(for: .milliseconds($0 * 1000 + 200)) }
        }
    }

    /// A clock that a test moves.
    private final class Clock: Sendable {
        private let time = Mutex(1000)
        var now: Int { time.withLock { $0 } }
        func advance(_ seconds: Int) { time.withLock { $0 += seconds } }
    }
}

/// Two queues and a bucket of their own in the service at INDIVO_TEST_SQS, as in `http://127.0.0.1:5055`
/// (moto).
struct TestSQS {
    let configuration: SQSConfiguration
    let client: AWSClient
    let server: ServerAddress
    static let credentials = AWSCredentials(accessKey: "test", secret: "test")

    init(isFIFO: Bool = false) async throws {
        guard let place = ProcessInfo.processInfo.environment["INDIVO_TEST_SQS"], let url = URL(string: place)
        else {
            try Test.cancel("INDIVO_TEST_SQS names no service; scripts/interop study-server starts moto")
        }
        let name = "t" + UUID().uuidString.lowercased()
        let end = isFIFO ? ".fifo" : ""
        client = AWSClient(credentials: Self.credentials, region: "us-east-1", transport: .system)
        server = try SQSConfiguration.server(url)
        for queue in [name + end, name + "-dead" + end] {
            var parameters: JSONValue = ["QueueName": JSONValue(queue)]
            if isFIFO { parameters["Attributes"] = ["FifoQueue": "true"] }
            _ = try await client.call("CreateQueue", parameters, at: server)
        }
        _ = try await client.object(.put, "/\(name)", at: server)
        configuration = try SQSConfiguration(
            parsing:
                """
                \(place)/123456789012/\(name)\(end)?bucket=\(name)&dead=\(name)-dead\(end)&region=us-east-1&\
                s3=\(place)
                """
        )
    }

    func queue(receives: Int = 3) async throws -> SQSMessageQueue {
        try await SQSMessageQueue(configuration, Self.credentials, maximumReceives: receives)
    }

    var withoutDeadLetters: SQSConfiguration {
        var changed = configuration
        changed.deadLetters = nil
        return changed
    }

    /// How many objects are in the bucket.
    func objects() async throws -> Int {
        let list = try await client.object(.get, "/\(configuration.bucket)", at: server) ?? Data()
        return String(decoding: list, as: UTF8.self).components(separatedBy: "<Key>").count - 1
    }
}

/// The stores that a warehouse may have.
enum StoreKind: String, CaseIterable, Sendable {
    case sqlite
    case postgreSQL

    func warehouse(_ file: URL? = nil) async throws -> Warehouse {
        switch self {
        case .sqlite: return try Warehouse(file)
        case .postgreSQL:
            guard let url = try await TestDatabase.emptySchema() else {
                try Test.cancel("\(TestDatabase.hint)")
            }
            return try await Warehouse(postgreSQL: url)
        }
    }
}
