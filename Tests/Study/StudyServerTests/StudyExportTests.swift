import FHIR
import FHIRValidation
import Foundation
import OrderedJSON
import StudyServer
import StudyWarehouse
import Testing

@testable import IndivoCommand

/// The files of `indivo study export`.
@Suite struct StudyExportTests {
    @Test("a formula in an answer is text in the tables, and their columns say so")
    func formulas() async throws {
        let folder = try Folder()
        let participant = UUID()
        let queue = try SQLiteMessageQueue(nil)
        let store = folder.file("s.sqlite")
        for text in [Given.contract(participant), Given.response(participant, text: "=HYPERLINK(1)")] {
            try await queue.send(Given.message(text))
        }
        let warehouse = try Warehouse(store, source: "SLEEP")
        let consumer = Consumer(
            queue: queue,
            warehouse: warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        #expect(try await consumer.drain().loaded == 2)
        let output = folder.file("export")
        try await StudyExportCommand.parse([
            "--store", "sqlite:\(store.path)", "--format", "csv", "-o", output.path,
        ]).run()
        func rows(_ name: String) throws -> [String] {
            try String(contentsOf: output.appending(path: name), encoding: .utf8).components(
                separatedBy: "\r\n"
            ).dropLast()
        }
        let facts = try rows("facts.csv")
        #expect(facts.contains { $0.contains(",'=HYPERLINK(1),") } && !facts.contains { $0.contains(",=") })
        #expect(try rows("dictionary.csv").count > 4)
        let columns = try rows("columns.csv").dropFirst().map { String($0.prefix { $0 != "," }) }
        #expect(columns == facts[0].components(separatedBy: ","))
        #expect(try rows("columns.csv").contains { $0.contains("formula") })
    }

    @Test(
        "an export of tables says what it wrote",
        arguments: [
            ("tables", ["diary.csv", "codebook.csv", "labels.csv", "consents.csv", "read.py", "read.R"]),
            ("stata", ["diary.dta", "codebook.csv", "labels.csv", "consents.csv"]),
            ("redcap", ["dictionary.csv", "codes.csv", "import-diary.csv", "consents.csv"]),
            ("odm", ["odm.xml", "consents.csv"]),
        ]
    )
    func report(format: String, names: [String]) async throws {
        let folder = try Folder()
        let participant = UUID()
        let queue = try SQLiteMessageQueue(nil)
        let store = folder.file("s.sqlite")
        for text in [Given.contract(participant), Given.response(participant, text: "=1+1")] {
            try await queue.send(Given.message(text))
        }
        let consumer = Consumer(
            queue: queue,
            warehouse: try Warehouse(store),
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        #expect(try await consumer.drain().loaded == 2)
        let output = folder.file("export")
        try await StudyExportCommand.parse([
            "--store", "sqlite:\(store.path)", "--format", format, "-o", output.path,
        ]).run()
        #expect(
            try Set(FileManager.default.contentsOfDirectory(atPath: output.path))
                == Set(names + ["provenance-\(format).json"])
        )
        let provenance = try JSONValue(
            parsing: Data(contentsOf: output.appending(path: "provenance-\(format).json"))
        )
        #expect(provenance["participants"]?.integer == 1 && provenance["responses"]?.integer == 1)
        #expect(provenance["version"]?.string == "0.1.0")
        let files = provenance["files"]?.elements ?? []
        #expect(files.compactMap { $0["name"]?.string } == names)
        for file in files {
            let path = output.appending(path: file["name"]?.string ?? "").path
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            #expect(file["bytes"]?.integer == size)
        }
        #expect(files.contains { $0["rows"]?.integer == 1 })
    }

    @Test("samples of a table are exported by month and as Observations")
    func samples() async throws {
        let folder = try Folder()
        let participant = UUID()
        let queue = try SQLiteMessageQueue(nil)
        let store = folder.file("s.sqlite")
        let warehouse = try Warehouse(store, source: "SLEEP")
        try await warehouse.store(samplesAs: .table)
        let samples = [
            SampleTableTests.sample(60.25, from: "2026-02-28T23:59:59.5-05:00"),
            SampleTableTests.sample(
                -1.5,
                "BodyTemperature",
                "degC",
                from: "2026-02-01T10:00:00+01:00",
                to: "2026-02-01T10:01:00+01:00"
            ),
        ]
        let observations = try SampleTableTests.observations(samples, of: participant) {
            $0["device"] = ["display": "=a watch", "reference": "Device/of-somebody"]
        }
        for text in [Given.contract(participant), SampleTableTests.bundle(observations)] {
            try await queue.send(Given.message(text))
        }
        let consumer = Consumer(
            queue: queue,
            warehouse: warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        #expect(try await consumer.drain().loaded == 2)
        let output = folder.file("export")
        for format in ["csv", "ndjson"] {
            try await StudyExportCommand.parse([
                "--store", "sqlite:\(store.path)", "--format", format, "-o", output.path,
            ]).run()
        }
        func lines(_ name: String) throws -> [String] {
            try String(contentsOf: output.appending(path: name), encoding: .utf8)
                .components(separatedBy: .newlines).filter { !$0.isEmpty }
        }
        let columns = try lines("samples-columns.csv").dropFirst().map { String($0.prefix { $0 != "," }) }
        let february = try lines("samples-2026-02.csv")
        let march = try lines("samples-2026-03.csv")
        #expect(february.count == 2 && march.count == 2)
        #expect([february[0], march[0]].allSatisfy { $0.components(separatedBy: ",") == columns })
        // The month is that of UTC.
        #expect(march[1].contains(",LOINC:8867-4,2026-03-01 04:59:59.5,,-300,60.25,/min,"))
        #expect(february[1].contains(",2026-02-01 09:00:00,2026-02-01 09:01:00,60,-1.5,Cel,"))
        #expect(try lines("samples-sources.csv").count == 3)
        let resources = try lines("Observation.ndjson").map { try JSONValue(parsing: $0) }
        // The two samples; their days have facts alone.
        #expect(resources.count == 2)
        #expect(resources.allSatisfy { Observation(view: $0).issues().allSatisfy { !$0.isError } })
        for name in ["samples-sources.csv", "Observation.ndjson"] {
            #expect(try lines(name).allSatisfy { !$0.contains("somebody") && !$0.contains("a watch") })
        }
        let provenance = try JSONValue(
            parsing: Data(contentsOf: output.appending(path: "provenance-csv.json"))
        )
        let files = provenance["files"]?.elements ?? []
        #expect(files.contains { $0["name"]?.string == "samples-2026-03.csv" && $0["rows"]?.integer == 1 })
    }
}
