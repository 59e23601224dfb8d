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
/// A message is written in one transaction together with its id: one that is delivered again changes nothing.
/// Facts are written when their participant's consent is there; until then messages wait, encrypted. What
/// cannot be processed is kept, encrypted, with the reason, and can be processed again.
public struct Consumer: Sendable {
    /// What became of messages.
    public struct Report: Sendable, Hashable {
        /// Their content is in the warehouse.
        public var loaded = 0
        /// They wait for a consent.
        public var waiting = 0
        /// They could not be processed.
        public var failed = 0
        /// Their participants had withdrawn.
        public var refused = 0
        /// They would remove or replace what a participant gave, without a proof, and wait for the study's
        /// team.
        public var pending = 0
        /// They were delivered again.
        public var repeated = 0
        /// They went back into the queue: the machine had trouble, or the warehouse keeps no more that cannot
        /// be loaded.
        public var released = 0

        /// Nothing yet.
        public init() {}

        mutating func count(_ state: StoredMessage.State?) {
            switch state {
            case nil: repeated += 1
            case .loaded: loaded += 1
            case .waiting: waiting += 1
            case .failed: failed += 1
            case .refused, .dismissed: refused += 1
            case .pending: pending += 1
            }
        }
    }

    private static let batch = 16
    /// After this time the messages processed so far are deleted from the queue: to delete many at once is
    /// one write to its disk.
    private static let deletionInterval = Duration.seconds(1)
    /// Seconds until messages come again that met trouble of the machine, or found no room.
    private static let pause = (trouble: 10, room: 600)
    /// A message that was received more often may be what ended its consumers.
    private static let harmlessReceives = 2

    private let queue: any MessageQueue
    private let warehouse: Warehouse
    private let keys: CurrentKeys
    private let mapper: ResponseMapper
    private let disclosure: Disclosure
    private let unproven: UnprovenChanges
    private let visibility: Int
    private let room: KeptRoom
    private let logger: Logger
    private let remains = Remains()

    private final class Remains: Sendable {
        /// Whether there may be some: of a consumer that ended before, or since somebody reads the warehouse
        /// for long.
        let areThere = Mutex(true)
    }

    /// A consumer.
    ///
    /// - Parameters:
    ///   - visibility: Seconds that a batch of 16 messages may take before others get them.
    ///   - keptLimit: The most bytes of messages in the warehouse that wait for a consent or could not be
    ///     processed. More of them are left in the queue; messages that can be loaded are.
    ///   - mapper: Makes facts. Texts that it omits are in no resource either.
    ///   - identities: What becomes of names of people and devices in the resources that are kept.
    ///   - unproven: What becomes of withdrawals and corrections that no known app of their participant
    ///     delivered.
    ///   - logger: Gets counts and reasons, nothing of persons.
    public init(
        queue: any MessageQueue,
        warehouse: Warehouse,
        keys: KeyRing,
        mapper: ResponseMapper = ResponseMapper(),
        identities: Disclosure.Identities = .removed,
        unproven: UnprovenChanges = .pending,
        visibility: Int = 300,
        keptLimit: Int = 16 << 30,
        logger: Logger = Logger(label: "study.consumer")
    ) {
        self.visibility = visibility
        room = KeptRoom(limit: keptLimit)
        self.queue = queue
        self.warehouse = warehouse
        self.mapper = mapper
        self.logger = logger
        self.keys = CurrentKeys(keys)
        self.unproven = unproven
        disclosure = Disclosure(freeText: mapper.freeText, identities: identities)
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

    /// Processes messages as they come, until the task is cancelled. The current message is finished.
    ///
    /// - Parameter interval: How long it waits when there is nothing, and the queue does not say when
    ///   something comes.
    public func run(every interval: Duration = .seconds(1)) async {
        while !Task.isCancelled {
            var report = Report()
            do {
                if try await !step(&report) { try await queue.wait(for: interval) }
            } catch {
                guard !Task.isCancelled else { break }
                logger.error("the queue or the warehouse fails", metadata: ["error": "\(type(of: error))"])
                try? await Task.sleep(for: interval)
            }
        }
    }

    /// Processes a batch; false when there was none.
    private func step(_ report: inout Report) async throws -> Bool {
        if remains.areThere.withLock({ $0 }) { await eraseRemains() }
        // Before any message is received: a warehouse that is away costs none of them an attempt.
        try await room.refresh(from: warehouse)
        let batch = try await queue.receive(limit: Self.batch, visibility: visibility)
        let before = report
        var (trouble, deletionTrouble): ((any Error)?, (any Error)?)
        var done: [ReceivedMessage] = []
        var lastDeletion: ContinuousClock.Instant = .now
        var repeated: Set<String> = []
        do {
            repeated = try await Task { try await self.repeated(of: batch) }.value
            report.repeated += repeated.count
            // Before anything else: a message behind them may end this consumer, and they would have had an
            // attempt more.
            do { try await delete(batch.filter { repeated.contains($0.message.id) }) } catch {
                deletionTrouble = error
            }
        } catch {
            trouble = error
        }
        var pending = batch.filter { !repeated.contains($0.message.id) }
        // A message that ends its consumers would cost those behind it an attempt each time, until they are
        // dead letters, too.
        if trouble == nil, let last = pending.firstIndex(where: { $0.receiveCount > Self.harmlessReceives }) {
            let behind = Array(pending[(last + 1)...])
            // Where that fails, they come again when their time is over.
            await Task {
                for received in behind { try? await queue.release(received, after: 0, reason: nil) }
            }.value
            report.released += behind.count
            pending.removeSubrange((last + 1)...)
        }
        var left = 0
        for received in pending {
            // In a task of its own: the message at hand is finished when this one is cancelled, and those
            // behind it go back.
            let pause: Int? = trouble != nil ? Self.pause.trouble : Task.isCancelled ? 0 : nil
            do {
                switch try await Task(operation: { try await handle(received, releasingAfter: pause) }).value
                {
                case .processed(let state):
                    report.count(state)
                    done.append(received)
                case .released: report.released += 1
                case .leftForRoom:
                    report.released += 1
                    left += 1
                }
            } catch {
                trouble = error
            }
            guard ContinuousClock.now > lastDeletion + Self.deletionInterval else { continue }
            // Where that fails, messages that are not processed yet are processed all the same.
            do { try await delete(done) } catch { deletionTrouble = deletionTrouble ?? error }
            done = []
            lastDeletion = .now
        }
        do { try await delete(done) } catch { deletionTrouble = deletionTrouble ?? error }
        if left > 0 {
            logger.error(
                "messages are left in the queue: the warehouse keeps no more that wait or failed",
                metadata: ["count": "\(left)"]
            )
        }
        if let trouble = trouble ?? deletionTrouble { throw trouble }
        // Also where another consumer ended after it had written a consent; and what the study's team wants
        // processed again.
        let (ready, requested, approved) = try await warehouse.read { warehouse in
            (
                try warehouse.messagesWithConsent(limit: Self.batch),
                try warehouse.requestedMessages(limit: Self.batch),
                try warehouse.approvedMessages(limit: Self.batch)
            )
        }
        // One that cannot be processed now does not hold up the others.
        for id in ready where !Task.isCancelled {
            do { _ = try await reprocess(id, &report) } catch { trouble = error }
        }
        for id in requested where !Task.isCancelled {
            do { try await reprocessRequested(id, &report) } catch { trouble = error }
        }
        for id in approved where !Task.isCancelled {
            do { try await processApproved(id, &report) } catch { trouble = error }
        }
        if report != before {
            logger.info(
                "processed",
                metadata: [
                    "loaded": "\(report.loaded - before.loaded)",
                    "waiting": "\(report.waiting - before.waiting)",
                    "failed": "\(report.failed - before.failed)",
                    "refused": "\(report.refused - before.refused)",
                    "pending": "\(report.pending - before.pending)",
                    "repeated": "\(report.repeated - before.repeated)",
                    "released": "\(report.released - before.released)",
                ]
            )
        }
        if let trouble { throw trouble }
        return !batch.isEmpty || !ready.isEmpty || !requested.isEmpty || !approved.isEmpty
    }

    /// Deletes processed messages from the queue. One that is not deleted comes again, and is recognised.
    private func delete(_ messages: [ReceivedMessage]) async throws {
        guard !messages.isEmpty else { return }
        try await Task { try await queue.delete(messages) }.value
    }

    /// The ids of messages that come again although they were processed. One that comes for the first time is
    /// new as a rule; the transaction that writes it checks that.
    private func repeated(of batch: [ReceivedMessage]) async throws -> Set<String> {
        let again = batch.filter { $0.receiveCount > 1 }
        guard !again.isEmpty else { return [] }
        return try await warehouse.read { warehouse in
            Set(try again.filter { try warehouse.message($0.message.id) != nil }.map(\.message.id))
        }
    }

    /// Overwrites what was deleted; what cannot be done now is done with a later batch.
    private func eraseRemains() async {
        remains.areThere.withLock { $0 = true }
        do {
            try await warehouse.eraseRemains()
            remains.areThere.withLock { $0 = false }
        } catch {
            logger.error("what was deleted is not overwritten yet", metadata: ["error": "\(type(of: error))"])
        }
    }

    private enum Outcome: Sendable {
        case processed(StoredMessage.State?)
        case released
        case leftForRoom
    }

    /// - Parameter pause: Seconds after which others may have it, when it is not to be tried.
    /// - Throws: Trouble that each message would meet; this one goes back, and the attempt is not counted.
    private func handle(_ received: ReceivedMessage, releasingAfter pause: Int?) async throws -> Outcome {
        if let pause {
            try await queue.release(received, after: pause, reason: nil)
            return .released
        }
        do {
            let state = try await process(received.message, again: false)
            if state == .refused { await eraseRemains() }
            return .processed(state)
        } catch  where MachineTrouble.isCause(of: error) {
            // Where the queue has trouble, too, it comes again by itself.
            try? await queue.release(received, after: Self.pause.trouble, reason: nil)
            throw error
        } catch is KeptRoom.Full {
            try await queue.release(received, after: Self.pause.room, reason: nil)
            return .leftForRoom
        } catch {
            logger.error(
                "a message is put back",
                metadata: ["error": "\(type(of: error))", "receives": "\(received.receiveCount)"]
            )
            let pause = min(3600, 5 << min(received.receiveCount, 10))
            try await queue.release(
                received,
                after: pause,
                reason: "the consumer had trouble: \(type(of: error))"
            )
            return .released
        }
    }

    // MARK: Again

    /// Processes a message again that could not be processed: there may be another key now, or another
    /// consent.
    ///
    /// - Returns: False when no such message is kept.
    public func reprocess(_ id: String) async throws -> Bool {
        var report = Report()
        return try await reprocess(id, &report)
    }

    /// Processes again all that could not be processed.
    public func reprocessFailed() async throws -> Report {
        var report = Report()
        let failed = try await warehouse.read { try $0.failedMessages(limit: .max).map(\.id) }
        for id in failed { _ = try await reprocess(id, &report) }
        return report
    }

    private func reprocessRequested(_ id: String, _ report: inout Report) async throws {
        guard try await warehouse.transaction({ try $0.takeReprocessingRequest(id) }) else { return }
        do { _ = try await reprocess(id, &report) } catch {
            // Also when this consumer is stopped.
            _ = try? await Task { try await warehouse.transaction { try $0.requestReprocessing(id) } }.value
            throw error
        }
    }

    private func processApproved(_ id: String, _ report: inout Report) async throws {
        guard try await warehouse.transaction({ try $0.takeApproval(id) }) else { return }
        do { _ = try await reprocess(id, isApproved: true, &report) } catch {
            // Also when this consumer is stopped.
            _ = try? await Task { try await warehouse.transaction { try $0.approve(id) } }.value
            throw error
        }
    }

    private func reprocess(_ id: String, isApproved: Bool = false, _ report: inout Report) async throws
        -> Bool
    {
        guard let stored = try await warehouse.read({ try $0.message(id) }), let body = stored.body,
            let content = StudyMessage.Content(rawValue: stored.kind)
        else { return false }
        let message = StudyMessage(
            id: stored.id,
            content: content,
            received: stored.received,
            client: stored.client,
            body: body
        )
        let state = try await process(message, again: true, isApproved: isApproved)
        if state == .refused { await eraseRemains() }
        report.count(state)
        return true
    }

    /// Removes everything of a participant, by the id that their phone uses.
    ///
    /// - Returns: How many facts were removed.
    public func withdraw(_ phoneID: UUID) async throws -> Int {
        let digest = Self.digest(of: phoneID)
        let facts = try await warehouse.transaction {
            try $0.withdraw(digest, now: WarehouseTime(FHIRDateTime(Date())))
        }
        try await warehouse.eraseRemains()
        return facts
    }

    /// The digest under which a warehouse knows a participant, by the id that their phone uses.
    public static func digest(of phoneID: UUID) -> String { Intake.digest(phoneID.uuidString) }

    // MARK: One message

    /// Processes a message.
    ///
    /// - Parameters:
    ///   - again: Whether it may be processed although it is known.
    ///   - isApproved: Whether the study's team approved it.
    /// - Returns: What became of it; `nil` for one that was processed before.
    /// - Throws: What is not the message's fault.
    private func process(_ message: StudyMessage, again: Bool, isApproved: Bool = false) async throws
        -> StoredMessage.State?
    {
        var resources: [JSONValue] = []
        let read: Result<[Intake], MessageProblem>
        do {
            // Devices measure, and are nobody's data: observations name what matters of them.
            resources = try opened(message).filter { $0["resourceType"]?.string != "Device" }
            read = .success(try intakes(of: resources, message))
        } catch let error as ProcessingError {
            read = .failure(
                MessageProblem(reason: "\(error)", participants: Intake.participants(of: resources))
            )
        } catch let error as MappingError {
            read = .failure(
                MessageProblem(reason: "\(error)", participants: Intake.participants(of: resources))
            )
        }
        // What is processed again is kept already.
        let load = MessageLoad(
            message: message,
            read: read,
            again: again,
            room: again ? .max : room.left,
            disclosure: disclosure,
            unproven: unproven,
            isApproved: isApproved
        )
        let state: StoredMessage.State?
        do {
            state = try await warehouse.transaction { try load.write(to: $0) }
        } catch  where error is WarehouseError || error is ProcessingError {
            let failure = load.failing(with: "\(error)")
            state = try await warehouse.transaction { try failure.write(to: $0) }
        }
        if !again, state?.keepsForLater == true { room.take(message.body.count) }
        return state
    }

    /// The resources of a message, also where its key came after this consumer had started.
    private func opened(_ message: StudyMessage) throws -> [JSONValue] {
        do {
            return try MessageOpening(keys: keys.ring).resources(of: message)
        } catch let error as ProcessingError where error.isOfKey {
            guard keys.renew() else { throw error }
            return try MessageOpening(keys: keys.ring).resources(of: message)
        }
    }

    private func intakes(of resources: [JSONValue], _ message: StudyMessage) throws -> [Intake] {
        let received = FHIRDateTime(text: message.received) ?? FHIRDateTime(Date())
        let intakes = try resources.enumerated().map { index, resource in
            try Intake(
                resource,
                visit: resources.count == 1 ? message.id : "\(message.id)#\(index)",
                received: received,
                mapper: mapper
            )
        }
        guard Set(intakes.map(\.participant)).count <= 1 else {
            throw ProcessingError.subjects("it names several participants")
        }
        return MessageVisits.newest(of: intakes)
    }
}
