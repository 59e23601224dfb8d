import FHIRSandbox
import Foundation
import Testing

@testable import IndivoCommand

/// `indivo samples`, as a user runs it.
struct SamplesCommandTests {
    private static let samples = """
        {"type": "HKQuantityTypeIdentifierHeartRate", "start": "2026-03-29T01:30:00+01:00", "value": 60, \
        "unit": "count/min", "source": {"name": "Watch"}}
        {"type": "HKQuantityTypeIdentifierStepCount", "start": "2026-03-28T23:30:00+01:00", "end": \
        "2026-03-29T00:30:00+01:00", "value": 100, "unit": "count", "source": {"name": "Phone"}}
        {"type": "HKCorrelationTypeIdentifierBloodPressure", "start": "2026-03-29T08:00:00+02:00", \
        "correlation": [
        """.replacingOccurrences(of: "[\n", with: "[") + """
            {"type": "HKQuantityTypeIdentifierBloodPressureSystolic", "start": "2026-03-29T08:00:00+02:00", \
            "value": 120, "unit": "mmHg"}]}

            """

    @Test("convert prints a resource on each line, and reports wrong lines by number")
    func convert() throws {
        try Tool.use { tool in
            try tool.write(Self.samples + "{\"type\": 1}\n", to: "s.jsonl")
            let run = try tool.run("samples", "convert", "s.jsonl", "--to", "fhir", "--subject", "Patient/7")
            #expect(
                run.status == 1 && run.errors.contains("s.jsonl:4: error: 'type' should be a text"),
                "\(run.errors)"
            )
            let lines = run.output.split(separator: "\n")
            #expect(lines.count == 5 && lines.filter { $0.contains(#""resourceType":"Device""#) }.count == 2)
            let pressure = try tool.run(
                "samples",
                "convert",
                "s.jsonl",
                "--to",
                "jsonl",
                "--type",
                "BloodPressureSystolic",
                "--quiet"
            )
            #expect(pressure.output.split(separator: "\n").count == 1 && pressure.output.contains("120"))
            let documents = try tool.run("samples", "convert", "s.jsonl", "--to", "indivo")
            #expect(documents.output.contains("VitalSigns") && documents.output.contains("Measurement"))
        }
    }

    @Test("the file that is read is not written to, whatever other name it has")
    func otherName() throws {
        try Tool.use { tool in
            let line =
                #"{"type": "HKQuantityTypeIdentifierHeartRate", "start": "2026-03-01T08:00:00Z", "#
                + #""value": 60, "unit": "count/min"}"#
            try tool.write(line, to: "s.jsonl")
            try FileManager.default.linkItem(
                at: tool.folder.appending(path: "s.jsonl"),
                to: tool.folder.appending(path: "other.jsonl")
            )
            let run = try tool.run(
                "samples",
                "convert",
                "s.jsonl",
                "--to",
                "jsonl",
                "--output",
                "other.jsonl"
            )
            #expect(run.status == 2 && run.errors.contains("is the file that is read"))
            let left = try tool.read("s.jsonl")
            #expect(left == line)
        }
    }

    @Test("the end of a conversion leaves no anchor that would double its last lines")
    func endWithoutAnchor() throws {
        try Tool.use { tool in
            let path = tool.folder.appending(path: "s.ndjson").path
            let output = try ConversionOutput(path: path, scope: "x")
            // An anchor cannot replace a folder.
            try FileManager.default.createDirectory(
                atPath: path + ".anchor/x",
                withIntermediateDirectories: true
            )
            try output.begin(1)
            output.line { $0 += Array("a".utf8) }
            try output.finish()
            let text = try tool.read("s.ndjson")
            #expect(text == "a\n")
        }
    }

    @Test("convert --output goes on where it was killed, and writes the same as at one go")
    func interrupted() throws {
        let tool = try Tool()
        defer { try? FileManager.default.removeItem(at: tool.folder) }
        let lines = (0..<6000).map { number in
            #"{"type": "HKQuantityTypeIdentifierHeartRate", "start": "2026-03-01T08:00:00Z", "#
                + #"""
                "value": \#(40 + number % 100), "unit": \#
                "count/min", "source": {"name": "\#(number)"}, "device": {"name": "Watch \#(number % 7)"}}
                """#
        }
        try tool.write("{}\n" + lines.joined(separator: "\n"), to: "s.jsonl")
        let whole = try tool.run("samples", "convert", "s.jsonl", "--to", "fhir")
        #expect(whole.status == 1)
        let arguments = ["samples", "convert", "s.jsonl", "--to", "fhir", "--output", "s.ndjson"]
        let anchor = tool.folder.appending(path: "s.ndjson.anchor").path
        let killed = try tool.run(arguments, blocks: 3072)
        try #require(killed.status != 1 && whole.output.utf8.count > 4 << 20, "\(killed.status)")
        try #require(
            FileManager.default.fileExists(atPath: anchor),
            "the run was not interrupted in its midst"
        )
        let resumed = try tool.run(arguments)
        #expect(
            resumed.status == 1 && resumed.errors.contains("going on where the last run was interrupted"),
            "\(resumed.errors)"
        )
        #expect(try tool.read("s.ndjson") == whole.output)
        #expect(!FileManager.default.fileExists(atPath: anchor))
        // An anchor of another conversion does not count.
        try tool.write(
            #"{"version": 1, "scope": "x", "position": 5, "bytes": 9, "failures": 0, "devices": []}"#,
            to: "s.ndjson.anchor"
        )
        chmod(anchor, 0o600)
        #expect(try tool.run(arguments).status == 1)
        #expect(try tool.read("s.ndjson") == whole.output)
    }

    @Test("a folder that an export was unpacked into is read as the export")
    func folder() throws {
        try Tool.use { tool in
            let folder = tool.folder.appending(path: "export/workout-routes")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let dates =
                "startDate=\"2026-03-01 08:00:00 +0100\" endDate=\"2026-03-01 09:00:00 +0100\" sourceName=\"W\""
            try tool.write(
                """
                <HealthData><ExportDate value="2026-03-02 08:00:00 +0100"/>
                <Workout workoutActivityType="HKWorkoutActivityTypeRunning" \(dates)>
                <WorkoutRoute \(dates)><FileReference path="/workout-routes/r.gpx"/></WorkoutRoute></Workout>
                <ActivitySummary dateComponents="2026-03-01" appleStandHours="9"/>
                <VisionPrescription/></HealthData>
                """,
                to: "export/export.xml"
            )
            try tool.write(
                """
                <gpx><trkpt lat="52.5" lon="13.4"><time>2026-03-01T07:00:00Z</time></trkpt></gpx>
                """,
                to: "export/workout-routes/r.gpx"
            )
            let summary = try tool.run("samples", "summary", "export")
            #expect(summary.status == 0, "\(summary.errors)")
            for type in ["HKActivitySummary", "HKWorkoutRoute", "HKWorkoutTypeIdentifier"] {
                #expect(summary.output.contains(type), "\(summary.output)")
            }
            #expect(summary.errors.contains("not read: 1 VisionPrescription"))
            let arguments = ["samples", "convert", "export", "--to"]
            let fhir = try tool.run(arguments + ["fhir", "--type", "WorkoutRoute", "--output", "r.ndjson"])
            #expect(fhir.status == 0, "\(fhir.errors)")
            #expect(try tool.read("r.ndjson").contains(#""resourceType":"DocumentReference""#))
            let lines = try tool.run(arguments + ["jsonl", "--type", "ActivitySummary"])
            #expect(lines.output.contains(#""activitySummary":{"day":"2026-03-01","standHours":"#))
            let documents = try tool.run(arguments + ["indivo", "--type", "ActivitySummary"])
            #expect(documents.status == 1 && documents.errors.contains("to become a document"))
            let inside = try tool.run(arguments + ["jsonl", "--output", "export/s.jsonl"])
            #expect(inside.status == 2 && inside.errors.contains("lies in the folder that is read"))
            try FileManager.default.createDirectory(
                at: tool.folder.appending(path: "empty"),
                withIntermediateDirectories: true
            )
            let empty = try tool.run("samples", "summary", "empty")
            #expect(empty.status != 0 && empty.errors.contains("neither an export of Health"))
        }
    }

    @Test("convert does not write over the file that it reads")
    func ownInput() throws {
        try Tool.use { tool in
            try tool.write(Self.samples, to: "s.jsonl")
            let run = try tool.run("samples", "convert", "./s.jsonl", "--to", "jsonl", "--output", "s.jsonl")
            #expect(run.status == 2 && run.errors.contains("is the file that is read"), "\(run.errors)")
            #expect(try tool.read("s.jsonl") == Self.samples)
        }
    }

    @Test("totals divide by the day of a zone, and unknown types get a suggestion")
    func totals() throws {
        try Tool.use { tool in
            try tool.write(Self.samples, to: "s.jsonl")
            let run = try tool.run(
                "samples",
                "totals",
                "s.jsonl",
                "--type",
                "StepCount",
                "--by",
                "day",
                "--zone",
                "Europe/Berlin"
            )
            #expect(run.status == 0, "\(run.errors)")
            let lines = run.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(lines.first == ["start", "end", "count", "sum", "unit"])
            #expect(
                Array(lines.dropFirst(2)) == [
                    ["2026-03-28T00:00:00+01:00", "2026-03-29T00:00:00+01:00", "1", "50", "{steps}"],
                    ["2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00", "1", "50", "{steps}"],
                ]
            )
            // Without a zone it is that of the samples, whatever the machine's is.
            let own = try tool.run(
                "samples",
                "totals",
                "s.jsonl",
                "--type",
                "StepCount",
                "--by",
                "day",
                environment: ["TZ": "Pacific/Auckland"]
            )
            #expect(
                own.output.contains("2026-03-28T00:00:00+01:00  2026-03-29T00:00:00+01:00"),
                "\(own.output)\(own.errors)"
            )
            for (since, count) in [("2026-03-29", "2"), ("2026-03-30", "")] {
                let found = try tool.run(
                    "samples",
                    "summary",
                    "s.jsonl",
                    "--type",
                    "HeartRate",
                    "--type",
                    "BloodPressure",
                    "--since",
                    since,
                    environment: ["TZ": "Pacific/Auckland"]
                )
                #expect(
                    found.output.split(separator: "\n").count == (count.isEmpty ? 0 : 4),
                    "\(found.output)"
                )
            }
            let misspelt = try tool.run("samples", "totals", "s.jsonl", "--type", "StepCont", "--by", "day")
            #expect(misspelt.status == 2 && misspelt.errors.contains("Did you mean 'StepCount'?"))
            let summary = try tool.run("samples", "summary", "-", "--json", input: Self.samples)
            #expect(summary.status == 0 && summary.output.contains(#""count": 1"#))
        }
    }

    @Test("members of correlations that cannot be converted become lines of their own")
    func members() throws {
        try Tool.use { tool in
            func correlation(_ type: String) -> String {
                #"""
                {"type": "HKCorrelationTypeIdentifier\#(type)", "start": "2026-03-29T08:00:00Z", \#
                "correlation": [
                """#
                    + """
                    {"type": "HKQuantityTypeIdentifierDietaryProtein", "start": "2026-03-29T08:00:00Z", \
                    "value": 5, "unit": "g"}]}
                    """
            }
            try tool.write(correlation("Food"), to: "food.jsonl")
            let food = try tool.run("samples", "convert", "food.jsonl", "--to", "indivo")
            #expect(food.status == 0 && food.output.contains("DietaryProtein"), "\(food.errors)")
            try tool.write(correlation("New"), to: "new.jsonl")
            let new = try tool.run("samples", "convert", "new.jsonl", "--to", "fhir")
            #expect(
                new.status == 1 && new.output.contains("DietaryProtein")
                    && new.errors.contains("has no mapping"),
                "\(new.errors)"
            )
        }
    }

    @Test("totals without a zone are the same on every machine")
    func machineZone() throws {
        try Tool.use { tool in
            let line =
                """
                {"type": "HKQuantityTypeIdentifierStepCount", "start": "_T00:30:00+01:00", "value": 1, \
                "unit": "count"}
                """
            try tool.write(
                ["2026-03-01", "2026-07-01"].map { line.replacingOccurrences(of: "_", with: $0) }.joined(
                    separator: "\n"
                ),
                to: "s.jsonl"
            )
            let runs = try ["Europe/Berlin", "UTC"].map {
                try tool.run(
                    "samples",
                    "totals",
                    "s.jsonl",
                    "--type",
                    "StepCount",
                    "--by",
                    "day",
                    environment: ["TZ": $0]
                )
            }
            #expect(
                runs[0].status == 0 && runs[0].output == runs[1].output
                    && runs[0].output.contains("2026-07-01T00:00:00+01:00")
            )
        }
    }

    @Test("totals of more than can be kept are an error, and no table that is cut")
    func totalsTooLarge() throws {
        try Tool.use { tool in
            let lines = (0...1000).map {
                #"""
                {"type": "HKQuantityTypeIdentifierStepCount", "start": "2026-03-01T08:00:00Z", "value": 1, \#
                "unit": "count", "source": {"name": "\#($0)"}}
                """#
            }
            try tool.write(lines.joined(separator: "\n"), to: "s.jsonl")
            let run = try tool.run("samples", "totals", "s.jsonl", "--type", "StepCount")
            #expect(run.status == 2 && run.output.isEmpty, "\(run.output)")
            #expect(run.errors.contains("s.jsonl: HKQuantityTypeIdentifierStepCount: more than 1000 sources"))
        }
    }

    @Test("an anchor needs a file, and an empty file is not a success")
    func anchors() throws {
        try Tool.use { tool in
            let run = try tool.run(
                "samples",
                "upload",
                "-",
                "--anchor",
                "a",
                "--patient",
                "x|1",
                "--base",
                "http://127.0.0.1:1/fhir",
                input: Self.samples
            )
            #expect(run.status == 2 && run.errors.contains("--anchor needs a file"))
            try tool.write("", to: "empty.jsonl")
            #expect(try tool.run("samples", "summary", "empty.jsonl").status == 1)
        }
    }

    @Test("upload creates samples once, resumes at its anchor, and names a missing patient")
    func upload() async throws {
        let sandbox = try await FHIRSandbox.start()
        let base = sandbox.baseURL.absoluteString
        do {
            let tool = try Tool()
            defer { try? FileManager.default.removeItem(at: tool.folder) }
            func run(_ arguments: String..., input: String = "") async throws -> Tool.Result {
                let running = try RunningTool(
                    tool,
                    arguments + ["--base", base],
                    environment: ["PATH": "/usr/bin:/bin"]
                )
                running.write(input)
                running.endInput()
                return await running.result()
            }
            try tool.write(Self.samples, to: "s.jsonl")
            let patient = #"{"resourceType":"Patient","identifier":[{"system":"urn:test","value":"1|2"}]}"#
            #expect(try await run("fhir", "create", input: patient).status == 0)
            let first = try await run(
                "samples",
                "upload",
                "s.jsonl",
                "--patient",
                "urn:test|1|2",
                "--anchor",
                "a.json"
            )
            #expect(
                first.status == 0 && first.errors.contains("3 created, 0 there already, 0 refused"),
                "\(first.errors)"
            )
            let resumed = try await run(
                "samples",
                "upload",
                "s.jsonl",
                "--patient",
                "urn:test|1|2",
                "--anchor",
                "a.json"
            )
            #expect(
                resumed.status == 0 && resumed.errors.contains("all samples were sent before"),
                "\(resumed.errors)"
            )
            let again = try await run("samples", "upload", "s.jsonl", "--patient", "urn:test|1|2")
            #expect(
                again.status == 0 && again.errors.contains("0 created, 3 there already"),
                "\(again.errors)"
            )
            // More refusals than stop a run do not keep the next one from going on behind them.
            let unknown = (0..<600).map {
                #"{"type": "x", "start": "2026-03-29T01:30:00Z", "value": \#($0), "unit": "count"}"# + "\n"
            }
            try tool.write(
                unknown.joined() + Self.samples.replacingOccurrences(of: "2026-03-29", with: "2026-04-29"),
                to: "r.jsonl"
            )
            let stopped = try await run(
                "samples",
                "upload",
                "r.jsonl",
                "--patient",
                "urn:test|1|2",
                "--anchor",
                "r.json"
            )
            #expect(
                stopped.status == 3 && stopped.errors.contains("the first 500 samples were refused"),
                "\(stopped.errors)"
            )
            let behind = try await run(
                "samples",
                "upload",
                "r.jsonl",
                "--patient",
                "urn:test|1|2",
                "--anchor",
                "r.json"
            )
            #expect(
                behind.status == 1 && behind.errors.contains("3 created, 0 there already, 600 refused"),
                "\(behind.errors)"
            )
            // A file that differs at its end only is another one.
            let long = Self.samples + String(repeating: "\n", count: 1_100_000)
            let end =
                """
                {"type": "HKQuantityTypeIdentifierHeartRate", "start": "2026-03-30T01:30:00Z", "value": 6_, \
                "unit": "count/min"}
                """
            try tool.write(long + end.replacingOccurrences(of: "_", with: "1"), to: "l.jsonl")
            #expect(
                try await run(
                    "samples",
                    "upload",
                    "l.jsonl",
                    "--patient",
                    "urn:test|1|2",
                    "--anchor",
                    "l.json"
                ).status == 0
            )
            try tool.write(long + end.replacingOccurrences(of: "_", with: "2"), to: "l.jsonl")
            let changed = try await run(
                "samples",
                "upload",
                "l.jsonl",
                "--patient",
                "urn:test|1|2",
                "--anchor",
                "l.json"
            )
            #expect(
                changed.status == 0 && changed.errors.contains("the upload begins anew"),
                "\(changed.errors)"
            )
            let missing = try await run("samples", "upload", "s.jsonl", "--patient", "urn:test|9")
            #expect(
                missing.status == 1 && missing.errors.contains("no patient with the identifier urn:test|9"),
                "\(missing.errors)"
            )
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }
}
