import Foundation
import StudyTesting
import Testing

@testable import StudyWarehouse

/// A warehouse as a project of an i2b2 on the same database.
@Suite struct AttachmentTests {
    /// A schema with the tables that i2b2's scripts make of its hive and of project management, as far as
    /// they are written: columns and keys of release 1.8.
    private func hive(_ schema: String) -> [String] {
        ["crc", "ont", "work"].map { cell in
            """
            CREATE TABLE \(schema).\(cell)_db_lookup (
                c_domain_id varchar(255) NOT NULL, c_project_path varchar(255) NOT NULL,
                c_owner_id varchar(255) NOT NULL, c_db_fullschema varchar(255) NOT NULL,
                c_db_datasource varchar(255) NOT NULL, c_db_servertype varchar(255) NOT NULL,
                c_db_nicename varchar(255), c_db_tooltip varchar(255), c_comment text,
                c_entry_date timestamp, c_change_date timestamp, c_status_cd char(1),
                PRIMARY KEY (c_domain_id, c_project_path, c_owner_id)
            )
            """
        } + [
            """
            CREATE TABLE \(schema).pm_project_data (
                project_id varchar(50) NOT NULL, project_name varchar(255), project_wiki varchar(255),
                project_key varchar(255), project_path varchar(255), project_description varchar(2000),
                change_date timestamp, entry_date timestamp, changeby_char varchar(50), status_cd varchar(50)
            )
            """,
            """
            CREATE TABLE \(schema).pm_project_user_roles (
                project_id varchar(50) NOT NULL, user_id varchar(50) NOT NULL,
                user_role_cd varchar(255) NOT NULL, change_date timestamp, entry_date timestamp,
                changeby_char varchar(50), status_cd varchar(50)
            )
            """,
        ]
    }

    private func project(_ schema: String) throws -> I2B2Project {
        try I2B2Project(
            "SLEEP",
            name: "People's sleep",
            users: ["demo"],
            hiveSchema: schema,
            managementSchema: schema
        )
    }

    @Test("the cells find the warehouse, however often it is attached")
    func attachedTwice() async throws {
        let warehouse = try await TestStore.postgreSQL.warehouse()
        let (schema, texts) = try await warehouse.transaction { db in
            let schema = try db.db.row("SELECT current_schema()")?.text(0) ?? ""
            for statement in hive(schema) { try db.db.execute(statement) }
            for _ in 1...2 { try db.attach(project(schema)) }
            let rows = try db.db.rows(
                """
                SELECT c_project_path, c_db_fullschema, c_db_nicename FROM crc_db_lookup
                UNION ALL SELECT c_project_path, c_db_fullschema, c_db_nicename FROM ont_db_lookup
                UNION ALL SELECT project_path, project_id, project_name FROM pm_project_data
                UNION ALL SELECT user_id, project_id, count(*)::text FROM pm_project_user_roles GROUP BY 1, 2
                UNION ALL SELECT 'states', '', count(*)::text FROM qt_query_status_type
                UNION ALL SELECT 'breakdowns', '', count(*)::text FROM qt_breakdown_path
                """
            )
            return (schema, rows.map { [$0.text(0), $0.text(1), $0.text(2)].map { $0 ?? "" } })
        }
        #expect(
            texts == [
                ["/SLEEP/", schema, "People's sleep"], ["SLEEP/", schema, "People's sleep"],
                ["/SLEEP", "SLEEP", "People's sleep"], ["demo", "SLEEP", "5"], ["states", "", "10"],
                ["breakdowns", "", "2"],
            ]
        )
    }

    @Test("a project of another warehouse stays that one's")
    func otherWarehouse() async throws {
        let warehouse = try await TestStore.postgreSQL.warehouse()
        try await warehouse.transaction { db in
            let schema = try db.db.row("SELECT current_schema()")?.text(0) ?? ""
            for statement in hive(schema) { try db.db.execute(statement) }
            try db.attach(project(schema))
            try db.db.execute("UPDATE crc_db_lookup SET c_db_fullschema = 'another'")
            #expect(throws: WarehouseError.self) { try db.attach(project(schema)) }
        }
    }

    @Test("the cells read neither identifiers of apps nor messages")
    func rights() throws {
        let project = try I2B2Project("SLEEP", name: "Sleep", users: ["demo"], role: "cells")
        let grants = project.statements(warehouseSchema: "study").filter { $0.hasPrefix("GRANT") }
        #expect(
            grants.contains { $0.contains("patient_ide") && $0.contains("ON study.encounter_mapping TO") }
        )
        for column in ["encounter_ide,", "encounter_ide)", "upload_label", "study.encounter_mapping,"] {
            #expect(!grants.contains { $0.contains(column) }, "\(column)")
        }
    }

    @Test("who withdraws is in no set of a query either")
    func patientSets() async throws {
        let warehouse = try await TestStore.postgreSQL.warehouse()
        let left = try await warehouse.transaction { db in
            let schema = try db.db.row("SELECT current_schema()")?.text(0) ?? ""
            for statement in hive(schema) { try db.db.execute(statement) }
            try db.attach(project(schema))
            for name in ["goes", "stays"] {
                let person = try db.participant(name, now: Samples.now)
                try db.db.execute(
                    "INSERT INTO qt_patient_set_collection (patient_num) VALUES (?)",
                    [person.number]
                )
                try db.db.execute(
                    "INSERT INTO qt_patient_enc_collection (patient_num) VALUES (?)",
                    [person.number]
                )
            }
            try db.withdraw("goes", now: Samples.now)
            let staying = try db.participant("stays", now: Samples.now).number
            let rows = try db.db.rows(
                """
                SELECT patient_num FROM qt_patient_set_collection
                UNION ALL SELECT patient_num FROM qt_patient_enc_collection
                """
            )
            return rows.map { $0.integer(0) == staying }
        }
        #expect(left == [true, true])
    }

    @Test("nothing is written without the tables of i2b2")
    func withoutTables() async throws {
        let warehouse = try await TestStore.postgreSQL.warehouse()
        await #expect(throws: WarehouseError.self) {
            try await warehouse.transaction { try $0.attach(project("no_such_schema")) }
        }
        #expect(try await warehouse.read { try !$0.db.hasTable("qt_query_master") })
        let file = try Warehouse(nil)
        await #expect(throws: WarehouseError.self) {
            try await file.transaction { try $0.attach(project("public")) }
        }
    }

    @Test(
        "names that could be SQL are refused",
        arguments: [
            ("a'b", "demo", "hive"), ("SLEEP", "de mo", "hive"), ("SLEEP", "demo", "hive; DROP TABLE x"),
            ("", "demo", "hive"), ("SLEEP", "demo", "Hive"),
        ]
    )
    func names(id: String, user: String, schema: String) {
        #expect(throws: WarehouseError.self) {
            try I2B2Project(id, name: "x", users: [user], hiveSchema: schema)
        }
    }
}
