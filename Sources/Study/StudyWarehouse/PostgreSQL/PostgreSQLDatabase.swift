import Foundation
import Synchronization

/// A database of PostgreSQL, with some connections that are opened when they are needed, and again when they
/// broke.
///
/// ```swift
/// let database = PostgreSQLDatabase(try PostgreSQLAddress("postgresql://study@localhost/study"))
/// let count = try await database.run(.statement) { try $0.rows("SELECT count(*) FROM queue_message", []) }
/// ```
package final class PostgreSQLDatabase: Sendable {
    /// How the statements of a piece of work belong together.
    package enum Kind: Sendable {
        /// Each for itself.
        case statement
        /// All or none of them.
        case transaction
        /// They read one state, and change nothing.
        case snapshot

        var beginning: String? {
            switch self {
            case .statement: nil
            // Whatever the server's default: what is read again after a lock has to be new.
            case .transaction: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
            case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            }
        }
    }

    private let workers: [PostgreSQLWorker]
    private let listener: PostgreSQLWorker
    /// How much each connection has to do.
    private let loads: Mutex<[Int]>

    /// - Parameter connections: How many at most, beside one that waits for notifications.
    package init(_ address: PostgreSQLAddress, connections: Int = 4) {
        workers = (0..<max(1, connections)).map { _ in PostgreSQLWorker(address) }
        listener = PostgreSQLWorker(address)
        loads = Mutex(Array(repeating: 0, count: workers.count))
    }

    /// Does some work on a connection.
    ///
    /// When a connection breaks, or another transaction is in the way, it is all done again, for a few
    /// seconds: what is done twice must be as if it was done once.
    ///
    /// - Throws: ``PostgreSQLError``, what `body` throws, `CancellationError`.
    package func run<Value: Sendable>(
        _ kind: Kind,
        _ body: @escaping @Sendable (PostgreSQLSession) throws -> Value
    ) async throws -> Value {
        var pause = Duration.milliseconds(50)
        while true {
            let index = loads.withLock { loads in
                let index = loads.indices.min { loads[$0] < loads[$1] } ?? 0
                loads[index] += 1
                return index
            }
            defer { loads.withLock { $0[index] -= 1 } }
            do {
                return try await workers[index].run { session in try Self.perform(kind, body, on: session) }
            } catch let error as PostgreSQLError where error.isTransient && pause < .seconds(3) {
                // Not all of them at the same moment.
                try await Task.sleep(for: pause * Double.random(in: 0.5..<1))
                pause *= 2
            }
        }
    }

    /// Connects once, to say at the beginning what is wrong.
    package func check() async throws { try await workers[0].run { try $0.command("SELECT 1") } }

    /// Waits until a channel is notified, at most so long. Where it cannot listen, it waits that long.
    package func wait(on channel: StaticString, for maximum: Duration) async throws {
        let start = ContinuousClock.now
        do {
            _ = try await listener.run { try $0.wait(on: channel, for: maximum) }
        } catch is PostgreSQLError {
            try await Task.sleep(for: max(.zero, maximum - start.duration(to: .now)))
        }
    }

    private static func perform<Value>(
        _ kind: Kind,
        _ body: (PostgreSQLSession) throws -> Value,
        on session: PostgreSQLSession
    ) throws -> Value {
        guard let beginning = kind.beginning else { return try body(session) }
        try session.command(beginning)
        do {
            let value = try body(session)
            try session.command("COMMIT")
            return value
        } catch {
            // Where that fails, the connection is given up, and the transaction with it.
            try? session.command("ROLLBACK")
            throw error
        }
    }
}

/// A thread with a connection.
private final class PostgreSQLWorker: Sendable {
    private let address: PostgreSQLAddress
    private let queue = DispatchQueue(label: "indivo.postgresql")
    private let session = Mutex<PostgreSQLSession?>(nil)

    init(_ address: PostgreSQLAddress) { self.address = address }

    func run<Value: Sendable>(_ body: @escaping @Sendable (PostgreSQLSession) throws -> Value) async throws
        -> Value
    {
        let job = PostgreSQLJob()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result { try self.perform(job, body) }) }
            }
        } onCancel: {
            // To cancel is to speak with the server, which whoever cancels does not wait for.
            DispatchQueue.global().async { job.cancel() }
        }
    }

    private func perform<Value: Sendable>(
        _ job: PostgreSQLJob,
        _ body: @Sendable (PostgreSQLSession) throws -> Value
    ) throws -> Value {
        try session.withLock { current in
            if current?.isFree != true { current = nil }
            try job.check()
            let session = try current ?? PostgreSQLSession(address)
            current = session
            try job.begin(session.canceller)
            session.isCancelled = { job.isCancelled }
            defer {
                job.end()
                if !session.isFree { current = nil }
            }
            do { return try body(session) } catch let error as PostgreSQLError {
                throw job.isCancelled ? CancellationError() : error
            }
        }
    }
}

/// A piece of work that may be cancelled before, while and after it is done.
private final class PostgreSQLJob: Sendable {
    private enum State {
        case waiting
        case running(PostgreSQLCanceller)
        case cancelled
        case ended
    }

    private let state = Mutex(State.waiting)

    var isCancelled: Bool { state.withLock { if case .cancelled = $0 { true } else { false } } }

    func check() throws { if isCancelled { throw CancellationError() } }

    func begin(_ canceller: PostgreSQLCanceller) throws {
        try state.withLock { state in
            if case .cancelled = state { throw CancellationError() }
            state = .running(canceller)
        }
    }

    func end() {
        state.withLock { state in
            if case .running = state { state = .ended }
        }
    }

    /// While the lock is held the work cannot end, and so nobody else's is cancelled.
    func cancel() {
        state.withLock { state in
            if case .running(let canceller) = state { canceller.cancel() }
            if case .ended = state { return }
            state = .cancelled
        }
    }
}
