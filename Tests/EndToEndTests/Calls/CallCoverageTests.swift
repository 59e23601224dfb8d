import Foundation
import Indivo
import Testing

@Suite("Every call")
struct CallCoverageTests {
    @Test("does what it says against a server", arguments: CallScenario.all)
    func scenario(_ scenario: CallScenario) async throws {
        #expect(!CallScenario.all.isEmpty)
        try await TestRecord.run { place in
            try await scenario.run(place)
            // The table in the documentation says by which scenario a call is covered.
            let sent = Set(place.transport.calls)
            for row in try DocumentedCalls.rows() where row.test == scenario.name {
                #expect(sent.contains(row.name), "\(row.name) was not sent")
            }
        }
    }

    @Test("stands in the documentation's table as it does in the library's")
    func table() throws {
        let rows = try DocumentedCalls.rows()
        let scenarios = Set(CallScenario.all.map(\.name))
        #expect(rows.map(\.name) == IndivoCall.all.map(\.name))
        for (row, call) in zip(rows, IndivoCall.all) {
            #expect(row.number == call.number, "\(call)")
            #expect(row.http == "\(call.method) \(call.path)", "\(call)")
            #expect(row.swift == call.swift, "\(call)")
            #expect(row.isDeprecated == call.isDeprecated, "\(call)")
            #expect(scenarios.contains(row.test), "\(call): there is no scenario “\(row.test)”")
        }
    }

    @Test("the 41 have the numbers 1 to 41, and each call is there once")
    func numbers() {
        #expect(IndivoCall.all.compactMap(\.number) == Array(1...41))
        #expect(Set(IndivoCall.all.map(\.name)).count == IndivoCall.all.count)
        #expect(IndivoCall.all.filter(\.isDeprecated).count == 3)
        for call in IndivoCall.all {
            #expect(IndivoCall.matching(call.method, call.path) == call, "another call has the same path")
        }
    }
}

/// The table of calls in the documentation.
struct DocumentedCalls {
    struct Row {
        let number: Int?
        let name: String
        let http: String
        let swift: String
        let test: String
        let isDeprecated: Bool
    }

    static func rows() throws -> [Row] {
        let article = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Indivo/Indivo.docc/ReadingAndWritingARecord.md").standardized
        let text = try String(contentsOf: article, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.contains("` | `") }
        return rows.map { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            let isDeprecated = cells[2].hasSuffix(" (deprecated)")
            return Row(
                number: Int(cells[1]),
                name: cells[2].replacingOccurrences(of: " (deprecated)", with: "").trimmingCharacters(in: ["`"]),
                http: cells[3], swift: cells[4], test: cells[5], isDeprecated: isDeprecated)
        }
    }
}
