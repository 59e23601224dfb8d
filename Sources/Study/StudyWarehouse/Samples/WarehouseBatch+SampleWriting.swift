import Crypto
import IndivoBase

/// Samples of a batch, and the days that they change, written by sets.
extension WarehouseBatch {
    /// What the rows of a set have in common.
    private struct SetKey: Hashable {
        let patient: Int
        let type: Int
        let source: Int
        let offset: Int
        let load: Int
    }

    /// A source of a participant.
    private struct SourceKey: Hashable {
        let patient: Int
        let source: String
    }

    private func number(of participant: String) -> Int? { people[participant]?.number }

    /// Writes rows, and stores the facts of the days that they change.
    mutating func writeSamples() throws {
        let changes = sampleChanges
        sampleChanges = BatchSample()
        let db = warehouse.db
        var visits = TableRows("study_sample_visit", ["patient_num", "id"])
        for key in changes.visits.keys { visits.append([number(of: key.participant), key.id]) }
        try db.insertMissing(visits)
        let removed = changes.removed.compactMap { place in
            number(of: place.participant).map { [$0, place.start, place.id] }
        }
        let new = changes.new.compactMap { place, new in new.map { (participant: place.participant, new: $0) }
        }
        try db.withIndexes { try warehouse.removeSamples(at: removed) }
        try writeRows(new.compactMap { item in number(of: item.participant).map { ($0, item.new) } })
        try storeDays(changes.days, new)
    }

    private func writeRows(_ new: [(patient: Int, new: BatchSample.New)]) throws {
        guard !new.isEmpty else { return }
        let types = try typeNumbers(Set(new.map(\.new.sample.kind)))
        let sources = try sourceNumbers(
            new.map { SourceKey(patient: $0.patient, source: $0.new.sample.source) }
        )
        var last = try lastNumbers("study_sample_set", "set_num", Set(new.map(\.patient)))
        var numbers: [SetKey: Int] = [:]
        var sets = TableRows(
            "study_sample_set",
            [
                "patient_num", "set_num", "type_num", "source_num", "utc_offset", "received", "upload_id",
            ]
        )
        var rows = TableRows(
            "study_sample",
            [
                "start_us": .bigint, "id": .bigint, "value": .double, "end_us": .bigint,
                "patient_num": .integer, "set_num": .integer,
            ]
        )
        rows.reserveCapacity(new.count)
        // Samples of a set follow each other, as a rule.
        var before: (patient: Int, new: BatchSample.New, set: Int)?
        for (patient, new) in new {
            let sample = new.sample
            var number = before.flatMap {
                $0.patient == patient && $0.new.sharesSet(with: new) ? $0.set : nil
            }
            if number == nil {
                let source = sources[SourceKey(patient: patient, source: sample.source)]
                guard let type = types[sample.kind], let source else {
                    throw WarehouseError.badInput("a sample has no number for its kind or source")
                }
                let key = SetKey(
                    patient: patient,
                    type: type,
                    source: source,
                    offset: sample.offset,
                    load: new.load
                )
                number = numbers[key]
                if number == nil {
                    let next = last[patient, default: 0] + 1
                    last[patient] = next
                    numbers[key] = next
                    number = next
                    sets.append([
                        patient, next, type, source, sample.offset, new.received.description,
                        loads[new.load].number,
                    ])
                }
            }
            guard let number else { continue }
            before = (patient, new, number)
            rows.append(values: [
                .integer(sample.start), .integer(sample.id), .double(sample.value),
                sample.end.map { .integer($0) } ?? .null, .integer(patient), .integer(number),
            ])
        }
        try warehouse.db.insert(sets)
        try warehouse.db.insert(rows)
    }

    // MARK: What many have in common

    private func typeNumbers(_ kinds: Set<StudySample.Kind>) throws -> [StudySample.Kind: Int] {
        var known = try warehouse.sampleKinds()
        // In one order, so that no two transactions wait for each other.
        let missing = kinds.subtracting(known.values).sorted()
        if !missing.isEmpty {
            var rows = TableRows("study_sample_type", ["concept", "concept_key", "unit"])
            for kind in missing { rows.append([kind.concept, kind.key, kind.unit]) }
            try warehouse.db.insertMissing(rows)
            known = try warehouse.sampleKinds()
        }
        return Dictionary(firstOf: known.map { ($0.value, $0.key) })
    }

    private static func digest(_ source: String) -> String {
        Hexadecimal.encode(SHA256.hash(data: Array(source.utf8)).prefix(16))
    }

    private func sourceNumbers(_ wanted: [SourceKey]) throws -> [SourceKey: Int] {
        var digests: [String: String] = [:]
        var keys: Set<SourceKey> = []
        var before: SourceKey?
        for key in wanted where key != before {
            before = key
            guard keys.insert(key).inserted, digests[key.source] == nil else { continue }
            digests[key.source] = Self.digest(key.source)
        }
        let db = warehouse.db
        let patients = Set(keys.map(\.patient))
        let rows = try db.rows(
            """
            SELECT s.patient_num, s.digest, s.source_num
            FROM study_sample_source s
            WHERE s.patient_num IN (SELECT a FROM (\(db.numbers(1))) AS k)
                AND s.digest IN (\(db.listed))
            """,
            [
                type(of: db).table(patients.map { [$0] }), type(of: db).list(Set(digests.values)),
            ]
        )
        var known: [Int: [String: Int]] = [:]
        for row in rows { known[row.integer(0) ?? 0, default: [:]][row.text(1) ?? ""] = row.integer(2) }
        var found: [SourceKey: Int] = [:]
        var missing: [(key: SourceKey, digest: String)] = []
        for key in keys {
            guard let digest = digests[key.source] else { continue }
            found[key] = known[key.patient]?[digest]
            if found[key] == nil { missing.append((key, digest)) }
        }
        guard !missing.isEmpty else { return found }
        var last = try lastNumbers("study_sample_source", "source_num", Set(missing.map(\.key.patient)))
        var new = TableRows("study_sample_source", ["patient_num", "source_num", "digest", "json"])
        for (key, digest) in missing.sorted(by: { $0.digest < $1.digest }) {
            let number = last[key.patient, default: 0] + 1
            last[key.patient] = number
            found[key] = number
            new.append([key.patient, number, digest, key.source])
        }
        try db.insert(new)
        return found
    }

    /// The highest numbers that participants, who are locked, have in a table of this program.
    private func lastNumbers(_ table: String, _ column: String, _ patients: Set<Int>) throws -> [Int: Int] {
        let db = warehouse.db
        let rows = try db.rows(
            """
            SELECT k.a, (SELECT max(\(column)) FROM \(table) WHERE patient_num = k.a)
            FROM (\(db.numbers(1))) AS k
            """,
            [type(of: db).table(patients.map { [$0] })]
        )
        return rows.reduce(into: [:]) { $0[$1.integer(0) ?? 0] = $1.integer(1) }
    }

    // MARK: Days

    /// Whether a day had samples before.
    private mutating func isVisit(_ day: BatchSample.Day) throws -> Bool {
        guard let pseudonym = try knownPseudonym(of: day.participant) else { return false }
        let key = BatchVisit.Key(SampleDay.visit(of: day.day), of: pseudonym)
        return try visit(key, of: day.participant) != nil
    }

    /// Makes the facts of days again.
    ///
    /// - Parameter new: The samples that were written; they are all samples of a day that was not a visit
    ///   before.
    private mutating func storeDays(
        _ days: [BatchSample.Day: BatchSample.Change],
        _ new: [(participant: String, new: BatchSample.New)]
    ) throws {
        try read(visits: days.keys.map { ($0.participant, SampleDay.visit(of: $0.day)) })
        var found: [BatchSample.Day: [SampleDay]] = [:]
        let others = try days.keys.filter { try isVisit($0) }
        let later = Set(others)
        var before: BatchSample.Day?
        var samples: [BatchSample.Day: [StudySample]] = [:]
        for (participant, new) in new {
            var day = BatchSample.Day(participant: participant, day: new.sample.day)
            // Samples of a day follow each other, as a rule: one text for all of them.
            if let before, before == day { day = before }
            before = day
            samples[day, default: []].append(new.sample)
        }
        for (day, samples) in samples where !later.contains(day) { found[day] = SampleDay.days(of: samples) }
        var participants: [Int: String] = [:]
        for day in others { number(of: day.participant).map { participants[$0] = day.participant } }
        let wanted = others.compactMap { day in number(of: day.participant).map { ($0, day.day) } }
        try warehouse.db.withIndexes {
            for (patient, day, kind) in try warehouse.sampleDays(wanted) {
                guard let participant = participants[patient] else { continue }
                found[BatchSample.Day(participant: participant, day: day), default: []].append(kind)
            }
        }
        for (day, change) in days.sorted(by: {
            ($0.key.participant, $0.key.day) < ($1.key.participant, $1.key.day)
        }) {
            try store(
                SampleDay.facts(of: day.day, found[day] ?? []),
                of: day.participant,
                message: change.message,
                written: change.received,
                received: change.received,
                isNewer: true,
                now: change.now
            )
        }
    }
}
