import Foundation
import StudyWarehouse

/// The database for tests: `INDIVO_TEST_POSTGRESQL` is its URL.
package enum TestDatabase {
    /// Why a test is skipped.
    package static let hint =
        "INDIVO_TEST_POSTGRESQL names no database; scripts/interop study-server starts one"

    /// The URL of a schema of its own; `nil` where there is no database.
    package static func emptySchema() async throws -> String? {
        guard let url = ProcessInfo.processInfo.environment["INDIVO_TEST_POSTGRESQL"] else { return nil }
        let name = "test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        let database = PostgreSQLDatabase(try PostgreSQLAddress(url), connections: 1)
        try await database.run(.statement) { try $0.command("CREATE SCHEMA \(name)") }
        return url + (url.contains("?") ? "&" : "?")
            + "options=-csearch_path%3D\(name)&application_name=\(name)"
    }
}
