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
        /// They have no facts; their files are kept.
        public var kept = 0
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
        /// They went back into the queue: the machine failed, or the warehouse keeps no more that cannot
        /// be loaded.
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
    static let batchSize = 16

    let queue: any MessageQueue
    let warehouse: Warehouse
    let visibility: Int
    let quota: KeptQuota
    let logger: Logger
    private let keys: CurrentKeys
    private let mapper: ResponseMapper
    private let disclosure: Disclosure
    private let unproven: UnprovenChanges
    private let results: TaskResults
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
    ///   - questionnaires: Those of which tasks of ResearchKit were made, whose results are their answers.
    ///   - identities: What becomes of names of people and devices in the resources that are kept.
    ///   - unproven: What becomes of withdrawals and corrections that no known app of their participant
    ///     delivered.
    ///   - logger: Gets counts and reasons, nothing of persons.
    public init(
        queue: any MessageQueue,
        warehouse: Warehouse,
        keys: KeyRing,
        mapper: ResponseMapper = ResponseMapper(),
        questionnaires: [Questionnaire] = [],
        identities: Disclosure.Identities = .removed,
        unproven: UnprovenChanges = .pending,
        visibility: Int = 300,
        keptLimit: Int = 16 << 30,
        logger: Logger = Logger(label: "study.consumer")
    ) {
        self.visibility = visibility
        quota = KeptQuota(limit: keptLimit)
        self.queue = queue
        self.warehouse = warehouse
        self.mapper = mapper
        self.logger = logger
        self.keys = CurrentKeys(keys)
        self.unproven = unproven
        results = TaskResults(questionnaires)
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

    // MARK: Participants

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

    // MARK: What was deleted

    /// Overwrites what was deleted before this consumer began, or could not be overwritten then.
    func eraseOldRemains() async { if remains.areThere.withLock({ $0 }) { await eraseRemains() } }

    /// Overwrites what was deleted; what cannot be done now is done with a later batch.
    func eraseRemains() async {
        remains.areThere.withLock { $0 = true }
        do {
            try await warehouse.eraseRemains()
            remains.areThere.withLock { $0 = false }
        } catch {
            logger.error("what was deleted is not overwritten yet", metadata: ["error": "\(type(of: error))"])
        }
    }

    // MARK: One message

    /// Processes a message.
    ///
    /// - Parameters:
    ///   - again: Whether it may be processed although it is known.
    ///   - isApproved: Whether the study's team approved it.
    ///   - owner: The digest of its participant, where that is known from before.
    /// - Returns: What became of it; `nil` for one that was processed before.
    /// - Throws: What is not the message's fault.
    func process(
        _ message: StudyMessage,
        again: Bool,
        isApproved: Bool = false,
        owner: String? = nil
    ) async throws -> StoredMessage.State? {
        var resources: [JSONValue] = []
        let read: Result<[Intake], MessageProblem>
        do {
            // Devices measure, and are nobody's data: observations name what matters of them.
            resources = try opened(message).filter { $0["resourceType"]?.string != "Device" }
            read = .success(try intakes(of: resources, message, owner: owner))
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
            quota: again ? .max : quota.left,
            disclosure: disclosure,
            unproven: unproven,
            isApproved: isApproved
        )
        let state: StoredMessage.State?
        do {
            state = try await warehouse.transaction { try load.write(to: $0) }
        } catch let error where error is WarehouseError || error is ProcessingError {
            let failure = load.failing(with: "\(error)")
            state = try await warehouse.transaction { try failure.write(to: $0) }
        }
        if !again, state?.keepsForLater == true { quota.take(message.body.count) }
        return state
    }

    /// The resources of a message, also where its key came after this consumer had started.
    private func opened(_ message: StudyMessage) throws -> [JSONValue] {
        do {
            return try MessageOpening(keys: keys.ring, results: results).resources(of: message)
        } catch let error as ProcessingError where error.isOfKey {
            guard keys.renew() else { throw error }
            return try MessageOpening(keys: keys.ring, results: results).resources(of: message)
        }
    }

    private func intakes(of resources: [JSONValue], _ message: StudyMessage, owner: String?) throws
        -> [Intake]
    {
        let received = FHIRDateTime(text: message.received) ?? FHIRDateTime(Date())
        let intakes = try resources.enumerated().map { index, resource in
            try Intake(
                resource,
                visit: resources.count == 1 ? message.id : "\(message.id)#\(index)",
                received: received,
                mapper: mapper,
                owner: message.subject.map(Intake.digest) ?? owner,
                phoneID: message.subject
            )
        }
        guard Set(intakes.map(\.participant)).count <= 1 else {
            throw ProcessingError.subjects("it names several participants")
        }
        return MessageVisits.newest(of: intakes)
    }
}
