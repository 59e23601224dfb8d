import FHIR
import OrderedJSON

/// A row of the table of samples.
struct StoredSample {
    let patient: Int
    let sample: StudySample
    /// The number of the source.
    let source: Int
    let received: WarehouseTime
}

extension WarehouseTransaction {
    /// What samples measure, by the numbers of their types.
    func sampleKinds() throws -> [Int: StudySample.Kind] {
        let sql = "SELECT type_num, concept, concept_key, unit FROM study_sample_type"
        return try db.rows(sql).reduce(into: [:]) { kinds, row in
            kinds[row.integer(0) ?? 0] = StudySample.Kind(
                concept: row.text(1) ?? "",
                key: row.text(2) ?? "",
                unit: row.text(3) ?? ""
            )
        }
    }

    /// Those of some samples that are visits.
    ///
    /// - Parameter keys: Numbers of participants, and ids.
    func sampleVisits(_ keys: [[Int]]) throws -> [(patient: Int, id: Int)] {
        guard !keys.isEmpty else { return [] }
        return try db.rows(
            """
            SELECT v.patient_num, v.id
            FROM (\(db.numbers(2))) AS k
            JOIN study_sample_visit v ON v.patient_num = k.a AND v.id = k.b
            """,
            [type(of: db).table(keys)]
        ).map { ($0.integer(0) ?? 0, $0.integer(1) ?? 0) }
    }

    /// Those of some participants who have samples that are visits.
    func patientsWithSampleVisits(_ patients: Set<Int>) throws -> Set<Int> {
        let rows = try db.rows(
            """
            SELECT k.a FROM (\(db.numbers(1))) AS k
            WHERE EXISTS (SELECT 1 FROM study_sample_visit v WHERE v.patient_num = k.a)
            """,
            [type(of: db).table(patients.map { [$0] })]
        )
        return Set(rows.compactMap { $0.integer(0) })
    }

    /// That a sample began between two times, given as numbers: of other months no table is looked at.
    private static let isWithin = "s.start_us >= ? AND s.start_us <= ?"

    private static func bounds(_ times: [Int]) -> SQLArguments {
        [times.min() ?? 0, times.max() ?? 0]
    }

    /// Those of some participants who have samples between two times, in microseconds.
    func patientsWithSamples(in windows: [[Int]]) throws -> Set<Int> {
        guard !windows.isEmpty else { return [] }
        let rows = try db.rows(
            """
            SELECT k.a FROM (\(db.numbers(3))) AS k
            WHERE EXISTS (
                SELECT 1 FROM study_sample s
                WHERE s.patient_num = k.a AND s.start_us >= k.b AND s.start_us <= k.c
                    AND \(Self.isWithin)
            )
            """,
            [type(of: db).table(windows)] + Self.bounds(windows.flatMap { [$0[1], $0[2]] })
        )
        return Set(rows.compactMap { $0.integer(0) })
    }

    private static let storedColumns = """
        s.patient_num, s.id, t.concept, t.concept_key, t.unit, s.start_us, s.end_us, s.value, c.utc_offset,
        o.json, c.received, c.source_num
        """
    private static let sampleJoins = """
        JOIN study_sample_set c ON c.patient_num = s.patient_num AND c.set_num = s.set_num
        JOIN study_sample_type t ON t.type_num = c.type_num
        JOIN study_sample_source o ON o.patient_num = c.patient_num AND o.source_num = c.source_num
        """

    private static func sample(_ row: SQLRow) -> StoredSample? {
        guard let patient = row.integer(0), let id = row.integer(1), let start = row.integer(5),
            let value = row.double(7), let offset = row.integer(8),
            let received = row.text(10).flatMap(WarehouseTime.init(stored:)), let source = row.integer(11)
        else { return nil }
        let sample = StudySample(
            id: id,
            kind: StudySample.Kind(
                concept: row.text(2) ?? "",
                key: row.text(3) ?? "",
                unit: row.text(4) ?? ""
            ),
            start: start,
            end: row.integer(6),
            value: value,
            offset: offset,
            source: row.text(9) ?? ""
        )
        return StoredSample(patient: patient, sample: sample, source: source, received: received)
    }

    /// Samples by their keys: numbers of participants, starts, and ids.
    func samples(at places: [[Int]]) throws -> [StoredSample] {
        guard !places.isEmpty else { return [] }
        let atPlace = "s.patient_num = k.a AND s.start_us = k.b AND s.id = k.c AND \(Self.isWithin)"
        return try db.rows(
            """
            SELECT \(Self.storedColumns)
            FROM (\(db.numbers(3))) AS k
            \(db.samples(where: atPlace))
            \(Self.sampleJoins)
            """,
            [type(of: db).table(places)] + Self.bounds(places.map { $0[1] })
        ).compactMap(Self.sample)
    }

    /// Samples of a participant with some ids, whenever they began.
    func samples(of patient: Int, ids: [Int]) throws -> [StoredSample] {
        try db.rows(
            """
            SELECT \(Self.storedColumns)
            FROM study_sample s
            \(Self.sampleJoins)
            WHERE s.patient_num = ? AND s.id IN (SELECT a FROM (\(db.numbers(1))) AS k)
            """,
            [patient, type(of: db).table(ids.map { [$0] })]
        ).compactMap(Self.sample)
    }

    /// Gives all samples, ordered by participant and start, one after the other.
    ///
    /// - Parameter body: Gets the pseudonym, too.
    public func eachSample(
        of audience: ExportAudience = .study,
        _ body: (StudySample, _ pseudonym: String) throws -> Void
    ) throws {
        guard try db.hasTable("study_sample") else { return }
        try eachStoredSample("1 = 1", [], audience) { try body($0.sample, $1) }
    }

    func eachStoredSample(
        _ condition: String,
        _ arguments: [Int],
        _ audience: ExportAudience,
        _ body: (StoredSample, _ pseudonym: String) throws -> Void
    ) throws {
        try db.eachRow(
            """
            SELECT \(Self.storedColumns), p.pseudonym
            FROM study_sample s
            \(Self.sampleJoins)
            JOIN study_participant p ON p.patient_num = s.patient_num
            WHERE \(condition) AND \(audience.condition("s"))
            ORDER BY s.patient_num, s.start_us, s.id
            """,
            arguments
        ) { row in
            guard let stored = Self.sample(row), let pseudonym = row.text("pseudonym") else {
                throw WarehouseError.badInput("a sample in the warehouse cannot be read")
            }
            try body(stored, pseudonym)
        }
    }

    func removeSamples(at places: [[Int]]) throws {
        guard !places.isEmpty else { return }
        try db.execute(
            """
            DELETE FROM study_sample AS s
            WHERE (patient_num, start_us, id) IN (SELECT a, b, c FROM (\(db.numbers(3))) AS k)
                AND \(Self.isWithin)
            """,
            [type(of: db).table(places)] + Self.bounds(places.map { $0[1] })
        )
    }

    /// The totals of the samples of days, by kind.
    func sampleDays(_ days: [(patient: Int, day: Int)]) throws -> [(patient: Int, day: Int, SampleDay)] {
        guard !days.isEmpty else { return [] }
        let kinds = try sampleKinds()
        // The days of all zones lie within 14 hours of that in UTC.
        let widest = 840 * StudySample.microsecondsOfMinute
        let keys = days.map { patient, day in
            let start = day * StudySample.microsecondsOfDay
            let end = start + StudySample.microsecondsOfDay
            return [patient, day, start - widest, end + widest, start, end]
        }
        let ofDay = "s.patient_num = k.a AND s.start_us >= k.c AND s.start_us < k.d AND \(Self.isWithin)"
        let minute = "CAST(\(StudySample.microsecondsOfMinute) AS bigint)"
        let rows = try db.rows(
            """
            SELECT patient_num, day, type_num, count(*), sum(value), min(value), max(value),
                max(CASE WHEN place = 1 THEN value END)
            FROM (
                SELECT s.patient_num, k.b AS day, c.type_num, s.value,
                    row_number() OVER (
                        PARTITION BY s.patient_num, k.b, c.type_num ORDER BY s.start_us DESC, s.id DESC
                    ) AS place
                FROM (\(db.numbers(6))) AS k
                \(db.samples(where: ofDay))
                JOIN study_sample_set c ON c.patient_num = s.patient_num AND c.set_num = s.set_num
                WHERE s.start_us + c.utc_offset * \(minute) >= k.e
                    AND s.start_us + c.utc_offset * \(minute) < k.f
            ) AS placed
            GROUP BY patient_num, day, type_num
            """,
            [type(of: db).table(keys)] + Self.bounds(keys.flatMap { [$0[2], $0[3]] })
        )
        return rows.compactMap { row in
            guard let patient = row.integer(0), let day = row.integer(1),
                let kind = row.integer(2).flatMap({ kinds[$0] }), let count = row.integer(3),
                let sum = row.double(4), let minimum = row.double(5), let maximum = row.double(6),
                let last = row.double(7)
            else { return nil }
            let found = SampleDay(
                kind: kind,
                count: count,
                sum: sum,
                minimum: minimum,
                maximum: maximum,
                last: last
            )
            return (patient, day, found)
        }
    }
}
