import FHIR
import Foundation
import GRDB
import WebServing

/// The database of a warehouse.
protocol WarehouseStore: Sendable {
    /// The study's code in the warehouse.
    var source: String { get }

    /// Does all of `body`, or nothing. Once committed, it is on the disk. `body` may be executed several
    /// times until it succeeds.
    func write<Value: Sendable>(_ body: @escaping @Sendable (any WarehouseSession) throws -> Value)
        async throws -> Value

    /// Reads one state.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any WarehouseSession) throws -> Value)
        async throws -> Value

    /// Overwrites what was deleted, where that can be done.
    func eraseRemains() async throws
}

/// A warehouse in a SQLite file.
struct SQLiteWarehouseStore: WarehouseStore {
    let source: String
    private let database: any DatabaseWriter

    init(_ file: URL?, source: String?) throws {
        do {
            database = try PrivateSQLite.open(file)
        } catch let error as PrivateSQLite.ProtectionError {
            throw WarehouseError.badInput("\(error.path) cannot be kept from others: \(error.reason)")
        }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: WarehouseSchema.i2b2)
            try db.execute(sql: WarehouseSchema.study)
            try WarehouseSchema.fill(SQLiteSession(db: db), source: source)
        }
        migrator.registerMigration("2") { db in
            try db.execute(
                sql: """
                    CREATE TABLE study_visit (number INTEGER NOT NULL);
                    INSERT INTO study_visit SELECT coalesce(max(encounter_num), 0) FROM encounter_mapping;
                    """
            )
        }
        migrator.registerMigration("3") { db in try db.execute(sql: WarehouseSchema.subjects) }
        migrator.registerMigration("4") { db in
            try db.execute(sql: WarehouseSchema.clients + ";" + WarehouseSchema.messageClients)
        }
        migrator.registerMigration("5") { db in try db.execute(sql: WarehouseSchema.published) }
        migrator.registerMigration("6") { db in
            try db.execute(sql: WarehouseSchema.units)
            try WarehouseSchema.keepUnits(SQLiteSession(db: db))
            try WarehouseSchema.describe(SQLiteSession(db: db))
        }
        migrator.registerMigration("7") { db in try db.execute(sql: WarehouseSchema.keptData) }
        migrator.registerMigration("8") { db in try db.execute(sql: WarehouseSchema.consentNumbers) }
        migrator.registerMigration("9") { db in
            try db.execute(sql: WarehouseSchema.sqliteSamples)
            try WarehouseSchema.describe(SQLiteSession(db: db))
        }
        migrator.registerMigration("10") { db in
            guard try db.indexes(on: "observation_fact").contains(where: { $0.name == "of_encounter" }) else {
                return
            }
            try db.execute(sql: WarehouseSchema.factsInNewOrder)
        }
        migrator.registerMigration("11") { db in try db.execute(sql: WarehouseSchema.clientsOfMessages) }
        // What is deleted is overwritten: not even free pages keep data of somebody who withdrew.
        try database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA secure_delete = ON") }
        try PrivateSQLite.migrate(database, by: migrator)
        // Messages that became longer have moved in the file, and what is left of them at the old position is
        // not overwritten.
        migrator.registerMigration("12") { _ in }
        if try database.read(migrator.appliedIdentifiers).contains("12") == false {
            try database.vacuum()
            try PrivateSQLite.migrate(database, by: migrator)
        }
        self.source = try database.read { try WarehouseSchema.source(of: SQLiteSession(db: $0), source) }
    }

    func write<Value: Sendable>(_ body: @escaping @Sendable (any WarehouseSession) throws -> Value)
        async throws -> Value
    {
        do {
            return try await database.write { db in try body(SQLiteSession(db: db)) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // The message names the rule, not the row.
            throw WarehouseError.badInput(
                "the database refuses a row: \(error.message ?? "a rule is broken")"
            )
        }
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any WarehouseSession) throws -> Value)
        async throws -> Value
    {
        try await database.read { db in try body(SQLiteSession(db: db)) }
    }

    /// Also removes it from the log beside the file, in which SQLite keeps old pages for a while.
    func eraseRemains() async throws {
        do {
            try await database.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw WarehouseError.badInput(
                """
                what was deleted is not overwritten yet, since somebody reads the warehouse; \
                do it again when that has ended
                """
            )
        }
    }
}

/// A warehouse in a database of PostgreSQL.
struct PostgreSQLWarehouseStore: WarehouseStore {
    let source: String
    private let database: PostgreSQLDatabase

    init(_ url: String, source: String?, makes: Bool) async throws {
        database = PostgreSQLDatabase(try PostgreSQLAddress(url))
        try await database.check()
        self.source = try await database.run(.transaction) { session in
            // Several processes may start at once.
            try session.lock("schema of the warehouse")
            let tables = try session.rows("SELECT 1 WHERE to_regclass('study_participant') IS NOT NULL", [])
            if tables.isEmpty {
                guard makes else {
                    throw WarehouseError.badInput(
                        "the database has no warehouse; indivo study consume makes one"
                    )
                }
                try session.command(WarehouseSchema.postgreSQL)
                try WarehouseSchema.fill(session, source: source)
            }
            // A reader does without what a later version added, and does not own other roles' tables.
            if makes {
                try Self.add("study_message_subject", WarehouseSchema.subjects, session)
                try Self.add("study_client", WarehouseSchema.clients + ";" + Self.pendingIndex, session)
                try Self.add("study_published", WarehouseSchema.published, session)
                if try Self.add("study_unit", WarehouseSchema.units + ";" + Self.addedIndexes, session) {
                    try WarehouseSchema.keepUnits(session)
                    try WarehouseSchema.describe(session)
                }
                if try !Self.has("erased", "study_earlier_withdrawal", session) {
                    try Self.change("study_withdrawal", WarehouseSchema.keptData, session)
                }
                if try !Self.has("number", "study_consent", session) {
                    try Self.change("study_consent", Self.consentNumbers, session)
                }
                if try Self.add("study_sample", WarehouseSchema.postgreSQLSamples, session) {
                    try WarehouseSchema.describe(session)
                }
                if try !Self.has("client", "study_message", session) {
                    try Self.change(
                        "study_message or study_message_client",
                        WarehouseSchema.clientsOfMessages,
                        session
                    )
                }
                if try !session.rows(Self.textResources, []).isEmpty {
                    try Self.change("study_resource", WarehouseSchema.resourceBytes, session)
                }
            }
            return try WarehouseSchema.source(of: session, source)
        }
        guard makes else { return }
        try await change(where: Self.narrow, by: WarehouseSchema.wideNumbers)
        try await change(where: Self.heavy, by: WarehouseSchema.lighterFacts)
    }

    /// Whether the numbers of an earlier version's tables have 32 bits.
    private static let narrow = """
        SELECT 1 FROM pg_attribute
        WHERE attrelid = to_regclass('observation_fact') AND attname = 'encounter_num'
            AND atttypid = 'integer'::regtype
        """

    /// Whether the facts have an earlier version's key.
    private static let heavy = """
        SELECT 1 FROM pg_constraint
        WHERE conrelid = to_regclass('observation_fact') AND conname = 'observation_fact_pk'
        """

    /// Whether the resources are an earlier version's texts.
    private static let textResources = """
        SELECT 1 FROM pg_attribute
        WHERE attrelid = to_regclass('study_resource') AND attname = 'json' AND atttypid = 'text'::regtype
        """

    /// Changes an earlier version's tables. If that is impossible, since a view uses their columns or another
    /// role owns them, they stay as they are. Then numbers may run out:
    /// ``WarehouseTransaction/usedNumbers()`` reports which part of them is used up.
    private func change(where isEarlier: String, by statements: String) async throws {
        guard try await database.run(.statement, { try !$0.rows(isEarlier, []).isEmpty }) else { return }
        do {
            try await database.run(.transaction) { session in
                try session.lock("schema of the warehouse")
                guard try !session.rows(isEarlier, []).isEmpty else { return }
                try session.command(statements)
            }
        } catch PostgreSQLError.refused {}
    }

    /// The indexes of i2b2 that an earlier version did not make.
    private static let addedIndexes = """
        CREATE INDEX IF NOT EXISTS of_start ON observation_fact (start_date, patient_num);
        \(WarehouseSchema.modifierIndex)
        """

    private static let pendingIndex = """
        CREATE INDEX IF NOT EXISTS message_pending ON study_message (received, id) WHERE state = 'pending';
        CREATE INDEX IF NOT EXISTS message_approved ON study_message (received, id) WHERE state = 'approved'
        """

    /// Makes the tables that an earlier version did not have.
    ///
    /// - Returns: Whether they were made.
    @discardableResult
    private static func add(_ table: String, _ statements: String, _ session: PostgreSQLSession) throws
        -> Bool
    {
        guard try session.rows("SELECT 1 WHERE to_regclass(?) IS NOT NULL", [table]).isEmpty else {
            return false
        }
        try change(table, statements, session)
        return true
    }

    private static func has(_ column: String, _ table: String, _ session: PostgreSQLSession) throws -> Bool {
        let sql = "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(?) AND attname = ?"
        return try !session.rows(sql, [table, column]).isEmpty
    }

    /// Rights on the table stay as they are.
    private static let consentNumbers = """
        ALTER TABLE study_consent ADD COLUMN number integer NOT NULL DEFAULT 0;
        ALTER TABLE study_consent DROP CONSTRAINT study_consent_pkey;
        ALTER TABLE study_consent ADD PRIMARY KEY (participant, message, number)
        """

    /// Changes the schema, or reports who may do it if this role may not.
    private static func change(_ table: String, _ statements: String, _ session: PostgreSQLSession) throws {
        do { try session.command(statements) } catch {
            // An object that depends on a column may prevent another type, a cast, or the table's removal.
            if case .refused(let state, _) = error, ["0A000", "2BP01", "42846"].contains(state) {
                throw WarehouseError.badInput(
                    "this version changes the table \(table), and a view, a rule or an index has its "
                        + "columns: remove that, start indivo study consume once, and make it again"
                )
            }
            guard case .refused(state: "42501", _) = error else { throw error }
            throw WarehouseError.badInput(
                "the role may not make or change the table \(table), as this version needs it; "
                    + "start indivo study consume once as the role that owns the tables, "
                    + "and grant this one all rights on the new tables"
            )
        }
    }

    func write<Value: Sendable>(_ body: @escaping @Sendable (any WarehouseSession) throws -> Value)
        async throws -> Value
    {
        do {
            return try await database.run(.transaction, body)
        } catch let error as PostgreSQLError where error.isValueFault {
            throw WarehouseError.badInput("the database refuses a row: \(error)")
        }
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any WarehouseSession) throws -> Value)
        async throws -> Value
    {
        try await database.run(.snapshot, body)
    }

    /// PostgreSQL overwrites nothing; its vacuum frees the space.
    func eraseRemains() async throws {}
}

extension WarehouseSchema {
    /// Writes what a new warehouse has.
    static func fill(_ session: any WarehouseSession, source: String?) throws {
        try session.execute(
            "INSERT INTO source_master (source_cd, description) VALUES (?, 'The study')",
            [source ?? "STUDY"]
        )
    }

    /// Writes the names that every warehouse has, some of which an earlier version may not have written:
    /// modifiers, schemes, codes, and the roots of the tree.
    static func describe(_ session: any WarehouseSession) throws {
        let source = try source(of: session)
        let now = WarehouseTime(FHIRDateTime(Date()))
        for modifier in FactModifier.all {
            try session.execute(
                """
                INSERT INTO modifier_dimension (
                    modifier_path, modifier_cd, name_char, update_date, sourcesystem_cd
                )
                VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
                [modifier.path, modifier.code, modifier.name, now.description, source]
            )
        }
        for (key, name, description) in Ontology.schemes {
            try session.execute(
                "INSERT INTO schemes VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [key, name, description]
            )
        }
        for (table, column, code, name) in Ontology.lookups {
            try session.execute(
                """
                INSERT INTO code_lookup (
                    table_cd, column_cd, code_cd, name_char, update_date, sourcesystem_cd
                )
                VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
                [table, column, code, name, now.description, source]
            )
        }
        let warehouse = WarehouseTransaction(
            db: session,
            source: source,
            concepts: SeenConcepts(KnownConcepts())
        )
        try warehouse.store(Ontology([]), now: now)
    }

    /// Stores the unit of each concept whose facts, written by an earlier version, all have the same unit:
    /// later numbers in another unit are converted to it, or get a concept of their own.
    static func keepUnits(_ session: any WarehouseSession) throws {
        let rows = try session.rows(
            """
            SELECT concept_cd, min(coalesce(units_cd, ''))
            FROM observation_fact
            WHERE modifier_cd = '@' AND valtype_cd = 'N'
            GROUP BY concept_cd
            HAVING count(DISTINCT coalesce(units_cd, '')) = 1
            """
        )
        for row in rows {
            // The unit of a known measurement is the table's.
            guard let code = row.text(0), let unit = row.text(1), KnownMeasurements[code]?.unit == nil else {
                continue
            }
            try session.execute(
                "INSERT INTO study_unit (code, unit, concept) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [code, unit, code]
            )
        }
    }

    /// The code of the study that the warehouse is of.
    ///
    /// - Parameter expected: What it must be; `nil` takes any.
    /// - Throws: ``WarehouseError``, when the warehouse is of another study.
    static func source(of session: any WarehouseSession, _ expected: String? = nil) throws -> String {
        let stored = try session.row("SELECT source_cd FROM source_master")?.text(0) ?? ""
        guard stored == expected ?? stored else {
            throw WarehouseError.badInput(
                "the warehouse is of the study \(stored), not of \(expected ?? ""); "
                    + "name \(stored) as the source, or none"
            )
        }
        return stored
    }
}
