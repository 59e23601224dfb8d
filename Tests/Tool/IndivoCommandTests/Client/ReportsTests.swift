import Foundation
import Testing

@Suite("indivo reports")
struct ReportsTests {
    @Test("--json gives SDMJ objects, the table titles and dates")
    func forms() async throws {
        try await ClientTool.use { client in
            let id = try await client.addMedication()
            let filter = ["--filter", "drugName_identifier=316153"]
            let sdmj = try await client.run(["reports", "Medication", "--json"] + filter)
            #expect(sdmj.status == 0, "\(sdmj.errors)")
            let facts = try json(sdmj.output)
            #expect(facts.count == 1)
            #expect(facts.first?["__modelname__"] as? String == "Medication")
            #expect(facts.first?["__documentid__"] as? String == id)
            #expect(facts.first?["drugName_title"] as? String == "Vitamin C, 500 MG")
            let table = try await client.run(["reports", "Medication"] + filter)
            let lines = table.output.split(separator: "\n")
            #expect(lines.first?.hasPrefix("document ") == true && lines.first?.contains("drugName") == true)
            #expect(lines.last?.hasPrefix(id) == true && lines.last?.contains("Vitamin C, 500 MG") == true)
        }
    }

    @Test("limit, order and dates choose among the facts, and aggregates count them")
    func queries() async throws {
        try await ClientTool.use { client in
            for day in ["2001-01-01", "2001-02-01", "2002-01-01"] {
                _ = try await client.addMedication(vitaminC.replacing("2026-11-21", with: day))
            }
            let old = ["--date-field", "startDate", "--from", "2001-01-01", "--to", "2002-12-31"]
            func days(_ arguments: String...) async throws -> [String] {
                let result = try await client.run(["reports", "Medication", "--json"] + old + arguments)
                #expect(result.status == 0, "\(result.errors)")
                return try json(result.output).compactMap {
                    ($0["startDate"] as? String).map { String($0.prefix(10)) }
                }
            }
            #expect(try await days("--order", "startDate") == ["2001-01-01", "2001-02-01", "2002-01-01"])
            #expect(try await days("--order", "-startDate", "--limit", "1") == ["2002-01-01"])
            #expect(try await days("--order", "startDate", "--offset", "1", "--limit", "1") == ["2001-02-01"])
            let counts = try await client.run(
                [
                    "reports", "Medication", "--json", "--aggregate", "count:startDate", "--group-by",
                    "drugName.identifier",
                ] + old
            )
            #expect(counts.status == 0, "\(counts.errors)")
            let group = try #require(try json(counts.output).first)
            #expect(group["group"] as? String == "316153")
            #expect(group["value"] as? Int == 3)
        }
    }

    @Test("an unknown model is bad input with a suggestion; no facts means nothing found")
    func unknownModel() async throws {
        try await ClientTool.use { client in
            let unknown = try await client.run("reports", "Medicaton")
            #expect(unknown.status == 2)
            #expect(unknown.errors.contains("did you mean Medication?"))
            #expect(try await client.run("reports", "no/model").status == 2)
            let field = try await client.run("reports", "Medication", "--filter", "drugNam_title=x")
            #expect(field.status == 2)
            #expect(field.errors.contains("drugName_title"))
            #expect(try await client.run("reports", "Medication", "--filter", "x").status == 2)
            #expect(try await client.run("reports", "Medication", "--group-by", "startDate").status == 2)
            let none = try await client.run(
                "reports",
                "Medication",
                "--filter",
                "drugName_identifier=0",
                "--json"
            )
            #expect(none.status == 1)
            #expect(none.output == "[]\n")
        }
    }
}
