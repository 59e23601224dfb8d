import FHIR
import Foundation
import HealthSamples
import OrderedJSON
import Testing

/// Lines of JSON.
@Suite struct SampleJSONTests {
    private func error(_ json: String) -> String {
        do { _ = try Sample(json: JSONValue(parsing: json)) } catch { return "\(error)" }
        return ""
    }

    @Test(arguments: [
        (#""value": 1e400, "unit": "kg""#, "'value' is not a number"), (#""value": "1", "unit": "kg""#, "'value' is not a number"),
        (#""value": 1"#, "'unit' is missing"), (#""value": 1, "unit": "kg", "ucum": "kg""#, "'ucum' should be left out"),
        (#""value": 1, "unit": "kg", "category": 1"#, "'category' should be left out"), (#""category": 1.5"#, "'category' should be an integer"),
        (#""category": 1, "end": "2025-01-01T00:00:00Z""#, "lies before the start"), (#""category": 1, "end": "2026-01-01""#, "'end' is not a date with time"),
        (#""category": 1, "uuid": "7""#, "'7' is not a UUID"), (#""categry": 1"#, "no member 'categry'. Did you mean 'category'?"),
        (#""category": 1, "device": {"nme": "x"}"#, "no member 'nme'. Did you mean 'name'?"), ("", "'value' is missing"),
        (#""category": 1, "category": 2"#, "'category' should be there once only"),
        (#""correlation": [{"type": "a", "start": "2026-01-01T00:00:00Z"}]"#, "member 0: 'value' is missing"),
        (#""correlation": [{"type": "a", "start": "2026-01-01T00:00:00Z", "correlation": []}]"#, "member 0: 'correlation' should be left out"),
    ]) func errorsNameTheMember(_ members: String, _ message: String) {
        let text = error(#"{"type": "HKCategoryTypeIdentifierAcne", "start": "2026-01-01T00:00:00Z""# + (members.isEmpty ? "}" : ", \(members)}"))
        #expect(text.contains(message), "\(text)")
    }

    @Test func digitsAndZonesStayAsTheyWere() throws {
        let json = #"{"type":"a","start":"2026-01-01T00:00:00.500+05:30","value":1.10,"unit":"kg"}"#
        #expect(try Sample(json: JSONValue(parsing: json)).json.text() == json)
    }

    @Test func theSameSampleHasTheSameIdentityInEveryZone() throws {
        let here = Fixture.quantity("HeartRate", 60, "count/min", from: "2026-03-01T08:00:00+01:00")
        let there = Fixture.quantity("HeartRate", 60, "count/min", from: "2026-03-01T02:00:00-05:00")
        #expect(here.identity == there.identity && UUID(uuidString: here.identity) != nil)
        #expect(here.identity != Fixture.quantity("HeartRate", 61, "count/min").identity)
        #expect(here.identity != Fixture.quantity("HeartRate", 60, "count/min", source: "x").identity)
    }

    @Test func codersGiveAndTakeSamples() throws {
        var sample = Fixture.bloodPressure()
        sample.metadata = ["a": .boolean(true), "n": .number(FHIRDecimal("12345678901234567890.12345678") ?? 0), "t": .text("ü\u{1F600}")]
        sample.device = Fixture.watch
        let data = try JSONEncoder().encode(sample)
        #expect(try JSONDecoder().decode(Sample.self, from: data) == sample)
        // A line as this package writes it is what a decoder takes, and the other way round.
        #expect(try JSONDecoder().decode(Sample.self, from: Data(sample.json.utf8())) == sample)
        #expect(try Sample(json: JSONValue(parsing: data)) == sample)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Sample.self, from: Data(#"{"type": "a"}"#.utf8)) }
    }
}
