import Foundation

/// What a batch of messages reads and changes of a warehouse, in one transaction.
///
/// ```swift
/// try await warehouse.transaction { warehouse in
///     var batch = try WarehouseBatch(warehouse, messages: ids, participants: digests)
///     for message in messages { … }          // asks the batch, and changes it
///     try batch.write()
/// }
/// ```
/// Participants are locked, and what is known of them and of the messages is read in bulk. A message changes
/// this value, where the next message sees the change. ``write()`` writes all changes, again in bulk. What is
/// rare (a withdrawal, somebody who enrols again) is done in the database at once, after the earlier changes
/// have been written.
package struct WarehouseBatch {
    let warehouse: WarehouseTransaction
    /// By the digests of their ids.
    var people: [String: BatchPerson] = [:]
    /// What is known of messages that were asked for; `nil` for those that were never seen.
    private var known: [String: KnownMessage?] = [:]
    /// The ids of messages that the database has.
    private(set) var stored: Set<String> = []
    /// Visits that were asked for, as they are now; `nil` for those that do not exist.
    var visits: [BatchVisit.Key: BatchVisit?] = [:]

    /// Samples that were asked for, as they are now.
    var samples: [BatchSample.Key: BatchSample.Known] = [:]
    /// What was asked of samples.
    var wantedSamples: [SampleLookup] = []
    /// Where samples are; `nil` until somebody asks.
    var storage: SampleStorage?

    // What is written at the end, in the order in which it was changed.
    var changedPeople = OrderedKeys<String>()
    var changedVisits = OrderedKeys<BatchVisit.Key>()
    var concepts: [String: BatchConcept] = [:]
    /// What the codes of these stand for.
    var conceptKeys: [String: String] = [:]
    var loads: [BatchLoad] = []
    var sampleChanges = BatchSample()
    private(set) var kept: [StoredMessage] = []
    private(set) var subjects = TableRows("study_message_subject", ["participant", "message"])
    /// How often it was written.
    package private(set) var writes = 0

    /// What is known of a message.
    package struct KnownMessage: Sendable, Hashable {
        /// The name of its state.
        package let state: String
        /// The digest of its participant's id.
        package let participant: String?
        /// Whether its content is kept.
        package let hasBody: Bool

        /// Whether its facts are in the warehouse.
        package var isLoaded: Bool { state == StoredMessage.State.loaded.name }
    }

    /// Locks participants, and reads what is known of them and of messages.
    ///
    /// - Parameters:
    ///   - messages: The ids of the messages that the batch has.
    ///   - participants: The digests of the participants whom the messages are about, or who are named in
    ///     them.
    /// - Throws: The database's error.
    package init(_ warehouse: WarehouseTransaction, messages: [String], participants: Set<String>) throws {
        self.warehouse = warehouse
        try warehouse.db.usePlansPerExecution()
        // A message may name no participant; then that of its first delivery counts.
        var participants = participants
        for row in try rows("SELECT participant FROM study_message WHERE id", in: messages) {
            if let participant = row.text(0) { participants.insert(participant) }
        }
        try read(participants: participants)
        // Only after the locks: every other transaction that changed the participants has committed by then.
        try read(messages: messages)
    }

    /// A batch that has read nothing, and reads what it is asked for.
    init(_ warehouse: WarehouseTransaction) { self.warehouse = warehouse }

    // MARK: Reading by sets

    /// The rows of a statement that ends with a column, where that column is one of the texts.
    func rows(_ sql: String, in texts: some Collection<String>, _ ending: String = "") throws -> [SQLRow] {
        guard !texts.isEmpty else { return [] }
        return try warehouse.db.rows(
            "\(sql) IN (\(warehouse.db.listed)) \(ending)",
            [type(of: warehouse.db).list(texts)]
        )
    }

    private mutating func read(participants: Set<String>) throws {
        guard !participants.isEmpty else { return }
        // Every transaction locks them in this order, so that no two wait for each other.
        let digests = participants.sorted()
        try warehouse.db.lock(digests.map { "participant " + $0 })
        var found = Dictionary(uniqueKeysWithValues: digests.map { ($0, BatchPerson()) })
        let leaving = "SELECT participant, at, erased FROM study_withdrawal WHERE participant"
        for row in try rows(leaving, in: digests) {
            let isErased = row.integer(2) != 0
            found[row.text(0) ?? ""]?.left = isErased ? .withdrew : .stopped(at: row.text(1) ?? "")
        }
        let earlier =
            "SELECT participant, max(at) FROM study_earlier_withdrawal WHERE erased = 1 AND participant"
        for row in try rows(earlier, in: digests, "GROUP BY participant") {
            found[row.text(0) ?? ""]?.withdrewLast = row.text(1)
        }
        let consents = "SELECT participant, signed, version, shares FROM study_consent WHERE participant"
        for row in try rows(consents, in: digests) {
            let consent = BatchPerson.Consent(
                signed: row.text(1) ?? "",
                version: row.text(2),
                shares: row.integer(3).map { $0 != 0 }
            )
            found[row.text(0) ?? ""]?.consents.insert(consent)
        }
        for row in try rows("SELECT participant, client FROM study_client WHERE participant", in: digests) {
            found[row.text(0) ?? ""]?.clients.insert(row.text(1) ?? "")
        }
        let names = "SELECT participant, pseudonym, patient_num FROM study_participant WHERE participant"
        for row in try rows(names, in: digests) {
            found[row.text(0) ?? ""]?.pseudonym = row.text(1)
            found[row.text(0) ?? ""]?.number = row.integer(2)
        }
        people.merge(found) { $1 }
    }

    private mutating func read(messages ids: [String]) throws {
        for id in ids { known.updateValue(nil, forKey: id) }
        let sql = "SELECT id, state, participant, body IS NOT NULL AS kept FROM study_message WHERE id"
        for row in try rows(sql, in: ids) {
            let message = KnownMessage(
                state: row.text(1) ?? "",
                participant: row.text(2),
                // PostgreSQL writes `t`.
                hasBody: ["1", "t"].contains(row.text(3))
            )
            known.updateValue(message, forKey: row.text(0) ?? "")
            stored.insert(row.text(0) ?? "")
        }
    }

    /// Writes what was changed, has the database do something, and reads again what that may have changed.
    private mutating func writeThrough<Value>(_ body: (WarehouseTransaction) throws -> Value) throws -> Value
    {
        try write()
        let value = try body(warehouse)
        let participants = Set(people.keys)
        people = [:]
        visits = [:]
        samples = [:]
        try read(participants: participants)
        try read(messages: Array(known.keys))
        let wanted = wantedSamples
        wantedSamples = []
        try read(samples: wanted)
        return value
    }

    // MARK: Messages

    /// What is known of a message; `nil` for one that was never seen.
    package mutating func message(_ id: String) throws -> KnownMessage? {
        if known.index(forKey: id) == nil { try read(messages: [id]) }
        return known[id] ?? nil
    }

    /// Keeps a message, or what became of it. Its ``StoredMessage/upload`` is that of what it stored.
    package mutating func keep(_ message: StoredMessage) {
        kept.append(message)
        let state = KnownMessage(
            state: message.state.name,
            participant: message.participant,
            hasBody: message.body != nil
        )
        known.updateValue(state, forKey: message.id)
    }

    /// Files a message that could not be processed under one more participant: when they withdraw, its
    /// content is erased.
    package mutating func file(_ message: String, under participant: String) {
        subjects.append([participant, message])
    }

    // MARK: Participants

    private mutating func person(_ participant: String) throws -> BatchPerson {
        if let person = people[participant] { return person }
        try read(participants: [participant])
        return people[participant] ?? BatchPerson()
    }

    private mutating func change(_ participant: String, _ body: (inout BatchPerson) -> Void) throws {
        var person = try person(participant)
        body(&person)
        people[participant] = person
        changedPeople.append(participant)
    }

    /// Runs `body`, which changes only one participant; if it throws, the changes are undone, unless they
    /// were written in the meantime (``writes``).
    package mutating func attempt<Value>(
        _ participant: String?,
        _ body: (inout WarehouseBatch) throws -> Value
    ) throws -> Value {
        let before = try participant.map { try person($0) }
        let count = writes
        do { return try body(&self) } catch {
            if let participant, writes == count { people[participant] = before }
            throw error
        }
    }

    /// Whether a participant has withdrawn, or stopped.
    package mutating func hasWithdrawn(_ participant: String) throws -> Bool {
        try person(participant).left != nil
    }

    /// Whether a participant stopped, and what they gave stays.
    package mutating func hasStopped(_ participant: String) throws -> Bool {
        if case .stopped = try person(participant).left { true } else { false }
    }

    /// Whether a participant who stopped did so at a time or after it: what was received by then counts,
    /// unless it was erased before.
    package mutating func tookPart(_ participant: String, at time: WarehouseTime) throws -> Bool {
        guard case .stopped(let end) = try person(participant).left, time.description <= end else {
            return false
        }
        return try !withdrew(participant, at: time)
    }

    /// Whether a participant withdrew at a time, or after it, and takes part again, or did until they
    /// stopped: what was received by then is of the participation that ended.
    package mutating func withdrew(_ participant: String, at time: WarehouseTime) throws -> Bool {
        try person(participant).withdrewLast.map { $0 >= time.description } ?? false
    }

    /// Whether a participant agreed, and what they gave was not erased.
    ///
    /// - Parameters:
    ///   - required: The versions of the consent that a study requires.
    ///   - received: When the message was received that needs the consent; `nil` where each consent does.
    package mutating func hasConsent(
        _ participant: String,
        _ required: RequiredConsents = RequiredConsents(),
        received: String? = nil
    ) throws -> Bool {
        let person = try person(participant)
        if case .withdrew = person.left { return false }
        guard let versions = received.flatMap(required.versions(at:)) else { return !person.consents.isEmpty }
        return person.consents.contains { consent in
            guard let signed = consent.version else { return false }
            // By bytes, as databases compare.
            return versions.contains { $0.utf8.elementsEqual(signed.utf8) }
        }
    }

    /// Whether exactly this consent of a participant is stored.
    package mutating func hasConsent(
        _ participant: String,
        signed: WarehouseTime,
        version: String?,
        shares: Bool?
    ) throws -> Bool {
        let consent = BatchPerson.Consent(signed: signed.description, version: version, shares: shares)
        return try person(participant).consents.contains(consent)
    }

    /// Keeps that a participant agreed.
    ///
    /// - Parameter shares: Whether the data may be shared beyond the study, where that was asked.
    package mutating func keepConsent(
        of participant: String,
        message: String,
        signed: WarehouseTime,
        version: String?,
        shares: Bool?
    ) throws {
        let consent = BatchPerson.Consent(signed: signed.description, version: version, shares: shares)
        try change(participant) { person in
            guard person.consents.insert(consent).inserted else { return }
            person.newConsents.append((message, consent))
        }
    }

    /// Whether an app may speak for a participant: it enrolled them, or the study's team approved something
    /// that it delivered.
    package mutating func isClient(_ client: String, of participant: String) throws -> Bool {
        try person(participant).clients.contains(client)
    }

    /// Lets an app speak for a participant. Messages of the participant that it delivered, and that wait for
    /// the team, are approved with it.
    ///
    /// - Parameter client: The digest of the app's id.
    package mutating func add(client: String, of participant: String) throws {
        try change(participant) { person in
            person.clients.insert(client)
            person.newClients.append(client)
        }
    }

    /// The pseudonym of a participant; somebody new gets one.
    ///
    /// - Parameter now: The time.
    package mutating func pseudonym(of participant: String, now: WarehouseTime) throws -> String {
        if let known = try person(participant).pseudonym { return known }
        let pseudonym = UUID().uuidString.lowercased()
        try change(participant) { person in
            person.pseudonym = pseudonym
            person.created = now
        }
        return pseudonym
    }

    /// The pseudonym of a participant who has one.
    package mutating func knownPseudonym(of participant: String) throws -> String? {
        try person(participant).pseudonym
    }

    /// Lets somebody take part again who withdrew
    /// (``WarehouseTransaction/enrolAgain(_:signed:received:)``).
    ///
    /// - Returns: False for a consent that was signed, or received, before the withdrawal.
    package mutating func enrolAgain(
        _ participant: String,
        signed: WarehouseTime,
        received: WarehouseTime
    ) throws -> Bool {
        try writeThrough { try $0.enrolAgain(participant, signed: signed, received: received) }
    }

    /// Takes nothing more of a participant (``WarehouseTransaction/stop(_:at:received:)``).
    package mutating func stop(_ participant: String, at time: WarehouseTime, received: String) throws {
        try writeThrough { try $0.stop(participant, at: time, received: received) }
    }

    /// Removes everything of a participant (``WarehouseTransaction/withdraw(_:now:received:)``).
    package mutating func withdraw(_ participant: String, now: WarehouseTime, received: String) throws {
        try writeThrough { _ = try $0.withdraw(participant, now: now, received: received) }
    }

    /// Everything is written: what follows begins anew.
    mutating func forgetChanges() {
        writes += 1
        changedPeople = OrderedKeys()
        changedVisits = OrderedKeys()
        concepts = [:]
        conceptKeys = [:]
        loads = []
        stored.formUnion(kept.map(\.id))
        kept = []
        subjects = TableRows(subjects.table, subjects.columns)
    }
}

/// Keys in the order in which they were first given.
struct OrderedKeys<Key: Hashable> {
    private(set) var keys: [Key] = []
    private var seen: Set<Key> = []

    mutating func append(_ key: Key) {
        if seen.insert(key).inserted { keys.append(key) }
    }
}
