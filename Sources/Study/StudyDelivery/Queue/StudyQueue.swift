import Crypto
import DurableQueue
import FHIR
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON
import StudyFormats
import Synchronization

/// Takes a participant's data for a study, and delivers it: encrypted, once, and in order.
///
/// ```swift
/// let queue = try StudyQueue(in: folder, study: "org.example.sleep", subject: participant, keys: keychain)
///
/// var archive = try StudyArchive(ArchiveInfo(study: "org.example.sleep", item: "diary", taskRun: run))
/// try archive.add("answers.json", response)
/// // The archive is on disk when this returns.
/// try await queue.submit(archive, protection: .cms(CMSEncryption(for: [certificate])))
///
/// try await queue.deliver(to: ResearchKitEndpoint(url))
/// ```
/// What is submitted is encrypted for the study before it is written, and once more under the queue's own
/// key. The same content of the same participant is one submission, however often it is submitted: while the
/// queue remembers it (`DeliveryPolicy.receipts`), nothing is queued; after that the server recognises its
/// id.
///
/// A queue is safe to use from several tasks, objects and processes at once; one of them delivers at a time.
public final class StudyQueue: Sendable {
    public let study: String
    /// The participant.
    public let subject: UUID
    let queue: DurableQueue
    private let progress = Mutex<[UUID: AsyncStream<StudyStatus>.Continuation]>([:])

    /// Where the queue is kept.
    public var location: URL { queue.location }

    /// The policy of a queue that remembers 1,000 submissions.
    public static var standardPolicy: DeliveryPolicy { DeliveryPolicy(receipts: 1000) }

    /// Opens a queue, and makes it if need be.
    ///
    /// - Parameters:
    ///   - folder: Where queues are kept; each study and participant has a folder of its own in it.
    ///   - keys: Where the key is kept under which everything is encrypted.
    /// - Throws: `QueueError`.
    public init(
        in folder: URL,
        study: String,
        subject: UUID,
        keys: any KeyStore,
        policy: DeliveryPolicy = StudyQueue.standardPolicy
    ) throws {
        self.study = study
        self.subject = subject
        let identity = "study delivery\n\(study)\n\(subject.uuidString)"
        let name = Hexadecimal.encode(SHA256.hash(data: Data(identity.utf8)).prefix(16))
        queue = try DurableQueue(
            in: folder.appending(path: name),
            identity: identity,
            keys: keys,
            policy: policy
        )
    }

    // MARK: Submitting

    /// The result of submitting.
    public enum Submitted: Sendable, Hashable {
        /// It is in the queue now.
        case queued(StudySubmission)
        /// The queue had it already.
        case known(StudySubmission, QueueItem.State)

        public var submission: StudySubmission {
            switch self {
            case .queued(let submission), .known(let submission, _): submission
            }
        }
    }

    /// Queues an archive. When this returns it is on the disk, encrypted.
    ///
    /// - Parameter protection: `.none` or `.cms`: a package cannot be in an envelope of C3-PRO.
    /// - Throws: ``/StudyFormats/StudyError``, `QueueError`; then nothing is queued.
    @concurrent @discardableResult
    public func submit(_ archive: StudyArchive, protection: StudyProtection) async throws -> Submitted {
        guard archive.info.study == study else {
            throw StudyError.badInput(
                reason: "the archive is of the study “\(archive.info.study ?? "")”, the queue of “\(study)”"
            )
        }
        var id: UUID?
        let body = try protection.package(in: location) {
            id = try archive.write(for: subject.uuidString, to: $0)
        }
        return try await append(id, archive.info.item ?? "", .package, protection.kind, body)
    }

    /// Queues a FHIR resource. When this returns it is on the disk, encrypted.
    ///
    /// - Parameter protection: `.none` or `.c3ProEnvelope`: a resource cannot be a CMS message.
    /// - Throws: ``/StudyFormats/StudyError``, `QueueError`; then nothing is queued.
    @concurrent @discardableResult
    public func submit(_ resource: some FHIRResource, protection: StudyProtection) async throws -> Submitted {
        try await submit(Data(resource.tree.utf8()), resource.tree, protection)
    }

    /// Queues a FHIR resource, JSON. When this returns it is on the disk, encrypted.
    ///
    /// - Parameter protection: `.none` or `.c3ProEnvelope`: a resource cannot be a CMS message.
    /// - Throws: ``/StudyFormats/StudyError``, `QueueError`; then nothing is queued.
    @concurrent @discardableResult
    public func submit(resource: Data, protection: StudyProtection) async throws -> Submitted {
        try await submit(resource, C3ProEnvelope.json(of: resource), protection)
    }

    private func submit(
        _ resource: Data,
        _ json: JSONValue,
        _ protection: StudyProtection
    ) async throws -> Submitted {
        let id = json["id"]?.string
        guard let type = json["resourceType"]?.string,
            ([type] + [id].compactMap { $0 }).allSatisfy(Self.isPathComponent)
        else {
            throw StudyError.malformed(
                format: "FHIR resource",
                reason: "its resourceType or its id is missing or invalid"
            )
        }
        var digest = SHA256()
        digest.update(data: Data("study resource 1\n\(study)\n\(subject.uuidString)\n".utf8))
        digest.update(data: resource)
        let body = try protection.resource(resource, json)
        return try await append(
            UUID(of: digest.finalize()),
            type,
            .resource(type: type, id: id),
            protection.kind,
            .data(body)
        )
    }

    /// `[A-Za-z0-9.-]{1,64}`, like ids in FHIR, but neither `.` nor `..`.
    private static func isPathComponent(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text != "." && text != ".."
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-.".utf8.contains($0) }
    }

    private func append(
        _ id: UUID?,
        _ item: String,
        _ content: StudySubmission.Content,
        _ protection: StudyProtection.Kind,
        _ body: BodySource
    ) async throws -> Submitted {
        guard let id else { throw StudyError.badInput(reason: "an archive without files") }
        let submission = StudySubmission(
            id: id,
            study: study,
            subject: subject,
            item: item,
            content: content,
            protection: protection
        )
        let name = id.uuidString.lowercased()
        // Two processes that submit the same at once queue it once.
        let lock = try await submitLock()
        defer { withExtendedLifetime(lock) {} }
        if let known = try await queue.itemsAndDelivered().first(where: { $0.id == name }) {
            return .known(submission, known.state)
        }
        try await queue.append(
            JSONEncoder().encode(submission),
            payload: .bytes(size: body.size) { try body.read(at: $0, count: $1) },
            id: name,
            orderKey: subject.uuidString
        )
        return .queued(submission)
    }

    /// Waits without blocking a thread, which the holder of the lock may need to continue.
    private func submitLock() async throws -> FileLock {
        while true {
            do {
                if let lock = try FileLock(ifFree: location.filePath + "/submit.lock") {
                    return lock
                }
            } catch {
                throw StudyError.storage(reason: "\(error)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    // MARK: Delivering

    /// Delivers everything that can be delivered now, in order, including what is queued in the meantime.
    ///
    /// A missing network is not an error: it ends the delivery, and the report shows it. It is safe to cancel
    /// at any moment: an interrupted submission is sent again later, under the same id.
    ///
    /// - Throws: `CancellationError`; `QueueError` when the disk fails.
    @discardableResult
    public func deliver(
        to endpoint: any StudyEndpoint,
        within budget: DeliveryBudget = DeliveryBudget()
    ) async throws -> QueueReport {
        try await queue.deliver(deliverer(to: endpoint, budget))
    }

    /// Delivers for as long as the task runs: at once, when something is queued through this object, and
    /// again after pauses that grow while something stops the delivery. The budget is that of the whole run.
    ///
    /// - Throws: `CancellationError` in the end; `QueueError` when the disk fails.
    public func run(to endpoint: any StudyEndpoint, within budget: DeliveryBudget = DeliveryBudget())
        async throws
    {
        try await queue.run(deliverer(to: endpoint, budget))
    }

    private func deliverer(to endpoint: any StudyEndpoint, _ budget: DeliveryBudget) -> DurableQueue.Deliverer
    {
        let used = SentBytes()
        return { [weak self] attempt in
            guard let submission = StudySubmission(attempt.item), let payload = try attempt.openPayload()
            else {
                return .setAside(
                    reason: "it was queued by another version of the app, and cannot be read by this one"
                )
            }
            if let objection = endpoint.objection(to: submission) { return .setAside(reason: objection) }
            guard budget.isAllowed() else {
                return .stopped(StudyError.outOfBudget(needed: payload.size, left: nil))
            }
            if let bytes = budget.bytes, payload.size > bytes - used.count {
                let left = max(0, bytes - used.count)
                return .stopped(StudyError.outOfBudget(needed: payload.size, left: left))
            }
            used.add(payload.size)
            let body = BodySource(size: payload.size) { [weak self] offset, count in
                self?.report(.sending(submission, sent: offset, of: payload.size))
                return try payload.read(at: offset, count: count)
            }
            do {
                switch try await endpoint.send(submission, body) {
                case .accepted: return .delivered()
                case .refused(let reason): return .setAside(reason: reason)
                case .failed(let reason):
                    return .tryAgain(StudyServerProblem(description: reason, isFailure: true))
                case .closed(let reason):
                    return .stopped(StudyServerProblem(description: reason, isFailure: false))
                }
            } catch let error as HTTPTransportError {
                if error.kind == .invalidRequest { return .setAside(reason: "\(error)") }
                return error.mayHaveReachedServer ? .tryAgain(error) : .stopped(error)
            }
        }
    }

    private final class SentBytes: Sendable {
        private let bytes = Mutex(0)
        var count: Int { bytes.withLock { $0 } }
        func add(_ count: Int) { bytes.withLock { $0 += count } }
    }

    // MARK: Looking

    /// The submissions that are still to be delivered, the first one first: those that wait, and those that
    /// were set aside or are damaged. ``StudySubmission`` reads them.
    public func items() async throws -> [QueueItem] { try await queue.items() }

    /// The submissions that the server has, as they were queued, as far as they are still remembered
    /// (``/DurableQueue/DeliveryPolicy/receipts``).
    public func delivered() async throws -> [QueueItem] { try await queue.delivered() }

    /// ``items()`` and ``delivered()`` at one moment, in the order in which they were queued.
    package func itemsAndDelivered() async throws -> [QueueItem] { try await queue.itemsAndDelivered() }

    /// The events that this object causes from now on. Read ``items()`` first, then follow these. Each call
    /// gives a sequence of its own, which ends with the queue.
    public var status: AsyncStream<StudyStatus> {
        let updates = queue.updates { StudyStatus($0) }
        let id = UUID()
        return AsyncStream { continuation in
            progress.withLock { $0[id] = continuation }
            let forwarding = Task {
                for await status in updates { continuation.yield(status) }
                continuation.finish()
            }
            continuation.onTermination = { [weak self] _ in
                forwarding.cancel()
                self?.forget(id)
            }
        }
    }

    private func forget(_ id: UUID) { progress.withLock { $0[id] = nil } }

    private func report(_ status: StudyStatus) {
        let listeners = progress.withLock { Array($0.values) }
        for listener in listeners { listener.yield(status) }
    }

    // MARK: Deciding

    /// Puts a submission that was set aside back to its position in the queue.
    public func retry(_ id: QueueItem.ID) async throws { try await queue.retry(id) }

    /// Removes a submission from the queue. If it was being sent, it may have arrived all the same.
    public func discard(_ id: QueueItem.ID) async throws { try await queue.discard(id) }

    /// Empties the queue, as when a participant withdraws. The ids of delivered submissions are forgotten
    /// too.
    /// - Returns: How many submissions were discarded that had not been delivered.
    @discardableResult
    public func discardAll() async throws -> Int {
        try await queue.discardAll().count { !$0.isDelivered }
    }
}
