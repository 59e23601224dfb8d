import FHIR
import Foundation
import Logging
import OrderedJSON
import StudyFormats
import StudyWarehouse
import Synchronization

/// Takes messages from a queue, decrypts them, and writes their facts into a warehouse, under other
/// pseudonyms.
///
/// ```swift
/// let consumer = Consumer(queue: queue, warehouse: warehouse, keys: try KeyRing(contentsOf: folder))
/// let report = try await consumer.drain()
/// ```
/// A batch of messages goes through four steps: it is received from the queue, opened (decrypted, validated,
/// mapped) on all cores, loaded into the warehouse in one transaction, and deleted from the queue. Messages
/// are written together with their ids: one that is delivered again changes nothing.
///
/// Facts are written once their participant has consented; until then messages wait, encrypted. A message
/// that cannot be processed is kept, encrypted, with the reason, and can be processed again.
public struct Consumer: Sendable {
    /// How many messages had which outcome.
    public struct Report: Sendable, Hashable {
        /// Their content is in the warehouse.
        public var loaded = 0
        /// They have no facts; their files are kept.
        public var kept = 0
        /// They wait for a consent.
        public var waiting = 0
        /// They could not be processed.
        public var failed = 0
        /// Their participants had withdrawn.
        public var refused = 0
        /// They would remove or replace a participant's data without a proof, and wait for the study's team.
        public var pending = 0
        /// They were delivered again.
        public var repeated = 0
        /// They went back into the queue: the machine failed, or the warehouse has no more room for messages
        /// that cannot be loaded.
        public var released = 0

        /// Nothing yet.
        public init() {}

        mutating func count(_ state: StoredMessage.State?) {
            switch state {
            case nil: repeated += 1
            case .loaded: loaded += 1
            case .kept: kept += 1
            case .waiting: waiting += 1
            case .failed: failed += 1
            case .refused, .dismissed: refused += 1
            case .pending: pending += 1
            }
        }
    }

    /// The most messages of a batch.
    static let batchSize = MessageWriter.maximumMessages

    let queue: any MessageQueue
    let warehouse: Warehouse
    let visibility: Int
    let quota: KeptQuota
    let logger: Logger
    let reader: MessageReader
    let writer: MessageWriter
    let suspects = Suspects()
    private let remains = Remains()
    private let knownDays: Int
    private let contentDays: Int?
    /// When the queue is next asked to forget old messages.
    private let nextForgetting = NextTime()
    /// When the warehouse is next asked for contents to remove.
    private let nextRemoval = NextTime()
    /// When the warehouse is next asked for kept messages that can be processed.
    let nextKept = NextTime()

    final class NextTime: Sendable {
        let time = Mutex(ContinuousClock.now)

        var hasCome: Bool { time.withLock { $0 <= .now } }

        func set(after pause: Duration) { time.withLock { $0 = .now + pause } }
    }

    final class Suspects: Sendable {
        /// Whether the last batch had a message that may have made consumers crash.
        let exist = Mutex(false)
    }

    private final class Remains: Sendable {
        /// Whether there may be remains: those of an earlier consumer, or because somebody has been reading
        /// the warehouse for long.
        let mayExist = Mutex(true)
    }

    /// A consumer.
    ///
    /// - Parameters:
    ///   - visibility: Seconds that a batch of 256 messages may take before others get them.
    ///   - keptLimit: The most bytes of messages in the warehouse that wait for a consent or could not be
    ///     processed. More of them are left in the queue; messages that can be loaded are.
    ///   - mapper: Makes facts. Texts that it omits are in no resource either.
    ///   - questionnaires: Those of which tasks of ResearchKit were made, whose results are their answers.
    ///   - identities: What becomes of names of people and devices in the resources that are kept.
    ///   - rules: What the study decides about withdrawals, corrections and versions of its consent.
    ///   - knownDays: After how many days a queue forgets the ids of its messages. A phone that sends one
    ///     again later is recognised by the warehouse.
    ///   - contentDays: After how many days, at least one, the content of an envelope is removed whose facts
    ///     or samples were loaded; `nil` keeps it. Consents and packages stay.
    ///   - logger: Gets counts and reasons, nothing of persons.
    public init(
        queue: any MessageQueue,
        warehouse: Warehouse,
        keys: KeyRing,
        mapper: ResponseMapper = ResponseMapper(),
        questionnaires: [Questionnaire] = [],
        identities: Disclosure.Identities = .removed,
        rules: StudyRules = StudyRules(),
        visibility: Int = 300,
        keptLimit: Int = 16 << 30,
        knownDays: Int = 400,
        contentDays: Int? = nil,
        logger: Logger = Logger(label: "study.consumer")
    ) {
        self.visibility = visibility
        quota = KeptQuota(limit: keptLimit)
        self.queue = queue
        self.warehouse = warehouse
        self.knownDays = knownDays
        self.contentDays = contentDays.map { max(1, $0) }
        self.logger = logger
        let disclosure = Disclosure(freeText: mapper.freeText, identities: identities)
        reader = MessageReader(
            keys: CurrentKeys(keys),
            mapper: mapper,
            results: TaskResults(questionnaires),
            disclosure: disclosure
        )
        writer = MessageWriter(
            warehouse: warehouse,
            quota: quota,
            disclosure: disclosure,
            rules: rules
        )
    }

    // MARK: Working

    /// Processes until the queue has nothing more to give.
    ///
    /// - Throws: What the queue or the warehouse throws; messages that were received come again.
    public func drain() async throws -> Report {
        var report = Report()
        while try await step(&report) {}
        return report
    }

    /// Processes messages as they come, until the task is cancelled. The messages at hand are finished.
    ///
    /// - Parameters:
    ///   - watch: Receives the outcomes of messages, and the failures of the queue or the warehouse.
    ///   - interval: How long it waits for messages, if the queue does not notify it of new ones.
    public func run(watchedBy watch: ConsumerWatch? = nil, every interval: Duration = .seconds(1)) async {
        while !Task.isCancelled {
            var report = Report()
            do {
                let hasWork = try await step(&report)
                watch?.succeed(report)
                if !hasWork { try await queue.wait(for: interval) }
            } catch {
                guard !Task.isCancelled else { break }
                let reason = FailureReason.text(of: error)
                watch?.fail(report, reason)
                logger.error("the queue or the warehouse fails", metadata: ["reason": "\(reason)"])
                try? await Task.sleep(for: interval)
            }
        }
    }

    // MARK: Participants

    /// Whether the warehouse knows anything of a participant, by the id that their phone uses.
    public func knows(_ phoneID: UUID) async throws -> Bool {
        let digest = Self.digest(of: phoneID)
        return try await warehouse.read { try $0.knows(digest) }
    }

    /// Removes everything of a participant, by the id that their phone uses.
    ///
    /// - Returns: How many facts and samples were removed.
    public func withdraw(_ phoneID: UUID) async throws -> Int {
        let digest = Self.digest(of: phoneID)
        let facts = try await warehouse.transaction {
            try $0.withdraw(digest, now: WarehouseTime(FHIRDateTime(Date())))
        }
        try await warehouse.eraseRemains()
        return facts
    }

    /// Accepts nothing more from a participant, by the id that their phone uses. What they gave stays.
    public func stop(_ phoneID: UUID) async throws {
        let digest = Self.digest(of: phoneID)
        try await warehouse.transaction { try $0.stop(digest, at: WarehouseTime(FHIRDateTime(Date()))) }
        try await warehouse.eraseRemains()
    }

    /// The digest under which a warehouse knows a participant, by the id that their phone uses.
    public static func digest(of phoneID: UUID) -> String { Intake.digest(phoneID.uuidString) }

    // MARK: Old messages

    /// Lets the queue forget old messages, once an hour.
    func forgetKnown() async {
        guard nextForgetting.hasCome else { return }
        nextForgetting.set(after: .seconds(3600))
        do { try await queue.forgetKnown(after: knownDays) } catch {
            logger.error(
                "the queue does not forget what it had",
                metadata: ["reason": "\(FailureReason.text(of: error))"]
            )
        }
    }

    /// The most contents that are removed at once: others wait meanwhile.
    static let removedAtOnce = 500

    /// Removes contents that the study no longer keeps: some with each batch, or once an hour if there were
    /// none.
    ///
    /// - Returns: Whether there may be more of them.
    func removeContents() async -> Bool {
        guard let contentDays, nextRemoval.hasCome else { return false }
        var pause = Duration.seconds(60)
        defer { nextRemoval.set(after: pause) }
        do {
            guard let count = try await removeContents(after: contentDays) else { return false }
            let hasMore = count == Self.removedAtOnce
            pause = hasMore ? .zero : .seconds(3600)
            guard count > 0 else { return false }
            logger.info("contents of loaded messages are removed", metadata: ["count": "\(count)"])
            if !hasMore { await eraseRemains() }
            return hasMore
        } catch {
            logger.error(
                "contents of loaded messages are not removed",
                metadata: ["reason": "\(FailureReason.text(of: error))"]
            )
            return false
        }
    }

    /// - Returns: How many were removed; `nil` while the queue has dead letters, or messages that were
    ///   received before the contents to be removed: a withdrawal may be among them.
    private func removeContents(after days: Int) async throws -> Int? {
        let age = 86_400 * days
        let waiting = try await queue.status()
        // SQS does not say how old its messages are.
        let isOlder = waiting.depth > 0 && !(1..<age).contains(waiting.age)
        guard waiting.dead == 0, !isOlder else { return nil }
        let end = WarehouseTime(FHIRDateTime(Date(timeIntervalSinceNow: -Double(age))))
        return try await withoutCancellation {
            try await warehouse.transaction {
                try $0.removeLoadedContents(receivedBefore: end, limit: Self.removedAtOnce)
            }
        }
    }

    // MARK: What was deleted

    /// Overwrites what was deleted before this consumer began, or could not be overwritten then.
    func eraseOldRemains() async { if remains.mayExist.withLock({ $0 }) { await eraseRemains() } }

    /// Overwrites what was deleted; what cannot be done now is done with a later batch.
    func eraseRemains() async {
        remains.mayExist.withLock { $0 = true }
        do {
            try await warehouse.eraseRemains()
            remains.mayExist.withLock { $0 = false }
        } catch {
            logger.error(
                "what was deleted is not overwritten yet",
                metadata: ["reason": "\(FailureReason.text(of: error))"]
            )
        }
    }
}
