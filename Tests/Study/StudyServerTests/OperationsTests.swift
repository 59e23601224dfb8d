import Foundation
import GRDB
import Logging
import OrderedJSON
import RecordCommands
import StudyWarehouse
import Synchronization
import Testing
import WebServing

@testable import IndivoCommand
@testable import StudyServer

/// Parts that are supervised, and health that is true.
@Suite struct OperationsTests {
    private struct Broken: Error {}

    /// A log in memory.
    final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var text: String { lines.withLock { $0.joined(separator: "\n") } }

        func logger() -> Logger {
            var logger = Logger(label: "test") { _ in Handler(lines: self) }
            logger.logLevel = .info
            return logger
        }

        private struct Handler: LogHandler {
            let lines: Lines
            var logLevel = Logger.Level.info
            var metadata: Logger.Metadata = [:]
            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) {
                let line = "\(event.message) \(event.metadata ?? [:])"
                lines.lines.withLock { $0.append(line) }
            }
        }
    }

    /// A queue that fails, and then does not.
    private final class FailingQueue: MessageQueue {
        private let queue: SQLiteMessageQueue
        private let failure: Mutex<(any Error)?>
        let looks = Mutex(0)

        init(_ error: (any Error)?) throws {
            queue = try SQLiteMessageQueue(nil)
            failure = Mutex(error)
        }

        func fail(_ error: (any Error)?) { failure.withLock { $0 = error } }
        private func check() throws { if let error = failure.withLock({ $0 }) { throw error } }

        func send(_ message: StudyMessage) async throws -> Bool {
            try check()
            return try await queue.send(message)
        }
        func checkWritable() async throws {
            looks.withLock { $0 += 1 }
            try check()
        }
        func receive(limit: Int, visibility: Int) async throws -> [ReceivedMessage] { [] }
        func delete(_ message: ReceivedMessage) async throws -> Bool { true }
        func release(_ message: ReceivedMessage, after seconds: Int, reason: String?) async throws {}
        func deadLetters(limit: Int) async throws -> [DeadLetter] { [] }
        func redeliver(_ id: String) async throws -> Bool { false }
        func status() async throws -> MessageQueueStatus { try await queue.status() }
    }

    // MARK: Supervision

    @Test("a part that fails is restarted after longer and longer pauses")
    func pauses() async throws {
        let pauses = Mutex<[Duration]>([])
        let starts = Mutex(0)
        let (up, isUp) = AsyncStream.makeStream(of: Void.self)
        let lines = Lines()
        let part = Supervisor.Part("receiver") { ready in
            let count = starts.withLock {
                $0 += 1
                return $0
            }
            if count < 9 { throw StudyOperationsError.failed("no connection") }
            ready()
            isUp.yield()
            try await Task.sleep(for: .seconds(3600))
        }
        let supervisor = Supervisor(
            [part],
            logger: lines.logger(),
            sleep: { pause in pauses.withLock { $0.append(pause) } },
            now: { .now }
        )
        let work = Task { await supervisor.run() }
        for await _ in up { break }
        let state = try #require(supervisor.states.first?.state)
        #expect(state == Supervisor.State(isUp: true, restarts: 8, failure: nil))
        #expect(pauses.withLock { $0 } == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        #expect(lines.text.contains("no connection"))
        work.cancel()
        await work.value
        #expect(supervisor.states.first?.state.isUp == false)
    }

    @Test("a part that fails does not stop the others")
    func otherParts() async throws {
        let (up, isUp) = AsyncStream.makeStream(of: Void.self)
        let (failed, hasFailed) = AsyncStream.makeStream(of: Void.self)
        let ended = Mutex(false)
        let good = Supervisor.Part("pages") { ready in
            ready()
            isUp.yield()
            try? await Task.sleep(for: .seconds(3600))
            ended.withLock { $0 = true }
        }
        let bad = Supervisor.Part("consumer") { _ in
            hasFailed.yield()
            throw Broken()
        }
        let supervisor = Supervisor([bad, good])
        let work = Task { await supervisor.run() }
        for await _ in up { break }
        for await _ in failed { break }
        #expect(supervisor.states.last?.state.isUp == true && !ended.withLock { $0 })
        work.cancel()
        await work.value
        #expect(ended.withLock { $0 })
    }

    // MARK: Health

    @Test("health is not OK while the disk is full, and the log says why")
    func fullDisk() async throws {
        let full = DatabaseError(resultCode: .SQLITE_FULL, message: "INSERT of a participant")
        let queue = try FailingQueue(full)
        let lines = Lines()
        let receiver = try await Receiver.start(
            queue: queue,
            .open(),
            logger: lines.logger()
        )
        let phone = Phone(url: receiver.url)
        let health = try await phone.send(.get, "/health")
        #expect(health.status == 503 && health.json?["status"]?.string == "failing")
        #expect(!health.text.contains("disk"))
        #expect(lines.text.contains("the database or disk is full"))
        #expect(!lines.text.contains("participant"))
        await receiver.stop()
    }

    @Test("a message that cannot be queued makes health fail until one can")
    func queueHealth() async throws {
        let queue = try FailingQueue(nil)
        let quota = QueueQuota(depth: 10, bytes: 1 << 20)
        let health = QueueHealth(logger: Lines().logger())
        health.failed(StudyOperationsError.readOnly)
        guard case .failing(let reason) = await health.state(of: queue, quota) else {
            Issue.record("it is ok")
            return
        }
        #expect(reason.contains("standby"))
        let other = QueueHealth(logger: Lines().logger())
        other.failed(StudyOperationsError.readOnly)
        other.succeeded()
        #expect(await other.state(of: queue, quota) == .ok)
        // Another message under the same id is the sender's fault.
        other.failed(OtherMessage())
        #expect(await other.state(of: queue, quota) == .ok)
    }

    @Test("strangers who ask for health do not query the database each time")
    func strangersAsking() async throws {
        let queue = try FailingQueue(nil)
        let quota = QueueQuota(depth: 10, bytes: 1 << 20)
        let health = QueueHealth(logger: Lines().logger())
        for _ in 0..<50 { _ = await health.state(of: queue, quota) }
        #expect(queue.looks.withLock { $0 } < 10)
    }

    @Test("a queue that works is writable", arguments: QueueKind.allCases)
    func writableQueue(kind: QueueKind) async throws {
        try await TestQueue(kind).queue.checkWritable()
    }

    @Test("a file that cannot be written is not writable")
    func unwritableFile() async throws {
        let folder = try Folder()
        let queue = try SQLiteMessageQueue(folder.file("queue.sqlite"))
        let other = try DatabaseQueue(path: folder.file("queue.sqlite").path)
        try await other.write { try $0.execute(sql: "DROP TABLE counter") }
        await #expect(throws: (any Error).self) { try await queue.checkWritable() }
    }

    @Test("operations tell of parts and consumer without reasons")
    func operations() throws {
        let watch = ConsumerWatch { 1_772_000_000 }
        var report = Consumer.Report()
        report.loaded = 3
        watch.succeed(report)
        watch.succeed(report)
        var sources = StudyOperations.Sources()
        sources.consumers = [("consumer", watch)]
        sources.supervisor = Supervisor([Supervisor.Part("receiver") { _ in }])
        let service = OperationsService(sources: sources)
        func ask(_ path: String, host: String = "localhost:8080") -> Response {
            service.respond(
                to: Request(method: "GET", target: path, headers: ["host": host], peer: "127.0.0.1")
            )
        }
        #expect(ask("/health").status == 503)
        // A page of another name that was made to lead here.
        #expect(ask("/metrics", host: "example.org").status == 403)
        let metrics = String(decoding: ask("/metrics").body, as: UTF8.self)
        #expect(metrics.contains(#"study_consumer_messages_total{state="loaded"} 6"#))
        #expect(metrics.contains("study_consumer_last_success_timestamp_seconds 1772000000"))
        #expect(metrics.contains(#"study_part_up{part="receiver"} 0"#))
        sources.supervisor = nil
        let alone = OperationsService(sources: sources)
        #expect(alone.respond(to: Request(method: "GET", target: "/health", peer: "127.0.0.1")).status == 200)
        watch.fail(Consumer.Report(), "no connection to PostgreSQL: db.example.org")
        let health = alone.respond(to: Request(method: "GET", target: "/health", peer: "127.0.0.1"))
        let text = String(decoding: health.body, as: UTF8.self)
        #expect(
            health.status == 503 && text.contains(#""consumer":"failing""#) && !text.contains("db.example")
        )
    }

    // MARK: The configuration

    @Test("a configuration names paths relative to itself")
    func relativePaths() async throws {
        let folder = try Folder()
        try StudyKeysMakeCommand.parse([folder.file("keys/key-1").path, "--bits", "2048"]).run()
        let config = folder.file("study.json")
        let text = """
            {"title": "Sleep", "source": "SLEEP", "keys": "keys", "queue": "sqlite:q/queue.sqlite",
             "receiver": {"port": 0, "studies": ["s"]}, "pages": {"users": "users", "port": 0},
             "withdrawnData": "kept", "contentDays": 90, "knownDays": 30,
             "consents": [{"version": "2", "requiredFrom": "2026-09-01T00:00:00Z"}]}
            """
        try Data(text.utf8).write(to: config)
        let plan = try StudyUpFile(config.path).plan()
        #expect(plan.files.map(\.path) == ["q/queue.sqlite", "study.sqlite"].map { folder.file($0).path })
        #expect(plan.parts == ["receiver", "consumer", "pages"] && plan.receiver.studies == ["s"])
        #expect(plan.pages?.users.path == folder.file("users").path && plan.receiver.port == 0)
        #expect(plan.contentDays == 90 && plan.knownDays == 30)
        #expect(plan.rules.withdrawnData == .kept && plan.rules.consents.versions.map(\.name) == ["2"])
    }

    @Test(
        "a wrong configuration is refused with the place",
        arguments: [
            (#"{"quue": "sqlite:q"}"#, "“quue” is not known"),
            (#"{"queue": "mysql:q"}"#, "begins with sqlite:"),
            (#"{"receiver": {"port": 70000}}"#, "from 0 to 65535"),
            (#"{"receiver": {"prot": 1}}"#, "“prot” is not known"),
            (#"{"pages": {"port": 1}}"#, "needs “users”"),
            (#"{"unproven": "maybe"}"#, "pending or accepted"),
            (#"{"withdrawnData": "lost"}"#, "erased or kept"),
            (#"{"contentDays": 0}"#, "from 1 to 36500"),
            (#"{"knownDays": 0}"#, "from 1 to 36500"),
            (#"{"contentDays": "all"}"#, "from 1 to 36500"),
            (#"{"consents": {"version": "2"}}"#, "“consents” is a list"),
            (#"{"consents": [{"version": "2", "requiredFrom": "soon"}]}"#, "“requiredFrom” as 2026-09-01"),
            (#"{"consents": [{"version": "2", "from": "2026-09-01"}]}"#, "“from” is not known"),
        ]
    )
    func wrongConfiguration(text: String, advice: String) throws {
        let folder = try Folder()
        let config = folder.file("study.json")
        try Data(text.utf8).write(to: config)
        let error = #expect(throws: CommandFailure.self) { try StudyUpFile(config.path).plan() }
        #expect(error?.description.contains(advice) == true, "\(error?.description ?? "")")
    }
}
