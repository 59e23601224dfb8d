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
            let sent = Set(place.transport.calls)
            for call in scenario.calls { #expect(sent.contains(call), "\(call) was not sent") }
        }
    }

    @Test("each is made by a scenario")
    func covered() {
        let covered = Set(CallScenario.all.flatMap(\.calls))
        let known = Set(IndivoCall.all.map(\.name))
        #expect(known.subtracting(covered).isEmpty && covered.subtracting(known).isEmpty)
    }

    @Test("the page of calls has what the library has")
    func page() throws {
        if ProcessInfo.processInfo.environment["UPDATE_CALLS"] == "1" {
            try CallsPage.text.write(to: CallsPage.file, atomically: true, encoding: .utf8)
        }
        let isCurrent = try String(contentsOf: CallsPage.file, encoding: .utf8) == CallsPage.text
        #expect(isCurrent, "Run UPDATE_CALLS=1 swift test --filter CallCoverageTests")
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
