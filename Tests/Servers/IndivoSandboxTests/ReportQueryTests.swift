import Foundation
import IndivoSandbox
import Testing

@Suite("The query interface of reports")
struct ReportQueryTests {
    /// A record with four lab results over two years, and an app that may read it.
    private func withResults(_ body: (TestApp, String) async throws -> Void) async throws {
        let results: [(code: String, title: String, day: String, value: String)] = [
            ("2345-7", "Glucose", "2024-01-10", "5.1"), ("2345-7", "Glucose", "2024-02-11", "5.9"),
            ("3094-0", "Urea nitrogen", "2024-02-12", "14"), ("2345-7", "Glucose", "2025-02-13", "7.0"),
        ]
        let sandbox = try await Sandbox.start {
            SandboxApp.demo
            SandboxAccount(
                id: "demo@example.org",
                fullName: "Dana Demo",
                username: "demo",
                password: "demo",
                records: [
                    .init(
                        "Ana Lopez",
                        apps: ["demo@apps.example.org"],
                        documents: results.map { result in
                            """
                            <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="LabResult">\
                            <Field name="test_name_title">\(result.title)</Field>\
                            <Field name="test_name_identifier">\(result.code)</Field>\
                            <Field name="test_name_system">http://purl.bioontology.org/ontology/LNC/</Field>\
                            <Field name="quantitative_result_value_value">\(result.value)</Field>\
                            <Field name="collected_at">\(result.day)T08:00:00Z</Field></Model></Models>
                            """
                        }
                    )
                ]
            )
        }
        let record = try #require(try await sandbox.records().first?.id)
        let app = try await TestApp(sandbox).authorized(sandbox, record: record)
        try await body(app, "/records/\(record)/reports/LabResult/")
        await sandbox.stop()
    }

    private func values(_ answer: RawHTTP.Answer) throws -> [String] {
        let list = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [[String: Any]])
        return list.compactMap { $0["quantitative_result_value_value"] as? String }
    }

    @Test(
        "filters, ranges, order and pages choose the rows",
        arguments: [
            ("", ["7.0", "14", "5.9", "5.1"]), ("?test_name_identifier=3094-0", ["14"]),
            ("?test_name_identifier=3094-0%7C2345-7&order_by=collected_at", ["5.1", "5.9", "14", "7.0"]),
            ("?test_name_title=glucose", []), ("?order_by=-collected_at&limit=2", ["7.0", "14"]),
            ("?order_by=collected_at&limit=2&offset=1", ["5.9", "14"]),
            ("?limit=0&offset=3", ["7.0", "14", "5.9", "5.1"]),
            ("?order_by=collected_at&limit=%202", ["5.1", "5.9"]),
            ("?order_by=collected_at&limit=%2B1%20", ["5.1"]),
            ("?date_range=collected_at*2024-02-01*2024-12-31&order_by=collected_at", ["5.9", "14"]),
            ("?date_range=collected_at*2024-02-12T08:00:00Z*&order_by=collected_at", ["14", "7.0"]),
            ("?date_range=collected_at**2024-01-31", ["5.1"]),
            ("?collected_at=2024-01-10T08:00:00Z", ["5.1"]),
            ("?status=void", []),
        ]
    )
    func rows(query: String, expected: [String]) async throws {
        try await withResults { app, reports in
            let answer = try await app.get(reports + query)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try values(answer) == expected)
        }
    }

    @Test(
        "groups and aggregates",
        arguments: [
            ("?group_by=test_name_title&aggregate_by=count*collected_at", "Glucose=3 Urea nitrogen=1"),
            ("?date_group=collected_at*year&aggregate_by=count*collected_at", "2024=3 2025=1"),
            (
                "?date_group=collected_at*month&aggregate_by=max*collected_at",
                "2024-01=2024-01-10T08:00:00Z 2024-02=2024-02-12T08:00:00Z 2025-02=2025-02-13T08:00:00Z"
            ),
            ("?date_group=collected_at*hourofday&aggregate_by=count*test_name_title", "08=4"),
            (
                "?date_group=collected_at*week&aggregate_by=count*test_name_title",
                "2024-02=1 2024-06=1 2024-07=1 2025-07=1"
            ),
        ]
    )
    func groups(query: String, expected: String) async throws {
        try await withResults { app, reports in
            let answer = try await app.get(reports + query)
            let list = try #require(
                try JSONSerialization.jsonObject(with: answer.body) as? [[String: Any]],
                "\(answer.text)"
            )
            let text = list.map { "\($0["group"] ?? "")=\($0["value"] ?? "")" }.joined(separator: " ")
            #expect(text == expected)
        }
    }

    @Test(
        "what is wrong with a query is said as the real server says it",
        arguments: [
            ("?bogus=1", "Invalid filter for fact type LabResult: bogus"),
            ("?limit=x", "Argument limit must be formatted according to the Indivo Query API"),
            ("?order_by=bogus", "Invalid order by field for fact type LabResult: bogus"),
            ("?order_by=-bogus", "Invalid order by field for fact type LabResult: -bogus"),
            (
                "?group_by=notes&aggregate_by=count*notes&order_by=-collected_at",
                "OrderBy fields in aggregations may only refer to the grouping field"
                    + " or the aggregation field. Your field was: -collected_at"
            ),
            (
                "?aggregate_by=count",
                "Argument aggregate_by must be formatted according to the Indivo Query API"
            ),
            ("?aggregate_by=", "Argument aggregate_by must be formatted according to the Indivo Query API"),
            ("?aggregate_by=count*", "Invalid aggregation field for fact type LabResult: None"),
            ("?aggregate_by=bogus*bogus", "Invalid aggregation field for fact type LabResult: bogus"),
            (
                "?collected_at=it%27s%5C%0A%C3%A9%F0%9F%99%82",
                "Invalid argument type for field collected_at: expected date, "
                    + #"got [u"it's\\\n\xe9\U0001f642"]"#
            ),
            (
                "?collected_at=a%27b%22c%7Cd%22e",
                "Invalid argument type for field collected_at: expected date, "
                    + #"got [u'a\'b"c', u'd"e']"#
            ),
            (
                "?collected_at=x%27%CC%81",
                "Invalid argument type for field collected_at: expected date, "
                    + #"got [u"x'\u0301"]"#
            ),
            (
                "?date_range=collected_at*2024*",
                "Argument date_range must be formatted according to the Indivo Query API"
            ),
            (
                "?date_range=notes*2024-01-01*",
                "Date Ranges may only be calculated over fields of type \"date\": got notes(string)"
            ),
            ("?group_by=notes", "Cannot make grouped queries without specifying an Aggregation!"),
            ("?aggregate_by=median*collected_at&group_by=notes", "Invalid aggregation operator: median"),
            (
                "?aggregate_by=sum*notes&group_by=notes",
                "Cannot apply aggregate function sum (type ['number']) to field notes (type string)"
            ),
            (
                "?date_group=collected_at*century&aggregate_by=count*notes",
                "Invalid date_group Increment: century"
            ),
            ("?response_format=text/csv", "format not supported"),
        ]
    )
    func mistakes(query: String, sentence: String) async throws {
        try await withResults { app, reports in
            let answer = try await app.get(reports + query)
            #expect(answer.status == 400)
            #expect(answer.text == sentence)
        }
    }

    @Test("in RDF numbers are typed, texts are not, and a missing unit is the literal None")
    func numbersInRDF() async throws {
        try await withResults { app, reports in
            let results = try await app.get(reports.replacing("reports/LabResult", with: "lab_results")).text
            #expect(results.components(separatedBy: "<sp:unit>None</sp:unit>").count == 5)
            #expect(results.contains("<sp:value>5.1</sp:value>") && !results.contains("None</sp:value>"))
        }
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let signs = try await app.get("/records/\(record)/vital_signs/").text
            let values = signs.matches(of: /<sp:value([^>]*)>([^<]*)</)
            #expect(signs.contains("<sp:systolic") && values.count > 2)
            for value in values {
                #expect(value.output.1 == " rdf:datatype=\"http://www.w3.org/2001/XMLSchema#double\"")
                #expect(value.output.2.contains("."), "a float, as Python writes it")
            }
        }
    }

    @Test("an aggregate without groups has no order, whatever is asked for")
    func ungroupedOrder() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let report = "/records/\(record)/reports/minimal/measurements/HBA1C/?aggregate_by=count*value"
            let answer = try await app.get(report + "&order_by=-bogus")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.text.contains("value=\"2\""))
        }
    }

    @Test("a value that looks like SQL is only a value")
    func injection() async throws {
        try await withResults { app, reports in
            let answer = try await app.get(reports + "?test_name_title=x%27%20OR%20%271%27=%271")
            #expect(answer.status == 200)
            #expect(answer.text == "[]")
            let field = try await app.get(reports + "?a%27%29%20OR%201=1%20--=1")
            #expect(field.status == 400)
        }
    }
}
