/// A project of i2b2 (release 1.8) that shows a study's warehouse. The warehouse and i2b2's own tables are in
/// one database of PostgreSQL.
///
/// ```swift
/// let project = try I2B2Project("SLEEP", name: "Sleep study", users: ["demo"])
/// try await warehouse.transaction { try $0.attach(project) }
/// ```
/// i2b2's cells find the warehouse by rows of their own tables, which its scripts have made: the look-ups of
/// the hive, and the projects and roles of project management. The CRC cell keeps its queries in tables
/// (`qt_…`) beside the facts.
public struct I2B2Project: Sendable, Hashable {
    /// The project's id, as in `SLEEP`.
    public let id: String
    /// What people read.
    public let name: String
    /// The ids of users of i2b2 who may query it: they see counts that are not obfuscated, and sets of
    /// participants.
    public let users: [String]
    /// The domain, as the hive's configuration names it.
    public var domain = "i2b2demo"
    /// The schema of the hive's tables (`crc_db_lookup`, `ont_db_lookup`, `work_db_lookup`).
    public private(set) var hiveSchema = "i2b2hive"
    /// The schema of project management's tables (`pm_project_data`).
    public private(set) var managementSchema = "i2b2pm"
    /// The schema of the workplace's tables.
    public private(set) var workplaceSchema = "i2b2workdata"
    /// The role by which i2b2's cells connect. It gets rights on i2b2's tables of the warehouse, and none on
    /// the study's own; `nil` where it is the warehouse's.
    public private(set) var role: String?
    /// The data source of the CRC cell in the application server; it connects to the warehouse's database.
    public var queryDataSource = "java:/QueryToolDemoDS"
    /// That of the ontology cell.
    public var ontologyDataSource = "java:/OntologyDemoDS"
    /// That of the workplace cell.
    public var workplaceDataSource = "java:/WorkplaceDemoDS"

    /// A project.
    ///
    /// - Throws: ``WarehouseError`` for an id, a user or a schema that i2b2 or PostgreSQL does not take.
    public init(
        _ id: String,
        name: String,
        users: [String],
        hiveSchema: String = "i2b2hive",
        managementSchema: String = "i2b2pm",
        workplaceSchema: String = "i2b2workdata",
        role: String? = nil
    ) throws(WarehouseError) {
        for text in [id] + users {
            guard (1...50).contains(text.utf8.count), text.utf8.allSatisfy(Self.isInID) else {
                throw .badInput(
                    "ids of projects and users have 1 to 50 letters, digits, ‘.’, ‘_’, ‘-’ and ‘@’, "
                        + "not \(text.debugDescription)"
                )
            }
        }
        for name in [hiveSchema, managementSchema, workplaceSchema] + [role].compactMap({ $0 }) {
            guard (1...63).contains(name.utf8.count), name.utf8.allSatisfy(Self.isInName) else {
                throw .badInput(
                    "\(name.debugDescription) is no name of a schema or role: a to z, digits, ‘_’"
                )
            }
        }
        self.id = id
        self.name = name
        self.users = users
        self.hiveSchema = hiveSchema
        self.managementSchema = managementSchema
        self.workplaceSchema = workplaceSchema
        self.role = role
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x30...0x39, 0x5F: true
        default: false
        }
    }

    private static func isInID(_ byte: UInt8) -> Bool {
        isInName(byte) || (0x41...0x5A).contains(byte) || [0x2D, 0x2E, 0x40].contains(byte)
    }

    /// The tables of i2b2's own cells that have to be there, by the scripts of i2b2-data.
    var neededTables: [String] {
        ["crc_db_lookup", "ont_db_lookup", "work_db_lookup"].map { "\(hiveSchema).\($0)" }
            + ["pm_project_data", "pm_project_user_roles"].map { "\(managementSchema).\($0)" }
    }
}

extension I2B2Project {
    /// The tables that name the warehouse's schema, and the path of the project in each.
    var warehouseLookups: [(table: String, path: String)] {
        [("\(hiveSchema).crc_db_lookup", "/\(id)/"), ("\(hiveSchema).ont_db_lookup", "\(id)/")]
    }

    /// What a user of a project may do: query, see counts and sets that are not obfuscated, search texts.
    private static let roles = ["USER", "DATA_OBFSC", "DATA_AGG", "DATA_LDS", "DATA_DEID"]

    /// The statements that attach a warehouse, in their order. They can be executed again.
    ///
    /// - Parameter schema: The warehouse's.
    public func statements(warehouseSchema schema: String) -> [String] {
        Self.queryTables + Self.queryRows + Self.ontologyTables + lookups(schema) + management
            + [Self.withdrawalGrants] + grants(schema)
    }

    private func lookups(_ schema: String) -> [String] {
        [
            ("crc_db_lookup", "/\(id)/", schema, queryDataSource),
            ("ont_db_lookup", "\(id)/", schema, ontologyDataSource),
            ("work_db_lookup", "\(id)/", workplaceSchema, workplaceDataSource),
        ].flatMap { table, path, schema, source in
            [
                """
                DELETE FROM \(hiveSchema).\(table)
                WHERE c_domain_id = \(Self.literal(domain)) AND c_project_path = \(Self.literal(path))
                    AND c_owner_id = '@'
                """,
                """
                INSERT INTO \(hiveSchema).\(table) (
                    c_domain_id, c_project_path, c_owner_id, c_db_fullschema, c_db_datasource,
                    c_db_servertype, c_db_nicename
                )
                VALUES (
                    \(Self.literal(domain)), \(Self.literal(path)), '@', \(Self.literal(schema)),
                    \(Self.literal(source)), 'POSTGRESQL', \(Self.literal(name))
                )
                """,
            ]
        }
    }

    private var management: [String] {
        let shown = Self.literal(id)
        var statements = [
            "DELETE FROM \(managementSchema).pm_project_data WHERE project_id = \(shown)",
            """
            INSERT INTO \(managementSchema).pm_project_data (
                project_id, project_name, project_path, status_cd
            )
            VALUES (\(shown), \(Self.literal(name)), \(Self.literal("/" + id)), 'A')
            """,
        ]
        for user in users {
            for role in Self.roles {
                let values = [id, user, role].map(Self.literal)
                statements.append(
                    """
                    INSERT INTO \(managementSchema).pm_project_user_roles (
                        project_id, user_id, user_role_cd, status_cd
                    )
                    SELECT \(values.joined(separator: ", ")), 'A'
                    WHERE NOT EXISTS (
                        SELECT 1 FROM \(managementSchema).pm_project_user_roles
                        WHERE project_id = \(values[0]) AND user_id = \(values[1])
                            AND user_role_cd = \(values[2])
                    )
                    """
                )
            }
        }
        return statements
    }

    /// i2b2's tables that its cells read, and those that they write.
    private static let readTables = [
        "observation_fact", "patient_dimension", "visit_dimension", "concept_dimension",
        "modifier_dimension", "provider_dimension", "code_lookup", "patient_mapping", "set_type",
        "set_upload_status", "source_master",
    ]
    /// What they read of tables whose other columns have identifiers that an app made, and ids of messages.
    private static let readColumns: [(table: String, columns: [String])] = [
        (
            "encounter_mapping",
            [
                "encounter_ide_source", "project_id", "encounter_num", "patient_ide", "patient_ide_source",
                "encounter_ide_status", "upload_date", "update_date", "download_date", "import_date",
                "sourcesystem_cd", "upload_id",
            ]
        ),
        (
            "upload_status",
            [
                "upload_id", "user_id", "source_cd", "no_of_record", "loaded_record", "deleted_record",
                "load_date", "end_date", "load_status",
            ]
        ),
    ]
    private static let writtenTables =
        ["study_metadata", "table_access", "schemes", "ont_process_status", "totalnum", "totalnum_report"]
        + [
            "qt_query_master", "qt_query_result_type", "qt_query_status_type", "qt_query_instance",
            "qt_query_result_instance", "qt_patient_set_collection", "qt_patient_enc_collection",
            "qt_xml_result", "qt_analysis_plugin", "qt_analysis_plugin_result_type", "qt_privilege",
            "qt_breakdown_path", "qt_pdo_query_master",
        ]
    private static let sequences = [
        "qt_query_master_query_master_id_seq", "qt_query_instance_query_instance_id_seq",
        "qt_query_result_instance_result_instance_id_seq",
        "qt_patient_set_collection_patient_set_coll_id_seq",
        "qt_patient_enc_collection_patient_enc_coll_id_seq", "qt_xml_result_xml_result_id_seq",
        "qt_pdo_query_master_query_master_id_seq", "ont_process_status_process_id_seq",
    ]

    /// Who may delete facts has to take those who withdraw out of the sets that queries found, too.
    private static let withdrawalGrants = """
        DO $grants$
        DECLARE
            holder name;
        BEGIN
            FOR holder IN
                SELECT DISTINCT r.rolname
                FROM pg_class c
                CROSS JOIN LATERAL aclexplode(c.relacl) a
                JOIN pg_roles r ON r.oid = a.grantee
                WHERE c.oid = 'observation_fact'::regclass
                    AND a.privilege_type = 'DELETE'
                    AND a.grantee <> c.relowner
            LOOP
                EXECUTE format(
                    'GRANT SELECT, DELETE ON qt_patient_set_collection, qt_patient_enc_collection TO %I',
                    holder
                );
            END LOOP;
        END
        $grants$
        """

    private func grants(_ schema: String) -> [String] {
        guard let role else { return [] }
        func names(_ tables: [String]) -> String { tables.map { "\(schema).\($0)" }.joined(separator: ", ") }
        var statements = [
            "GRANT USAGE ON SCHEMA \(schema) TO \(role)",
            "GRANT SELECT ON \(names(Self.readTables)) TO \(role)",
        ]
        for (table, columns) in Self.readColumns {
            // An earlier version gave all of it.
            statements.append("REVOKE SELECT ON \(schema).\(table) FROM \(role)")
            let shown = columns.joined(separator: ", ")
            statements.append("GRANT SELECT (\(shown)) ON \(schema).\(table) TO \(role)")
        }
        return statements + [
            "GRANT SELECT, INSERT, UPDATE, DELETE ON \(names(Self.writtenTables)) TO \(role)",
            "GRANT USAGE, SELECT ON SEQUENCE \(names(Self.sequences)) TO \(role)",
        ]
    }

    static func literal(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}

extension WarehouseTransaction {
    /// Makes a study's warehouse a project of an i2b2 on the same database of PostgreSQL.
    ///
    /// - Throws: ``WarehouseError`` for a warehouse in a file, where i2b2's own tables are not there, and for
    ///   the id of a project that shows another warehouse; the database's errors.
    public func attach(_ project: I2B2Project) throws {
        guard !(db is SQLiteSession) else {
            throw WarehouseError.badInput("i2b2 reads a warehouse on PostgreSQL, and none in a file")
        }
        for table in project.neededTables {
            guard try db.hasTable(table) else {
                throw WarehouseError.badInput(
                    "there is no table \(table) in the database; i2b2’s own scripts (i2b2-data, Hivedata and "
                        + "Pmdata) make it, and options name other schemas"
                )
            }
        }
        let schema = try db.row("SELECT current_schema()")?.text(0) ?? "public"
        for (table, path) in project.warehouseLookups {
            let other = try db.row(
                """
                SELECT c_db_fullschema FROM \(table)
                WHERE c_domain_id = ? AND c_project_path = ? AND c_owner_id = '@' AND c_db_fullschema <> ?
                """,
                [project.domain, path, schema]
            )?.text(0)
            if let other {
                throw WarehouseError.badInput(
                    "the project \(project.id) of i2b2 shows the schema \(other), not \(schema); choose "
                        + "another id, or delete its row in \(table) first"
                )
            }
        }
        for statement in project.statements(warehouseSchema: schema) { try db.execute(statement) }
    }
}
