import Foundation
import OrderedJSON
import StudyServer
import StudyWarehouse
import Testing

@testable import IndivoCommand

/// The files of `indivo study export`.
@Suite struct StudyExportTests {
    @Test func aFormulaInAnAnswerIsTextInTheTablesAndTheirColumnsSaySo() async throws {
        let folder = try Folder()
        let participant = UUID()
        let queue = try SQLiteMessageQueue(nil)
        let store = folder.file("s.sqlite")
        for text in [Given.contract(participant), Given.response(participant, text: "=HYPERLINK(1)")] {
            try await queue.send(Given.message(text))
        }
        let warehouse = try Warehouse(store)
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

    @Test(arguments: [
        ("tables", ["diary.csv", "codebook.csv", "labels.csv", "consents.csv", "read.py", "read.R"]),
        ("stata", ["diary.dta", "codebook.csv", "labels.csv", "consents.csv"]),
        ("redcap", ["dictionary.csv", "codes.csv", "import-diary.csv", "consents.csv"]),
        ("odm", ["odm.xml", "consents.csv"]),
    ]) func anExportOfTablesSaysWhatItWrote(format: String, names: [String]) async throws {
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
}
