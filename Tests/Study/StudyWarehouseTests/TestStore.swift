import StudyTesting
import StudyWarehouse
import Testing

/// The stores that a warehouse may have. Those of PostgreSQL are schemas of the database that
/// INDIVO_TEST_POSTGRESQL names.
enum TestStore: String, CaseIterable, Sendable {
    case sqlite
    case postgreSQL

    /// An empty warehouse.
    func warehouse() async throws -> Warehouse {
        switch self {
        case .sqlite: return try Warehouse(nil)
        case .postgreSQL:
            guard let url = try await TestDatabase.emptySchema() else {
                try Test.cancel("\(TestDatabase.hint)")
            }
            return try await Warehouse(postgreSQL: url)
        }
    }

    /// The names of the tables, as SQL.
    var tables: String {
        switch self {
        case .sqlite:
            """
            SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT \
            LIKE 'grdb%'
            """
        case .postgreSQL:
            "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
        }
    }
}
