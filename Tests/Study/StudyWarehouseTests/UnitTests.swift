import FHIR
import Foundation
import StudyTesting
import Testing

@testable import StudyWarehouse

/// Facts of one concept have one unit.
@Suite struct UnitTests {
    private func observation(_ code: String, _ value: String, _ unit: String, id: Int) throws -> Observation {
        try Observation(
            parsing: """
                {"resourceType": "Observation", "status": "final", "identifier": [{"value": "\(id)"}],
                 "code": {"coding": [{"system": "http://loinc.org", "code": "\(code)"}]},
                 "effectiveDateTime": "2026-03-01T09:00:00Z",
                 "valueQuantity": {"value": \(value)\(unit.isEmpty ? "" : #", "unit": "x", "code": "\#(unit)""#)}}
                """
        )
    }

    private func loaded(
        _ store: TestStore,
        _ values: [(code: String, value: String, unit: String)]
    ) async throws -> Warehouse {
        let warehouse = try await store.warehouse()
        for (number, value) in values.enumerated() {
            let resource = try observation(value.code, value.value, value.unit, id: number)
            let facts = try ObservationMapper().map(resource, visit: "v", received: Samples.received)
            try await warehouse.transaction { db in
                let person = try db.participant("p\(number)", now: Samples.now)
                try db.store([facts], of: person, label: "m", written: Samples.now, now: Samples.now)
            }
        }
        return warehouse
    }

    private struct Row: Hashable {
        var concept: String
        var number: String?
        var unit: String?
        var text: String?
    }

    private func rows(_ warehouse: Warehouse, modifier: String = "@") async throws -> [Row] {
        try await warehouse.read { db in
            try db.db.rows(
                """
                SELECT concept_cd, nval_num, units_cd, CASE WHEN valtype_cd = 'T' THEN tval_char END
                FROM observation_fact
                WHERE modifier_cd = ?
                ORDER BY patient_num
                """,
                [modifier]
            ).map { row in
                Row(
                    concept: row.text(0) ?? "",
                    number: row.values[1].decimal,
                    unit: row.text(2),
                    text: row.text(3)
                )
            }
        }
    }

    @Test("pounds become kilograms and stay in a modifier", arguments: TestStore.allCases)
    func pounds(store: TestStore) async throws {
        let weight = "29463-7"
        let warehouse = try await loaded(store, [(weight, "154", "[lb_av]"), (weight, "70.5", "kg")])
        #expect(
            try await rows(warehouse) == [
                Row(concept: "LOINC:\(weight)", number: "69.85322", unit: "kg"),
                Row(concept: "LOINC:\(weight)", number: "70.5", unit: "kg"),
            ]
        )
        #expect(
            try await rows(warehouse, modifier: FactModifier.original) == [
                Row(concept: "LOINC:\(weight)", number: "154", unit: "[lb_av]")
            ]
        )
    }

    @Test("moles are converted by the molar mass of the table", arguments: TestStore.allCases)
    func moles(store: TestStore) async throws {
        let glucose = "2345-7"
        let warehouse = try await loaded(
            store,
            [(glucose, "5", "mmol/L"), (glucose, "90", "mg/dL"), ("14749-6", "90.078", "mg/dL")]
        )
        #expect(
            try await rows(warehouse) == [
                Row(concept: "LOINC:2345-7", number: "90.078", unit: "mg/dL"),
                Row(concept: "LOINC:2345-7", number: "90", unit: "mg/dL"),
                Row(concept: "LOINC:14749-6", number: "5", unit: "mmol/L"),
            ]
        )
    }

    @Test("what cannot be converted has a concept of its own", arguments: TestStore.allCases)
    func ownConcept(store: TestStore) async throws {
        // A code that no table has: its first fact gives the unit.
        let code = "99999-9"
        let values = [
            (code, "3", "mg"), (code, "4", "mL"), (code, "0.005", "g"), (code, "5", "L"), (code, "6", ""),
        ]
        let warehouse = try await loaded(store, values)
        #expect(
            try await rows(warehouse) == [
                Row(concept: "LOINC:99999-9", number: "3", unit: "mg"),
                Row(concept: "LOINC:~unit[mL]~99999-9", number: "4", unit: "mL"),
                Row(concept: "LOINC:99999-9", number: "5", unit: "mg"),
                Row(concept: "LOINC:~unit[mL]~99999-9", number: "5000", unit: "mL"),
                Row(concept: "LOINC:~unit[]~99999-9", number: "6"),
            ]
        )
        // No node has facts of two units below it.
        let mixed = try await warehouse.read { db in
            try db.db.rows(
                """
                SELECT c.concept_path FROM concept_dimension c
                JOIN concept_dimension b ON substr(b.concept_path, 1, length(c.concept_path)) = c.concept_path
                JOIN observation_fact f ON f.concept_cd = b.concept_cd AND f.modifier_cd = '@'
                GROUP BY c.concept_path HAVING count(DISTINCT coalesce(f.units_cd, '')) > 1
                """
            )
        }
        #expect(mixed == [])
        let shown = try await warehouse.read { db in
            try db.db.rows(
                "SELECT c_basecode FROM study_metadata WHERE c_basecode LIKE 'LOINC:%' ORDER BY 1"
            )
            .compactMap { $0.text(0) }
        }
        #expect(Set(shown) == Set(try await rows(warehouse).map(\.concept)))
    }

    @Test("numbers in more units than a code may have are texts")
    func manyUnits() async throws {
        let values = (1...20).map { (code: "99999-9", value: "\($0)", unit: "m\($0)") }
        let rows = try await rows(loaded(.sqlite, values))
        #expect(rows.count == 20)
        #expect(Set(rows.compactMap(\.unit)).count == 16)
        #expect(rows[19] == Row(concept: "LOINC:99999-9", text: "20 m20"))
    }

    @Test("units without a code are read as people write them")
    func withoutCode() throws {
        let expected: [(Quantity, String?)] = [
            (Quantity(value: 1, unit: "lb"), "[lb_av]"), (Quantity(value: 1, unit: "mmHg"), "mm[Hg]"),
            (Quantity(value: 1, unit: "pounds", code: "[lb_av]"), "[lb_av]"),
            (Quantity(value: 1, unit: "tablets"), "tablets"), (Quantity(value: 1), nil),
            (Quantity(value: 98, unit: "%"), "%"),
            (Quantity(value: 1, unit: "kg", system: "http://example.org", code: "7"), "kg"),
        ]
        for (quantity, unit) in expected { #expect(UnitConversion.unit(of: quantity) == unit) }
    }

    @Test("a unit is no longer than its column")
    func longUnits() throws {
        let long = Array(repeating: "m", count: 30).joined(separator: ".")
        for quantity in [Quantity(value: 1, code: long), Quantity(value: 1, unit: long)] {
            let unit = try #require(UnitConversion.unit(of: quantity))
            #expect(unit.unicodeScalars.count <= 50)
        }
    }

    @Test("units of an earlier version's facts become those of their concepts", arguments: TestStore.allCases)
    func earlierVersion(store: TestStore) async throws {
        let warehouse = try await loaded(store, [("99999-9", "3", "mg"), ("29463-7", "70", "kg")])
        let units = try await warehouse.transaction { db in
            try db.db.execute("DELETE FROM study_unit")
            try WarehouseSchema.keepUnits(db.db)
            return try db.db.rows("SELECT code, unit, concept FROM study_unit").map { row in
                (0..<3).map { row.text($0) ?? "" }
            }
        }
        // That of a measurement which is known is not of the facts.
        #expect(units == [["LOINC:99999-9", "mg", "LOINC:99999-9"]])
    }

    @Test(
        "what measures something else is not converted",
        arguments: [
            ("98", "", "%"), ("1", "Cel", "mg"), ("1", "tablets", "mg"), ("1", "[iU]", "mg"),
            ("48", "mmol/mol", "%"),
        ]
    )
    func otherMeasure(value: String, from: String, to: String) throws {
        let decimal = try #require(FHIRDecimal(value))
        #expect(UnitConversion.convert(decimal, from: from, to: to) == nil)
    }

    @Test("conversions have inverses")
    func inverses() throws {
        let pairs = [
            ("kg", "[lb_av]"), ("Cel", "[degF]"), ("mm[Hg]", "kPa"), ("mg/dL", "mmol/L"), ("cm", "[in_i]"),
        ]
        for (one, other) in pairs {
            for number in ["0.1", "1", "37.5", "120", "9999.99"] {
                let value = try #require(FHIRDecimal(number))
                let there = try #require(
                    UnitConversion.convert(value, from: one, to: other, molarMass: Decimal(string: "180.156"))
                )
                let back = try #require(
                    UnitConversion.convert(there, from: other, to: one, molarMass: Decimal(string: "180.156"))
                )
                let difference = abs((back.decimal ?? 0) - (value.decimal ?? 1))
                #expect(difference < Decimal(string: "0.000001") ?? 0, "\(number) \(one) \(other)")
            }
        }
    }

    @Test("units of the ontology have the factors to theirs")
    func ontology() throws {
        let glucose = try #require(KnownMeasurements["LOINC:2345-7"])
        let xml = try #require(ValueMetadata(glucose)).xml("LOINC:2345-7", glucose.name)
        #expect(xml.contains("<NormalUnits>mg/dL</NormalUnits>"))
        #expect(xml.contains("<Units>mmol/L</Units><MultiplyingFactor>18.0156</MultiplyingFactor>"))
        #expect(xml.contains("<Units>g/L</Units><MultiplyingFactor>100</MultiplyingFactor>"))
        let weight = try #require(KnownMeasurements["LOINC:29463-7"]).unit
        #expect(weight == "kg")
        let pounds = UnitConversion.factors(to: "kg", molarMass: nil).first { $0.unit == "[lb_av]" }
        #expect(pounds?.factor == "0.45359237")
        #expect(UnitConversion.factors(to: "Cel", molarMass: nil).isEmpty)
    }
}
