import Logging
import Synchronization

/// Runs the parts of a study's back end in one process: a part that fails is started again, after a pause
/// that doubles up to a minute, and the others go on.
///
/// ```swift
/// let supervisor = Supervisor([
///     Supervisor.Part("consumer") { isReady in
///         let consumer = Consumer(queue: queue, warehouse: warehouse, keys: keys)
///         isReady()
///         await consumer.run()
///     }
/// ])
/// await supervisor.run()            // until the task is cancelled; then each part ends what it does
/// ```
public final class Supervisor: Sendable {
    /// A part.
    public struct Part: Sendable {
        /// A word: `receiver`.
        public let name: String
        fileprivate let run: @Sendable (_ isReady: @escaping @Sendable () -> Void) async throws -> Void

        /// A part.
        ///
        /// - Parameter run: Works until the task is cancelled, and says when it is ready. It throws what
        ///   keeps it from working.
        public init(
            _ name: String,
            run: @escaping @Sendable (_ isReady: @escaping @Sendable () -> Void) async throws -> Void
        ) {
            self.name = name
            self.run = run
        }
    }

    /// How a part is.
    public struct State: Sendable, Hashable {
        /// Whether it works.
        public var isUp = false
        /// How often it was started again.
        public var restarts = 0
        /// Why it does not work; `nil` while it does, and before it started.
        public var failure: String?
    }

    private let parts: [Part]
    private let logger: Logger
    private let all: Mutex<[String: State]>
    private let sleep: @Sendable (Duration) async throws -> Void
    private let now: @Sendable () -> ContinuousClock.Instant

    /// The pauses before a part is started again.
    static let pauses = (first: Duration.seconds(1), maximum: Duration.seconds(60))

    /// - Parameters:
    ///   - parts: With names of their own.
    ///   - logger: Gets starts, failures and their reasons, nothing of persons.
    public convenience init(_ parts: [Part], logger: Logger = Logger(label: "study.supervisor")) {
        self.init(parts, logger: logger, sleep: { try await Task.sleep(for: $0) }, now: { .now })
    }

    init(
        _ parts: [Part],
        logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.parts = parts
        self.logger = logger
        self.sleep = sleep
        self.now = now
        all = Mutex(Dictionary(firstOf: parts.map { ($0.name, State()) }))
    }

    /// The parts in their order.
    public var states: [(name: String, state: State)] {
        let states = all.withLock { $0 }
        return parts.map { ($0.name, states[$0.name] ?? State()) }
    }

    /// Runs all parts until the task is cancelled, and returns when each has ended.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            for part in parts { group.addTask { await self.keep(part) } }
        }
    }

    private func keep(_ part: Part) async {
        var pause = Self.pauses.first
        while !Task.isCancelled {
            let start = now()
            let reason: String
            do {
                try await part.run { self.ready(part) }
                reason = "it ended"
            } catch {
                reason = FailureReason.text(of: error)
            }
            guard !Task.isCancelled else { break }
            // One that worked for long fails for a new reason.
            if start.duration(to: now()) > Self.pauses.maximum { pause = Self.pauses.first }
            all.withLock {
                $0[part.name]?.isUp = false
                $0[part.name]?.failure = reason
            }
            logger.error(
                "a part fails, and is started again",
                metadata: [
                    "part": "\(part.name)", "reason": "\(reason)", "seconds": "\(pause.components.seconds)",
                ]
            )
            do { try await sleep(pause) } catch { break }
            pause = min(pause * 2, Self.pauses.maximum)
            all.withLock { $0[part.name]?.restarts += 1 }
        }
        all.withLock { $0[part.name]?.isUp = false }
    }

    private func ready(_ part: Part) {
        all.withLock {
            $0[part.name]?.isUp = true
            $0[part.name]?.failure = nil
        }
        logger.info("a part is up", metadata: ["part": "\(part.name)"])
    }
}
