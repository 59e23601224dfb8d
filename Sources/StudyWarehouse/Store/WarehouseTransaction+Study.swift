import Foundation
import OrderedJSON
import PostgreSQLConnection

/// A message as a warehouse keeps it: as it was received, encrypted, with what became of it.
public struct StoredMessage: Sendable, Hashable {
    /// What became of a message.
    public enum State: Sendable, Hashable {
        /// Its facts are in the warehouse.
        case loaded
        /// It waits for the consent of its participant.
        case waiting
        /// It could not be processed, for this reason; it can be processed again.
        case failed(reason: String)
        /// It came after its participant had withdrawn, and its content is not kept.
        case refused

        var name: String {
            switch self {
            case .loaded: "loaded"
            case .waiting: "waiting"
            case .failed: "failed"
            case .refused: "refused"
            }
        }
    }

    /// Its id, which is the same however often it is delivered.
    public var id: String
    /// What its content is, in the words of the consumer.
    public var kind: String
    /// Its content; `nil` when that is not kept.
    public var body: Data?
    /// When it was received.
    public var received: String
    /// What became of it.
    public var state: State
    /// The digest of its participant's id, where that is known.
    public var participant: String?
    /// The load of its facts.
    public var upload: Int?

    /// A message.
    public init(
        id: String, kind: String, body: Data?, received: String, state: State, participant: String? = nil, upload: Int? = nil
    ) {
        (self.id, self.kind, self.body, self.received) = (id, kind, body, received)
        (self.state, self.participant, self.upload) = (state, participant, upload)
    }

    init(_ row: SQLRow) {
        let state: State =
            switch row.text("state") {
            case "loaded": .loaded
            case "waiting": .waiting
            case "refused": .refused
            default: .failed(reason: row.text("reason") ?? "")
            }
        self.init(
            id: row.text("id") ?? "", kind: row.text("kind") ?? "", body: row.bytes("body"), received: row.text("received") ?? "",
            state: state, participant: row.text("participant"), upload: row.integer("upload_id"))
    }
}

extension WarehouseTransaction {
    // MARK: Messages

    /// The message of an id; `nil` for one that was never seen.
    public func message(_ id: String) throws -> StoredMessage? {
        try db.row(sql: "SELECT * FROM study_message WHERE id = ?", arguments: [id]).map(StoredMessage.init)
    }

    /// Keeps a message, or what became of it.
    public func keep(_ message: StoredMessage) throws {
        var reason: String?
        if case .failed(let text) = message.state { reason = text }
        try db.execute(
            sql: """
                INSERT INTO study_message (id, kind, body, received, state, reason, participant, upload_id)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET state = excluded.state, reason = excluded.reason, body = excluded.body,
                    participant = excluded.participant, upload_id = excluded.upload_id
                """,
            arguments: [
                message.id, message.kind, message.body, message.received, message.state.name, reason, message.participant,
                message.upload,
            ])
    }

    /// Files a message that could not be processed under one more participant: when they withdraw, its content goes.
    public func file(_ message: String, under participant: String) throws {
        try db.execute(
            sql: "INSERT INTO study_message_subject VALUES (?, ?) ON CONFLICT DO NOTHING", arguments: [participant, message])
    }

    /// The ids of messages that waited for a consent that has come, in the order of their arrival.
    public func messagesWithConsent(limit: Int = 100) throws -> [String] {
        try db.rows(
            sql: """
                SELECT id FROM study_message WHERE state = 'waiting' AND participant IN (SELECT participant FROM study_consent)
                ORDER BY received, id LIMIT ?
                """,
            arguments: [max(0, limit)]
        ).compactMap { $0.text(0) }
    }

    /// The messages that could not be processed, with their reasons but without their content.
    ///
    /// - Parameter limit: How many at most, the oldest first.
    public func failedMessages(limit: Int = 1000) throws -> [StoredMessage] {
        try db.rows(
            sql: """
                SELECT id, kind, NULL AS body, received, state, reason, participant, upload_id FROM study_message
                WHERE state = 'failed' ORDER BY received, id LIMIT ?
                """,
            arguments: [max(0, limit)]
        ).map(StoredMessage.init)
    }

    /// How many messages are in each state.
    public func messageCounts() throws -> [String: Int] {
        try db.rows(sql: "SELECT state, count(*) FROM study_message GROUP BY state").reduce(into: [:]) {
            $0[$1.text(0) ?? ""] = $1.integer(1)
        }
    }

    /// The bytes of the messages that wait for a consent, could not be processed, or are to be processed again.
    public func keptBytes() throws -> Int {
        // Each state by the index that PostgreSQL has for it.
        let parts = ["waiting", "failed", "again"].map {
            "SELECT sum(length(body)) AS bytes FROM study_message WHERE state = '\($0)'"
        }
        return try db.number(
            sql: "SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM (\(parts.joined(separator: " UNION ALL "))) AS parts")
    }

    // MARK: Consents

    /// Keeps that a participant agreed.
    ///
    /// - Parameter shares: Whether the data may be shared beyond the study, where that was asked.
    public func keepConsent(
        of participant: String, message: String, signed: WarehouseTime, version: String?, shares: Bool?
    ) throws {
        try db.execute(
            sql: "INSERT INTO study_consent VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            arguments: [participant, message, signed.description, version.map { String($0.unicodeScalars.prefix(200)) }, shares])
    }

    /// Whether a participant agreed, and has not withdrawn.
    public func hasConsent(_ participant: String) throws -> Bool {
        try db.finds(
            sql: """
                SELECT 1 FROM study_consent WHERE participant = ?
                AND NOT EXISTS (SELECT 1 FROM study_withdrawal WHERE participant = ?)
                """, arguments: [participant, participant])
    }

    // MARK: Withdrawal

    /// Whether a participant has withdrawn.
    public func hasWithdrawn(_ participant: String) throws -> Bool {
        try db.finds(sql: "SELECT 1 FROM study_withdrawal WHERE participant = ?", arguments: [participant])
    }

    /// Removes everything of a participant: facts, visits, mappings, the pseudonym, resources, messages. What stays is that
    /// somebody with this digest withdrew, so that a late message is refused.
    ///
    /// - Returns: How many facts were removed.
    @discardableResult
    public func withdraw(_ participant: String, now: WarehouseTime) throws -> Int {
        var facts = 0
        try lock(participant)
        if let known = try knownParticipant(participant) {
            for (table, column) in [
                ("observation_fact", "patient_num"), ("archive_observation_fact", "patient_num"),
                ("visit_dimension", "patient_num"),
                ("patient_dimension", "patient_num"), ("patient_mapping", "patient_num"), ("study_resource", "patient_num"),
                ("study_participant", "patient_num"),
            ] {
                // Names of this list, none of them a stranger's.
                let count = try db.execute(sql: "DELETE FROM \(table) WHERE \(column) = ?", arguments: [known.number])
                if table == "observation_fact" { facts = count }
            }
            try db.execute(
                sql: "DELETE FROM encounter_mapping WHERE patient_ide = ? AND patient_ide_source = ?",
                arguments: [known.pseudonym, source])
        }
        try db.execute(sql: "DELETE FROM study_consent WHERE participant = ?", arguments: [participant])
        // The ids stay, so that a message that is delivered again is recognised.
        let messages = try db.execute(
            sql: """
                UPDATE study_message SET body = NULL, state = 'refused', reason = NULL, upload_id = NULL WHERE id IN
                    (SELECT id FROM study_message WHERE participant = ? UNION
                    SELECT message FROM study_message_subject WHERE participant = ?)
                """,
            arguments: [participant, participant])
        try db.execute(sql: "DELETE FROM study_message_subject WHERE participant = ?", arguments: [participant])
        try db.execute(
            sql: "INSERT INTO study_withdrawal VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            arguments: [participant, now.description, facts, messages])
        return facts
    }

    // MARK: Resources

    /// Keeps a resource as the warehouse may have it, with pseudonyms alone, unless what it has is newer.
    ///
    /// - Parameter upload: The load that stored its facts; where that changed nothing, this changes nothing.
    public func keepResource(
        _ json: JSONValue, type: String, visit: Visit, of participant: Participant, written: WarehouseTime, upload: Int
    ) throws {
        guard
            try db.finds(
                sql: """
                    SELECT 1 FROM encounter_mapping WHERE encounter_ide = ? AND encounter_ide_source = ? AND project_id = '@'
                    AND patient_ide = ? AND patient_ide_source = ? AND upload_id = ?
                    """,
                arguments: [visit.key, source, participant.pseudonym, source, upload])
        else { return }
        try db.execute(
            sql: """
                INSERT INTO study_resource VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (patient_num, type, visit) DO UPDATE SET json = excluded.json, updated = excluded.updated,
                    upload_id = excluded.upload_id WHERE study_resource.updated <= excluded.updated
                """,
            arguments: [participant.number, type, visit.key, json.text(), written.description, upload])
    }
}
