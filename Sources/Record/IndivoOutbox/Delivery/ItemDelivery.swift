import DurableQueue
import Foundation
import Indivo
import IndivoBase
import IndivoModel
import IndivoXML

/// Delivers one change: sends it, and unless the response is clear, checks whether it was made before sending
/// it again.
struct ItemDelivery {
    private(set) var attempt: DeliveryAttempt

    private let record: IndivoRecord
    private let policy: DeliveryPolicy
    private let change: QueuedChange
    private var notes: DeliveryNotes { didSet { attempt.notes = try? notes.data() } }

    init(_ attempt: DeliveryAttempt, to record: IndivoRecord, policy: DeliveryPolicy) throws {
        self.attempt = attempt
        self.record = record
        self.policy = policy
        change = try QueuedChange(of: attempt.item)
        notes = DeliveryNotes(attempt.notes)
    }

    private var id: OutboxItem.ID { attempt.item.id }

    /// Why a change is not sent.
    private enum Interruption: Error {
        /// It can never be made.
        case refused(String)
        /// Whether it was made cannot be seen, since somebody made another change meanwhile.
        case overtaken(String)
        /// It is not made now, or not by this process.
        case decided(DeliveryOutcome)
    }

    /// How many responses with 403 may come from copies of the request that overlapped.
    private static let forbiddenLimit = 3

    private static let blindness =
        """
        and what the server lists of the document cannot be read; look whether the change was made, \
        and retry or discard it
        """

    mutating func run() async throws -> DeliveryOutcome {
        do { return try await run(target: target()) } catch Interruption.decided(let outcome) {
            return outcome
        } catch Interruption.overtaken(let reason) {
            // Whoever retries it wants it to be made anew.
            notes.isUnsure = false
            return .setAside(reason: reason)
        } catch let problem as IndivoError {
            // Neither what counts against the change, nor whether it was made, can be seen.
            try Task.checkCancellation()
            return .stopped(DeliveryStop(problem))
        }
    }

    /// - Returns: The id of the document that the change is about; "" for a document that is to be created.
    private mutating func target() async throws -> String {
        switch attempt.predecessor {
        case .none: return change.document ?? ""
        case .delivered(let document): return String(decoding: document, as: UTF8.self)
        case .unknown(let damaged):
            let item = attempt.item.predecessor ?? ""
            // The predecessor was delivered long ago, or discarded, or its file cannot be read: the server
            // knows.
            do {
                if let document = try await record.delivered(externalID: item) { return document.id }
            } catch let error as IndivoError {
                try Task.checkCancellation()
                try await count(1, error)
                throw error
            }
            if let damaged { throw Interruption.decided(.waiting(for: damaged)) }
            throw Interruption.decided(
                .setAside(reason: "it builds on item \(item), which was discarded and is not on the server")
            )
        }
    }

    private mutating func run(target: String) async throws -> DeliveryOutcome {
        var failures = 0
        var forbidden = 0
        // A stored stamp means that the change was sent before, with an unknown outcome.
        var mayBeDone = notes.stamp != nil
        if mayBeDone, notes.isBlind { throw Interruption.overtaken("it was interrupted, \(Self.blindness)") }
        while true {
            try Task.checkCancellation()
            let error: IndivoError
            do {
                if mayBeDone, let document = try await look(target) { return .arrived(document) }
                mayBeDone = true
                return .arrived(try await send(target))
            } catch let failure as IndivoError {
                if notes.isBlind { return try await giveUpBlindly(on: failure) }
                error = failure
            } catch Interruption.refused(let reason) {
                // Unless it was made before, or what it was judged by may not have come from the server.
                if let document = try await look(target) { return .arrived(document) }
                try await checkAccess()
                return .setAside(reason: reason)
            }
            try Task.checkCancellation()
            // Why neither the change's outcome nor the server's condition can be seen.
            var problem: IndivoError?
            do {
                if let document = try await look(target) { return .arrived(document) }
            } catch let failure as IndivoError {
                problem = failure
            }
            notes.isUnsure = problem != nil
            try Task.checkCancellation()
            var errorClass = ErrorClass(error)
            // No other outcome counts as long as the change may have been made.
            if problem != nil, errorClass != .serverFailed { errorClass = .tryAgain }
            do {
                switch errorClass {
                case .tryAgain:
                    failures += 1
                    if failures >= policy.attempts { try await count(failures, problem ?? error) }
                case .refused:
                    try await checkAccess()
                    return .setAside(reason: "\(error)")
                case .serverFailed:
                    failures += 1
                    try await count(1, error)
                case .forbidden:
                    forbidden += 1
                    if forbidden > ItemDelivery.forbiddenLimit {
                        try await checkAccess()
                        // The signature was used or is too old, and its request was not carried out: no copy
                        // of it ever will be, so a new one does no harm. If that one is refused as well, so
                        // is the change.
                        guard notes.stamp != nil, forbidden <= 2 * ItemDelivery.forbiddenLimit else {
                            return .setAside(reason: "\(error)")
                        }
                        if forbidden == ItemDelivery.forbiddenLimit + 1 { try stamp() }
                    }
                    try await policy.pause(after: forbidden)
                    continue
                }
            } catch let failure as IndivoError {
                // How the server is cannot be seen either.
                if errorClass.isRefusal { failures += 1 }
                problem = failure
            }
            try Task.checkCancellation()
            if failures >= policy.attempts { return .stopped(DeliveryStop(problem ?? error)) }
            try await policy.pause(after: failures)
        }
    }

    /// Counts failures against the change, if the record can be used otherwise: a change must not block all
    /// others forever.
    /// - Throws: The outcome of the change, unless it is to be tried again; `IndivoError` if the record
    ///   cannot be used either, which does not count against the change.
    private mutating func count(_ failures: Int, _ error: IndivoError) async throws {
        // If the server cannot be reached, nothing is known about either.
        if error.reason == .notReachable { return }
        try await checkAccess()
        notes[
            keyPath: ErrorClass(error) == .serverFailed ? \DeliveryNotes.serverFailures : \.networkFailures
        ] +=
            failures
        try attempt.keepNotes()
        if notes.serverFailures >= policy.serverFailures {
            throw Interruption.decided(
                .setAside(reason: "the server failed on it \(notes.serverFailures) times. \(error)")
            )
        }
        if notes.networkFailures >= policy.networkFailures {
            let failures =
                """
                it did not get through \(notes.networkFailures) times, while the record could \
                be used otherwise
                """
            throw Interruption.decided(.setAside(reason: "\(failures). \(error)"))
        }
    }

    /// Makes the call.
    private mutating func send(_ target: String) async throws -> String {
        switch change.kind {
        case .add: return try await record.deliverDocument(content(), externalID: id)
        case .replace: return try await record.deliverVersion(content(), of: target, externalID: id)
        case .patch: return try await record.deliverVersion(merged(with: target), of: target, externalID: id)
        case .status:
            try await readBefore(\.equalChangesBefore) { try await $0.equalChanges(of: target) }
            let stamp = try notes.stamp ?? stamp()
            try await record.deliverStatus(
                change.documentStatus,
                reason: change.reason ?? "",
                of: target,
                stamp: stamp
            )
            return target
        case .label:
            try await readBefore(\.labelBefore) { try await $0.record.label(ofDocument: target) }
            let stamp = try notes.stamp ?? stamp()
            try await record.deliverLabel(change.label ?? "", of: target, stamp: stamp)
            return target
        }
    }

    /// Stores the state before a change, from which it can be seen later whether the change was made.
    ///
    /// If another client has stored something there that XML cannot contain, the server's response stays
    /// malformed, and the change is made without the state.
    private mutating func readBefore<Value>(
        _ note: WritableKeyPath<DeliveryNotes, Value?>,
        _ read: (Self) async throws -> Value
    ) async throws {
        guard case nil = notes[keyPath: note] else { return }
        do {
            notes[keyPath: note] = try await read(self)
            notes.isBlind = false
        } catch let error as IndivoError {
            guard case .malformedResponse = error.reason else { throw error }
            // For example the page of a network that requires a login first.
            try await checkAccess()
            notes.isBlind = true
        }
    }

    /// The outcome after an error that leaves open whether the change was made.
    private mutating func giveUpBlindly(on error: IndivoError) async throws -> DeliveryOutcome {
        try await checkAccess()
        return .setAside(
            reason: ErrorClass(error).isRefusal
                ? "\(error)" : "its response was lost, \(Self.blindness). \(error)"
        )
    }

    /// The stored document with the changes of a patch.
    private func merged(with target: String) async throws -> FileContent {
        let content = try content()
        guard let patch = try? content.xml() else { throw OutboxError.damaged(file: "item \(id)") }
        let document: IndivoDocument
        do { document = try DocumentPatch.document(in: patch) } catch {
            // What is kept is complete: another process, which knows the class, can read it.
            throw Interruption.decided(
                .skipped(reason: "its changes cannot be made here: \(Self.words(error))")
            )
        }
        let root = if case .nested(let root, _) = type(of: document).format { root } else { "Models" }
        let stored: XMLNode
        do {
            stored = try await record.storedDocument(target, root: root)
        } catch let error as IndivoError where error.reason == .responseTooLarge {
            throw Interruption.refused("the stored document is too large to be read: \(error)")
        }
        do { return try FileContent(PreparedDocument(replacing: document, in: stored)) } catch {
            throw Interruption.refused(
                "its changes cannot be made to the stored document: \(Self.words(error))"
            )
        }
    }

    /// The text of an error about a document, without values from the document.
    private static func words(_ error: any Error) -> String {
        (error as? DocumentError)?.withoutValue ?? "it cannot be written"
    }

    /// Makes a new signature, and stores it durably before anything is sent with it.
    @discardableResult
    private mutating func stamp() throws -> SigningStamp {
        let stamp = record.newStamp()
        notes.stamp = stamp
        try attempt.keepNotes()
        return stamp
    }

    /// Checks whether the server has the change already. If it refuses to report the change, it does not have
    /// it.
    private func look(_ target: String) async throws -> String? {
        do { return try await find(target) } catch let error as IndivoError
            where ErrorClass(error) == .refused
        {
            return nil
        }
    }

    private func find(_ target: String) async throws -> String? {
        switch change.kind {
        case .add, .replace, .patch:
            guard let document = try await record.delivered(externalID: id) else { return nil }
            // The outbox's own ids are of one document. One of the app's that was used before may be of
            // another.
            if let sent = change.sentBefore, let digest = document.digest?.lowercased(),
                DocumentDigest(matchingFormOf: digest) == .sha256, !sent.contains(digest)
            {
                throw Interruption.overtaken(
                    "the server has another document under the external id “\(id)”; add it under another one"
                )
            }
            return document.id
        case .status:
            guard let before = notes.equalChangesBefore else { return nil }
            return try await equalChanges(of: target) > before ? target : nil
        case .label:
            guard notes.stamp != nil, let before = notes.labelBefore else { return nil }
            let label = try await record.label(ofDocument: target)
            if XMLText.areSame(label, change.label ?? "") { return target }
            guard !XMLText.areSame(label, before) else { return nil }
            // Nobody knows whether this change was made before the other one, or never arrived.
            throw Interruption.overtaken(
                "its response was lost, and somebody set another label meanwhile; "
                    + "look which one is right, and retry or discard it"
            )
        }
    }

    private func content() throws -> FileContent { FileContent(change, try attempt.payload()) }

    private func equalChanges(of document: String) async throws -> Int {
        try await record.statusChanges(of: document).count {
            $0.status == change.documentStatus && XMLText.areSame($0.reason ?? "", change.reason ?? "")
        }
    }

    /// Ends the delivery if the record cannot be used at all at the moment: until then, no outcome of a
    /// change counts.
    /// - Throws: `IndivoError` if that cannot be seen.
    private func checkAccess() async throws {
        var refusal: IndivoError?
        for _ in 0..<ItemDelivery.forbiddenLimit {
            do { return try await record.checkAccess() } catch let error as IndivoError {
                guard ErrorClass(error).isRefusal else { throw error }
                refusal = error
            }
        }
        if let refusal { throw Interruption.decided(.stopped(DeliveryStop.loginNeeded(refusal))) }
    }
}

extension DeliveryOutcome {
    /// The server has the change. The id is that of the document that it created or was about.
    fileprivate static func arrived(_ document: String) -> DeliveryOutcome {
        .delivered(receipt: Data(document.utf8))
    }
}
