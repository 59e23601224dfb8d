import FHIR
import Foundation

/// Where the numbers of phones and watches are in a warehouse.
public enum SampleStorage: String, Sendable, Hashable, CaseIterable {
    /// Each is a visit with its facts, and its Observation.
    case facts
    /// Each is a row of `study_sample`, and the facts are the days.
    case table
}

extension Warehouse {
    /// Where the numbers of phones and watches are.
    public func sampleStorage() async throws -> SampleStorage { try await read { try $0.sampleStorage() } }

    /// Says where the numbers of phones and watches are from now on: for all who write into the warehouse.
    ///
    /// Samples that are facts already stay facts. Once the table has samples, there is no way back.
    ///
    /// - Throws: ``WarehouseError`` for facts where the table has samples.
    public func store(samplesAs storage: SampleStorage) async throws {
        guard try await sampleStorage() != storage else { return }
        try await transaction { try $0.store(samplesAs: storage) }
    }
}

extension WarehouseTransaction {
    /// The lock that writers share; a change of the setting takes it exclusively.
    static let storageLock = "samples"

    /// Where the numbers of phones and watches are.
    public func sampleStorage() throws -> SampleStorage {
        // A database that an earlier version made, and that has not been written since.
        guard try db.hasTable("study_setting") else { return .facts }
        let name = try db.row("SELECT value FROM study_setting WHERE name = 'samples'")?.text(0)
        return name.flatMap(SampleStorage.init(rawValue:)) ?? .facts
    }

    func store(samplesAs storage: SampleStorage) throws {
        try db.lock(Self.storageLock)
        if storage == .facts, try db.finds("SELECT 1 FROM study_sample LIMIT 1", []) {
            throw WarehouseError.badInput(
                "the warehouse has samples in their table, and stays so: leave the setting out, or say table"
            )
        }
        if storage == .table { try noteVisitsOfSamples() }
        try db.execute(
            """
            INSERT INTO study_setting (name, value) VALUES ('samples', ?)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """,
            [storage.rawValue]
        )
    }

    /// Notes which samples are visits: they stay visits when they are delivered again.
    private func noteVisitsOfSamples() throws {
        var last = Int.min
        while true {
            let rows = try db.rows(
                """
                SELECT e.encounter_num, e.encounter_ide, p.patient_num
                FROM encounter_mapping e
                JOIN study_participant p ON p.pseudonym = e.patient_ide
                WHERE e.encounter_num > ? AND e.encounter_ide_source = ?
                ORDER BY e.encounter_num LIMIT 5000
                """,
                [last, source]
            )
            var visits = TableRows("study_sample_visit", ["patient_num", "id"])
            for row in rows {
                last = row.integer(0) ?? last
                guard let id = StudySample.id(ofVisit: row.text(1) ?? "") else { continue }
                visits.append([row.integer(2), id])
            }
            try db.insertMissing(visits)
            guard !rows.isEmpty else { return }
        }
    }
}
