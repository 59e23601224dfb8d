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

    @Test(
        "errors name the member",
        arguments: [
            (#""value": 1e400, "unit": "kg""#, "'value' is not a number"),
            (#""value": "1", "unit": "kg""#, "'value' is not a number"),
            (#""value": 1"#, "'unit' is missing"),
            (#""value": 1, "unit": "kg", "ucum": "kg""#, "'ucum' should be left out"),
            (#""value": 1, "unit": "kg", "category": 1"#, "'category' should be left out"),
            (#""category": 1.5"#, "'category' should be an integer"),
            (#""category": 1, "end": "2025-01-01T00:00:00Z""#, "lies before the start"),
            (#""category": 1, "end": "2026-01-01""#, "'end' is not a date with time"),
            (#""category": 1, "uuid": "7""#, "'7' is not a UUID"),
            (#""categry": 1"#, "no member 'categry'. Did you mean 'category'?"),
            (#""category": 1, "device": {"nme": "x"}"#, "no member 'nme'. Did you mean 'name'?"),
            ("", "'value' is missing"),
            (
                #""category": 1, "metadata": {"a": "b\u0001"}"#,
                "'a' should be a text without control characters"
            ),
            (
                #""category": 1, "source": {"name": "a\u0000b"}"#,
                "'name' should be a text without control characters"
            ),
            (#""category": 1, "category": 2"#, "'category' should be there once only"),
            (
                #""correlation": [{"type": "a", "start": "2026-01-01T00:00:00Z"}]"#,
                "member 0: 'value' is missing"
            ),
            (
                #""correlation": [{"type": "a", "start": "2026-01-01T00:00:00Z", "correlation": []}]"#,
                "member 0: 'correlation' should be left out"
            ),
        ]
    )
    func errors(_ members: String, _ message: String) {
        let text = error(
            #"{"type": "HKCategoryTypeIdentifierAcne", "start": "2026-01-01T00:00:00Z""#
                + (members.isEmpty ? "}" : ", \(members)}")
        )
        #expect(text.contains(message), "\(text)")
    }

    @Test("digits and zones stay as they were")
    func digits() throws {
        let json = #"{"type":"a","start":"2026-01-01T00:00:00.500+05:30","value":1.10,"unit":"kg"}"#
        #expect(try Sample(json: JSONValue(parsing: json)).json.text() == json)
    }

    @Test("a sample has the same identity in every zone")
    func zoneIdentity() throws {
        let here = Fixture.quantity("HeartRate", 60, "count/min", from: "2026-03-01T08:00:00+01:00")
        let there = Fixture.quantity("HeartRate", 60, "count/min", from: "2026-03-01T02:00:00-05:00")
        #expect(here.identity == there.identity && UUID(uuidString: here.identity) != nil)
        #expect(here.identity != Fixture.quantity("HeartRate", 61, "count/min").identity)
        #expect(here.identity != Fixture.quantity("HeartRate", 60, "count/min", source: "x").identity)
    }

    /// Apple's export writes numbers in the units that the phone prefers, with six digits.
    @Test(
        "a sample has the same identity in every unit",
        arguments: [
            ("BodyMass", "70", "kg", "70000", "g"), ("BodyMass", "70", "kg", "70.0", "kg"),
            ("BodyMass", "70", "kg", "154.324", "lb"),
            ("BodyMass", "70", "kg", "7e1", "kg"), ("Height", "1.8", "m", "180", "cm"),
            ("BodyTemperature", "37", "degC", "98.6", "degF"),
            ("OxygenSaturation", "0.98", "%", "0.980", "%"),
            ("BodyMassIndex", "24.5", "count", "24.50", "count"),
            ("BloodGlucose", "90", "mg/dL", "4.99567", "mmol<180.1558800000541>/L"),
            ("Own", "1", "kg", "1000.0", "g"),
        ]
    )
    func unitIdentity(
        _ type: String,
        _ value: String,
        _ unit: String,
        _ other: String,
        _ otherUnit: String
    ) throws {
        func identity(_ text: String, _ unit: String) throws -> String {
            Fixture.quantity(type, try #require(FHIRDecimal(text)), unit).identity
        }
        #expect(try identity(value, unit) == identity(other, otherUnit))
        #expect(try identity(value, unit) != identity(value + (value.contains(".") ? "1" : ".01"), unit))
    }

    @Test("a category without a value is the same as with the value for none")
    func noValue() {
        func session(_ value: Int?) -> Sample {
            let time: FHIRDateTime = "2026-03-01T08:00:00+01:00"
            return Sample(
                type: "HKCategoryTypeIdentifierMindfulSession",
                start: time,
                end: time,
                value: .category(value)
            )
        }
        #expect(session(nil).identity == session(0).identity && session(1).identity != session(0).identity)
    }

    @Test("different numbers are different samples")
    func numbers() {
        func steps(_ count: FHIRDecimal, _ unit: String = "count") -> String {
            Fixture.quantity("StepCount", count, unit).identity
        }
        #expect(steps(1_000_001) != steps(1_000_002) && steps(10) != steps(100) && steps(0) == steps(0.0))
        #expect(steps(1, "foo") != steps(1, "bar") && steps(1, "foo") == steps(1.0, "foo"))
    }

    @Test("two foods with the same numbers are two samples")
    func foods() {
        func protein(_ food: String) -> Sample {
            var sample = Fixture.quantity("DietaryProtein", 5, "g")
            sample.metadata["HKFoodType"] = .text(food)
            return sample
        }
        #expect(
            protein("Bread").identity != protein("Cheese").identity
                && protein("Bread").identity == protein("Bread").identity
        )
        #expect(protein("Bread").identity != Fixture.quantity("DietaryProtein", 5, "g").identity)
    }

    @Test("a workout has the same identity in every unit")
    func workoutIdentity() throws {
        func workout(_ minutes: SampleQuantity, _ energy: SampleQuantity, _ distance: SampleQuantity)
            -> String
        {
            var sample = Fixture.bloodPressure()
            let workout = Workout(activity: "running", duration: minutes, energy: energy, distance: distance)
            sample.type = "HKWorkoutTypeIdentifier"
            sample.value = .workout(workout)
            return sample.identity
        }
        func quantity(_ value: FHIRDecimal, _ unit: String) -> SampleQuantity {
            SampleQuantity(value: value, unit: .healthKit(unit))
        }
        let first = workout(quantity(30, "min"), quantity(200, "kcal"), quantity(5, "km"))
        #expect(first == workout(quantity(1800.0, "s"), quantity(836.8, "kJ"), quantity(3.10686, "mi")))
        #expect(first != workout(quantity(31, "min"), quantity(200, "kcal"), quantity(5, "km")))
    }

    @Test("encoders take samples and decoders give them")
    func coders() throws {
        var sample = Fixture.bloodPressure()
        sample.metadata = [
            "a": .boolean(true), "n": .number(FHIRDecimal("12345678901234567890.12345678") ?? 0),
            "t": .text("ü\u{1F600}"),
        ]
        sample.device = Fixture.watch
        let data = try JSONEncoder().encode(sample)
        #expect(try JSONDecoder().decode(Sample.self, from: data) == sample)
        // A line as this package writes it is what a decoder takes, and the other way round.
        #expect(try JSONDecoder().decode(Sample.self, from: Data(sample.json.utf8())) == sample)
        #expect(try Sample(json: JSONValue(parsing: data)) == sample)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Sample.self, from: Data(#"{"type": "a"}"#.utf8))
        }
    }
}
