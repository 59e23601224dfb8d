import FHIR
import Foundation
import HealthSamples
import OrderedJSON
import Testing
import ZipArchive

/// Apple's export, as it is and as it should not be.
@Suite struct ExportTests {
    static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 14. It's "quoted" > here -->
        <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation)*)>
        <!ATTLIST HealthData locale CDATA #REQUIRED broken ">" >
        <!ATTLIST Broken
        ]>
        <HealthData locale="en_DE">
         <ExportDate value="2026-03-01 12:00:00 +0100"/>
         <Me HKCharacteristicTypeIdentifierDateOfBirth="1990-01-01"/>

        """
    static let device =
        """
        &lt;&lt;HKDevice: 0x2817&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, \
        hardware:Watch6,1, software:10.1&gt;
        """

    static func record(
        _ type: String = "HKQuantityTypeIdentifierHeartRate",
        _ value: String = "62",
        unit: String = "count/min",
        start: String = "2026-03-01 08:00:00 +0100",
        inside: String? = nil,
        device: String = device
    ) -> String {
        let unit = unit.isEmpty ? "" : " unit=\"\(unit)\""
        let tag =
            "<Record type=\"\(type)\" sourceName=\"Anna’s Apple&#160;Watch\" sourceVersion=\"10.1\""
            + " device=\"\(device)\"\(unit) "
            + "creationDate=\"\(start)\" startDate=\"\(start)\" endDate=\"\(start)\" value=\"\(value)\""
        return inside.map { "\(tag)>\n  \($0)\n </Record>\n" } ?? "\(tag)/>\n"
    }

    static func correlation(_ members: String, start: String = "2026-03-01 08:00:00 +0100") -> String {
        """
        <Correlation type=\"HKCorrelationTypeIdentifierBloodPressure\" sourceName=\"Cuff\" \
        creationDate=\"\(start)\" startDate=\"\(start)\" endDate=\"\(start)\">\n
        """
            + " <MetadataEntry key=\"HKWasUserEntered\" value=\"1\"/>\n\(members)</Correlation>\n"
    }

    /// What a file of these elements gives.
    static func read(
        _ elements: String,
        head: String = head,
        tail: String = "</HealthData>\n",
        mapping: HealthMapping = .standard
    ) throws -> (samples: [Sample], problems: [SampleProblem]) {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).xml")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data((head + elements + tail).utf8).write(to: url)
        return try all(SampleReader(url: url, mapping: mapping))
    }

    static func all(_ reader: SampleReader) throws -> (samples: [Sample], problems: [SampleProblem]) {
        var reader = reader
        var samples: [Sample] = []
        var problems: [SampleProblem] = []
        while let item = try reader.next() {
            switch item {
            case .sample(let sample, _): samples.append(sample)
            case .problem(let problem): problems.append(problem)
            }
        }
        return (samples, problems)
    }

    @Test("a record has all that stands in it")
    func wholeRecord() throws {
        let inside =
            """
            <MetadataEntry key="HKTimeZone" value="Europe/Berlin"/><MetadataEntry key="HKWeatherTemperature" \
            value="50 degF"/><HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="60" \
            time="8:00:00,22 AM"/></HeartRateVariabilityMetadataList>
            """
        let (samples, problems) = try Self.read(Self.record(inside: inside))
        #expect(problems == [])
        let sample = try #require(samples.first)
        #expect(sample.start == "2026-03-01T08:00:00+01:00")
        #expect(sample.value == .quantity(SampleQuantity(value: 62, unit: .healthKit("count/min"))))
        #expect(sample.source?.name == "Anna’s Apple\u{A0}Watch" && sample.source?.version == "10.1")
        #expect(
            sample.device?.name == "Apple Watch" && sample.device?.hardwareVersion == "Watch6,1"
                && sample.device?.softwareVersion == "10.1"
        )
        #expect(sample.metadata["HKTimeZone"] == .text("Europe/Berlin"))
        #expect(
            sample.metadata["HKWeatherTemperature"]
                == .quantity(SampleQuantity(value: 50, unit: .healthKit("degF")))
        )
    }

    @Test("metadata without text is left out")
    func emptyMetadata() throws {
        let (samples, problems) = try Self.read(
            Self.record(inside: "<MetadataEntry key=\"a\" value=\"\"/><MetadataEntry key=\"b\"/>")
        )
        #expect(problems == [] && samples.first?.metadata == [:])
    }

    @Test("a record is the same sample in two exports")
    func twoExports() throws {
        let first = try Self.read(Self.record())
        let second = try Self.read(
            Self.record(
                start: "2026-03-01 02:00:00 -0500",
                device: Self.device.replacingOccurrences(of: "0x2817", with: "0x99")
            )
        )
        #expect(first.samples[0].identity == second.samples[0].identity)
        #expect(first.samples[0].device == second.samples[0].device)
    }

    @Test(
        "names of values become numbers",
        arguments: [
            ("HKCategoryTypeIdentifierSleepAnalysis", "HKCategoryValueSleepAnalysisAsleepCore", 3),
            ("HKCategoryTypeIdentifierSleepAnalysis", "HKCategoryValueSleepAnalysisAsleep", 1),
            ("HKCategoryTypeIdentifierSleepAnalysis", "HKCategoryValueSleepAnalysisInBed", 0),
            ("HKCategoryTypeIdentifierAppleStandHour", "HKCategoryValueAppleStandHourStood", 0),
            ("HKCategoryTypeIdentifierHeadache", "HKCategoryValueSeverityNotPresent", 1),
            ("HKCategoryTypeIdentifierMoodChanges", "HKCategoryValuePresenceNotPresent", 1),
            ("HKCategoryTypeIdentifierMindfulSession", "HKCategoryValueNotApplicable", 0),
            ("HKCategoryTypeIdentifierOvulationTestResult", "HKCategoryValueOvulationTestResultPositive", 2),
            (
                "HKCategoryTypeIdentifierAudioExposureEvent",
                "HKCategoryValueAudioExposureEventLoudEnvironment", 1
            ),
            ("HKCategoryTypeIdentifierMenstrualFlow", "HKCategoryValueVaginalBleedingHeavy", 4),
            ("HKCategoryTypeIdentifierMenstrualFlow", "HKCategoryValueMenstrualFlowHeavy", 4),
        ]
    )
    func valueNames(_ type: String, _ name: String, _ number: Int) throws {
        let (samples, problems) = try Self.read(Self.record(type, name, unit: ""))
        #expect(problems == [] && samples.first?.value == .category(number))
        #expect(throws: Never.self) { try SampleConverter().resource(of: #require(samples.first)) }
    }

    /// A later iOS may have values that end like those of today.
    @Test(
        "a new value is not taken for an older one whose name it ends with",
        arguments: [
            ("LowCardioFitnessEvent", "LowCardioFitnessEventVeryLowFitness"),
            ("SleepAnalysis", "SleepAnalysisNotInBed"),
            ("Headache", "SeverityVerySevere"),
        ]
    )
    func newValues(_ type: String, _ name: String) throws {
        let (samples, problems) = try Self.read(
            Self.record("HKCategoryTypeIdentifier\(type)", "HKCategoryValue\(name)", unit: "")
        )
        #expect(
            samples == [] && problems.first?.reason.contains("has no value 'HKCategoryValue\(name)'") == true
        )
    }

    @Test("members of correlations are there once")
    func membersOnce() throws {
        let systolic = Self.record("HKQuantityTypeIdentifierBloodPressureSystolic", "120", unit: "mmHg")
        let diastolic = Self.record("HKQuantityTypeIdentifierBloodPressureDiastolic", "80", unit: "mmHg")
        let other = Self.record("HKQuantityTypeIdentifierBloodPressureSystolic", "121", unit: "mmHg")
        let (samples, problems) = try Self.read(
            systolic + diastolic + other + Self.record() + Self.correlation(systolic + diastolic)
        )
        #expect(problems == [])
        #expect(
            samples.map(\.type).map(HealthMapping.shortName) == [
                "BloodPressureSystolic", "HeartRate", "BloodPressure",
            ]
        )
        #expect(samples.last?.members.count == 2 && samples.last?.metadata["HKWasUserEntered"] == .text("1"))
    }

    /// A bad member makes the correlation a problem; its good members stay, as records of their own.
    @Test("a bad correlation costs no good record")
    func badCorrelation() throws {
        let systolic = Self.record("HKQuantityTypeIdentifierBloodPressureSystolic", "120", unit: "mmHg")
        for bad in ["1e400", "x", "8\u{1}0"] {
            let diastolic = Self.record("HKQuantityTypeIdentifierBloodPressureDiastolic", bad, unit: "mmHg")
            let (samples, problems) = try Self.read(
                systolic + diastolic + Self.correlation(systolic + diastolic)
            )
            #expect(samples.map(\.type) == ["HKQuantityTypeIdentifierBloodPressureSystolic"])
            #expect(problems.count == 2, "the record and the correlation")
        }
    }

    @Test("control characters are treated alike in members and in records")
    func controlCharacters() throws {
        let bad = Self.record("HKQuantityTypeIdentifierBloodPressureSystolic", "120", unit: "mmHg")
            .replacingOccurrences(of: "Anna", with: "An\u{8}na")
        let (samples, problems) = try Self.read(bad + Self.correlation(bad))
        #expect(samples.isEmpty && problems.count == 2)
        #expect(problems.allSatisfy { $0.reason.contains("'sourceName' has the control character 8") })
    }

    @Test("wrong lines are reported with their numbers and skipped")
    func wrongLines() throws {
        let lines = Self.head.utf8.filter { $0 == 10 }.count
        let (samples, problems) = try Self.read(
            Self.record() + "<Record type=\"x\n" + Self.record("a b", "1e400")
                + "<Record type=a/>\n<Record/>\n"
                + Self.record(
                    "HKCategoryTypeIdentifierSleepAnalysis",
                    "HKCategoryValueSleepAnalysisAslep",
                    unit: ""
                )
                + Self.record(start: "2026-13-01 08:00:00 +0100") + Self.record(device: "&foo;") + "< >\n"
                + Self.record()
        )
        #expect(samples.count == 2)
        #expect(problems.map(\.line) == [2, 3, 4, 5, 6, 7, 8, 9].map { $0 + lines })
        #expect(
            problems.map(\.reason)[2...3] == [
                "an attribute's value without quotation marks", "'type' is missing",
            ]
        )
    }

    @Test("a missing end tag costs one element only")
    func missingEndTag() throws {
        let open = Self.record(inside: "<MetadataEntry key=\"a\" value=\"b\"/>").replacingOccurrences(
            of: "</Record>",
            with: ""
        )
        let (samples, problems) = try Self.read(
            open + Self.record()
                + Self.correlation(Self.record()).replacingOccurrences(of: "</Correlation>", with: "")
        )
        #expect(samples.count == 1 && problems.count == 2)
    }

    @Test(
        "a truncated file is a problem",
        arguments: [
            "", "<Record type=\"", "<!-- ", "<Correlation type=\"HKCorrelationTypeIdentifierFood\">",
            "<!DOCTYPE x [",
        ]
    )
    func truncated(_ end: String) throws {
        let (samples, problems) = try Self.read(Self.record() + end, tail: "")
        #expect(
            samples.count == 1 && problems.last?.reason.isEmpty == false
                && problems.contains { $0.reason.contains("end") || $0.reason.contains("missing") }
        )
        #expect(
            try Self.read("<html/>", head: "", tail: "").problems.first?.reason.contains(
                "this is not an export of Health"
            ) == true
        )
    }

    @Test("a tag without end is bounded")
    func endlessTag() throws {
        let (samples, problems) = try Self.read(
            "<Record type=\"" + String(repeating: "x", count: 3 << 20) + "\"/>" + Self.record()
        )
        #expect(samples.count == 1 && problems.first?.reason.contains("more than") == true)
    }

    /// An element that is skipped and never ends takes nothing with it that follows.
    @Test(
        "an unknown element without end is reported",
        arguments: [
            "<ActivitySummary x=\"1\">\n", "<Audiogram><SensitivityPoint>\n", "<ClinicalRecord type=\"a\">\n",
        ]
    )
    func endlessElement(_ open: String) throws {
        let (samples, problems) = try Self.read(
            open + Self.record() + Self.record(start: "2026-03-01 09:00:00 +0100")
        )
        #expect(
            samples.count == 2 && problems.count == 1
                && problems.first?.reason.contains("is missing before line") == true
        )
        #expect(try Self.read(open).problems.count == 1)
    }

    @Test("a member without end makes a problem of its correlation and of nothing else")
    func endlessMember() throws {
        let member = Self.record(
            "HKQuantityTypeIdentifierBloodPressureSystolic",
            "120",
            unit: "mmHg",
            inside: "<MetadataEntry key=\"a\" value=\"b\"/>"
        )
        let open = member.replacingOccurrences(of: "</Record>", with: "")
        for members in [open, open + member, open + open] {
            let (samples, problems) = try Self.read(Self.correlation(members) + Self.record())
            #expect(samples.map(\.type) == ["HKQuantityTypeIdentifierHeartRate"])
            #expect(
                problems.count == 1 && problems.first?.reason.contains("</Record> is missing") == true,
                "\(problems)"
            )
        }
    }

    @Test("records of a correlation without end are counted")
    func endlessCorrelation() throws {
        let open = Self.correlation(Self.record()).replacingOccurrences(of: "</Correlation>", with: "")
        let (samples, problems) = try Self.read(
            open + Self.record() + Self.correlation(Self.record(start: "2026-03-01 09:00:00 +0100"))
        )
        #expect(
            samples.count == 1 && problems.count == 1
                && problems.first?.reason.contains("2 records in it are skipped") == true,
            "\(problems)"
        )
    }

    /// What XML allows and exports do not have, and what editors make of them.
    @Test("comments, CDATA sections, line ends and byte order marks are no problem")
    func markup() throws {
        let records =
            Self.record() + "<!-- " + Self.record() + " -->\n<![CDATA[" + Self.record()
            + "]]>\n<?pi <Record ?>\n"
                + """
                <Record sourceName='a \"b\" > c' unit='count/min' value='61'\n startDate='2026-03-01 \
                08:00:00 +0100'\tendDate='2026-03-01 08:00:00 +0100' \
                type='HKQuantityTypeIdentifierHeartRate'/>
                """
        for text in [
            Self.head + records, "\u{FEFF}" + Self.head + records,
            (Self.head + records).replacingOccurrences(of: "\n", with: "\r\n"),
        ] {
            let (samples, problems) = try Self.read("", head: text)
            #expect(samples.count == 2 && problems == [], "\(problems)")
            #expect(samples.last?.source?.name == "a \"b\" > c")
        }
        let long = "<!--" + String(repeating: " " + Self.record(), count: 5000) + "-->"
        #expect(try Self.read(Self.record() + long).samples.count == 1)
    }

    @Test("entities are replaced once, and unknown ones are reported")
    func entities() throws {
        func name(_ text: String) throws -> (String?, String?) {
            let read = try Self.read(
                Self.record().replacingOccurrences(of: "Anna’s Apple&#160;Watch", with: text)
            )
            return (read.samples.first?.source?.name, read.problems.first?.reason)
        }
        #expect(try name("&amp;lt;&#x41;&#66;&quot;&apos;&gt;").0 == "&lt;AB\"'>")
        for bad in ["&xxe;", "&#0;", "&#xD800;", "&#99999999999;", "&", "&amp", "&#;", "a&b;c"] {
            #expect(try name(bad).1?.isEmpty == false, "\(bad)")
        }
    }

    @Test(
        "another encoding is a single error",
        arguments: [[0xFF, 0xFE, 0x3C, 0], [0xFE, 0xFF, 0, 0x3C], [0x3C, 0, 0x3F, 0]] as [[UInt8]]
    )
    func encoding(_ bytes: [UInt8]) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).xml")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(bytes).write(to: url)
        #expect { try SampleReader(url: url) } throws: { "\($0)".contains("not UTF-8") }
    }

    @Test("an electrocardiogram in another language has its classification")
    func classification() throws {
        func read(unit: String) throws -> (samples: [Sample], problems: [SampleProblem]) {
            let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).zip")
            defer { try? FileManager.default.removeItem(at: url) }
            let heart =
                """
                Name,Anna\nGeburtsdatum,01.01.1990\nAufzeichnungsdatum,2026-03-01 08:00:00 \
                +0100\nKlassifizierung,Sinusrhythmus\nSymptome,Schwindel\n
                """
                    + """
                    Softwareversion,1.9\nGerät,\"Watch6,1\"\nMessrate,512 Hertz\n\nAbleitung,Ableitung \
                    I\nEinheit,\(unit)\n\n-25,5\n30\n
                    """
            let writer = try ZipWriter(url: url)
            try writer.add("apple_health_export/electrocardiograms/ecg.csv", data: Data(heart.utf8))
            try writer.finish()
            return try Self.all(SampleReader(url: url))
        }
        guard case .electrocardiogram(let heart)? = try read(unit: "µV").samples.first?.value else {
            return #expect(Bool(false))
        }
        #expect(
            heart.classification == "Sinusrhythmus" && heart.symptoms == "Schwindel"
                && heart.voltages == [-25.5, 30]
        )
        #expect(try read(unit: "µV").samples.first?.device?.name == "Watch6,1")
        #expect(try read(unit: "mV").problems.first?.reason.contains("the unit is 'mV'") == true)
    }

    @Test("workouts have their numbers")
    func workouts() throws {
        let dates = "startDate=\"2026-03-01 08:00:00 +0100\" endDate=\"2026-03-01 09:00:00 +0100\""
        let (samples, problems) = try Self.read(
            """
            <Workout workoutActivityType="HKWorkoutActivityTypeCooldown" duration="30.5" durationUnit="min" \
            sourceName="W" \(dates)>
             <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" \(dates) sum="200" \
            unit="Cal"/>
             <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceCycling" \(dates) sum="5" unit="km"/>
             <WorkoutRoute sourceName="W"><MetadataEntry key="HKMetadataKeySyncVersion" \
            value="2"/><FileReference path="/x.gpx"/></WorkoutRoute>
            </Workout>
            <Workout workoutActivityType="HKWorkoutActivityTypeRuning" sourceName="W" \(dates)/>

            """
        )
        let sample = try #require(samples.first)
        #expect(samples.count == 1 && sample.metadata.isEmpty)
        #expect(problems.first?.reason.contains("Did you mean 'HKWorkoutActivityTypeRunning'?") == true)
        let observation = try #require(
            try SampleConverter(subject: "Patient/1").resource(of: sample).as(Observation.self)
        )
        #expect(Fixture.errors(observation) == [])
        #expect(observation.value?.codeableConcept?.coding.first?.code == "coolDown")
        #expect(observation.component.compactMap { $0.value?.quantity?.value } == [30.5, 200, 5000])
    }

    @Test("a zip gives its export, electrocardiograms and clinical records")
    func zip() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).zip")
        defer { try? FileManager.default.removeItem(at: url) }
        let heart =
            """
            Name,Anna\nDate of Birth,\"1 Jan 1990\"\nRecorded Date,2026-03-01 08:00:00 \
            +0100\nClassification,Sinus Rhythm\nSymptoms,\nSoftware Version,1.9\nDevice,\"Watch6,1\"\nSample \
            Rate,512 hertz\n\n\nLead,Lead I\nUnit,µV\n\n
            """
            + (0..<1024).map { "\($0 % 50 - 25).125\n" }.joined()
        let writer = try ZipWriter(url: url)
        try writer.add(
            "apple_health_export/eksport.xml",
            data: Data((Self.head + Self.record() + "</HealthData>").utf8)
        )
        try writer.add("apple_health_export/export_cda.xml", data: Data("<x/>".utf8))
        try writer.add("apple_health_export/electrocardiograms/ecg_2026-03-01.csv", data: Data(heart.utf8))
        try writer.add(
            "apple_health_export/clinical-records/Patient-1.json",
            data: Data(
                #"{"resourceType":"Patient","id":"1","meta":{"lastUpdated":"2026-01-01T00:00:00Z"}}"#.utf8
            )
        )
        try writer.add("apple_health_export/clinical-records/bad.json", data: Data("{\n}".utf8))
        try writer.finish()
        let (samples, problems) = try Self.all(SampleReader(url: url))
        #expect(
            Set(samples.map(\.type)) == [
                "HKQuantityTypeIdentifierHeartRate", "HKElectrocardiogram", "HKClinicalRecord",
            ]
        )
        #expect(problems.map(\.file) == ["apple_health_export/clinical-records/bad.json"])
        let ecg = try #require(samples.first { $0.type == "HKElectrocardiogram" })
        #expect(ecg.end == "2026-03-01T08:00:02+01:00")
        #expect(Fixture.errors(try SampleConverter(subject: "Patient/1").resource(of: ecg)) == [])
    }

    @Test("lines of JSON are read alike")
    func jsonLines() throws {
        let good = Fixture.quantity("HeartRate", 60, "count/min").json.text()
        var given: [UInt8]? = Array("\(good)\n\n{\"type\": 1}\r\nnot json\n\(good)".utf8)
        let (samples, problems) = try Self.all(
            SampleReader(name: "x") {
                defer { given = nil }
                return given
            }
        )
        #expect(samples.count == 2 && problems.map(\.line) == [3, 4])
        #expect(problems.first?.description == "x:3: 'type' should be a text")
        given = Array("\u{FEFF}\(good)\n".utf8)
        #expect(
            try Self.all(
                SampleReader(name: "x") {
                    defer { given = nil }
                    return given
                }
            ).samples.count == 1
        )
    }

    /// The pieces in which the bytes come do not matter.
    @Test("the result is the same wherever the input is split")
    func splits() throws {
        let text = Array(
            (Fixture.bloodPressure().json.text() + "\n" + Fixture.quantity("Height", 180, "cm").json.text())
                .utf8
        )
        let whole = try Self.all(SampleReader(name: "x", lines: pieces(text, text.count)))
        for size in [1, 7, 64] {
            #expect(try Self.all(SampleReader(name: "x", lines: pieces(text, size))).samples == whole.samples)
        }
    }

    private func pieces(_ bytes: [UInt8], _ size: Int) -> () throws -> [UInt8]? {
        var rest = bytes[...]
        return {
            defer { rest = rest.dropFirst(size) }
            return rest.isEmpty ? nil : Array(rest.prefix(size))
        }
    }
}
