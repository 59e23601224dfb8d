import OrderedJSON

/// The statements of one transaction of a ``Warehouse``.
public struct WarehouseTransaction {
    let db: any WarehouseSession
    let source: String
    let concepts: SeenConcepts

    /// Somebody who takes part, as the warehouse knows them.
    package struct Participant: Sendable, Hashable {
        /// The pseudonym, which has nothing to do with the id on the phone.
        package let pseudonym: String
        /// i2b2's number.
        package let number: Int
    }

    // MARK: Participants

    /// Keeps other transactions from a participant until the end of this one.
    ///
    /// What a transaction writes depends on what it read of the participant: whether they agreed, and have
    /// not withdrawn.
    package func lock(_ digest: String) throws { try db.lock("participant " + digest) }

    /// The participant who is known under the digest of an id.
    package func knownParticipant(_ digest: String) throws -> Participant? {
        guard
            let row = try db.row(
                "SELECT pseudonym, patient_num FROM study_participant WHERE participant = ?",
                [digest]
            ),
            let pseudonym = row.text(0), let number = row.integer(1)
        else { return nil }
        return Participant(pseudonym: pseudonym, number: number)
    }

    /// The participant who is known under the digest of an id; a new one gets a pseudonym and a number.
    ///
    /// - Parameters:
    ///   - digest: Of the id that the phone uses.
    ///   - now: The time.
    package func participant(_ digest: String, now: WarehouseTime) throws -> Participant {
        var batch = WarehouseBatch(self)
        _ = try batch.pseudonym(of: digest, now: now)
        try batch.write()
        guard let participant = try knownParticipant(digest) else {
            throw WarehouseError.badInput("a participant is not there who was just written")
        }
        return participant
    }

    // MARK: Facts

    /// Writes the facts of a resource, as a ``WarehouseBatch`` of its own: they replace all that the same
    /// visit had, unless that is newer.
    ///
    /// - Parameters:
    ///   - resource: The resource that the facts were made from, with pseudonyms only.
    ///   - label: Names the load in `upload_status`.
    ///   - written: When the resource was last changed; an older one changes nothing.
    ///   - received: When it was received, which decides between two that were changed at the same time;
    ///     `now` without it.
    ///   - isNewer: Whether it is known to be newer than what the visit has, whatever the times say.
    ///   - now: The time.
    /// - Throws: ``WarehouseError``, the database's error.
    package func store(
        _ sets: [FactSet],
        _ resource: (json: JSONValue, type: String)? = nil,
        of participant: Participant,
        label: String,
        written: WarehouseTime,
        received: WarehouseTime? = nil,
        isNewer: Bool = false,
        now: WarehouseTime
    ) throws {
        let digest = try db.row(
            "SELECT participant FROM study_participant WHERE patient_num = ?",
            [participant.number]
        )?.text(0)
        guard let digest else { throw WarehouseError.badInput("there is no such participant") }
        var batch = WarehouseBatch(self)
        for set in sets {
            try batch.store(
                set,
                resource,
                of: digest,
                message: label,
                written: written,
                received: received ?? now,
                isNewer: isNewer,
                now: now
            )
        }
        try batch.write()
    }

    /// Writes a concept. One that is known keeps its name: that of the ontology is better than a link id.
    func store(_ concept: Concept, now: WarehouseTime, upload: Int?) throws {
        // As a rule it is known; then nothing is written, and no other transaction has to wait.
        guard
            try !db.finds(
                """
                SELECT 1
                FROM concept_dimension
                WHERE concept_path = ? AND concept_cd = ? AND concept_blob = ?
                """,
                [concept.path, concept.code, concept.key]
            )
        else { return }
        guard
            try !db.finds(
                "SELECT 1 FROM concept_dimension WHERE concept_cd = ? AND concept_blob <> ?",
                [concept.code, concept.key]
            )
        else { throw WarehouseError.collision(code: concept.code) }
        try db.execute(
            """
            INSERT INTO concept_dimension (
                concept_path, concept_cd, name_char, concept_blob, update_date, import_date,
                sourcesystem_cd, upload_id
            )
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (concept_path) DO UPDATE
            SET concept_cd = excluded.concept_cd, concept_blob = excluded.concept_blob
            WHERE ? = 1
                OR NOT EXISTS (
                    SELECT 1 FROM study_metadata
                    WHERE c_fullname = excluded.concept_path AND c_comment IS NULL
                )
            """,
            [
                concept.path, concept.code, String(concept.name.unicodeScalars.prefix(2000)), concept.key,
                now.description,
                now.description, source, upload,
                // A response does not change what the ontology has.
                upload == nil ? 1 : 0,
            ]
        )
    }
}

/// A value in the columns of `observation_fact`.
struct ValueColumns {
    var type = "@"
    var text: String?
    var number: String?
    var blob: String?

    init(_ value: FactValue) {
        switch value {
        case .none: break
        case .number(let number, let comparison):
            type = "N"
            text = comparison
            self.number = number.description
            blob = number.exact
        case .text(let text):
            type = "T"
            self.text = String(text.unicodeScalars.prefix(FactValue.maximumTextLength))
            blob = self.text == text ? nil : text
        case .longText(let text):
            type = "B"
            blob = text
        }
    }
}
