import OrderedJSON

/// Facts and resources of a batch: which of two for one visit stays.
extension WarehouseBatch {
    /// How old what is to be written of a visit is, beside what it has.
    private enum Age {
        case first
        case newer
        case older
    }

    // MARK: Reading

    /// Reads what is known of visits at once; others are read when they are asked for.
    ///
    /// - Parameter wanted: By the digests of their participants' ids.
    package mutating func read(visits wanted: [(participant: String, visit: StudyVisit)]) throws {
        var participants: [String: String] = [:]
        var keys: Set<BatchVisit.Key> = []
        for (participant, visit) in wanted {
            guard let pseudonym = people[participant]?.pseudonym, people[participant]?.created == nil else {
                continue
            }
            participants[pseudonym] = participant
            var second = visit
            second.number = 2
            keys.insert(BatchVisit.Key(visit, of: pseudonym))
            keys.insert(BatchVisit.Key(second, of: pseudonym))
        }
        let db = warehouse.db
        let rows =
            keys.isEmpty
            ? []
            : try db.rows(
                """
                SELECT encounter_ide, patient_ide, encounter_num, update_date, download_date
                FROM encounter_mapping
                WHERE encounter_ide_source = ? AND project_id = '@'
                    AND encounter_ide IN (\(db.listed)) AND patient_ide IN (\(db.listed))
                """,
                [
                    warehouse.source, type(of: db).list(Set(keys.map(\.visit))),
                    type(of: db).list(participants.keys),
                ]
            )
        for key in keys where visits.index(forKey: key) == nil { visits.updateValue(nil, forKey: key) }
        for row in rows {
            // One of these participants may have a visit of another's id.
            let key = BatchVisit.Key(row.text(0) ?? "", of: row.text(1) ?? "")
            guard keys.contains(key), let participant = participants[key.pseudonym] else { continue }
            visits.updateValue(Self.visit(participant, row.integer(2), row.text(3), row.text(4)), forKey: key)
        }
    }

    private static func visit(_ participant: String, _ number: Int?, _ written: String?, _ received: String?)
        -> BatchVisit
    {
        BatchVisit(
            participant: participant,
            number: number,
            written: written ?? "",
            received: received ?? ""
        )
    }

    /// A visit as it is now; `nil` where there is none.
    mutating func visit(_ key: BatchVisit.Key, of participant: String) throws -> BatchVisit? {
        if let known = visits[key] { return known }
        // Somebody new has none.
        guard people[participant]?.created == nil else { return nil }
        let row = try warehouse.db.row(
            """
            SELECT encounter_num, update_date, download_date FROM encounter_mapping
            WHERE encounter_ide = ? AND encounter_ide_source = ?
            AND project_id = '@' AND patient_ide = ? AND patient_ide_source = ?
            """,
            [key.visit, warehouse.source, key.pseudonym, warehouse.source]
        )
        let found = row.map { Self.visit(participant, $0.integer(0), $0.text(1), $0.text(2)) }
        visits.updateValue(found, forKey: key)
        return found
    }

    /// The resource that a visit was made of, and when it was received, as FHIR writes it; `nil` where there
    /// is none.
    package mutating func storedResource(of visit: StudyVisit, of participant: String, type: String) throws
        -> (json: JSONValue, received: String)?
    {
        guard let pseudonym = try knownPseudonym(of: participant),
            let known = try self.visit(BatchVisit.Key(visit, of: pseudonym), of: participant),
            let json = try resource(of: known, BatchVisit.Key(visit, of: pseudonym), type)
        else { return nil }
        return (json, known.received.replacing(" ", with: "T") + "Z")
    }

    private func resource(of visit: BatchVisit, _ key: BatchVisit.Key, _ type: String) throws -> JSONValue? {
        if let changed = visit.resources[type] { return changed.json }
        guard !visit.isCleared, !visit.isNew, let patient = people[visit.participant]?.number else {
            return nil
        }
        let row = try warehouse.db.row(
            "SELECT json FROM study_resource WHERE patient_num = ? AND type = ? AND visit = ?",
            [patient, type, key.visit]
        )
        let json = row.flatMap { try? StoredResource.json($0.values[0]) }
        return json.flatMap { try? JSONValue(parsing: $0) }
    }

    /// Whether there is a visit of a participant already that a new one would replace, other than by the same
    /// resource.
    package mutating func isReplaced(
        _ visit: StudyVisit,
        of participant: String,
        by json: JSONValue,
        type: String
    ) throws -> Bool {
        guard let pseudonym = try knownPseudonym(of: participant) else { return false }
        let key = BatchVisit.Key(visit, of: pseudonym)
        guard let known = try self.visit(key, of: participant) else { return false }
        return try resource(of: known, key, type) != json
    }

    // MARK: Changing

    /// Stores the facts of a resource: they replace all that the same visit had, unless that is newer.
    ///
    /// Of several visits with one id, which a message may have, the one of number 1 comes first, and the
    /// others with its `written`: it replaces all that were under the id, and where that is newer, none of
    /// them changes anything.
    ///
    /// - Parameters:
    ///   - set: The facts.
    ///   - resource: What they were made of, as the warehouse may have it, with pseudonyms alone; and its
    ///     type.
    ///   - participant: The digest of the id of somebody who has a pseudonym.
    ///   - message: The id of the message, which names the load.
    ///   - written: When the resource was last changed; an older one changes nothing.
    ///   - received: When it was received, which decides between two that were changed at the same time.
    ///   - isNewer: Whether it is known to be newer than what the visit has, whatever the times say.
    ///   - now: The time.
    /// - Throws: ``WarehouseError``, the database's error.
    package mutating func store(
        _ set: FactSet,
        _ resource: (json: JSONValue, type: String)? = nil,
        of participant: String,
        message: String,
        written: WarehouseTime,
        received: WarehouseTime,
        isNewer: Bool = false,
        now: WarehouseTime
    ) throws {
        guard let pseudonym = try knownPseudonym(of: participant) else { return }
        let load = load(of: message, now: now)
        loads[load].facts += set.facts.count
        let key = BatchVisit.Key(set.visit, of: pseudonym)
        let known = try visit(key, of: participant)
        let age = try age(
            of: set.visit,
            known,
            of: participant,
            pseudonym,
            written: written,
            received: received,
            isNewer: isNewer
        )
        guard age != .older else { return }
        if age == .newer, set.visit.number == 1 { try clearOthers(of: set.visit, participant, pseudonym) }
        if let patient = set.patient {
            people[participant]?.details = (patient, written, load)
            changedPeople.append(participant)
        }
        let set = set.facts.contains(where: \.isMeasured) ? try warehouse.inOneUnit(set) : set
        for concept in set.concepts where !isKnown(concept) {
            let first = set.facts.first { $0.concept == concept.code && $0.modifier == "@" }
            let values = first.flatMap { ValueMetadata($0) }
            try check(concept)
            concepts[concept.path] = BatchConcept(concept: concept, values: values, now: now, load: load)
            conceptKeys[concept.code] = concept.key
        }
        var visit = known ?? Self.visit(participant, nil, nil, nil)
        loads[load].loaded += set.facts.count
        loads[load].deleted += visit.content?.facts.count ?? 0
        visit.written = written.description
        visit.received = received.description
        visit.content = BatchVisit.Content(
            start: set.visit.start,
            end: set.visit.end,
            facts: set.facts,
            now: now,
            load: load
        )
        if let resource {
            visit.resources[resource.type] = BatchVisit.Resource(
                json: resource.json,
                written: written,
                load: load
            )
        }
        visits.updateValue(visit, forKey: key)
        changedVisits.append(key)
    }

    /// Whether the database has a concept, or gets it from this batch.
    private func isKnown(_ concept: Concept) -> Bool {
        if let new = concepts[concept.path]?.concept, new.code == concept.code, new.key == concept.key {
            return true
        }
        return warehouse.concepts.contains(concept)
    }

    /// Two concepts of one batch that would have the same code.
    private func check(_ concept: Concept) throws(WarehouseError) {
        guard conceptKeys[concept.code, default: concept.key] == concept.key else {
            throw WarehouseError.collision(code: concept.code)
        }
    }

    /// The index of a message's load.
    mutating func load(of message: String, now: WarehouseTime) -> Int {
        if let index = loads.lastIndex(where: { $0.label == message }) { return index }
        loads.append(BatchLoad(label: message, now: now))
        return loads.count - 1
    }

    private mutating func age(
        of visit: StudyVisit,
        _ known: BatchVisit?,
        of participant: String,
        _ pseudonym: String,
        written: WarehouseTime,
        received: WarehouseTime,
        isNewer: Bool
    ) throws -> Age {
        let times = (written.description, received.description)
        if visit.number > 1 {
            // Under one id all of them are of one message: that of the first.
            var first = visit
            first.number = 1
            guard let first = try self.visit(BatchVisit.Key(first, of: pseudonym), of: participant),
                (first.written, first.received) == times
            else { return .older }
        }
        guard let known else { return .first }
        return isNewer || (known.written, known.received) <= times ? .newer : .older
    }

    /// Removes what was under the id of a visit beside it.
    private mutating func clearOthers(of visit: StudyVisit, _ participant: String, _ pseudonym: String) throws
    {
        var other = visit
        while true {
            other.number += 1
            let key = BatchVisit.Key(other, of: pseudonym)
            guard var known = try self.visit(key, of: participant) else { return }
            known.content?.facts = []
            known.resources = [:]
            known.isCleared = true
            visits.updateValue(known, forKey: key)
            changedVisits.append(key)
        }
    }
}
