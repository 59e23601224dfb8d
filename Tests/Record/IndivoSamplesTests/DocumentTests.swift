import FHIR
import Foundation
import HealthSamples
import IndivoSamples
import Testing

/// Samples as documents of an Indivo record.
@Suite struct DocumentTests {
    private func xml(_ sample: Sample) throws -> String {
        String(decoding: try SampleDocuments.document(of: sample), as: UTF8.self)
    }

    @Test("vital signs and measurements have their units")
    func units() throws {
        let weight = try xml(Fixture.quantity("BodyMass", 154, "lb"))
        #expect(weight.contains("VitalSigns") && weight.contains("69.85") && weight.contains("3141-9"))
        let steps = try xml(Fixture.quantity("StepCount", 100, "count"))
        #expect(steps.contains("Measurement") && steps.contains("StepCount") && steps.contains(">steps<"))
        let pressure = try xml(Fixture.bloodPressure())
        #expect(pressure.contains("8480-6") && pressure.contains("8462-4"))
        let oxygen = try xml(Fixture.quantity("OxygenSaturation", 0.97, "%"))
        #expect(oxygen.contains(">97"))
    }

    /// Indivo refuses other zones, and more digits.
    @Test("dates are in UTC")
    func utc() throws {
        let text = try xml(
            Fixture.quantity("StepCount", 1, "count", from: "2026-03-01T00:30:00.1234567+01:00")
        )
        #expect(text.contains(">2026-02-28T23:30:00.123456Z<"), "\(text)")
        #expect(
            try xml(Fixture.quantity("HeartRate", 60, "count/min", from: "2026-03-01T08:00:00.1234567Z"))
                .contains(">2026-03-01T08:00:00.123456Z<")
        )
    }

    @Test("every quantity fits a measurement, and types stay apart")
    func everyQuantity() throws {
        var names: Set<String> = []
        for (type, entry) in HealthMapping.standard.types {
            guard let unit = entry.unit else { continue }
            let sample = Sample(
                type: type,
                start: "2026-03-01T08:00:00+01:00",
                end: "2026-03-01T08:00:00+01:00",
                value: .quantity(SampleQuantity(value: 1, unit: .ucum(unit.ucum.code)))
            )
            #expect(throws: Never.self) { try SampleDocuments.model(of: sample) }
            names.insert(String(HealthMapping.shortName(of: type).prefix(24)))
        }
        #expect(names.count == 119)
    }

    /// An export has members in their correlation only; a document of one has room for the two pressures.
    @Test("members that the document has no room for have documents of their own")
    func otherMembers() {
        var pressure = Fixture.bloodPressure()
        let rate = Fixture.quantity("HeartRate", 60, "count/min")
        pressure.value = .correlation(pressure.members + [rate])
        #expect(SampleDocuments.parts(of: pressure) == [pressure, rate])
        #expect(SampleDocuments.parts(of: Fixture.bloodPressure()) == [Fixture.bloodPressure()])
        var food = pressure
        food.type = "HKCorrelationTypeIdentifierFood"
        #expect(SampleDocuments.parts(of: food) == food.members && SampleDocuments.parts(of: rate) == [rate])
        // What cannot be converted is reported, and takes nothing with it.
        var bad = pressure
        bad.value = .correlation([
            Fixture.quantity("BloodPressureSystolic", 1, "mm"),
            Fixture.quantity("BloodPressureDiastolic", 80, "mmHg"),
        ])
        #expect(SampleDocuments.parts(of: bad) == [bad] + bad.members)
    }

    @Test("what has no number is an error")
    func noNumbers() {
        let sleep = Sample(
            type: "HKCategoryTypeIdentifierSleepAnalysis",
            start: "2026-03-01T08:00:00Z",
            end: "2026-03-01T08:00:00Z",
            value: .category(1)
        )
        #expect(throws: SampleError.self) { try SampleDocuments.model(of: sleep) }
    }

    @Test(
        "a date before 1900, which Indivo cannot report, becomes no document",
        arguments: [
            "1899-12-31T23:59:59Z", "1900-01-01T00:30:00+01:00", "0001-01-01T00:00:00Z",
        ]
    )
    func datesBeforeIndivo(text: String) throws {
        let start = try #require(FHIRDateTime(text: text))
        let error = SampleError.beforeIndivo(name: "start", text: text)
        for type in ["StepCount", "HeartRate"] {
            let sample = Fixture.quantity(type, 1, type == "StepCount" ? "count" : "count/min", from: start)
            #expect(throws: error) { try SampleDocuments.document(of: sample) }
        }
        #expect(throws: error) { try SampleDocuments.document(of: Fixture.bloodPressure(start)) }
        let json = #"{"*": {"model": "Activity", "fields": {"from": "start"}}}"#
        let table = try SampleTable(parsing: Data(json.utf8))
        #expect(throws: error) {
            try table.document(of: Fixture.quantity("StepCount", 1, "count", from: start))
        }
        #expect("\(error)".contains("before 1900"))
    }

    @Test("a number that is none becomes neither a document nor a resource")
    func noNumber() {
        let sample = Fixture.quantity("StepCount", FHIRDecimal(Decimal.nan), "count")
        #expect(throws: SampleError.number(name: "value", text: "NaN")) {
            try SampleDocuments.document(of: sample)
        }
        #expect(throws: SampleError.number(name: "value", text: "NaN")) {
            try SampleConverter().resource(of: sample)
        }
    }

    @Test("samples that are reversed, without a time or of a bad id become no documents")
    func invalid() {
        let day = Fixture.quantity("BodyMass", 70, "kg", from: "2026-03-01")
        let reversed = Fixture.quantity("BodyMass", 70, "kg", to: "2026-02-01T08:00:00+01:00")
        var unknown = Fixture.quantity("BodyMass", 70, "kg")
        unknown.uuid = "none"
        for sample in [day, reversed, unknown] {
            #expect(throws: SampleError.self) { try SampleDocuments.document(of: sample) }
        }
    }
}
