extension WarehouseTransaction {
    /// The tables whose rows a backup counts.
    private static let countedTables = [
        "study_participant", "study_consent", "study_withdrawal", "study_message", "study_resource",
        "observation_fact", "visit_dimension", "concept_dimension", "study_sample",
    ]

    /// How many rows the tables have that a study cannot do without, by their names.
    public func tableCounts() throws -> [(table: String, rows: Int)] {
        // An earlier version may not have made all of them.
        try Self.countedTables.filter { try db.hasTable($0) }.map {
            ($0, try db.number("SELECT count(*) FROM \($0)"))
        }
    }

    /// Whether participants, messages or facts are in it.
    public func isEmpty() throws -> Bool {
        try tableCounts().allSatisfy { $0.table == "concept_dimension" || $0.rows == 0 }
    }

    /// A name by which `pg_dump` sees what this transaction sees, while it lasts. Of PostgreSQL alone.
    package func exportedSnapshot() throws -> String {
        try db.row("SELECT pg_export_snapshot()")?.text(0) ?? ""
    }

    /// The schema in which the tables are. Of PostgreSQL alone.
    package func currentSchema() throws -> String {
        try db.row("SELECT current_schema()::text")?.text(0) ?? "public"
    }

    /// Gives the envelopes that are kept, encrypted, one after the other.
    ///
    /// - Parameter body: Gets the message's state and bytes.
    public func eachKeptEnvelope(_ body: (_ state: String, _ bytes: [UInt8]) throws -> Void) throws {
        try db.eachRow(
            "SELECT state, body FROM study_message WHERE kind = 'envelope' AND body IS NOT NULL",
            []
        ) { row in
            try body(row.text(0) ?? "", row.bytes("body").map { [UInt8](StoredBody.content($0)) } ?? [])
        }
    }
}
