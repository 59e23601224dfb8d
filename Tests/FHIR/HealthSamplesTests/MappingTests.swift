import FHIR
import Foundation
import HealthSamples
import OrderedJSON
import Testing
import UCUM

private let heartRateWithStateOfMind = """
    {"type": "HKQuantityTypeIdentifierHeartRate", "start": "2026-03-01T08:00:00Z", "stateOfMind": {"kind": \
    "a", "valence": 0}}
    """

private let heartRateWithClinicalRecord = """
    {"type": "HKQuantityTypeIdentifierHeartRate", "start": "2026-03-01T08:00:00Z", "clinicalRecord": \
    {"resourceType": "Patient"}}
    """

private let acneWithWorkout = """
    {"type": "HKCategoryTypeIdentifierAcne", "start": "2026-03-01T08:00:00Z", "workout": {"activity": \
    "running"}}
    """

private let electrocardiogramWithStateOfMind = """
    {"type": "HKElectrocardiogram", "start": "2026-03-01T08:00:00Z", "stateOfMind": {"kind": "a", "valence": \
    0}}
    """

/// The tables of types, and an Observation of each.
@Suite struct MappingTests {
    static let types = HealthMapping.standard.types.keys.sorted()

    @Test("the tables are complete")
    func complete() {
        let kinds = Dictionary(grouping: HealthMapping.standard.types.values, by: \.kind).mapValues(\.count)
        #expect(kinds == [.quantity: 119, .category: 68, .correlation: 2, .other: 7])
        #expect(HealthMapping.standard.workouts.count == 84)
        #expect(Set(HealthMapping.standard.workouts.values).count == 84)
    }

    /// What a type's sample looks like: of the unit that HealthKit would give it.
    private func sample(of type: String, _ entry: HealthMapping.Entry) throws -> Sample {
        let value: SampleValue
        switch entry.kind {
        case .quantity:
            let code = try #require(entry.unit).ucum.code
            value = .quantity(SampleQuantity(value: 1.5, unit: .ucum(code)))
        case .category:
            let values = entry.values.flatMap { HealthMapping.standard.values[$0] }
            value = .category(values.map { $0.values.keys.sorted()[0] })
        case .correlation:
            var sample = Fixture.bloodPressure()
            sample.type = type
            sample.device = Fixture.watch
            return sample
        case .other:
            switch type {
            case "HKWorkoutTypeIdentifier":
                value = .workout(
                    Workout(
                        activity: "running",
                        duration: SampleQuantity(value: 30, unit: .healthKit("min")),
                        energy: SampleQuantity(value: 1255.2, unit: .healthKit("kJ")),
                        distance: SampleQuantity(value: 5, unit: .healthKit("km"))
                    )
                )
            case "HKElectrocardiogram":
                value = .electrocardiogram(
                    Electrocardiogram(
                        classification: "Sinus Rhythm",
                        averageHeartRate: SampleQuantity(value: 61, unit: .healthKit("count/min")),
                        samplingFrequency: SampleQuantity(value: 512, unit: .healthKit("Hz")),
                        voltages: (0..<6000).map { FHIRDecimal($0 % 100) }
                    )
                )
            case "HKStateOfMind":
                value = .stateOfMind(
                    StateOfMind(
                        kind: "daily mood",
                        valence: -0.25,
                        classification: "neutral",
                        labels: ["calm"],
                        associations: ["family"]
                    )
                )
            case "HKActivitySummary":
                var summary = ActivitySummary(day: "2026-03-01")
                summary.activeEnergy = SampleQuantity(value: 1674.4, unit: .healthKit("kJ"))
                summary.exerciseTimeGoal = SampleQuantity(value: 30, unit: .healthKit("min"))
                summary.standHours = SampleQuantity(value: 11, unit: .healthKit("count"))
                value = .activitySummary(summary)
            case "HKAudiogramSample":
                let unit = SampleUnit.healthKit("dBHL")
                var point = Audiogram.Point(
                    frequency: SampleQuantity(value: 1, unit: .healthKit("kHz"))
                )
                point.leftEar = Audiogram.Ear(sensitivity: SampleQuantity(value: 15, unit: unit))
                point.leftEar?.isMasked = true
                point.leftEar?.upperBound = 120
                point.rightEar = Audiogram.Ear(sensitivity: SampleQuantity(value: -5, unit: unit))
                value = .audiogram(Audiogram(points: [point]))
            case "HKWorkoutRoute":
                var place = WorkoutRoute.Location(
                    time: "2026-03-01T08:00:01Z",
                    latitude: 52.5163,
                    longitude: 13.3777
                )
                place.altitude = 34.5
                place.course = -1
                value = .workoutRoute(
                    WorkoutRoute(workout: "0c8f5a3e-5d4c-4e5b-9b39-2a54c0c7f1d5", locations: [place])
                )
            default:
                value = .clinicalRecord(AnyResource(Patient(name: HumanName(family: "Doe"))))
            }
        }
        return Sample(
            type: type,
            uuid: "0C8F5A3E-5D4C-4E5B-9B39-2A54C0C7F1D5",
            start: "2026-03-01T08:00:00+01:00",
            end: "2026-03-01T08:30:00+01:00",
            value: value,
            metadata: [
                "HKWasUserEntered": .boolean(true), "own key ü": .text("x"),
                "HKWeatherTemperature": .quantity(SampleQuantity(value: 50, unit: .healthKit("degF"))),
            ],
            device: Fixture.watch,
            source: SampleSource(name: "Anna’s Watch")
        )
    }

    @Test("each type gives a valid Observation", arguments: types)
    func everyType(_ type: String) throws {
        let entry = try #require(HealthMapping.standard.types[type])
        let converter = SampleConverter(subject: "Patient/7")
        let sample = try sample(of: type, entry)
        #expect(try Sample(json: JSONValue(parsing: sample.json.text())) == sample)
        let device = try #require(converter.device(of: sample))
        #expect(Fixture.errors(device) == [])
        let resource = try converter.resource(
            of: sample,
            device: Reference("Device/\(try #require(device.id))")
        )
        #expect(Fixture.errors(resource) == [])
        guard type != "HKClinicalRecord", type != "HKWorkoutRoute" else { return }
        let observation = try #require(resource.as(Observation.self))
        #expect(
            observation.status == .final && observation.subject?.reference == "Patient/7"
                && observation.category.isEmpty == false
        )
        #expect(observation.identifier.first?.value?.hasPrefix("urn:uuid:") == true)
        for coding in entry.codes { #expect(observation.code?.coding.contains(coding) == true) }
        #expect(observation.code?.contains(sample.type, system: SampleConverter.healthKit) == true)
        let quantities = [observation.value?.quantity] + observation.component.map { $0.value?.quantity }
        for quantity in quantities.compactMap({ $0 }) {
            #expect(quantity.system == .ucum)
            #expect(throws: Never.self) { try UCUMUnit(#require(quantity.code)) }
        }
        if observation.category.contains(where: {
            $0.contains("vital-signs", system: "http://terminology.hl7.org/CodeSystem/observation-category")
        }) {
            #expect(observation.effective != nil && observation.subject != nil)
            #expect(
                observation.value?.quantity?.value != nil
                    || observation.component.allSatisfy { $0.value != nil }
            )
        }
    }

    /// R4's profile of vital signs: code and unit.
    @Test(
        "vital signs have the codes and units of their profiles",
        arguments: [
            ("HeartRate", "8867-4", "/min", "count/min"), ("RespiratoryRate", "9279-1", "/min", "count/min"),
            ("BodyTemperature", "8310-5", "Cel", "degF"), ("Height", "8302-2", "cm", "in"),
            ("BodyMass", "29463-7", "kg", "lb"),
            ("BodyMassIndex", "39156-5", "kg/m2", "count"), ("OxygenSaturation", "2708-6", "%", "%"),
            ("BloodPressureSystolic", "8480-6", "mm[Hg]", "mmHg"),
            ("BloodPressureDiastolic", "8462-4", "mm[Hg]", "mmHg"),
        ]
    )
    func vitalSigns(
        _ type: String,
        _ code: String,
        _ ucum: String,
        _ unit: String
    ) throws {
        let resource = try SampleConverter(subject: "Patient/1").resource(
            of: Fixture.quantity(type, 36.5, unit)
        )
        let observation = try #require(resource.as(Observation.self))
        #expect(observation.code?.contains(code, system: .loinc) == true)
        #expect(observation.value?.quantity?.code == ucum)
        #expect(observation.category.first?.coding.first?.code == "vital-signs")
    }

    @Test("blood pressure has its panel in order")
    func bloodPressure() throws {
        let resource = try SampleConverter().resource(of: Fixture.bloodPressure())
        let observation = try #require(resource.as(Observation.self))
        #expect(observation.value == nil && observation.code?.contains("85354-9", system: .loinc) == true)
        #expect(observation.component.map { $0.code?.coding.first?.code } == ["8480-6", "8462-4"])
    }

    @Test(
        "a pressure that is missing is said to be missing",
        arguments: [("BloodPressureSystolic", 0), ("BloodPressureDiastolic", 1)]
    )
    func missingPressure(_ type: String, _ index: Int) throws {
        var sample = Fixture.bloodPressure()
        sample.value = .correlation(
            sample.members.filter { $0.type.hasSuffix(type) } + [
                Fixture.quantity("HeartRate", 60, "count/min")
            ]
        )
        let resource = try SampleConverter(subject: "Patient/1").resource(of: sample)
        let components = try #require(resource.as(Observation.self)).component
        #expect(components.map { $0.code?.coding.first?.code } == ["8480-6", "8462-4", "8867-4"])
        #expect(components.map { $0.value == nil } == [index != 0, index != 1, false])
        #expect(components.map { $0.dataAbsentReason != nil } == [index != 0, index != 1, false])
        #expect(Fixture.errors(resource) == [])
    }

    /// What a correlation cannot hold does not go with it.
    @Test("members stand alone where their correlation is not converted")
    func aloneMembers() throws {
        let converter = SampleConverter()
        #expect(converter.parts(of: Fixture.bloodPressure()) == [Fixture.bloodPressure()])
        var unknown = Fixture.bloodPressure()
        unknown.type = "HKCorrelationTypeIdentifierNew"
        #expect(converter.parts(of: unknown) == [unknown] + unknown.members)
        var bad = Fixture.bloodPressure()
        bad.value = .correlation(bad.members + [Fixture.quantity("HeartRat", 1, "g")])
        #expect(converter.parts(of: bad).count == 4)
    }

    @Test(
        "a value of another kind than its type's is an error",
        arguments: [
            heartRateWithStateOfMind,
            #"{"type": "HKQuantityTypeIdentifierHeartRate", "start": "2026-03-01T08:00:00Z", "category": 1}"#,
            heartRateWithClinicalRecord,
            acneWithWorkout,
            electrocardiogramWithStateOfMind,
            #"{"type": "HKWorkoutTypeIdentifier", "start": "2026-03-01T08:00:00Z", "value": 1, "unit": "count"}"#,
        ]
    )
    func otherKind(_ json: String) throws {
        let sample = try Sample(json: JSONValue(parsing: json))
        #expect { try SampleConverter().resource(of: sample) } throws: {
            "\($0)".contains("'\(sample.type)' should be")
        }
    }

    @Test("a type of one's own may have any other value")
    func ownTypes() throws {
        let mapping = try HealthMapping.standard.overlaid(
            parsing: Data(#"{"others": {"acme.mood": {"display": "Mood"}}}"#.utf8)
        )
        var sample = Fixture.bloodPressure()
        sample.type = "acme.mood"
        sample.value = .stateOfMind(StateOfMind(kind: "daily mood", valence: 0))
        #expect(
            Fixture.errors(try SampleConverter(mapping: mapping, subject: "Patient/1").resource(of: sample))
                == []
        )
    }

    /// HealthKit itself calls electrocardiograms, states of mind and clinical records by other names.
    @Test("values that only one type can have know its name")
    func typeNames() {
        let mind = SampleValue.stateOfMind(StateOfMind(kind: "a", valence: 0))
        let heart = SampleValue.electrocardiogram(
            Electrocardiogram(
                samplingFrequency: SampleQuantity(value: 512, unit: .healthKit("Hz")),
                voltages: [1]
            )
        )
        let record = SampleValue.clinicalRecord(AnyResource(Patient(name: HumanName(family: "Doe"))))
        let types = [mind, heart, record, .workout(Workout(activity: "running"))].map(\.ownType)
        #expect(
            types == ["HKStateOfMind", "HKElectrocardiogram", "HKClinicalRecord", "HKWorkoutTypeIdentifier"]
        )
        #expect(
            types.allSatisfy { HealthMapping.standard.types[$0 ?? ""]?.kind == .other }
                && SampleValue.category(nil).ownType == nil
        )
    }

    @Test("a threshold in another unit stays with the metadata")
    func threshold() throws {
        var event = Fixture.bloodPressure()
        event.type = "HKCategoryTypeIdentifierHighHeartRateEvent"
        event.value = .category(0)
        func convert(_ unit: String) throws -> Observation {
            event.metadata["HKHeartRateEventThreshold"] = .quantity(
                SampleQuantity(value: 120, unit: .healthKit(unit))
            )
            return try #require(
                try SampleConverter(subject: "Patient/1").resource(of: event).as(Observation.self)
            )
        }
        #expect(try convert("count/min").component.count == 1 && convert("count/min").extension.isEmpty)
        for unit in ["bpm", "kg"] {
            let observation = try convert(unit)
            #expect(observation.component.isEmpty && observation.extension.first?.extension.count == 1)
            #expect(Fixture.errors(observation) == [])
        }
    }

    @Test("texts that FHIR cannot hold are left out or cleaned")
    func texts() throws {
        var sample = Fixture.quantity("HeartRate", 60, "count/min", source: "a\0b")
        sample.device = SampleDevice()
        sample.device?.model = ""
        sample.metadata = ["a": .text("")]
        let converter = SampleConverter(subject: "Patient/1")
        #expect(try converter.resource(of: sample).as(Observation.self)?.extension.isEmpty == true)
        sample.metadata["b"] = .text("a\u{1}b")
        let resource = try converter.resource(of: sample)
        #expect(Fixture.errors(resource) == [] && resource.tree.text().contains("\"ab\""))
        let device = try #require(converter.device(of: sample))
        #expect(
            Fixture.errors(device) == [] && device.deviceName.first?.name == "ab" && device.modelNumber == nil
        )
    }

    @Test("units of one's own for metadata are used")
    func metadataUnits() throws {
        let mapping = try HealthMapping.standard.overlaid(
            parsing: Data(#"{"metadata": {"my_key": "mg"}}"#.utf8)
        )
        var sample = Fixture.quantity("HeartRate", 60, "count/min")
        sample.metadata["my_key"] = .quantity(SampleQuantity(value: 2, unit: .healthKit("g")))
        let observation = try #require(
            try SampleConverter(mapping: mapping).resource(of: sample).as(Observation.self)
        )
        #expect(observation.tree.text().contains(#""value":2000,"unit":"mg""#), "\(observation.tree.text())")
        let record = ExportTests.record(inside: "<MetadataEntry key=\"my_key\" value=\"2 g\"/>")
        #expect(try ExportTests.read(record, mapping: mapping).samples.first?.metadata == sample.metadata)
    }

    @Test("sound reduction is in decibels, whichever of their names is given", arguments: ["dBASPL", "dBHL"])
    func decibels(_ unit: String) throws {
        let resource = try SampleConverter(subject: "Patient/1").resource(
            of: Fixture.quantity("EnvironmentalSoundReduction", 21.5, unit)
        )
        let quantity = try #require(resource.as(Observation.self)?.value?.quantity)
        #expect(quantity.value == 21.5 && quantity.code == "dB[SPL]")
    }

    /// Such samples are made in code; of a file they are problems when it is read. Without a time, two days
    /// would be one sample.
    @Test("invalid samples become no resources")
    func invalid() throws {
        let day = Fixture.quantity("BodyMass", 70, "kg", from: "2026-03-01")
        let reversed = Fixture.quantity("BodyMass", 70, "kg", to: "2026-02-01T08:00:00+01:00")
        var unknown = Fixture.quantity("BodyMass", 70, "kg")
        unknown.uuid = "none"
        let correlation = Sample(
            type: "HKCorrelationTypeIdentifierBloodPressure",
            start: reversed.start,
            end: reversed.start,
            value: .correlation([unknown])
        )
        for sample in [day, reversed, unknown, correlation] {
            #expect(throws: SampleError.self) { try SampleConverter().resource(of: sample) }
        }
    }

    @Test("per cent means per cent")
    func perCent() throws {
        let fraction = try SampleConverter().resource(of: Fixture.quantity("OxygenSaturation", 0.98, "%"))
        #expect(fraction.as(Observation.self)?.value?.quantity?.value == 98)
        var sample = Fixture.quantity("OxygenSaturation", 98, "%")
        sample.value = .quantity(SampleQuantity(value: 98, unit: .ucum("%")))
        #expect(try SampleConverter().resource(of: sample).as(Observation.self)?.value?.quantity?.value == 98)
    }

    @Test("dates are in the sample's own zone")
    func zones() throws {
        var sample = Fixture.quantity(
            "HeartRate",
            60,
            "count/min",
            from: "2026-07-01T08:00:00.25+02:00",
            to: "2026-07-01T08:01:00+02:00"
        )
        sample.metadata["HKTimeZone"] = .text("America/New_York")
        let observation = try #require(try SampleConverter().resource(of: sample).as(Observation.self))
        #expect(observation.effective?.period?.start == "2026-07-01T02:00:00.25-04:00")
        #expect(observation.effective?.period?.end == "2026-07-01T02:01:00-04:00")
        sample.metadata["HKTimeZone"] = .text("Nowhere/Land")
        #expect(
            try SampleConverter().resource(of: sample).as(Observation.self)?.effective?.period?.start
                == sample.start
        )
    }

    @Test("a mapping of one's own is laid over the standard one and reaches members")
    func overlay() throws {
        let own = """
            {"quantities": {"HKQuantityTypeIdentifierBloodPressureSystolic": {"unit": {"code": "kPa", \
            "text": "kPa"}},
              "acme.grip": {"display": "Grip", "unit": {"code": "N"}, "total": "mean"}}}
            """
        let mapping = try HealthMapping.standard.overlaid(parsing: Data(own.utf8))
        let observation = try #require(
            try SampleConverter(mapping: mapping).resource(of: Fixture.bloodPressure()).as(Observation.self)
        )
        #expect(observation.component.first?.value?.quantity?.code == "kPa")
        #expect(observation.component.first?.code?.contains("8480-6", system: .loinc) == true)
        var grip = Fixture.bloodPressure()
        grip.type = "acme.grip"
        grip.value = .quantity(SampleQuantity(value: 300, unit: .ucum("N")))
        #expect(Fixture.errors(try SampleConverter(mapping: mapping).resource(of: grip)) == [])
    }

    @Test(
        "a wrong mapping is reported with its position",
        arguments: [
            (#"{"quantitys": {}}"#, "1:2: mappings have no section 'quantitys'. Did you mean"),
            (
                "{\n\"quantities\": {\"HKQuantityTypeIdentifierHeartRate\": {\"unit\": {\"code\": \"bpm!\"}}}}",
                "2:"
            ),
            (#"{"quantities": {"a": {"display": "A"}}}"#, "has no unit"),
            (
                #"{"categories": {"HKCategoryTypeIdentifierAcne": {"values": "Severety"}}}"#,
                "Did you mean 'Severity'?"
            ),
            (#"{"quantities": "#, "1:"),
        ]
    )
    func wrongMapping(_ json: String, _ message: String) {
        #expect { try HealthMapping.standard.overlaid(parsing: Data(json.utf8)) } throws: {
            "\($0)".contains(message)
        }
    }

    @Test("errors name their cause")
    func errors() {
        func message(_ sample: Sample) -> String {
            do { _ = try SampleConverter().resource(of: sample) } catch { return "\(error)" }
            return ""
        }
        #expect(
            message(Fixture.quantity("HartRate", 1, "count/min"))
                == """
                the type 'HKQuantityTypeIdentifierHartRate' has no mapping. Did you mean \
                'HKQuantityTypeIdentifierHeartRate'?
                """
        )
        #expect(
            message(Fixture.quantity("HeartRate", 1, "kg"))
                == "HKQuantityTypeIdentifierHeartRate: the unit 'kg' cannot be converted to '/min'"
        )
        #expect(
            message(Fixture.quantity("HeartRate", 1, "cuont/min"))
                == "the unit 'cuont/min' is unknown. Did you mean 'count'?"
        )
        var bad = Fixture.bloodPressure()
        bad.value = .correlation([Fixture.quantity("BloodPressureSystolic", 1, "mm")])
        #expect(
            message(bad)
                == """
                member 0: HKQuantityTypeIdentifierBloodPressureSystolic: the unit 'mm' cannot be converted \
                to 'mm[Hg]'
                """
        )
    }

    @Test("types newer than the table keep their own code")
    func newerTypes() throws {
        let newer = Fixture.quantity("HeartRateVariabilityRMSSD", 42.5, "ms")
        let converter = SampleConverter(subject: "Patient/7")
        let quantity = try converter.resource(of: newer)
        #expect(Fixture.errors(quantity) == [])
        let observation = try #require(quantity.as(Observation.self))
        let coding = observation.code?.coding.first
        #expect(coding?.system == SampleConverter.healthKit)
        #expect(coding?.code == "HKQuantityTypeIdentifierHeartRateVariabilityRMSSD")
        #expect(coding?.display == "Heart Rate Variability RMSSD")
        #expect(observation.value?.quantity?.value == 42.5)
        #expect(observation.value?.quantity?.code == "ms")
        var event = newer
        event.type = "HKCategoryTypeIdentifierSomethingNew"
        event.value = .category(3)
        let category = try #require(converter.resource(of: event).as(Observation.self))
        #expect(Fixture.errors(category) == [])
        #expect(category.value == .integer(3))
        for type in ["HKOtherTypeIdentifierNew", "HKQuantityTypeIdentifierA/B", "HKQuantityTypeIdentifier"] {
            var other = newer
            other.type = type
            #expect(throws: SampleError.self) { try converter.resource(of: other) }
        }
    }

    @Test("two patients with equal watches have two devices")
    func devices() {
        var sample = Fixture.quantity("HeartRate", 60, "count/min")
        sample.device = Fixture.watch
        let ids = ["Patient/1", "Patient/2", "Patient/1"].map {
            SampleConverter(subject: $0).device(of: sample)?.id
        }
        #expect(ids[0] != ids[1] && ids[0] == ids[2])
    }

    /// A new version of iOS may bring a type that a million samples have, and a stranger's file a million
    /// types.
    @Test("samples of many unknown types are all refused")
    func manyUnknown() async {
        // A process remembers so many types, and gives further ones no hint.
        await #expect(processExitsWith: .success) {
            let converter = SampleConverter()
            for number in 0..<3_000 {
                var sample = Fixture.quantity("HeartRat", 60, "count/min")
                if number % 2 == 0 { sample.type = "HKQuantityTypeIdentifier\(number)" }
                #expect(throws: SampleError.self) { try converter.resource(of: sample) }
            }
            let misspelt = Fixture.quantity("HeartRat", 60, "count/min")
            #expect { try converter.resource(of: misspelt) } throws: {
                "\($0)".contains("Did you mean 'HKQuantityTypeIdentifierHeartRate'?")
            }
        }
    }
}
