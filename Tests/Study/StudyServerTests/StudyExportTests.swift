import Foundation
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
}
