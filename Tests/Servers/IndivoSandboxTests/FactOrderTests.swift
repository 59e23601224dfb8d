import IndivoSandbox
import OrderedJSON
import Testing

@Suite("The order of the facts of one document")
struct FactOrderTests {
    private static func models(_ models: [String]) -> String {
        "<Models xmlns=\"http://indivo.org/vocab/xml/documents#\">\(models.joined())</Models>"
    }

    private static func model(_ name: String, _ fields: KeyValuePairs<String, String>) -> String {
        let content = fields.map { "<Field name=\"\($0.key)\">\($0.value)</Field>" }.joined()
        return "<Model name=\"\(name)\">\(content)</Model>"
    }

    @Test("the last model is stored first, so that reports list them as they stand")
    func measurements() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let record = "/records/\(world.record)"
            let models = (1...3).map {
                Self.model(
                    "Measurement",
                    ["type": "ord", "value": "\($0)", "unit": "k", "datetime": "2026-01-01T00:00:00Z"]
                )
            }
            let stored = try await world.owner.post(record + "/documents/", xml: Self.models(models))
            #expect(stored.status == 200)
            for (query, expected) in [
                ("", [1.0, 2, 3]), ("&order_by=created_at", [3, 2, 1]), ("&order_by=-created_at", [1, 2, 3]),
            ] {
                let report = try await world.owner.get(record + "/reports/Measurement/?type=ord" + query)
                let values = try JSONValue(parsing: report.text).elements?.map { $0["value"]?.double }
                #expect(values == expected, "\(query)")
            }
            let minimal = try await world.owner.get(record + "/reports/minimal/measurements/ord/")
            let values = minimal.text.matches(of: /\ value="(\d)\.0"/).map { String($0.output.1) }
            #expect(values == ["1", "2", "3"])
        }
    }

    @Test("of what is nested in a fact the last is stored first and listed first")
    func fills() async throws {
        func medication(_ name: String, _ days: ClosedRange<Int>) -> String {
            let fills = days.map {
                Self.model("Fill", ["date": "2026-01-01", "dispenseDaysSupply": "\($0)"])
            }
            return Self.model(
                "Medication",
                [
                    "drugName_title": name, "drugName_identifier": "1", "startDate": "2026-01-02",
                    "drugName_system": "http://purl.bioontology.org/ontology/RXNORM/",
                    "fulfillments": "<Models>\(fills.joined())</Models>",
                ]
            )
        }
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let record = "/records/\(world.record)"
            let document = Self.models([medication("A", 1...3), medication("B", 4...5)])
            #expect(try await world.owner.post(record + "/documents/", xml: document).status == 200)
            let report = try await world.owner.get(record + "/reports/Medication/?limit=2")
            let medications = try #require(try JSONValue(parsing: report.text).elements)
            #expect(medications.map { $0["drugName_title"]?.string } == ["A", "B"])
            let days = medications.map { medication in
                medication["fulfillments"]?.elements?.map { $0["dispenseDaysSupply"]?.double }
            }
            #expect(days == [[3, 2, 1], [5, 4]])
            let fills = try await world.owner.get(record + "/reports/Fill/?limit=5")
            let listed = try JSONValue(parsing: fills.text).elements?.map { $0["dispenseDaysSupply"]?.double }
            #expect(listed == [1, 2, 3, 4, 5])
        }
    }

    @Test("the last model's mistake is told, and a comment counts as a model without a name")
    func mistakes() async throws {
        let problem = Self.model("Problem", ["name_title": "x"])
        let unknown = Self.model("Nope", ["x": "y"])
        let unnamed = "All SDM data instances must specify the model they belong to."
        let measurement = Self.model(
            "Measurement",
            ["type": "c", "value": "1", "unit": "k", "datetime": "2026-01-01T00:00:00Z"]
        )
        func push(_ models: [String], _ holds: String) -> ServerCase {
            ServerCase("POST", "{R}/documents/", type: "application/xml", Self.models(models), 400, holds)
        }
        try await checkAnswers([
            push([unknown, problem], "Problem object didn't validate"), push([problem, unknown], "Nope"),
            push(["<!-- c -->", measurement], unnamed), push(["<?pi x?>", measurement], unnamed),
            push(["<!-- c -->", problem], "Problem object didn't validate"),
        ])
    }
}
