import Foundation

/// A message in a warehouse: as it was received, encrypted, with its state.
public struct StoredMessage: Sendable, Hashable {
    /// The state of a message.
    public enum State: Sendable, Hashable {
        /// Its facts are in the warehouse.
        case loaded
        /// It has no facts: its files are kept, encrypted, and can be exported.
        case kept
        /// It waits for the consent of its participant.
        case waiting
        /// It could not be processed, for this reason; it can be processed again.
        case failed(reason: String)
        /// It came after its participant had withdrawn, and its content is not kept.
        case refused
        /// It would remove or replace a participant's data, and nothing proves that it comes from them: the
        /// study's team decides.
        case pending(reason: String)
        /// The study's team did not approve it, and its content is not kept.
        case dismissed

        /// Its name in tables.
        public var name: String {
            switch self {
            case .loaded: "loaded"
            case .kept: "kept"
            case .waiting: "waiting"
            case .failed: "failed"
            case .refused: "refused"
            case .pending: "pending"
            case .dismissed: "dismissed"
            }
        }

        /// Why it was not loaded.
        public var reason: String? {
            switch self {
            case .failed(let reason), .pending(let reason): reason
            case .loaded, .kept, .waiting, .refused, .dismissed: nil
            }
        }
    }

    /// Its id, which is the same however often it is delivered.
    public var id: String
    /// The kind of its content, as the consumer names it.
    public var kind: String
    /// Its content; `nil` when that is not kept.
    public var body: Data?
    /// When it was received.
    public var received: String
    /// What became of it.
    public var state: State
    /// The digest of its participant's id, where that is known.
    public var participant: String?
    /// The digest of the app that delivered it; `nil` for a delivery without a login.
    public var client: String?
    /// The load of its facts.
    public var upload: Int?
    /// Whether it has a consent or a withdrawal. If so, its content is kept however old it is.
    public var isSigned = false

    /// The value of the column `reason`.
    var storedReason: String? { state.reason ?? (isSigned ? Self.signed : nil) }
    static let signed = "signed"

    package init(
        id: String,
        kind: String,
        body: Data?,
        received: String,
        state: State,
        participant: String? = nil,
        client: String? = nil,
        upload: Int? = nil
    ) {
        self.id = id
        self.kind = kind
        self.body = body
        self.received = received
        self.state = state
        self.participant = participant
        self.client = client
        self.upload = upload
    }

    init(_ row: SQLRow) {
        let state: State =
            switch row.text("state") {
            case "loaded": .loaded
            case "kept": .kept
            case "waiting": .waiting
            case "refused": .refused
            case "dismissed": .dismissed
            case "pending", "approved": .pending(reason: row.text("reason") ?? "")
            default: .failed(reason: row.text("reason") ?? "")
            }
        self.init(
            id: row.text("id") ?? "",
            kind: row.text("kind") ?? "",
            body: row.bytes("body").map(StoredBody.content),
            received: row.text("received") ?? "",
            state: state,
            participant: row.text("participant"),
            client: row.text("client"),
            upload: row.integer("upload_id")
        )
        isSigned = state.reason == nil && row.text("reason") == Self.signed
    }
}

extension WarehouseTransaction {
    // MARK: Messages

    /// The message of an id; `nil` for one that was never seen.
    public func message(_ id: String) throws -> StoredMessage? {
        // A reader of an earlier version's warehouse does not see the app.
        try db.row("SELECT * FROM study_message WHERE id = ?", [id]).map(StoredMessage.init)
    }

    /// Stores a message, or its new state, as a batch of its own (``WarehouseBatch``).
    package func keep(_ message: StoredMessage) throws {
        var batch = WarehouseBatch(self)
        _ = try batch.message(message.id)
        batch.keep(message)
        try batch.write()
    }

    /// Which of some ids the warehouse has messages for.
    package func knownMessages(_ ids: [String]) throws -> Set<String> {
        let rows = try db.rows(
            "SELECT id FROM study_message WHERE id IN (\(db.listed))",
            [type(of: db).list(ids)]
        )
        return Set(rows.compactMap { $0.text(0) })
    }

    /// The messages that could not be processed, with their reasons but without their content.
    ///
    /// - Parameter limit: How many at most, the oldest first.
    public func failedMessages(limit: Int = 1000) throws -> [StoredMessage] {
        try messages(in: "failed", limit)
    }

    private func messages(in state: String, _ limit: Int) throws -> [StoredMessage] {
        // One query for each state, to use the index that PostgreSQL has for it.
        try db.rows(
            """
            SELECT id, kind, NULL AS body, received, state, reason, participant, NULL AS client, upload_id
            FROM study_message
            WHERE state = '\(state)'
            ORDER BY received, id LIMIT ?
            """,
            [max(0, limit)]
        ).map(StoredMessage.init)
    }

    /// How many messages are in each state.
    public func messageCounts() throws -> [String: Int] {
        try db.rows("SELECT state, count(*) FROM study_message GROUP BY state").reduce(into: [:]) {
            $0[$1.text(0) ?? ""] = $1.integer(1)
        }
    }

    /// The bytes of the messages that wait for a consent or for the team, could not be processed, or are to
    /// be processed again.
    public func keptBytes() throws -> Int {
        // One query for each state, to use the index that PostgreSQL has for it.
        let parts = ["waiting", "failed", "again", "pending", "approved"].map {
            "SELECT sum(length(body)) AS bytes FROM study_message WHERE state = '\($0)'"
        }
        return try db.number(
            """
            SELECT CAST(coalesce(sum(bytes), 0) AS bigint)
            FROM (\(parts.joined(separator: " UNION ALL "))) AS parts
            """
        )
    }

    /// Removes the content of envelopes with facts or samples that were loaded. Their ids stay, so that each
    /// is recognised when it comes again.
    ///
    /// Consents and withdrawals stay, since they were signed, and packages, since they have files. A
    /// withdrawal that is processed late causes other messages to be processed again: if a participant has a
    /// message that waits, failed or is not decided, all their messages stay.
    ///
    /// - Parameters:
    ///   - time: Those that were received before.
    ///   - limit: How many at most.
    /// - Returns: How many contents were removed.
    package func removeLoadedContents(receivedBefore time: WarehouseTime, limit: Int) throws -> Int {
        // One consumer at a time: all find the same ones.
        try db.lock("contents of messages")
        try makeContentIndex()
        let unsettled = "state IN ('waiting', 'failed', 'pending', 'approved', 'again')"
        let found = try db.rows(
            """
            SELECT m.id FROM study_message m
            WHERE m.received < ? AND \(Self.hasRemovableContent)
                AND m.participant NOT IN (
                    SELECT participant FROM study_message WHERE \(unsettled) AND participant IS NOT NULL
                    UNION SELECT s.participant FROM study_message_subject s
                    JOIN study_message o ON o.id = s.message WHERE o.\(unsettled)
                )
                AND NOT EXISTS (
                    SELECT 1 FROM study_consent c
                    WHERE c.participant = m.participant AND c.message = m.id
                )
            ORDER BY m.received LIMIT ?
            """,
            [time.xml, limit]
        ).compactMap { $0.text(0) }
        guard !found.isEmpty else { return 0 }
        return try db.execute(
            """
            UPDATE study_message SET body = NULL
            WHERE \(Self.hasRemovableContent) AND id IN (\(db.listed))
            """,
            [type(of: db).list(found)]
        )
    }

    private static let hasRemovableContent = """
        state = 'loaded' AND kind = 'envelope' AND upload_id IS NOT NULL AND body IS NOT NULL
            AND reason IS NULL
        """

    /// Makes the index that finds such messages, if this role may. Nobody else writes messages meanwhile.
    private func makeContentIndex() throws {
        guard try !db.hasIndex("message_content"), try db.owns("study_message") else { return }
        try db.execute(
            """
            CREATE INDEX message_content ON study_message (received)
            WHERE \(Self.hasRemovableContent)
            """
        )
    }

    // MARK: Consents

    /// Stores a participant's consent, as a batch of its own (``WarehouseBatch``).
    ///
    /// - Parameter shares: Whether the data may be shared beyond the study, where that was asked.
    package func keepConsent(
        of participant: String,
        message: String,
        signed: WarehouseTime,
        version: String?,
        shares: Bool?
    ) throws {
        var batch = WarehouseBatch(self)
        try batch.keepConsent(
            of: participant,
            message: message,
            signed: signed,
            version: version,
            shares: shares
        )
        try batch.write()
    }

    /// Approves the messages of a participant that an app delivered and that wait for the team.
    func approveMessages(of participant: String, from client: String) throws {
        try db.execute(
            """
            UPDATE study_message SET state = 'approved'
            WHERE state = 'pending' AND participant = ? AND client = ?
            """,
            [participant, client]
        )
    }

    // MARK: What the team decides

    /// The messages that would remove or replace a participant's data without a proof, the oldest first;
    /// without their content.
    ///
    /// - Parameter limit: How many at most.
    public func pendingMessages(limit: Int = 1000) throws -> [StoredMessage] {
        try messages(in: "pending", limit)
    }

    /// Approves a message that waits for the team. The consumer, which has the keys, then processes it.
    ///
    /// - Returns: False when no such message waits.
    @discardableResult
    package func approve(_ id: String) throws -> Bool {
        try db.execute(
            "UPDATE study_message SET state = 'approved' WHERE id = ? AND state = 'pending'",
            [id]
        ) > 0
    }

    /// Dismisses a message that waits for the team. Its content is removed.
    ///
    /// - Returns: False when no such message waits.
    @discardableResult
    package func dismiss(_ id: String) throws -> Bool {
        try db.execute(
            """
            UPDATE study_message
            SET state = 'dismissed', body = NULL, reason = NULL
            WHERE id = ? AND state = 'pending'
            """,
            [id]
        ) > 0
    }

    /// Takes back that a message is to be processed again, before it is: one that ends its consumer does not
    /// end each that is started after it.
    ///
    /// - Returns: False when somebody else has done it.
    package func takeReprocessingRequest(_ id: String) throws -> Bool {
        try db.execute("UPDATE study_message SET state = 'failed' WHERE id = ? AND state = 'again'", [id]) > 0
    }

    /// The messages that are to be processed again, the oldest first.
    package func requestedMessages(limit: Int = 100) throws -> [String] {
        try db.rows(
            "SELECT id FROM study_message WHERE state = 'again' ORDER BY received, id LIMIT ?",
            [max(0, limit)]
        ).compactMap { $0.text(0) }
    }

    /// The messages that the team approved, and that are not processed yet, the oldest first.
    package func approvedMessages(limit: Int = 100) throws -> [String] {
        try db.rows(
            "SELECT id FROM study_message WHERE state = 'approved' ORDER BY received, id LIMIT ?",
            [max(0, limit)]
        ).compactMap { $0.text(0) }
    }

    /// Withdraws an approval before the message is processed. A message that crashes its consumer then does
    /// not crash each one that is started after it.
    ///
    /// - Returns: False when somebody else has done it.
    package func takeApproval(_ id: String) throws -> Bool {
        try db.execute(
            "UPDATE study_message SET state = 'pending' WHERE id = ? AND state = 'approved'",
            [id]
        ) > 0
    }

    // MARK: Withdrawal

    /// Whether a participant has withdrawn, or stopped.
    package func hasWithdrawn(_ participant: String) throws -> Bool {
        try db.finds("SELECT 1 FROM study_withdrawal WHERE participant = ?", [participant])
    }

    /// Enrols somebody again who withdrew: as a new participant, with another pseudonym and number, unless
    /// their data stayed. Of the earlier participation, only its end is known.
    ///
    /// - Parameter signed: When they agreed again, at the latest.
    /// - Returns: False for a consent that was signed, or received, before the withdrawal.
    package func enrolAgain(_ participant: String, signed: WarehouseTime, received: WarehouseTime) throws
        -> Bool
    {
        let isAfter = try db.finds(
            "SELECT 1 FROM study_withdrawal WHERE participant = ? AND at < ? AND at < ?",
            [participant, signed.description, received.description]
        )
        guard isAfter else { return false }
        try db.execute(
            """
            INSERT INTO study_earlier_withdrawal (participant, at, facts, messages, erased)
            SELECT participant, at, facts, messages, erased FROM study_withdrawal WHERE participant = ?
            ON CONFLICT DO NOTHING
            """,
            [participant]
        )
        try db.execute("DELETE FROM study_withdrawal WHERE participant = ?", [participant])
        // They stopped after that, and it was processed before.
        try db.execute(
            """
            INSERT INTO study_withdrawal (participant, at, facts, messages, erased)
            SELECT participant, at, facts, messages, erased
            FROM study_earlier_withdrawal
            WHERE participant = ? AND erased = 0 AND at >= ?
            ORDER BY at
            LIMIT 1
            """,
            [participant, received.description]
        )
        try db.execute(
            """
            DELETE FROM study_earlier_withdrawal
            WHERE participant = ? AND at = (SELECT at FROM study_withdrawal WHERE participant = ?)
            """,
            [participant, participant]
        )
        return true
    }

    /// Whether anything is known of a participant: a message, a consent, or that they left.
    package func knows(_ participant: String) throws -> Bool {
        var tables = ["study_participant", "study_consent", "study_withdrawal", "study_message"]
        // A reader of an earlier version's warehouse may lack the table.
        if try db.hasTable("study_message_subject") { tables.append("study_message_subject") }
        return try tables.contains { table in
            // Names of this list, none of them a stranger's.
            try db.finds("SELECT 1 FROM \(table) WHERE participant = ?", [participant])
        }
    }

    /// Ends a participation: the participant's data stays, and nothing more is accepted. What waits for their
    /// consent was never agreed to, and is removed.
    ///
    /// What was received before still counts. If something that was received later is in the warehouse
    /// already, all messages of the participant are processed again, in their order. If the content of one
    /// was removed for its age, what was loaded stays, and only the others are processed again.
    ///
    /// - Parameter received: When the message that ends it was received, as messages have it; `nil` for now.
    package func stop(_ participant: String, at time: WarehouseTime, received: String? = nil) throws {
        try lock(participant)
        let received = received ?? Self.endOfTime
        let messages = try db.execute(
            """
            UPDATE study_message
            SET body = NULL, state = 'refused', reason = NULL
            WHERE participant = ? AND state = 'waiting' AND received <= ?
            """,
            [participant, received]
        )
        try db.execute(
            """
            INSERT INTO study_withdrawal (participant, at, facts, messages, erased)
            VALUES (?, ?, 0, ?, 0) ON CONFLICT DO NOTHING
            """,
            [participant, time.description, messages]
        )
        let hasLater = try db.finds(
            """
            SELECT 1 FROM study_message
            WHERE participant = ? AND received > ? AND state IN ('loaded', 'kept', 'waiting')
            """,
            [participant, received]
        )
        guard hasLater else { return }
        // A message without its content could not be loaded again.
        let lacksContent = try db.finds(
            "SELECT 1 FROM study_message WHERE participant = ? AND state = 'loaded' AND body IS NULL",
            [participant]
        )
        if !lacksContent { try removeLoaded(of: participant, consentsAfter: received) }
        let again = lacksContent ? "'kept', 'waiting'" : "'loaded', 'kept', 'waiting'"
        try db.execute(
            """
            UPDATE study_message
            SET state = 'again', reason = NULL, upload_id = NULL
            WHERE participant = ? AND body IS NOT NULL AND state IN (\(again))
            """,
            [participant]
        )
    }

    /// Removes a participant's loaded data, to load it again. Earlier consents stay: the data that they cover
    /// may be processed before they are.
    private func removeLoaded(of participant: String, consentsAfter received: String) throws {
        if let known = try knownParticipant(participant) { try removeFacts(of: known) }
        try db.execute(
            """
            DELETE FROM study_consent
            WHERE participant = ? AND message IN (
                SELECT id FROM study_message WHERE participant = ? AND received > ?
            )
            """,
            [participant, participant, received]
        )
    }

    /// Removes the facts, samples, visits and resources of a participant.
    ///
    /// - Returns: How many facts and samples.
    @discardableResult
    private func removeFacts(of known: Participant) throws -> Int {
        var facts = 0
        for table in ["observation_fact", "study_sample"] {
            facts += try db.execute("DELETE FROM \(table) WHERE patient_num = ?", [known.number])
        }
        for table in [
            "archive_observation_fact", "visit_dimension", "study_resource", "study_sample_set",
            "study_sample_source", "study_sample_visit",
        ] {
            // Names of this list, none of them a stranger's.
            try db.execute("DELETE FROM \(table) WHERE patient_num = ?", [known.number])
        }
        try db.execute(
            "DELETE FROM encounter_mapping WHERE patient_ide = ? AND patient_ide_source = ?",
            [known.pseudonym, source]
        )
        return facts
    }

    /// Removes everything of a participant: facts, visits, mappings, the pseudonym, resources, messages. It
    /// is kept that somebody with this digest withdrew, so that a late message is refused. A stop after that
    /// time is kept, for somebody who agreed again in between.
    ///
    /// - Parameter received: When the withdrawal was received, as messages have it. Later messages may come
    ///   from somebody who agreed again: they are processed again, and refused if that is not the case; those
    ///   without content are removed, too. `nil` removes all.
    /// - Returns: How many facts and samples were removed.
    @discardableResult
    package func withdraw(_ participant: String, now: WarehouseTime, received: String? = nil) throws -> Int {
        var facts = 0
        try lock(participant)
        if let known = try knownParticipant(participant) {
            facts = try removeFacts(of: known)
            for table in ["patient_dimension", "patient_mapping", "study_participant"] {
                // Names of this list, none of them a stranger's.
                try db.execute("DELETE FROM \(table) WHERE patient_num = ?", [known.number])
            }
            // Sets that i2b2's queries found, where an i2b2 is attached.
            for table in ["qt_patient_set_collection", "qt_patient_enc_collection"]
            where try db.hasTable(table) {
                try db.execute("DELETE FROM \(table) WHERE patient_num = ?", [known.number])
            }
        }
        try db.execute("DELETE FROM study_consent WHERE participant = ?", [participant])
        if let received {
            try db.execute(
                """
                UPDATE study_message
                SET state = 'again', reason = NULL, upload_id = NULL
                WHERE participant = ? AND received > ? AND body IS NOT NULL
                    AND state NOT IN ('refused', 'dismissed')
                """,
                [participant, received]
            )
        }
        // The ids stay, so that a message that is delivered again is recognised; which app it was does not.
        let messages = try db.execute(
            """
            UPDATE study_message
            SET body = NULL, state = 'refused', reason = NULL, upload_id = NULL, client = NULL
            WHERE id IN (
                SELECT id FROM study_message
                WHERE participant = ? AND (received <= ? OR body IS NULL)
                UNION SELECT message FROM study_message_subject WHERE participant = ?
            )
            """,
            [participant, received ?? Self.endOfTime, participant]
        )
        try db.execute("DELETE FROM study_client WHERE participant = ?", [participant])
        try db.execute("DELETE FROM study_message_subject WHERE participant = ?", [participant])
        try db.execute(
            """
            INSERT INTO study_earlier_withdrawal (participant, at, facts, messages, erased)
            SELECT participant, at, facts, messages, erased
            FROM study_withdrawal
            WHERE participant = ? AND erased = 0 AND at > ?
            ON CONFLICT DO NOTHING
            """,
            [participant, now.description]
        )
        try db.execute(
            """
            INSERT INTO study_withdrawal (participant, at, facts, messages, erased)
            VALUES (?, ?, ?, ?, 1)
            ON CONFLICT (participant) DO UPDATE
            SET at = excluded.at, facts = excluded.facts, messages = excluded.messages, erased = 1
            WHERE study_withdrawal.erased = 0
            """,
            [participant, now.description, facts, messages]
        )
        return facts
    }

    /// After each moment of a message's receipt.
    private static let endOfTime = "9999-12-31T23:59:59Z"
}
