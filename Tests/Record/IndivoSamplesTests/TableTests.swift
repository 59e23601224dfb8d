import FHIR
import Foundation
import HealthSamples
import IndivoSamples
import Testing

/// Samples as documents of any model.
@Suite struct TableTests {
    @Test("a table fills any model")
    func anyModel() throws {
        let json =
            """
            {"BodyMass": {"model": "Weighing", "unit": "g", "fields": {"grams": "value", "at": "start", \
            "scale": "source"}}}
            """
        let table = try SampleTable(parsing: Data(json.utf8))
        let text = String(
            decoding: try table.document(of: Fixture.quantity("BodyMass", 70.5, "kg", source: "A & B")),
            as: UTF8.self
        )
        for part in [
            #"Model name="Weighing""#, #"name="grams">70500<"#, ">2026-03-01T07:00:00Z<", "A &amp; B",
        ] { #expect(text.contains(part), "\(text)") }
        #expect(throws: SampleError.self) { try table.document(of: Fixture.quantity("Height", 1, "m")) }
    }

    @Test("a row for all types has the mapping's units")
    func allTypes() throws {
        let json =
            """
            {"*": {"model": "S", "fields": {"v": "value", "u": "unit", "to": "end"}}, "Height": {"model": \
            "H", "fields": {"v": "value"}}}
            """
        let table = try SampleTable(parsing: Data(json.utf8))
        func text(_ sample: Sample) throws -> String {
            String(decoding: try table.document(of: sample), as: UTF8.self)
        }
        let oxygen = try text(Fixture.quantity("OxygenSaturation", 0.98, "%"))
        #expect(oxygen.contains(#"name="v">98<"#) && oxygen.contains(#"name="u">%<"#), "\(oxygen)")
        #expect(try text(Fixture.quantity("BodyMassIndex", 24.5, "count")).contains(#"name="v">24.5<"#))
        #expect(try text(Fixture.quantity("Height", 1.8, "m")).contains(#"Model name="H""#))
        var sleep = Fixture.quantity("Height", 1, "m", to: "2026-03-01T09:00:00.5+01:00")
        sleep.type = "HKCategoryTypeIdentifierSleepAnalysis"
        sleep.value = .category(3)
        #expect(try text(sleep).contains(#"name="v">3<"#) && text(sleep).contains(">2026-03-01T08:00:00.5Z<"))
        sleep.type = "nothing"
        #expect(throws: SampleError.self) { try text(sleep) }
    }

    @Test("members of correlations have rows")
    func members() throws {
        let pressure = Fixture.bloodPressure()
        func parts(_ rows: String) throws -> [Sample] {
            let text = rows.replacingOccurrences(of: "_", with: #"{"model": "A", "fields": {"at": "start"}}"#)
            return try SampleTable(parsing: Data(text.utf8)).parts(of: pressure)
        }
        #expect(
            try parts(#"{"*": _}"#) == [pressure]
                && parts(#"{"BloodPressureSystolic": _}"#) == pressure.members
        )
        #expect(try parts(#"{"*": _, "BloodPressure": _}"#) == [pressure] + pressure.members)
        #expect(try parts(#"{"BloodPressure": _}"#) == [pressure])
        #expect(
            try parts(#"{"BloodPressure": _, "BloodPressureSystolic": _}"#) == [
                pressure, pressure.members[1],
            ]
        )
    }

    @Test(
        "a wrong table is reported",
        arguments: [
            (#"{"BodyMas": {}}"#, "1:2: the type 'BodyMas' has no mapping. Did you mean 'BodyMass'?"),
            (#"{"BodyMass": {"model": "A", "fields": {"x": "vale"}}}"#, "Did you mean 'value'?"),
            (#"{"BodyMass": {}}"#, "needs 'model' and 'fields'"),
        ]
    )
    func wrongTable(_ json: String, _ message: String) {
        #expect { try SampleTable(parsing: Data(json.utf8)) } throws: { "\($0)".contains(message) }
    }
}
