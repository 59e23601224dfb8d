import Foundation

/// The statements of one transaction of a ``Warehouse``.
public struct WarehouseTransaction {
    let db: any WarehouseSession
    let source: String
    let concepts: SeenConcepts

    /// Somebody who takes part, as the warehouse knows them.
    public struct Participant: Sendable, Hashable {
        /// The pseudonym, which has nothing to do with the id on the phone.
        public let pseudonym: String
        /// i2b2's number.
        public let number: Int
    }

    // MARK: Participants

    /// Keeps other transactions from a participant until the end of this one.
    ///
    /// What a transaction writes depends on what it read of the participant: whether they agreed, and have
    /// not withdrawn.
    public func lock(_ digest: String) throws { try db.lock("participant " + digest) }

    /// Who is known under a digest of an id.
    public func knownParticipant(_ digest: String) throws -> Participant? {
        guard
            let row = try db.row(
                sql: "SELECT pseudonym, patient_num FROM study_participant WHERE participant = ?",
                arguments: [digest]
            ),
            let pseudonym = row.text(0), let number = row.integer(1)
        else { return nil }
        return Participant(pseudonym: pseudonym, number: number)
    }

    /// Who is known under a digest of an id; somebody new gets a pseudonym and a number.
    ///
    /// - Parameters:
    ///   - digest: Of the id that the phone uses.
    ///   - now: The time.
    public func participant(_ digest: String, now: WarehouseTime) throws -> Participant {
        if let known = try knownParticipant(digest) { return known }
        let pseudonym = UUID().uuidString.lowercased()
        // No number is given twice, not even that of somebody who left.
        let number = try db.number(
            sql:
                """
                INSERT INTO study_participant (participant, pseudonym, created)
                VALUES (?, ?, ?) RETURNING patient_num
                """,
            arguments: [digest, pseudonym, now.description]
        )
        let participant = Participant(pseudonym: pseudonym, number: number)
        for (id, source) in [(String(participant.number), "HIVE"), (participant.pseudonym, source)] {
            try db.execute(
                sql: """
                    INSERT INTO patient_mapping (
                        patient_ide, patient_ide_source, patient_num, patient_ide_status, project_id,
                        update_date, import_date, sourcesystem_cd
                    )
                    VALUES (?, ?, ?, 'A', '@', ?, ?, ?)
                    """,
                arguments: [
                    id, source, participant.number, now.description, now.description,
                    source == "HIVE" ? "edu.harvard.i2b2.crc" : source,
                ]
            )
        }
        try db.execute(
            sql:
                """
                INSERT INTO patient_dimension (patient_num, update_date, import_date, sourcesystem_cd)
                VALUES (?, ?, ?, ?)
                """,
            arguments: [participant.number, now.description, now.description, source]
        )
        return participant
    }

    // MARK: Facts

    /// Writes what a resource comes to: it replaces all that the same visit had, unless that is newer.
    ///
    /// Of several visits with one id, which a message may have, the one of number 1 comes first, and the
    /// others with its `written`: it replaces all that were under the id, and where that is newer, none of
    /// them changes anything.
    ///
    /// - Parameters:
    ///   - label: Names the load in `upload_status`.
    ///   - written: When the resource was last changed; an older one changes nothing.
    ///   - received: When it was received, which decides between two that were changed at the same time;
    ///     `now` without it.
    ///   - isNewer: Whether it is known to be newer than what the visit has, whatever the times say.
    ///   - now: The time.
    /// - Returns: The number of the load.
    /// - Throws: ``WarehouseError``, the database's error.
    @discardableResult
    public func store(
        _ sets: [FactSet],
        of participant: Participant,
        label: String,
        written: WarehouseTime,
        received: WarehouseTime? = nil,
        isNewer: Bool = false,
        now: WarehouseTime
    ) throws -> Int {
        let upload = try db.number(
            sql: """
                INSERT INTO upload_status (
                    upload_label, user_id, source_cd, no_of_record, load_date, transform_name
                )
                VALUES (?, 'consumer', ?, ?, ?, 'StudyWarehouse 1') RETURNING upload_id
                """,
            arguments: [label, source, sets.reduce(0) { $0 + $1.facts.count }, now.description]
        )
        var loaded = 0
        var deleted = 0
        for set in sets {
            let (visit, age) = try number(
                of: set.visit,
                participant,
                written: written,
                received: received ?? now,
                isNewer: isNewer,
                now: now,
                upload: upload
            )
            guard age != .older else { continue }
            if age == .newer, set.visit.number == 1 { deleted += try clearOthers(of: set.visit, participant) }
            if let patient = set.patient {
                try update(participant, patient, written: written, upload: upload)
            }
            let set = try inOneUnit(set)
            for concept in set.concepts where !concepts.contains(concept) {
                try store(concept, now: now, upload: upload)
                let first = set.facts.first { $0.concept == concept.code && $0.modifier == "@" }
                try show(concept, values: first.flatMap { ValueMetadata($0) }, now: now)
                concepts.insert(concept)
            }
            if age == .newer {
                deleted += try db.execute(
                    sql: "DELETE FROM observation_fact WHERE encounter_num = ? AND patient_num = ?",
                    arguments: [visit, participant.number]
                )
            }
            try insert(set.facts, visit, participant, written: written, now: now, upload: upload)
            loaded += set.facts.count
        }
        try db.execute(
            sql:
                """
                UPDATE upload_status
                SET loaded_record = ?, deleted_record = ?, end_date = ?, load_status = 'FINISHED'
                WHERE upload_id = ?
                """,
            arguments: [loaded, deleted, now.description, upload]
        )
        return upload
    }

    /// Removes what was under the id of a visit beside it.
    private func clearOthers(of visit: StudyVisit, _ participant: Participant) throws -> Int {
        var other = visit
        var deleted = 0
        while true {
            other.number += 1
            guard let number = try mapping(of: other, participant)?.number else { return deleted }
            deleted += try db.execute(
                sql: "DELETE FROM observation_fact WHERE encounter_num = ? AND patient_num = ?",
                arguments: [number, participant.number]
            )
            try db.execute(
                sql: "DELETE FROM study_resource WHERE patient_num = ? AND visit = ?",
                arguments: [participant.number, other.key]
            )
        }
    }

    /// What is known of a visit: its number, when it was changed, and when that was received.
    func mapping(of visit: StudyVisit, _ participant: Participant) throws -> (
        number: Int, times: (String, String)
    )? {
        try db.row(
            sql: """
                SELECT encounter_num, update_date, download_date FROM encounter_mapping
                WHERE encounter_ide = ? AND encounter_ide_source = ?
                AND project_id = '@' AND patient_ide = ? AND patient_ide_source = ?
                """,
            arguments: [visit.key, source, participant.pseudonym, source]
        ).map { ($0.integer(0) ?? 0, ($0.text(1) ?? "", $0.text(2) ?? "")) }
    }

    /// What is to be written of a visit, beside what it has.
    private enum VisitAge {
        case first
        case newer
        case older
    }

    /// The number of a visit, and whether what is to be written is as new as what it has.
    private func number(
        of visit: StudyVisit,
        _ participant: Participant,
        written: WarehouseTime,
        received: WarehouseTime,
        isNewer: Bool,
        now: WarehouseTime,
        upload: Int
    ) throws -> (number: Int, age: VisitAge) {
        let id = visit.key
        let known = try mapping(of: visit, participant)
        var number = 0
        if visit.number > 1 {
            // Under one id all of them are of one message: that of the first.
            var first = visit
            first.number = 1
            guard let times = try mapping(of: first, participant)?.times,
                times == (written.description, received.description)
            else { return (0, .older) }
        }
        if let known {
            number = known.number
            guard isNewer || known.times <= (written.description, received.description) else {
                return (number, .older)
            }
            try db.execute(
                sql:
                    """
                    UPDATE encounter_mapping
                    SET update_date = ?, download_date = ?, upload_id = ?
                    WHERE encounter_num = ?
                    """,
                arguments: [written.description, received.description, upload, number]
            )
        } else {
            number = try db.number(sql: db.newVisit)
            let rows: [(any SQLConvertible)?] = [(String(number), "HIVE"), (id, source)].flatMap {
                ide,
                ideSource in
                [
                    ide, ideSource, number, participant.pseudonym, source, written.description,
                    received.description,
                    now.description, ideSource == "HIVE" ? "edu.harvard.i2b2.crc" : source, upload,
                ] as [(any SQLConvertible)?]
            }
            try db.execute(
                sql: """
                    INSERT INTO encounter_mapping (
                        encounter_ide, encounter_ide_source, project_id, encounter_num, patient_ide,
                        patient_ide_source, encounter_ide_status, update_date, download_date, import_date,
                        sourcesystem_cd, upload_id
                    )
                    VALUES (?, ?, '@', ?, ?, ?, 'A', ?, ?, ?, ?, ?), (?, ?, '@', ?, ?, ?, 'A', ?, ?, ?, ?, ?)
                    """,
                arguments: rows
            )
        }
        try db.execute(
            sql: """
                INSERT INTO visit_dimension (
                    encounter_num, patient_num, active_status_cd, start_date, end_date, inout_cd, location_cd,
                    update_date, import_date, sourcesystem_cd, upload_id
                )
                VALUES (?, ?, '@', ?, ?, '@', '@', ?, ?, ?, ?)
                ON CONFLICT (encounter_num, patient_num) DO UPDATE
                SET start_date = excluded.start_date, end_date = excluded.end_date,
                    update_date = excluded.update_date, upload_id = excluded.upload_id
                """,
            arguments: [
                number, participant.number, visit.start.description, visit.end?.description,
                written.description, now.description,
                source, upload,
            ]
        )
        return (number, known == nil ? .first : .newer)
    }

    private func update(
        _ participant: Participant,
        _ patient: PatientDetails,
        written: WarehouseTime,
        upload: Int
    ) throws {
        let path = [patient.state, patient.postalCode].compactMap { $0 }.joined(separator: "\\")
        try db.execute(
            sql: """
                UPDATE patient_dimension
                SET sex_cd = ?, birth_date = ?, zip_cd = ?, statecityzip_path = ?, update_date = ?,
                    upload_id = ?
                WHERE patient_num = ?
                """,
            arguments: [
                patient.sex, patient.birth?.description, patient.postalCode, path.isEmpty ? nil : path,
                written.description, upload,
                participant.number,
            ]
        )
    }

    /// Writes a concept. One that is known keeps its name: that of the ontology is better than a link id.
    func store(_ concept: Concept, now: WarehouseTime, upload: Int?) throws {
        // As a rule it is known; then nothing is written, and no other transaction has to wait.
        guard
            try !db.finds(
                sql:
                    """
                    SELECT 1
                    FROM concept_dimension
                    WHERE concept_path = ? AND concept_cd = ? AND concept_blob = ?
                    """,
                arguments: [concept.path, concept.code, concept.key]
            )
        else { return }
        guard
            try !db.finds(
                sql: "SELECT 1 FROM concept_dimension WHERE concept_cd = ? AND concept_blob <> ?",
                arguments: [concept.code, concept.key]
            )
        else { throw WarehouseError.collision(code: concept.code) }
        try db.execute(
            sql: """
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
            arguments: [
                concept.path, concept.code, String(concept.name.unicodeScalars.prefix(2000)), concept.key,
                now.description,
                now.description, source, upload,
                // A response does not change what the ontology has.
                upload == nil ? 1 : 0,
            ]
        )
    }

    /// Writes facts, many with one statement. Its sizes are few, since databases keep statements prepared.
    private func insert(
        _ facts: [Fact],
        _ visit: Int,
        _ participant: Participant,
        written: WarehouseTime,
        now: WarehouseTime,
        upload: Int
    ) throws {
        var rest = facts[...]
        while !rest.isEmpty {
            let size = Self.insertions.keys.filter { $0 <= rest.count }.max() ?? 1
            let arguments = rest.prefix(size).flatMap { fact in
                let value = ValueColumns(fact.value)
                return [
                    visit, participant.number, fact.concept, fact.start.description, fact.modifier,
                    fact.instance, value.type,
                    value.text, value.number, fact.flag, fact.unit, fact.end?.description, value.blob,
                    written.description,
                    now.description, source, upload,
                ] as [(any SQLConvertible)?]
            }
            try db.execute(sql: Self.insertions[size] ?? "", arguments: arguments)
            rest = rest.dropFirst(size)
        }
    }

    /// The statements that write facts, by how many of them.
    private static let insertions: [Int: String] = {
        let row = "(?, ?, ?, '@', ?, ?, ?, ?, ?, ?, ?, ?, ?, '@', ?, ?, ?, ?, ?)"
        let sizes = [1, 2, 4, 8, 16, 32]
        return Dictionary(
            uniqueKeysWithValues: sizes.map { size in
                let rows = Array(repeating: row, count: size).joined(separator: ", ")
                let statement = """
                    INSERT INTO observation_fact (
                        encounter_num, patient_num, concept_cd, provider_id, start_date, modifier_cd,
                        instance_num, valtype_cd, tval_char, nval_num, valueflag_cd, units_cd, end_date,
                        location_cd, observation_blob, update_date, import_date, sourcesystem_cd, upload_id
                    )
                    VALUES \(rows)
                    """
                return (size, statement)
            }
        )
    }()
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
