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

    /// A source of a participant, by its digest.
    private struct SourceKey: Hashable {
        let patient: Int
        let digest: String
    }

    private func number(of participant: String) -> Int? { people[participant]?.number }

    /// Writes rows, and stores the facts of the days that they change.
    mutating func writeSamples() throws {
        let changes = sampleChanges
        sampleChanges = BatchSample()
        guard !changes.days.isEmpty || !changes.visits.keys.isEmpty else { return }
        let db = warehouse.db
        var visits = TableRows("study_sample_visit", ["patient_num", "id"])
        for key in changes.visits.keys { visits.append([number(of: key.participant), key.id]) }
        try db.insertMissing(visits)
        let removed = changes.removed.compactMap { place in
            number(of: place.participant).map { [$0, place.start, place.id] }
        }
        let new = changes.newKeys.keys.compactMap { key in
            changes.new[key].flatMap { new in number(of: key.participant).map { ($0, new) } }
        }
        try db.withIndexes { try warehouse.removeSamples(at: removed) }
        try writeRows(new)
        try storeDays(changes.days)
    }

    private func writeRows(_ new: [(patient: Int, new: BatchSample.New)]) throws {
        guard !new.isEmpty else { return }
        let types = try typeNumbers(Set(new.map(\.new.sample.kind)))
        let sources = try sourceNumbers(new.map { ($0.patient, $0.new.sample.source) })
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
            ["start_us", "id", "value", "end_us", "patient_num", "set_num"]
        )
        for (patient, new) in new {
            let sample = new.sample
            let source = sources[SourceKey(patient: patient, digest: Self.digest(sample.source))]
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
            let number = numbers[key] ?? last[patient, default: 0] + 1
            if numbers.updateValue(number, forKey: key) == nil {
                last[patient] = number
                sets.append([
                    patient, number, type, source, sample.offset, new.received.description,
                    loads[new.load].number,
                ])
            }
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
        return Dictionary(known.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    }

    private static func digest(_ source: String) -> String {
        Hexadecimal.encode(SHA256.hash(data: Array(source.utf8)).prefix(16))
    }

    private func sourceNumbers(_ wanted: [(patient: Int, source: String)]) throws -> [SourceKey: Int] {
        var texts: [SourceKey: String] = [:]
        var digests: [String: String] = [:]
        for (patient, source) in wanted {
            let digest = digests[source] ?? Self.digest(source)
            digests[source] = digest
            texts[SourceKey(patient: patient, digest: digest)] = source
        }
        let db = warehouse.db
        let patients = Set(wanted.map(\.patient))
        let rows = try db.rows(
            sql: """
                SELECT s.patient_num, s.digest, s.source_num
                FROM study_sample_source s
                WHERE s.patient_num IN (SELECT a FROM (\(db.numbers(1))) AS k)
                    AND s.digest IN (\(db.listed))
                """,
            arguments: [
                type(of: db).table(patients.map { [$0] }), type(of: db).list(Set(digests.values)),
            ]
        )
        var found: [SourceKey: Int] = [:]
        for row in rows {
            let key = SourceKey(patient: row.integer(0) ?? 0, digest: row.text(1) ?? "")
            found[key] = row.integer(2)
        }
        let missing = texts.filter { found[$0.key] == nil }
        guard !missing.isEmpty else { return found }
        var last = try lastNumbers("study_sample_source", "source_num", Set(missing.map(\.key.patient)))
        var new = TableRows("study_sample_source", ["patient_num", "source_num", "digest", "json"])
        for (key, source) in missing.sorted(by: { $0.key.digest < $1.key.digest }) {
            let number = last[key.patient, default: 0] + 1
            last[key.patient] = number
            found[key] = number
            new.append([key.patient, number, key.digest, source])
        }
        try db.insert(new)
        return found
    }

    /// The highest numbers that participants, who are locked, have in a table of this program.
    private func lastNumbers(_ table: String, _ column: String, _ patients: Set<Int>) throws -> [Int: Int] {
        let db = warehouse.db
        let rows = try db.rows(
            sql: """
                SELECT k.a, (SELECT max(\(column)) FROM \(table) WHERE patient_num = k.a)
                FROM (\(db.numbers(1))) AS k
                """,
            arguments: [type(of: db).table(patients.map { [$0] })]
        )
        return rows.reduce(into: [:]) { $0[$1.integer(0) ?? 0] = $1.integer(1) }
    }

    // MARK: Days

    /// Makes the facts of days anew.
    private mutating func storeDays(_ days: [BatchSample.Day: BatchSample.Change]) throws {
        try read(visits: days.keys.map { ($0.participant, SampleDay.visit(of: $0.day)) })
        var participants: [Int: String] = [:]
        for day in days.keys { number(of: day.participant).map { participants[$0] = day.participant } }
        let wanted = days.keys.compactMap { day in number(of: day.participant).map { ($0, day.day) } }
        var found: [BatchSample.Day: [SampleDay]] = [:]
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
