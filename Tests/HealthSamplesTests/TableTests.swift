import FHIR
import Foundation
import HealthSamples
import Testing

/// Samples as documents of any model.
@Suite struct TableTests {
    @Test func aTableFillsAnyModel() throws {
        let json = #"{"BodyMass": {"model": "Weighing", "unit": "g", "fields": {"grams": "value", "at": "start", "scale": "source"}}}"#
        let table = try SampleTable(parsing: Data(json.utf8))
        let text = String(decoding: try table.document(of: Fixture.quantity("BodyMass", 70.5, "kg", source: "A & B")), as: UTF8.self)
        for part in [#"Model name="Weighing""#, #"name="grams">70500<"#, ">2026-03-01T08:00:00+01:00<", "A &amp; B"] { #expect(text.contains(part), "\(text)") }
        #expect(throws: SampleError.self) { try table.document(of: Fixture.quantity("Height", 1, "m")) }
    }

    @Test(arguments: [
        (#"{"BodyMas": {}}"#, "1:2: the type 'BodyMas' has no mapping. Did you mean 'BodyMass'?"),
        (#"{"BodyMass": {"model": "A", "fields": {"x": "vale"}}}"#, "Did you mean 'value'?"), (#"{"BodyMass": {}}"#, "needs 'model' and 'fields'"),
    ]) func aWrongTableIsReported(_ json: String, _ message: String) {
        #expect { try SampleTable(parsing: Data(json.utf8)) } throws: { "\($0)".contains(message) }
    }
}
