import FHIR
import Foundation
import HealthSamples
import OrderedJSON
import Testing
import ZipArchive

/// What an export has beside its records: routes, rings, audiograms, clinical records.
@Suite struct ExportSeriesTests {
    private static let dates =
        "startDate=\"2026-03-01 08:00:00 +0100\" endDate=\"2026-03-01 09:00:00 +0100\""

    private static func workout(_ route: String) -> String {
        """
        <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" durationUnit="min" \
        sourceName="W" \(dates)>
         \(route)
        </Workout>

        """
    }

    private static func reference(_ path: String) -> String {
        """
        <WorkoutRoute sourceName="W" \(dates)><MetadataEntry key="HKMetadataKeySyncVersion" value="2"/>\
        <FileReference path="\(path)"/></WorkoutRoute>
        """
    }

    private static let gpx = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Apple Health Export" xmlns="http://www.topografix.com/GPX/1/1">
          <metadata><time>2026-03-02T00:00:00Z</time></metadata>
          <trk><name>Route 1 &amp; 2</name><trkseg>
            <trkpt lon="13.377700" lat="52.516300"><ele>34.10</ele><time>2026-03-01T07:00:00Z</time>\
        <extensions><speed>1.5</speed><course>-1.000000</course><hAcc>5.5</hAcc><vAcc>2</vAcc></extensions>\
        </trkpt>
            <trkpt lat="52.5164" lon="13.3778"><time> 2026-03-01T07:00:01Z
            </time></trkpt>
          </trkseg></trk>
        </gpx>
        """

    private static func files(_ elements: String, _ others: [(String, String)]) -> [(String, String)] {
        [("apple_health_export/export.xml", ExportTests.head + elements + "</HealthData>\n")] + others
    }

    /// What files give as an archive, and as a folder.
    private func read(_ files: [(String, String)], _ body: (SampleReader) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files {
            let file = folder.appending(path: "unpacked/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }
        let archive = folder.appending(path: "export.zip")
        let writer = try ZipWriter(url: archive)
        for (name, text) in files { try writer.add(name, data: Data(text.utf8)) }
        try writer.finish()
        try body(SampleReader(url: archive))
        try body(SampleReader(url: folder.appending(path: "unpacked")))
    }

    private func all(_ files: [(String, String)]) throws -> (samples: [Sample], problems: [SampleProblem]) {
        var results: [(samples: [Sample], problems: [SampleProblem])] = []
        try read(files) { results.append(try ExportTests.all($0)) }
        #expect(results[0].samples == results[1].samples && results[0].problems == results[1].problems)
        return results[0]
    }

    // MARK: Routes

    @Test("a route is read from its GPX file, and follows its workout")
    func route() throws {
        let (samples, problems) = try all(
            Self.files(
                Self.workout(Self.reference("/workout-routes/r.gpx")),
                [("apple_health_export/workout-routes/r.gpx", Self.gpx)]
            )
        )
        #expect(problems == [] && samples.map(\.type) == ["HKWorkoutTypeIdentifier", "HKWorkoutRoute"])
        guard case .workoutRoute(let route)? = samples.last?.value else { return #expect(Bool(false)) }
        #expect(route.workout == samples.first?.identity)
        #expect(samples.first?.metadata == [:])
        #expect(samples.last?.metadata == ["HKMetadataKeySyncVersion": .text("2")])
        #expect(samples.last?.source?.name == "W")
        var first = WorkoutRoute.Location(
            time: "2026-03-01T07:00:00Z",
            latitude: try #require(FHIRDecimal("52.516300")),
            longitude: try #require(FHIRDecimal("13.377700"))
        )
        first.altitude = FHIRDecimal("34.10")
        first.speed = 1.5
        first.course = FHIRDecimal("-1.000000")
        first.horizontalAccuracy = 5.5
        first.verticalAccuracy = 2
        #expect(
            route.locations == [
                first,
                WorkoutRoute.Location(time: "2026-03-01T07:00:01Z", latitude: 52.5164, longitude: 13.3778),
            ]
        )
    }

    @Test("a route becomes a DocumentReference, whose GPX gives the same places again")
    func routeInFHIR() throws {
        let export = Self.files(
            Self.workout(Self.reference("/workout-routes/r.gpx")),
            [("apple_health_export/workout-routes/r.gpx", Self.gpx)]
        )
        let samples = try all(export).samples
        let resource = try SampleConverter(subject: "Patient/1").resource(of: #require(samples.last))
        #expect(Fixture.errors(resource) == [])
        let document = try #require(resource.as(DocumentReference.self))
        #expect(
            document.context?.related.first?.identifier?.value == "urn:uuid:\(samples[0].identity)"
                && document.subject?.reference == "Patient/1"
        )
        let attachment = try #require(document.content.first?.attachment)
        #expect(attachment.contentType == "application/gpx+xml")
        let data = try #require(attachment.data.flatMap { Data(base64Encoded: $0) })
        #expect(attachment.size == data.count)
        let again = try all(
            Self.files(
                Self.workout(Self.reference("/r.gpx")),
                [("apple_health_export/r.gpx", String(decoding: data, as: UTF8.self))]
            )
        )
        #expect(again.samples.last?.value == samples.last?.value)
        #expect(again.samples.last?.identity == samples.last?.identity)
    }

    @Test("places that stand in the element, as in older exports, are read")
    func placesInTheElement() throws {
        let place =
            """
            <Location date="2026-03-01 08:00:00 +0100" latitude="52.5" longitude="13.4" altitude="30" \
            horizontalAccuracy="5" verticalAccuracy="3" course="-1" speed="2.5"/>
            """
        let elements = Self.workout("<WorkoutRoute sourceName=\"W\" \(Self.dates)>\(place)</WorkoutRoute>")
        let (samples, problems) = try ExportTests.read(elements)
        #expect(problems == [] && samples.count == 2)
        guard case .workoutRoute(let route)? = samples.last?.value else { return #expect(Bool(false)) }
        #expect(route.locations.map(\.speed) == [2.5] && route.locations.map(\.altitude) == [30])
    }

    @Test(
        "a route that cannot be read is a problem of its own: the workout stays",
        arguments: [
            ("<gpx>", "ends within"), ("", "no places"), ("<gpx/>", "no places"),
            ("<gpx><trkpt lat=\"1\" lon=\"2\"/></gpx>", "'time' is missing"),
            ("<gpx><trkpt lat=\"1\" lon=\"2\"></trkpt></gpx>", "'time' is missing"),
            ("<gpx><trkpt lat=\"91\" lon=\"2\"><time>2026-03-01T07:00:00Z</time></trkpt></gpx>", "from -90"),
            (
                "<gpx><trkpt lat=\"1\" lon=\"-180.1\"><time>2026-03-01T07:00:00Z</time></trkpt></gpx>",
                "from -180"
            ),
            ("<gpx><trkpt lat=\"x\" lon=\"2\">", "'lat' is not a number"),
            ("<gpx><trkpt lat=\"1\" lon=\"2\"><time>yesterday</time></trkpt></gpx>", "'time' is not a date"),
            ("<gpx><trkpt lat=\"1\" lon=\"2\"><ele>1e999</ele></trkpt></gpx>", "'ele' is not a number"),
            ("<gpx><trkpt lat=\"1\" lon=\"2\"><trkpt lat=\"1\" lon=\"2\">", "</trkpt> is missing"),
            ("<gpx><trkpt lat=\"1 lon", "ends within a tag"),
            (
                "<gpx><trkpt lat=\"1\" lon=\"2\"><ele>\(String(repeating: " ", count: 10_000))1</ele>",
                "'ele' is too long"
            ),
            ("<gpx><trkpt lat=\"1\" lon=\"2\"><ele>1<a/>2</ele>", "<ele> has elements in it"),
            ("<gpx><trkpt lat=\"1\" lon=\"2\"><ele>1&two;</ele>", "the unknown entity '&two;'"),
            ("<gpx><trkpt lat=\"1\" lon=\"2\"><ele><![CDATA[1&#50;]]></ele>", "'ele' is not a number"),
            ("<gpx><trkpt lat=\"1\" lon=\"2\"><ele><![CDATA[1", "']]>' is missing"),
        ]
    )
    func badRoutes(_ gpx: String, _ reason: String) throws {
        let (samples, problems) = try all(
            Self.files(
                Self.workout(Self.reference("/workout-routes/r.gpx")),
                [("apple_health_export/workout-routes/r.gpx", gpx)]
            )
        )
        #expect(samples.map(\.type) == ["HKWorkoutTypeIdentifier"])
        #expect(problems.map(\.file) == ["apple_health_export/workout-routes/r.gpx"])
        #expect(problems.first?.reason.contains(reason) == true, "\(problems)")
    }

    @Test("the texts of a route are whole, with references, with CDATA and in pieces")
    func routeTexts() throws {
        let blanks = String(repeating: " ", count: 200)
        let gpx = """
            <gpx><desc>\(String(repeating: "x", count: 20_000))</desc><trkpt lat="1" lon="2">
            <ele>\(blanks)1<!-- <ele> -->2&#46;<![CDATA[5]]></ele><speed>&#x32;</speed>
            <time><![CDATA[2026-03-01T07:00:00]]>\(blanks)</time></trkpt></gpx>
            """
        for zone in ["Z", "]]><![CDATA[Z"] {
            let text = gpx.replacing("07:00:00", with: "07:00:00\(zone)")
            let (samples, problems) = try all(
                Self.files(Self.workout(Self.reference("/r.gpx")), [("apple_health_export/r.gpx", text)])
            )
            #expect(problems.isEmpty, "\(problems)")
            guard case .workoutRoute(let route)? = samples.last?.value else { return #expect(Bool(false)) }
            #expect(route.locations.map(\.altitude) == [12.5] && route.locations.map(\.speed) == [2])
            #expect(route.locations.map(\.time) == ["2026-03-01T07:00:00Z"])
        }
    }

    @Test("a file that several routes name belongs to one, and is a problem for the others")
    func routeFileTwice() throws {
        let twice = Self.reference("/r.gpx") + Self.reference("/s.gpx") + Self.reference("/r.gpx")
        let (samples, problems) = try all(
            Self.files(
                Self.workout(twice) + Self.workout(Self.reference("/s.gpx")),
                [("apple_health_export/r.gpx", Self.gpx), ("apple_health_export/s.gpx", Self.gpx)]
            )
        )
        let types = samples.map { $0.type.replacing("HKWorkout", with: "") }
        #expect(types == ["TypeIdentifier", "Route", "Route", "TypeIdentifier"])
        #expect(
            problems.map(\.reason) == [
                "the route: the file '/r.gpx' is that of a route before it",
                "the route: the file '/s.gpx' is that of a route before it",
            ]
        )
    }

    @Test("values in the extensions of others are not a place's, and none is there twice")
    func foreignExtensions() throws {
        let time = "<time>2026-03-01T07:00:00Z</time>"
        let foreign = "<extensions><x><time>2020-01-01T00:00:00Z</time><ele>7</ele></x><time/></extensions>"
        func read(_ inner: String) throws -> (samples: [Sample], problems: [SampleProblem]) {
            let gpx = "<gpx><trkpt lat=\"1\" lon=\"2\">\(inner)</trkpt></gpx>"
            return try all(
                Self.files(Self.workout(Self.reference("/r.gpx")), [("apple_health_export/r.gpx", gpx)])
            )
        }
        for inner in ["\(time)<ele>1</ele>\(foreign)", "\(foreign)<ele>1</ele>\(time)"] {
            let (samples, problems) = try read(inner)
            #expect(problems == [])
            guard case .workoutRoute(let route)? = samples.last?.value else { return #expect(Bool(false)) }
            #expect(route.locations.map(\.time) == ["2026-03-01T07:00:00Z"])
            #expect(route.locations.map(\.altitude) == [1])
        }
        for (inner, name) in [(time + time, "time"), ("\(time)<ele>1</ele><ele>1</ele>", "ele")] {
            #expect(try read(inner).problems.map(\.reason) == ["a place has two '\(name)'"])
        }
    }

    @Test("each route that names a file that cannot be read is told why")
    func badFileTwice() throws {
        let twice = Self.reference("/r.gpx") + Self.reference("/r.gpx")
        let (samples, problems) = try all(
            Self.files(Self.workout(twice), [("apple_health_export/r.gpx", "<gpx>\n<trkpt lat=\"x\"/>")])
        )
        #expect(samples.count == 1 && problems.count == 2)
        #expect(problems.first?.reason == "'time' is missing" && problems.first?.line == 2)
        #expect(problems.last?.reason == "the route: the file '/r.gpx', line 2: 'time' is missing")
    }

    @Test("a route that has places and names a file is a problem, and its workout is read")
    func placesAndFile() throws {
        let place = #"<Location date="2026-03-01 08:00:00 +0100" latitude="52.5" longitude="13.4"/>"#
        let route = Self.reference("/r.gpx").replacing("</W", with: "\(place)</W")
        let (samples, problems) = try all(
            Self.files(Self.workout(route), [("apple_health_export/r.gpx", Self.gpx)])
        )
        #expect(samples.count == 1)
        #expect(problems.map(\.reason) == ["the route: it has places and names a file"])
    }

    @Test("a route that names two files is a problem, and its workout is read")
    func twoFiles() throws {
        let route = Self.reference("/r.gpx").replacing("</W", with: "<FileReference path=\"/s.gpx\"/></W")
        let (samples, problems) = try all(
            Self.files(
                Self.workout(route),
                [("apple_health_export/r.gpx", Self.gpx), ("apple_health_export/s.gpx", Self.gpx)]
            )
        )
        #expect(samples.count == 1)
        #expect(problems.map(\.reason) == ["the route: it names two files"])
    }

    @Test("a route's file is read when the route is given, not with its workout or another")
    func oneRouteAtATime() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        let names = ["a.gpx", "b.gpx"]
        let routes = names.map { Self.reference("/\($0)") }.joined()
        try write("export.xml", ExportTests.head + Self.workout(routes) + "</HealthData>\n")
        for name in names { try write(name, Self.gpx) }
        var reader = try SampleReader(url: folder)
        var altitudes: [FHIRDecimal?] = []
        for altitude in [1, 2, 3] {
            guard case .sample(let sample, _)? = try reader.next() else { return #expect(Bool(false)) }
            if case .workoutRoute(let route) = sample.value {
                altitudes.append(route.locations.first?.altitude)
            }
            for name in names { try write(name, Self.gpx.replacing("34.10", with: "\(altitude)")) }
        }
        #expect(altitudes == [1, 2])
        #expect(try reader.next() == nil)
    }

    @Test("a route's path is no longer than paths are")
    func longPath() throws {
        let path = "/" + String(repeating: "r", count: 4_096)
        let (samples, problems) = try all(Self.files(Self.workout(Self.reference(path)), []))
        #expect(samples.count == 1 && problems.count == 1)
        #expect(problems.first?.reason.contains("the path has more than 4096 bytes") == true, "\(problems)")
    }

    @Test("a route's file is one of the export's: a path out of it names none")
    func paths() throws {
        for path in ["/../../etc/passwd", "/workout-routes/../r.gpx", "r.gpx/", "/etc/passwd", "/other.gpx"] {
            let (samples, problems) = try all(
                Self.files(Self.workout(Self.reference(path)), [("r.gpx", Self.gpx)])
            )
            #expect(samples.count == 1)
            #expect(problems.first?.reason.contains("there is no file '\(path)'") == true, "\(problems)")
        }
    }

    @Test("of an export without the files around it, routes are counted as not read")
    func routeWithoutFile() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).xml")
        defer { try? FileManager.default.removeItem(at: url) }
        let text = ExportTests.head + Self.workout(Self.reference("/r.gpx")) + "</HealthData>"
        try Data(text.utf8).write(to: url)
        var reader = try SampleReader(url: url)
        var kinds: [String] = []
        while let item = try reader.next() {
            if case .sample(let sample, _) = item {
                kinds.append(sample.type)
            } else {
                kinds.append("problem")
            }
        }
        #expect(kinds == ["HKWorkoutTypeIdentifier"] && reader.otherElements == ["WorkoutRoute": 1])
    }

    @Test("a route that no workout refers to is counted as not read")
    func routeWithoutWorkout() throws {
        try read(Self.files("", [("apple_health_export/workout-routes/r.gpx", Self.gpx)])) { given in
            var reader = given
            while try reader.next() != nil {}
            #expect(reader.otherElements == ["GPX files without a workout": 1])
        }
    }

    @Test("a folder's links are not followed")
    func links() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let inner = folder.appending(path: "export")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try Data(Self.gpx.utf8).write(to: folder.appending(path: "secret.gpx"))
        let text = ExportTests.head + Self.workout(Self.reference("/r.gpx")) + "</HealthData>"
        try Data(text.utf8).write(to: inner.appending(path: "export.xml"))
        try FileManager.default.createSymbolicLink(
            at: inner.appending(path: "r.gpx"),
            withDestinationURL: folder.appending(path: "secret.gpx")
        )
        try FileManager.default.createSymbolicLink(
            at: inner.appending(path: "up"),
            withDestinationURL: folder
        )
        let (samples, problems) = try ExportTests.all(SampleReader(url: inner))
        #expect(samples.count == 1 && problems.count == 1, "\(problems)")
    }

    // MARK: Rings

    private static let rings =
        """
        <ActivitySummary dateComponents="2026-02-28" activeEnergyBurned="412.5" \
        activeEnergyBurnedGoal="500" activeEnergyBurnedUnit="Cal" appleMoveTime="0" appleMoveTimeGoal="0" \
        appleExerciseTime="35" appleExerciseTimeGoal="30" appleStandHours="11" appleStandHoursGoal="12"/>

        """

    @Test("a day's rings have their numbers and goals, and no time of day in FHIR")
    func summary() throws {
        let (samples, problems) = try ExportTests.read(Self.rings)
        #expect(problems == [] && samples.map(\.type) == ["HKActivitySummary"])
        let sample = try #require(samples.first)
        // The export was made at +0100.
        #expect(sample.start == "2026-02-28T00:00:00+01:00" && sample.end == "2026-03-01T00:00:00+01:00")
        let observation = try #require(
            try SampleConverter(subject: "Patient/1").resource(of: sample).as(Observation.self)
        )
        #expect(Fixture.errors(observation) == [])
        #expect(observation.effective?.dateTime?.description == "2026-02-28" && observation.issued == nil)
        #expect(
            observation.component.map { $0.value?.quantity?.value } == [412.5, 500, 0, 0, 35, 30, 11, 12]
        )
        #expect(
            Set(observation.component.compactMap { $0.value?.quantity?.code }) == ["kcal", "min", "{hours}"]
        )
    }

    @Test("the same day is the same in an export from another zone and in another unit")
    func summaryIdentity() throws {
        let other = ExportTests.head.replacingOccurrences(of: "12:00:00 +0100", with: "12:00:00 -0800")
        let kilojoules = Self.rings.replacingOccurrences(of: "412.5", with: "1725.9")
            .replacingOccurrences(of: "\"500\"", with: "\"2092\"").replacingOccurrences(of: "Cal", with: "kJ")
        let here = try ExportTests.read(Self.rings).samples
        let there = try ExportTests.read(kilojoules, head: other).samples
        #expect(here.count == 1 && here.map(\.identity) == there.map(\.identity))
        let next = try ExportTests.read(Self.rings.replacingOccurrences(of: "02-28", with: "02-27")).samples
        #expect(next.map(\.identity) != here.map(\.identity))
    }

    @Test(
        "rings without a day, a unit or an export's date are a problem",
        arguments: [
            ("dateComponents=\"2026-02-28\"", "dateComponents=\"2026-02\"", "a day such as"),
            ("dateComponents=\"2026-02-28\"", "", "'dateComponents' is missing"),
            ("activeEnergyBurnedUnit=\"Cal\"", "", "'activeEnergyBurnedUnit' is missing"),
            ("appleStandHours=\"11\"", "appleStandHours=\"x\"", "'appleStandHours' is not a number"),
            ("dateComponents=\"2026-02-28\"", "dateComponents=\"9999-12-31\"", "outside the years"),
        ]
    )
    func badSummaries(_ text: String, _ replacement: String, _ reason: String) throws {
        let rings = Self.rings.replacingOccurrences(of: text, with: replacement)
        let (samples, problems) = try ExportTests.read(rings)
        #expect(samples == [] && problems.count == 1)
        #expect(problems.first?.reason.contains(reason) == true, "\(problems)")
        let head = "<HealthData>"
        #expect(
            try ExportTests.read(Self.rings, head: head).problems.first?.reason == "'ExportDate' is missing"
        )
    }

    // MARK: Audiograms

    private static func audiogram(_ points: String) -> String {
        """
        <Audiogram type="HKDataTypeIdentifierAudiogram" sourceName="Hearing" sourceVersion="2" \(dates)>
         <MetadataEntry key="HKExternalUUID" value="7"/>
        \(points)
        </Audiogram>

        """
    }

    @Test("an audiogram has its points, with what each ear heard")
    func audiogram() throws {
        let (samples, problems) = try ExportTests.read(
            Self.audiogram(
                """
                <SensitivityPoint frequencyValue="1000" frequencyUnit="Hz" leftEarValue="15" \
                leftEarUnit="dBHL" leftEarMasked="1" leftEarClampingRangeUpperBound="120" \
                rightEarValue="-5.5" rightEarUnit="dBHL"/>
                <SensitivityPoint frequencyValue="8" frequencyUnit="kHz" rightEarValue="40" \
                rightEarUnit="dBHL" rightEarMasked="false"/>
                """
            )
        )
        #expect(problems == [])
        let sample = try #require(samples.first)
        guard case .audiogram(let audiogram) = sample.value else { return #expect(Bool(false)) }
        #expect(
            audiogram.points.count == 2 && audiogram.points[0].leftEar?.isMasked == true
                && audiogram.points[0].leftEar?.upperBound == 120 && audiogram.points[1].leftEar == nil
                && audiogram.points[1].rightEar?.isMasked == false
        )
        #expect(sample.metadata == ["HKExternalUUID": .text("7")] && sample.source?.name == "Hearing")
        #expect(try Sample(json: JSONValue(parsing: sample.json.text())) == sample)
        let observation = try #require(
            try SampleConverter(subject: "Patient/1").resource(of: sample).as(Observation.self)
        )
        #expect(Fixture.errors(observation) == [])
        #expect(
            observation.component.map { $0.code?.text } == [
                "Left ear, 1000 Hz", "Right ear, 1000 Hz", "Right ear, 8000 Hz",
            ]
        )
        #expect(observation.component.map { $0.value?.quantity?.value } == [15, -5.5, 40])
        #expect(observation.component.allSatisfy { $0.value?.quantity?.unit == "dB HL" })
    }

    @Test(
        "an audiogram without points, or with an unreadable one, is a problem",
        arguments: [
            ("", "an audiogram without points"), ("<SensitivityPoint/>", "'frequencyValue' is missing"),
            ("<SensitivityPoint frequencyValue=\"1\"/>", "'frequencyUnit' is missing"),
            (
                "<SensitivityPoint frequencyValue=\"1\" frequencyUnit=\"Hz\" leftEarValue=\"1\"/>",
                "'leftEarUnit' is missing"
            ),
            (
                """
                <SensitivityPoint frequencyValue="1" frequencyUnit="Hz" leftEarValue="1" leftEarUnit="dBHL" \
                leftEarMasked="perhaps"/>
                """, "'leftEarMasked' should be 1 or 0"
            ),
        ]
    )
    func badAudiograms(_ points: String, _ reason: String) throws {
        let (samples, problems) = try ExportTests.read(Self.audiogram(points) + ExportTests.record())
        #expect(samples.count == 1 && problems.map(\.reason) == [reason])
    }

    // MARK: Clinical records

    @Test("a clinical record has the date and the source that the export gives for it")
    func received() throws {
        let element =
            """
            <ClinicalRecord type="HKClinicalTypeIdentifierLabResultRecord" identifier="7" \
            sourceName="Example Hospital" sourceURL="https://fhir.example.org/Patient/7" \
            fhirVersion="4.0.1" receivedDate="2025-09-05 07:59:48 -0700" \
            resourceFilePath="/clinical-records/Patient-7.json"/>

            """
        let record = (
            "apple_health_export/clinical-records/Patient-7.json",
            #"{"resourceType":"Patient","id":"7","meta":{"lastUpdated":"2026-01-01T00:00:00Z"}}"#
        )
        let (samples, problems) = try all(Self.files(element, [record]))
        #expect(problems == [] && samples.map(\.type) == ["HKClinicalRecord"])
        #expect(samples.first?.start == "2025-09-05T07:59:48-07:00")
        #expect(samples.first?.source?.name == "Example Hospital")
        // Without its element the file has its own date.
        #expect(try all(Self.files("", [record])).samples.first?.start == "2026-01-01T00:00:00Z")
        let bad = element.replacingOccurrences(of: "2025-09-05 07:59:48 -0700", with: "2025")
        let misdated = try all(Self.files(bad, [record]))
        #expect(misdated.samples.first?.start == "2026-01-01T00:00:00Z")
        #expect(misdated.problems.first?.reason.contains("'receivedDate' is not a date") == true)
        try read(Self.files(element, [])) { given in
            var reader = given
            while try reader.next() != nil {}
            #expect(reader.otherElements == ["ClinicalRecord": 1])
        }
    }

    // MARK: Tags that are too long

    @Test("a metadata tag over the bound is left out and told; its record stays")
    func longTag() throws {
        let long = String(repeating: "x", count: 3 << 20)
        let inside =
            "<MetadataEntry key=\"a\" value=\"1\"/><MetadataEntry key=\"b\" value=\"\(long)\"/>"
        let (samples, problems) = try ExportTests.read(
            ExportTests.record(inside: inside) + ExportTests.record()
        )
        #expect(samples.count == 2 && samples.first?.metadata == ["a": .text("1")])
        #expect(
            problems.count == 1
                && problems.first?.reason.hasPrefix("<MetadataEntry> in <Record> is left out: ") == true
        )
        // A correlation without one of its members would say something else.
        let member = ExportTests.record(device: long)
        let correlation = try ExportTests.read(ExportTests.correlation(ExportTests.record() + member))
        #expect(correlation.samples == [] && correlation.problems.count == 1)
    }
}
