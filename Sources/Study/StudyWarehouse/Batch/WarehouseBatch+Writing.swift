/// What a batch changed, written by sets: as many rows of a table as there are, together.
extension WarehouseBatch {
    private var db: any WarehouseSession { warehouse.db }
    private var source: String { warehouse.source }

    /// Writes all that was changed.
    ///
    /// - Throws: ``WarehouseError``, the database's error.
    package mutating func write() throws {
        try writePeople()
        for (index, number) in try db.newLoads(loads.count).enumerated() { loads[index].number = number }
        if !sampleChanges.isEmpty { try writeSamples() }
        try writeConcepts()
        try writeDetails()
        try writeVisits()
        try writeFacts()
        try writeResources()
        try writeLoads()
        try writeConsents()
        try writeMessages()
        try writeClients()
        for key in changedVisits.keys {
            guard var visit = visits[key] ?? nil else { continue }
            visit.content = nil
            visit.resources = [:]
            visit.isCleared = false
            visit.isNew = false
            visits.updateValue(visit, forKey: key)
        }
        for participant in changedPeople.keys {
            people[participant]?.created = nil
            people[participant]?.newConsents = []
            people[participant]?.newClients = []
            people[participant]?.details = nil
        }
        forgetChanges()
    }

    // MARK: People

    private mutating func writePeople() throws {
        let new = changedPeople.keys.filter { people[$0]?.created != nil && people[$0]?.number == nil }
        var names = TableRows("study_participant", ["participant", "pseudonym", "created"])
        for participant in new {
            guard let person = people[participant] else { continue }
            names.append([participant, person.pseudonym, person.created?.description])
        }
        // No number is given twice, not even that of somebody who left.
        var numbers: [String: Int] = [:]
        try db.insertRows(names, "RETURNING participant, patient_num") { row in
            numbers[row.text(0) ?? ""] = row.integer(1)
        }
        var mappings = TableRows(
            "patient_mapping",
            [
                "patient_ide", "patient_ide_source", "patient_num", "patient_ide_status", "project_id",
                "update_date", "import_date", "sourcesystem_cd",
            ]
        )
        var patients = TableRows(
            "patient_dimension",
            ["patient_num", "update_date", "import_date", "sourcesystem_cd"]
        )
        for participant in new {
            guard let number = numbers[participant], let person = people[participant] else { continue }
            people[participant]?.number = number
            let now = person.created?.description
            mappings.append([String(number), "HIVE", number, "A", "@", now, now, "edu.harvard.i2b2.crc"])
            mappings.append([person.pseudonym, source, number, "A", "@", now, now, source])
            patients.append([number, now, now, source])
        }
        try db.insert(mappings)
        try db.insert(patients)
    }

    /// What Patients say, once their loads have numbers.
    private func writeDetails() throws {
        for participant in changedPeople.keys {
            guard let person = people[participant], let details = person.details else { continue }
            let patient = details.patient
            let path = [patient.state, patient.postalCode].compactMap { $0 }.joined(separator: "\\")
            try db.execute(
                """
                UPDATE patient_dimension
                SET sex_cd = ?, birth_date = ?, zip_cd = ?, statecityzip_path = ?, update_date = ?,
                    upload_id = ?
                WHERE patient_num = ?
                """,
                [
                    patient.sex, patient.birth?.description, patient.postalCode, path.isEmpty ? nil : path,
                    details.written.description, loads[details.load].number, person.number,
                ]
            )
        }
    }

    private func writeConsents() throws {
        var consents = TableRows(
            "study_consent",
            ["participant", "message", "number", "signed", "version", "shares"]
        )
        for participant in changedPeople.keys {
            // A message may have several.
            var counts: [String: Int] = [:]
            for (message, consent) in people[participant]?.newConsents ?? [] {
                let number = counts[message, default: 0]
                counts[message] = number + 1
                consents.append([
                    participant, message, number, consent.signed, consent.version, consent.shares,
                ])
            }
        }
        try db.insertMissing(consents)
    }

    /// Behind the messages: what an app has delivered, and waits for the team, is approved with it.
    private func writeClients() throws {
        var clients = TableRows("study_client", ["participant", "client"])
        for participant in changedPeople.keys {
            for client in people[participant]?.newClients ?? [] { clients.append([participant, client]) }
        }
        try db.insertMissing(clients)
        for participant in changedPeople.keys {
            for client in people[participant]?.newClients ?? [] {
                try warehouse.approveMessages(of: participant, from: client)
            }
        }
    }

    // MARK: Concepts

    /// In one order, so that no two transactions wait for each other. Most are known, and none is here.
    private func writeConcepts() throws {
        for new in concepts.values.sorted(by: { $0.concept.path < $1.concept.path }) {
            try warehouse.store(new.concept, now: new.now, upload: loads[new.load].number)
            try warehouse.show(new.concept, values: new.values, now: new.now)
            warehouse.concepts.insert(new.concept)
        }
    }

    // MARK: Visits

    private mutating func writeVisits() throws {
        var new: [BatchVisit.Key] = []
        for key in changedVisits.keys {
            guard let visit = visits[key] ?? nil else { continue }
            if visit.isNew { new.append(key) } else { try replace(visit, key) }
        }
        var mappings = TableRows(
            "encounter_mapping",
            [
                "encounter_ide", "encounter_ide_source", "project_id", "encounter_num", "patient_ide",
                "patient_ide_source", "encounter_ide_status", "update_date", "download_date", "upload_id",
            ]
        )
        var dimension = TableRows("visit_dimension", Self.visitColumns)
        for (key, number) in zip(new, try db.newVisits(new.count)) {
            guard var visit = visits[key] ?? nil, let content = visit.content else { continue }
            visit.number = number
            visits.updateValue(visit, forKey: key)
            mappings.append([
                key.visit, source, "@", number, key.pseudonym, source, "A", visit.written, visit.received,
                loads[content.load].number,
            ])
            dimension.append(row(visit, content))
        }
        try db.insert(mappings)
        try db.insert(dimension)
    }

    private static var visitColumns: [String] {
        [
            "encounter_num", "patient_num", "active_status_cd", "start_date", "end_date", "inout_cd",
            "location_cd", "update_date", "upload_id",
        ]
    }

    private func row(_ visit: BatchVisit, _ content: BatchVisit.Content) -> SQLArguments {
        [
            visit.number, people[visit.participant]?.number, "@", content.start.description,
            content.end?.description, "@", "@", visit.written, loads[content.load].number,
        ]
    }

    /// Takes away what a visit has, and says what is written instead.
    private mutating func replace(_ visit: BatchVisit, _ key: BatchVisit.Key) throws {
        guard let number = visit.number, let patient = people[visit.participant]?.number else { return }
        let deleted = try db.execute(
            "DELETE FROM observation_fact WHERE encounter_num = ? AND patient_num = ?",
            [number, patient]
        )
        if visit.isCleared {
            try db.execute(
                "DELETE FROM study_resource WHERE patient_num = ? AND visit = ?",
                [patient, key.visit]
            )
        }
        guard let content = visit.content else { return }
        loads[content.load].deleted += deleted
        try db.execute(
            """
            UPDATE encounter_mapping
            SET update_date = ?, download_date = ?, upload_id = ?
            WHERE encounter_num = ?
            """,
            [visit.written, visit.received, loads[content.load].number, number]
        )
        var dimension = TableRows("visit_dimension", Self.visitColumns)
        dimension.append(row(visit, content))
        try db.insertRows(
            dimension,
            """
            ON CONFLICT (encounter_num, patient_num) DO UPDATE
            SET start_date = excluded.start_date, end_date = excluded.end_date,
                update_date = excluded.update_date, upload_id = excluded.upload_id
            """
        )
    }

    private func writeFacts() throws {
        var facts = TableRows(
            "observation_fact",
            [
                "encounter_num", "patient_num", "concept_cd", "provider_id", "start_date", "modifier_cd",
                "instance_num", "valtype_cd", "tval_char", "nval_num", "valueflag_cd", "units_cd", "end_date",
                "location_cd", "observation_blob", "update_date", "upload_id",
            ]
        )
        for key in changedVisits.keys {
            guard let visit = visits[key] ?? nil, let content = visit.content else { continue }
            let patient = people[visit.participant]?.number
            let load = loads[content.load].number
            for fact in content.facts {
                let value = ValueColumns(fact.value)
                facts.append([
                    visit.number, patient, fact.concept, "@", fact.start.description, fact.modifier,
                    fact.instance, value.type, value.text, value.number, fact.flag, fact.unit,
                    fact.end?.description, "@", value.blob, visit.written, load,
                ])
            }
        }
        try db.insert(facts)
    }

    private func writeResources() throws {
        var new = TableRows(
            "study_resource",
            ["patient_num", "type", "visit", "json", "updated", "upload_id"]
        )
        var changed = new
        for key in changedVisits.keys {
            guard let visit = visits[key] ?? nil else { continue }
            for (type, resource) in visit.resources.sorted(by: { $0.key < $1.key }) {
                let row: SQLArguments = [
                    people[visit.participant]?.number, type, key.visit,
                    StoredResource.packed(resource.json.text()),
                    resource.written.description, loads[resource.load].number,
                ]
                if visit.isNew { new.append(row) } else { changed.append(row) }
            }
        }
        try db.insert(new)
        try db.insertRows(
            changed,
            """
            ON CONFLICT (patient_num, type, visit) DO UPDATE
            SET json = excluded.json, updated = excluded.updated, upload_id = excluded.upload_id
            """
        )
    }

    // MARK: Messages

    /// Of a message's id as much as tells loads apart that somebody reads; `study_message` has the number of
    /// each one's load.
    private static var labelLength: Int { 24 }

    private func writeLoads() throws {
        var rows = TableRows(
            "upload_status",
            [
                "upload_id", "upload_label", "user_id", "source_cd", "no_of_record", "loaded_record",
                "deleted_record", "load_date", "end_date", "load_status",
            ]
        )
        for load in loads {
            let now = load.now.description
            rows.append([
                load.number, String(load.label.prefix(Self.labelLength)), "consumer", source, load.facts,
                load.loaded, load.deleted, now, now,
                "FINISHED",
            ])
        }
        try db.insert(rows)
    }

    private func writeMessages() throws {
        var numbers: [String: Int] = [:]
        for load in loads { numbers[load.label] = load.number }
        var new = TableRows(
            "study_message",
            [
                "id": .text, "kind": .text, "body": .bytes, "received": .text, "state": .text,
                "reason": .text,
                "participant": .text, "upload_id": .integer, "client": .text,
            ]
        )
        // In one order, so that no two transactions wait for each other.
        for message in kept.sorted(by: { $0.id < $1.id }) {
            let upload = message.upload ?? numbers[message.id]
            guard !stored.contains(message.id) else {
                try update(message, upload)
                continue
            }
            new.append([
                message.id, message.kind, message.body.map(StoredBody.packed), message.received,
                message.state.name,
                message.storedReason, message.participant, upload, message.client,
            ])
        }
        try db.insert(new)
        try db.insertMissing(subjects)
    }

    private func update(_ message: StoredMessage, _ upload: Int?) throws {
        try db.execute(
            """
            UPDATE study_message
            SET state = ?, reason = ?, body = ?, participant = ?, upload_id = ?,
                client = coalesce(client, ?)
            WHERE id = ?
            """,
            [
                message.state.name, message.storedReason, message.body.map(StoredBody.packed),
                message.participant, upload, message.client, message.id,
            ]
        )
    }
}
