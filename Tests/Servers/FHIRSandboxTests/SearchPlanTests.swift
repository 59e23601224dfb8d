import GRDB
import Testing

@testable import FHIRSandbox

@Suite("How the FHIR sandbox finds rows")
struct SearchPlanTests {
    /// A conditional create asks for an identifier and a subject, who may have a million resources of the
    /// type.
    @Test(
        "a condition that matches little finds the rows, whatever else is asked",
        arguments: [
            "identifier=urn:a|1&subject=Patient/1", "subject=Patient/1&identifier=urn:a|1",
            "date=gt2020&identifier=urn:a|1",
            "identifier=urn:a|1&status=final", "identifier=urn:a|1&code=1-8,2-9",
        ]
    )
    func identifier(query: String) async throws {
        let server = try TestServer().state
        var reader = SearchQueryReader(catalog: .r4, limits: FHIRSandboxLimits(), bases: [], isStrict: true)
        let search = try reader.read(try QueryItems(parsing: query), type: "Observation")
        let plan = try await server.database.writer.read { db in
            let selection = Session(db: db, server: server, base: "http://127.0.0.1/fhir", now: server.now)
                .selection(search)
            let (sql, arguments) = try selection.build(db)
            return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments).map {
                $0["detail"] as String
            }
        }
        #expect(plan.first == "SEARCH resource USING INTEGER PRIMARY KEY (rowid=?)", "\(plan)")
        // Nothing is gone through that grows with what the server has: values are found by the identifier,
        // then by the resource.
        let values = plan.filter { $0.contains(" value ") }
        #expect(values.first?.contains("valueByCode (key=? AND code=?") == true, "\(plan)")
        #expect(
            values.count > 1
                && values.dropFirst().allSatisfy { $0.contains("valueByResource (resource=? AND key=?)") },
            "\(plan)"
        )
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }
}
