import FHIR
import Foundation
import OrderedJSON
import StudyTesting
import Testing

@testable import StudyServer
@testable import StudyWarehouse

/// What an earlier version left, on PostgreSQL.
@Suite struct PostgreSQLUpgradeTests {
    private func url() async throws -> String {
        guard let url = try await TestDatabase.emptySchema() else { try Test.cancel("\(TestDatabase.hint)") }
        return url
    }

    @Test("a reader makes no tables")
    func readers() async throws {
        let url = try await url()
        let database = PostgreSQLDatabase(try PostgreSQLAddress(url))
        _ = try await Warehouse(postgreSQL: url)
        try await database.run(.statement) { try $0.command("DROP TABLE study_message_subject") }
        func isThere() async throws -> Bool {
            let sql = "SELECT 1 WHERE to_regclass('study_message_subject') IS NOT NULL"
            return try await !database.run(.statement) { try $0.rows(sql, []) }.isEmpty
        }
        let reader = try await Warehouse(postgreSQL: url, makes: false)
        #expect(try await reader.read { try $0.failedMessages() }.isEmpty)
        #expect(try await !isThere())
        _ = try await Warehouse(postgreSQL: url)
        #expect(try await isThere())
    }

    @Test("the apps of a file are copied into the queue's database")
    func copiedApps() async throws {
        let url = try await url()
        let folder = try Folder()
        let file = folder.file("clients.sqlite")
        let before = try await ClientRegistry(.file(file), queue: SQLiteMessageQueue(nil)) { 1000 }
        let app = try await before.register()
        let token = try await before.issueToken(to: app.id, lifetime: 60)
        for person in 1...5 { try await before.count(participant: "p\(person)", state: "MA") }
        // Again and again, also when the database knows more.
        for _ in 1...2 {
            let after = try await ClientRegistry(.file(file), queue: PostgreSQLMessageQueue(url)) { 1000 }
            #expect(try await after.isClient(app.id, secret: app.secret))
            #expect(try await after.client(ofToken: token) == app.id)
            #expect(try await after.states()["MA"] ?? 0 == 5)
            _ = try await after.register()
        }
        let beside = try await ClientRegistry(.besideQueue, queue: PostgreSQLMessageQueue(url)) { 1000 }
        #expect(try await beside.client(ofToken: token) == app.id)
        let nothing = folder.file("none.sqlite")
        let queue = try await PostgreSQLMessageQueue(url)
        await #expect(throws: (any Error).self) {
            try await ClientRegistry(.file(nothing), queue: queue) { 1000 }
        }
        #expect(!FileManager.default.fileExists(atPath: nothing.path))
    }

    @Test("withdrawals of an earlier version have erased what there was")
    func earlierWithdrawals() async throws {
        let url = try await url()
        let database = PostgreSQLDatabase(try PostgreSQLAddress(url))
        _ = try await Warehouse(postgreSQL: url)
        try await database.run(.statement) { session in
            try session.command(
                """
                ALTER TABLE study_withdrawal DROP COLUMN erased;
                ALTER TABLE study_earlier_withdrawal DROP COLUMN erased;
                INSERT INTO study_withdrawal VALUES ('one', '2026-03-01 00:00:00', 1, 1)
                """
            )
        }
        for _ in 1...2 {
            let warehouse = try await Warehouse(postgreSQL: url)
            try await warehouse.transaction { db in
                #expect(try db.hasWithdrawn("one"))
                var batch = try WarehouseBatch(db, messages: [], participants: ["one"])
                #expect(try !batch.hasStopped("one"))
            }
        }
    }

    @Test("consents of an earlier version stay, and one message has several then")
    func earlierConsents() async throws {
        let url = try await url()
        let database = PostgreSQLDatabase(try PostgreSQLAddress(url))
        _ = try await Warehouse(postgreSQL: url)
        try await database.run(.statement) { session in
            try session.command(
                """
                ALTER TABLE study_consent DROP COLUMN number;
                ALTER TABLE study_consent ADD CONSTRAINT study_consent_pkey PRIMARY KEY (participant, message);
                INSERT INTO study_consent VALUES ('one', 'm', '2026-03-01 00:00:00', '1', 1)
                """
            )
        }
        for _ in 1...2 { try await Self.hasEarlierConsent(try await Warehouse(postgreSQL: url)) }
    }

    @Test("consents in an earlier version's file stay, and one message has several then")
    func earlierConsentsInFile() async throws {
        let folder = try Folder()
        try await Warehouse(folder.file("s.sqlite")).transaction { db in
            for sql in [
                "DROP TABLE study_consent",
                """
                CREATE TABLE study_consent (
                    participant TEXT NOT NULL, message TEXT NOT NULL, signed TEXT NOT NULL, version TEXT,
                    shares INTEGER, PRIMARY KEY (participant, message)
                )
                """,
                "INSERT INTO study_consent VALUES ('one', 'm', '2026-03-01 00:00:00', '1', 1)",
                "DELETE FROM grdb_migrations WHERE identifier = '8'",
            ] { _ = try db.db.execute(sql) }
        }
        for _ in 1...2 { try await Self.hasEarlierConsent(try Warehouse(folder.file("s.sqlite"))) }
    }

    private static func hasEarlierConsent(_ warehouse: Warehouse) async throws {
        try await warehouse.transaction { db in
            var batch = try WarehouseBatch(db, messages: [], participants: ["one"])
            let signed = WarehouseTime(FHIRDateTime("2026-03-01T00:00:00Z"))
            #expect(try batch.hasConsent("one", signed: signed, version: "1", shares: true))
            for version in ["2", "3"] {
                try batch.keepConsent(of: "one", message: "n", signed: signed, version: version, shares: nil)
            }
            try batch.write()
            #expect(try db.db.number("SELECT count(*) FROM study_consent") == 3)
        }
    }

    /// The key and the indexes of facts as an earlier version made them, with a fact.
    private static func makeEarlierFacts(_ warehouse: Warehouse, _ statements: [String]) async throws {
        try await warehouse.transaction { db in
            let now = WarehouseTime("2026-03-01T10:00:00Z" as FHIRDateTime)
            let person = try db.participant("digest", now: now)
            var set = FactSet(StudyVisit(id: "v", start: now))
            set.facts = [Fact("X:1", start: now)]
            try db.store([set], of: person, label: "l", written: now, now: now)
            for sql in statements { _ = try db.db.execute(sql) }
        }
    }

    private static func hasEarlierFact(_ warehouse: Warehouse) async throws {
        let count = try await warehouse.read { db in
            try db.db.number("SELECT count(*) FROM observation_fact")
        }
        #expect(count == 1)
        await #expect(throws: (any Error).self) {
            try await warehouse.transaction { db in
                _ = try db.db.execute(
                    """
                    INSERT INTO observation_fact (
                        encounter_num, patient_num, concept_cd, provider_id, start_date, instance_num
                    )
                    SELECT encounter_num, patient_num, concept_cd, provider_id, start_date, instance_num
                    FROM observation_fact
                    """
                )
            }
        }
    }

    private static let earlierKey =
        "patient_num, concept_cd, modifier_cd, start_date, encounter_num, instance_num, provider_id"

    @Test("facts of an earlier version get a key that begins with the visit")
    func earlierFacts() async throws {
        let url = try await url()
        let database = PostgreSQLDatabase(try PostgreSQLAddress(url))
        try await Self.makeEarlierFacts(
            try await Warehouse(postgreSQL: url),
            [
                "DROP INDEX observation_fact_pk",
                "ALTER TABLE observation_fact ADD CONSTRAINT observation_fact_pk PRIMARY KEY (\(Self.earlierKey))",
                "DROP INDEX of_patient, of_upload, of_text_search, of_modifier",
                "CREATE INDEX of_modifier ON observation_fact (modifier_cd)",
                "CREATE INDEX of_encounter ON observation_fact (encounter_num, patient_num, instance_num)",
                "CREATE INDEX of_upload ON observation_fact (upload_id)",
                "CREATE UNIQUE INDEX of_text_search ON observation_fact (text_search_index)",
            ]
        )
        func indexes() async throws -> [String] {
            let sql = """
                SELECT regexp_replace(regexp_replace(indexdef, '.* USING ', ''), 'hash.*', 'hash') FROM pg_indexes
                WHERE schemaname = current_schema() AND tablename = 'observation_fact' ORDER BY 1
                """
            return try await database.run(.statement) { try $0.rows(sql, []).compactMap { $0.text(0) } }
        }
        let heavy = try await indexes()
        #expect(heavy.contains("btree (upload_id)"))
        _ = try await Warehouse(postgreSQL: url, makes: false)
        #expect(try await indexes() == heavy)
        for _ in 1...2 { try await Self.hasEarlierFact(try await Warehouse(postgreSQL: url)) }
        #expect(
            try await indexes() == [
                "brin (text_search_index)", "brin (upload_id)", "btree (concept_cd)",
                "btree (encounter_num, patient_num, hash",
                "btree (modifier_cd) WHERE ((modifier_cd)::text <> '@'::text)",
                "btree (patient_num)", "btree (start_date, patient_num)",
            ]
        )
    }

    @Test("facts in an earlier version's file get a key that begins with the visit")
    func earlierFactsInFile() async throws {
        let folder = try Folder()
        let file = folder.file("s.sqlite")
        let table = WarehouseSchema.i2b2.split(separator: ";").first.map(String.init) ?? ""
        #expect(table.contains(WarehouseSchema.factKey))
        try await Self.makeEarlierFacts(
            try Warehouse(file),
            [
                "ALTER TABLE observation_fact RENAME TO f", "DROP INDEX of_patient", "DROP INDEX of_concept",
                table.replacing(WarehouseSchema.factKey, with: Self.earlierKey),
                "INSERT INTO observation_fact SELECT * FROM f", "DROP TABLE f",
                "CREATE INDEX of_concept ON observation_fact (concept_cd)",
                "CREATE INDEX of_encounter ON observation_fact (encounter_num, patient_num, instance_num)",
                "DELETE FROM grdb_migrations WHERE identifier = '10'",
            ]
        )
        for _ in 1...2 {
            let warehouse = try Warehouse(file)
            try await Self.hasEarlierFact(warehouse)
            let names = try await warehouse.read { db in
                try db.db.rows(
                    """
                    SELECT name FROM sqlite_master
                    WHERE type = 'index' AND tbl_name = 'observation_fact' ORDER BY name
                    """
                ).compactMap { $0.text(0) }
            }
            #expect(names == ["of_concept", "of_patient", "sqlite_autoindex_observation_fact_1"])
        }
    }

    /// A message and a resource.
    private static func store(_ warehouse: Warehouse, client: String, json: String) async throws {
        try await warehouse.transaction { db in
            let now = WarehouseTime("2026-03-01T10:00:00Z" as FHIRDateTime)
            var batch = try WarehouseBatch(db, messages: [client], participants: ["digest"])
            _ = try batch.pseudonym(of: "digest", now: now)
            let body = Data("{}".utf8)
            batch.keep(
                StoredMessage(
                    id: client,
                    kind: "k",
                    body: body,
                    received: "r",
                    state: .loaded,
                    client: client
                )
            )
            try batch.store(
                FactSet(StudyVisit(id: "visit of \(client)", start: now)),
                (try JSONValue(parsing: json), "Observation"),
                of: "digest",
                message: client,
                written: now,
                received: now,
                now: now
            )
            try batch.write()
        }
    }

    private static func resources(_ warehouse: Warehouse) async throws -> [String] {
        try await warehouse.read { db in
            var found: [String] = []
            try db.eachResource("Observation") { found.append($0) }
            return found
        }
    }

    private static let earlierTables = [
        "ALTER TABLE study_message DROP COLUMN client",
        "CREATE TABLE study_message_client (message text PRIMARY KEY, client text NOT NULL)",
        "INSERT INTO study_message_client VALUES ('app 1', 'app 1')",
    ]
    private static let json = #"{"resourceType":"Observation","status":"final"}"#

    @Test("an earlier version's messages keep their apps, and its resources stay")
    func earlierMessages() async throws {
        let url = try await url()
        let database = PostgreSQLDatabase(try PostgreSQLAddress(url))
        try await Self.store(try await Warehouse(postgreSQL: url), client: "app 1", json: Self.json)
        let statements =
            Self.earlierTables + [
                "ALTER TABLE study_resource DROP CONSTRAINT resource_is_packed",
                "ALTER TABLE study_resource ALTER json TYPE text USING '\(Self.json)'",
                "CREATE VIEW apps AS SELECT client FROM study_message_client",
            ]
        try await database.run(.statement) { try $0.command(statements.joined(separator: ";")) }
        let reader = try await Warehouse(postgreSQL: url, makes: false)
        #expect(try await Self.resources(reader) == [Self.json])
        #expect(try await reader.read { try $0.message("app 1")?.id } == "app 1")
        // PostgreSQL takes away no table and changes no column that a view has.
        await #expect { _ = try await Warehouse(postgreSQL: url) } throws: { error in
            "\(error)".contains("or study_message_client, and a view")
        }
        try await database.run(.statement) { try $0.command("DROP VIEW apps") }
        try await database.run(.statement) {
            try $0.command("CREATE VIEW shown AS SELECT json FROM study_resource")
        }
        await #expect { _ = try await Warehouse(postgreSQL: url) } throws: { error in
            "\(error)".contains("table study_resource, and a view")
        }
        try await database.run(.statement) { try $0.command("DROP VIEW shown") }
        for _ in 1...2 {
            let warehouse = try await Warehouse(postgreSQL: url)
            #expect(try await warehouse.read { try $0.message("app 1")?.client } == "app 1")
            #expect(try await Self.resources(warehouse) == [Self.json])
        }
        let warehouse = try await Warehouse(postgreSQL: url)
        try await Self.store(warehouse, client: "app 2", json: Self.json)
        #expect(try await warehouse.read { try $0.message("app 2")?.client } == "app 2")
        #expect(try await Self.resources(warehouse) == [Self.json, Self.json])
        // An earlier version's consumer that still runs writes text, which would be read as escaped bytes.
        await #expect(throws: PostgreSQLError.self) {
            try await database.run(.statement) { session in
                let insert = """
                    INSERT INTO study_resource
                    SELECT patient_num, type, 'late', ?, updated FROM study_resource
                    """
                _ = try session.run(insert, [Self.json])
            }
        }
    }

    @Test("of messages in an earlier version's file nothing is left where they were before")
    func earlierPlaces() async throws {
        let folder = try Folder()
        let file = folder.file("s.sqlite")
        let bodies = (0..<4_000).map {
            "envelope \($0) " + UUID().uuidString + String(repeating: "x", count: 500)
        }
        try await Warehouse(file).transaction { db in
            for sql in Self.earlierTables.dropLast() + [
                "DELETE FROM grdb_migrations WHERE identifier IN ('11', '12')"
            ] { _ = try db.db.execute(sql) }
            for (number, body) in bodies.enumerated() {
                _ = try db.db.execute(
                    """
                    INSERT INTO study_message (id, kind, body, received, state)
                    VALUES (?, 'k', ?, 'r', 's')
                    """,
                    ["\(number)", Data(body.utf8)]
                )
                _ = try db.db.execute(
                    "INSERT INTO study_message_client VALUES (?, ?)",
                    ["\(number)", String(repeating: "c", count: 64)]
                )
            }
        }
        let warehouse = try Warehouse(file)
        #expect(try await warehouse.read { try $0.message("7")?.client } == String(repeating: "c", count: 64))
        try await warehouse.eraseRemains()
        let content = try Data(contentsOf: file)
        var places = 0
        var rest = content[...]
        while let range = rest.range(of: Data("envelope ".utf8)) {
            places += 1
            rest = rest[range.upperBound...]
        }
        #expect(places == bodies.count)
    }

    @Test("messages in an earlier version's file keep their apps, and its resources stay")
    func earlierMessagesInFile() async throws {
        let folder = try Folder()
        let file = folder.file("s.sqlite")
        let before = try Warehouse(file)
        try await Self.store(before, client: "app 1", json: Self.json)
        try await before.transaction { db in
            let statements =
                Self.earlierTables
                + [
                    "UPDATE study_resource SET json = '\(Self.json)'",
                    "DELETE FROM grdb_migrations WHERE identifier IN ('11', '12')",
                ]
            for sql in statements { _ = try db.db.execute(sql) }
        }
        for _ in 1...2 {
            let warehouse = try Warehouse(file)
            #expect(try await warehouse.read { try $0.message("app 1")?.client } == "app 1")
            #expect(try await Self.resources(warehouse) == [Self.json])
        }
        let warehouse = try Warehouse(file)
        try await Self.store(warehouse, client: "app 2", json: Self.json)
        #expect(try await warehouse.read { try $0.message("app 2")?.client } == "app 2")
        #expect(try await Self.resources(warehouse) == [Self.json, Self.json])
    }

    @Test("numbers of 32 bits get 64, and how much of them is used is said")
    func wideNumbers() async throws {
        let url = try await url()
        let database = PostgreSQLDatabase(try PostgreSQLAddress(url))
        _ = try await Warehouse(postgreSQL: url)
        // As an earlier version made them.
        try await database.run(.statement) { session in
            try session.command(
                """
                ALTER TABLE observation_fact
                    ALTER encounter_num TYPE integer, ALTER text_search_index TYPE integer;
                ALTER TABLE visit_dimension ALTER encounter_num TYPE integer;
                ALTER TABLE encounter_mapping ALTER encounter_num TYPE integer;
                ALTER SEQUENCE study_visit AS integer;
                ALTER SEQUENCE observation_fact_text_search_index_seq AS integer;
                SELECT setval('study_visit', 2000000000)
                """
            )
        }
        let reader = try await Warehouse(postgreSQL: url, makes: false)
        let narrow = try await reader.read { try $0.usedNumbers() }
        #expect(narrow["visit"] ?? 0 > 0.9 && narrow["fact"] == 0)
        let warehouse = try await Warehouse(postgreSQL: url)
        #expect(try await warehouse.read { try $0.usedNumbers()["visit"] } ?? 1 < 0.001)
        try await database.run(.statement) { try $0.command("SELECT setval('study_visit', 5000000000)") }
        let number = try await warehouse.transaction { db in
            let now = WarehouseTime("2026-03-01T10:00:00Z" as FHIRDateTime)
            let person = try db.participant("digest", now: now)
            var set = FactSet(StudyVisit(id: "v", start: now))
            set.facts = [Fact("X:1", start: now)]
            try db.store([set], of: person, label: "m", written: now, now: now)
            return try db.db.number("SELECT encounter_num FROM observation_fact")
        }
        #expect(number == 5_000_000_001)
    }
}
