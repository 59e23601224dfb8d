import FHIR
import Foundation
import Testing

@testable import StudyWarehouse

@Suite struct OverviewTests {
    private static let name = ConceptNames.questionnaire("http://example.org/Questionnaire/diary")

    private func warehouse(_ store: TestStore, isKnown: Bool = true) async throws -> Warehouse {
        let warehouse = try await store.warehouse()
        guard isKnown else { return warehouse }
        let ontology = Ontology([try Questionnaire(parsing: Samples.questionnaire)])
        try await warehouse.transaction { try $0.store(ontology, now: Samples.now) }
        return warehouse
    }

    private func answer(
        _ warehouse: Warehouse,
        _ person: Int,
        _ items: String,
        number: Int = 1,
        isKnown: Bool = true
    ) async throws {
        let mapper = isKnown ? try Samples.mapper : ResponseMapper()
        let set = try mapper.map(
            Samples.response(items, identifier: "\(person)-\(number)"),
            visit: "v",
            received: Samples.received
        )
        try await warehouse.transaction { db in
            let participant = try db.participant("digest-\(person)", now: Samples.now)
            try db.store([set], of: participant, label: "m", written: Samples.now, now: Samples.now)
        }
    }

    private func questions(_ warehouse: Warehouse) async throws -> [String: QuestionSummary] {
        let found = try await warehouse.read { try $0.questions(of: Self.name) }
        return Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0) })
    }

    private func mood(_ code: String) -> String {
        #"""
        {"linkId": "mood", "answer": [{"valueCoding": {"system": "http://example.org/mood", "code": \#
        "\#(code)"}}]}
        """#
    }

    private func dose(_ value: String) -> String {
        """
        {"linkId": "meds", "item": [{"linkId": "dose", "answer": [
          {"valueQuantity": {"value": \(value), "unit": "mg", "code": "mg"}}]}]}
        """
    }

    @Test("fewer than five people are not counted", arguments: TestStore.allCases)
    func few(store: TestStore) async throws {
        let warehouse = try await warehouse(store)
        for person in 0..<4 { try await answer(warehouse, person, mood("good")) }
        for person in 4..<10 { try await answer(warehouse, person, mood("tired")) }
        let question = try #require(try await questions(warehouse)["mood"])
        #expect(question.label == "How are you?")
        #expect(
            question.choices == [
                .init(label: "Good", count: .fewerThanFive), .init(label: "Tired", count: .atLeast(5)),
            ]
        )
        #expect(question.others == nil && question.numbers.isEmpty)
    }

    @Test("somebody who answers often counts once", arguments: TestStore.allCases)
    func oftenAnswering(store: TestStore) async throws {
        let warehouse = try await warehouse(store)
        for number in 0..<20 {
            try await answer(warehouse, 1, mood("good") + "," + dose("1"), number: number)
        }
        let found = try await questions(warehouse)
        #expect(found["mood"]?.choices.map(\.count) == [.fewerThanFive, .fewerThanFive])
        #expect(found["dose"]?.numbers == [] && found["dose"]?.others == .fewerThanFive)
    }

    @Test("one more answer shows in no number", arguments: TestStore.allCases)
    func oneMore(store: TestStore) async throws {
        let warehouse = try await warehouse(store)
        for person in 1...11 {
            try await answer(warehouse, person, mood("good") + "," + dose("\(person).37"))
        }
        let before = try await questions(warehouse)
        try await answer(warehouse, 12, mood("good") + "," + dose("6.4"))
        let after = try await questions(warehouse)
        #expect(after == before)
        #expect(after["mood"]?.choices.first?.count == .atLeast(10))
        #expect(after["dose"]?.numbers.first?.median == 6.4)
    }

    @Test(
        "numbers of people are rounded down to fives",
        arguments: [(0, "< 5"), (4, "< 5"), (5, "5+"), (9, "5+"), (10, "10+"), (1004, "1000+")]
    )
    func roundedPeople(count: Int, shown: String) {
        #expect(ShownCount(count).description == shown)
    }

    @Test(
        "numbers of several people have two digits",
        arguments: [(0, 0), (6.37, 6.4), (-0.0456, -0.046), (1249, 1200), (99.6, 100), (65, 65)]
            as [(Double, Double)]
    )
    func twoDigits(number: Double, shown: Double) {
        #expect(ShownCount.rounded(number) == shown)
    }

    @Test("an unusual number is never shown", arguments: TestStore.allCases)
    func unusual(store: TestStore) async throws {
        let warehouse = try await warehouse(store)
        for person in 1...11 { try await answer(warehouse, person, dose("\(person * 10)")) }
        try await answer(warehouse, 12, dose("9999"))
        let numbers = try #require(try await questions(warehouse)["dose"]?.numbers.first)
        #expect(numbers.unit == "mg" && numbers.participants == .atLeast(10) && numbers.median == 65)
        #expect(numbers.range == 50...80)
    }

    @Test(
        "numbers have a median from five people on",
        arguments: TestStore.allCases,
        [(4, nil), (5, 3.0), (9, 5.0), (10, 5.5)] as [(Int, Double?)]
    )
    func medians(store: TestStore, median: (people: Int, number: Double?)) async throws {
        let warehouse = try await warehouse(store)
        for person in 1...median.people { try await answer(warehouse, person, dose("\(person)")) }
        let numbers = try await questions(warehouse)["dose"]?.numbers.first
        #expect(numbers?.median == median.number)
        #expect((numbers?.range != nil) == (median.people >= 10))
    }

    @Test("a question with a shared code shows its codes and no other words", arguments: TestStore.allCases)
    func sharedCode(
        store: TestStore
    ) async throws {
        let warehouse = try await warehouse(store)
        func pain(_ coding: String) -> String { #"{"linkId": "pain", "answer": [{\#(coding)}]}"# }
        for person in 0..<7 {
            try await answer(
                warehouse,
                person,
                pain(#""valueCoding": {"system": "http://loinc.org", "code": "LA6568-5"}"#)
            )
        }
        for person in 7..<14 { try await answer(warehouse, person, pain(#""valueString": "my secret""#)) }
        let question = try #require(try await questions(warehouse)["pain"])
        #expect(question.choices == [.init(label: "Not at all", count: .atLeast(5))])
        #expect(!"\(try await questions(warehouse))".contains("secret"))
    }

    @Test("people's own words are counted and not shown", arguments: TestStore.allCases)
    func ownWords(store: TestStore) async throws {
        let warehouse = try await warehouse(store)
        for person in 0..<6 { try await answer(warehouse, person, Samples.items) }
        let found = try await questions(warehouse)
        #expect(found["note"]?.others == .atLeast(5))
        #expect(found["drug"]?.choices == [.init(label: "Aspirin", count: .atLeast(5))])
        #expect(
            found["well"]?.choices == [
                .init(label: "yes", count: .atLeast(5)), .init(label: "no", count: .fewerThanFive),
            ]
        )
        #expect(!"\(found)".contains("a < b"))
    }

    @Test("strangers' answers and questions show once five people gave them", arguments: TestStore.allCases)
    func strangers(store: TestStore) async throws {
        let warehouse = try await warehouse(store)
        let items = mood("I am Ada") + #",{"linkId": "x y", "answer": [{"valueInteger": 1}]}"#
        for person in 0..<4 { try await answer(warehouse, person, items) }
        let before = try await questions(warehouse)
        #expect(before["mood"]?.choices.count == 2 && before["x y"] == nil)
        #expect(!"\(before)".contains("Ada"))
        try await answer(warehouse, 4, items)
        let after = try await questions(warehouse)
        #expect(after["mood"]?.choices.contains { $0.count == .atLeast(5) } == true)
        #expect(after["x y"]?.numbers.first?.median == 1)
    }

    @Test("without an ontology sources appear once five people answered", arguments: TestStore.allCases)
    func withoutOntology(
        store: TestStore
    ) async throws {
        let warehouse = try await warehouse(store, isKnown: false)
        for person in 0..<4 { try await answer(warehouse, person, mood("good"), isKnown: false) }
        #expect(try await warehouse.read { try $0.questionSources() }.isEmpty)
        try await answer(warehouse, 4, mood("good"), isKnown: false)
        #expect(try await warehouse.read { try $0.questionSources() }.map(\.name) == [Self.name])
        #expect(try await questions(warehouse)["mood"]?.choices.map(\.count) == [.atLeast(5)])
    }

    @Test("paths are read as they were written")
    func paths() {
        let names = ["a b", #"\"#, "~", "ä%_", "x.y-1"]
        let path = ConceptNames.path(ConceptNames.surveys, names)
        #expect(ConceptNames.components(of: path, below: ConceptNames.surveys) == names)
        #expect(
            ConceptNames.parent(of: path) == ConceptNames.path(ConceptNames.surveys, Array(names.dropLast()))
        )
        #expect(ConceptNames.components(of: ConceptNames.surveys, below: ConceptNames.surveys) == [])
        #expect(ConceptNames.components(of: #"\Other\a\"#, below: ConceptNames.surveys) == nil)
        #expect(
            ConceptNames.components(of: ConceptNames.surveys + #"~4\"#, below: ConceptNames.surveys) == nil
        )
    }

    @Test("messages are counted by day and state", arguments: TestStore.allCases)
    func messageCounts(store: TestStore) async throws {
        let warehouse = try await warehouse(store)
        let messages: [(String, String, StoredMessage.State)] = [
            ("1", "2026-02-27T10:00:00Z", .loaded), ("2", "2026-03-01T00:00:00Z", .loaded),
            ("3", "2026-03-01T23:59:59.5Z", .failed(reason: "r")), ("4", "2026-03-02T10:00:00Z", .waiting),
        ]
        try await warehouse.transaction { db in
            for (id, received, state) in messages {
                try db.keep(
                    StoredMessage(id: id, kind: "envelope", body: Data([1]), received: received, state: state)
                )
            }
            try db.keepConsent(of: "a", message: "2", signed: Samples.now, version: nil, shares: true)
            try db.withdraw("b", now: Samples.now)
        }
        let overview = try await warehouse.transaction { try $0.overview(since: "2026-03-01") }
        #expect(overview.days.map(\.day) == ["2026-03-01", "2026-03-02"])
        #expect(overview.days.map(\.total) == [2, 1])
        #expect(overview.days.first?.counts == ["loaded": 1, "failed": 1])
        #expect(overview.messages == ["loaded": 2, "failed": 1, "waiting": 1])
        #expect(
            [overview.consents, overview.withdrawn, overview.sharing]
                == Array(repeating: .fewerThanFive, count: 3)
        )
    }

    @Test("who shares is decided by the consent in force", arguments: TestStore.allCases)
    func sharing(store: TestStore) async throws {
        let warehouse = try await warehouse(store)
        let later: WarehouseTime = WarehouseTime("2026-03-05T00:00:00Z" as FHIRDateTime)
        try await warehouse.transaction { db in
            for person in 1...12 {
                try db.keepConsent(
                    of: "p\(person)",
                    message: "1",
                    signed: Samples.now,
                    version: nil,
                    shares: true
                )
                // The same consent once more.
                try db.keepConsent(
                    of: "p\(person)",
                    message: "2",
                    signed: Samples.now,
                    version: nil,
                    shares: true
                )
            }
            for person in 1...2 {
                try db.keepConsent(of: "p\(person)", message: "3", signed: later, version: nil, shares: false)
            }
            try db.keepConsent(of: "p3", message: "3", signed: later, version: nil, shares: nil)
        }
        #expect(try await warehouse.read { ShownCount(try $0.people().sharing) } == .atLeast(5))
        try await warehouse.transaction { db in
            for person in 1...2 {
                try db.keepConsent(
                    of: "p\(person)",
                    message: "4",
                    signed: WarehouseTime("2026-03-06T00:00:00Z" as FHIRDateTime),
                    version: nil,
                    shares: true
                )
            }
        }
        #expect(try await warehouse.read { ShownCount(try $0.people().sharing) } == .atLeast(10))
        // A consent that came after its participant had left is none in force.
        try await warehouse.transaction { db in
            for person in 4...6 {
                try db.withdraw("p\(person)", now: later)
                try db.keepConsent(of: "p\(person)", message: "5", signed: later, version: nil, shares: true)
            }
        }
        let overview = try await warehouse.transaction { try $0.overview(since: "2026-03-01") }
        #expect(overview.sharing == .atLeast(5) && overview.consents == .atLeast(5))
    }

    @Test("states are counted whatever their postal codes", arguments: TestStore.allCases)
    func states(store: TestStore) async throws {
        let warehouse = try await warehouse(store)
        for (person, code) in ["021", "021", "019", nil].enumerated() {
            var set = FactSet(StudyVisit(id: "\(person)", start: Samples.now))
            var details = PatientDetails()
            details.state = "MA"
            details.postalCode = code
            set.patient = details
            let filled = set
            try await warehouse.transaction { db in
                let participant = try db.participant("digest-\(person)", now: Samples.now)
                try db.store([filled], of: participant, label: "m", written: Samples.now, now: Samples.now)
            }
        }
        #expect(try await warehouse.read { try $0.states() } == ["MA": 4])
    }

    @Test("two looks differ by what five participants did, never by one", arguments: TestStore.allCases)
    func differences(store: TestStore) async throws {
        let warehouse = try await warehouse(store)
        func shown() async throws -> [QuestionSummary] {
            try await warehouse.transaction { try $0.publishedQuestions(of: Self.name) }
        }
        for person in 0..<4 { try await answer(warehouse, person, mood("good")) }
        #expect(try await shown().isEmpty)
        for person in 4..<9 { try await answer(warehouse, person, mood("tired")) }
        let first = try await shown()
        #expect(first.first { $0.id == "mood" }?.choices.map(\.count) == [.fewerThanFive, .atLeast(5)])
        // The fifth who is well: the number would go from fewer than five to five, by one known person.
        try await answer(warehouse, 9, mood("good"))
        #expect(try await warehouse.read { try $0.questions(of: Self.name) } != first)
        #expect(try await shown() == first)
        // However often they answer, and whoever leaves again.
        for number in 2...9 { try await answer(warehouse, 9, mood("good"), number: number) }
        try await warehouse.transaction { _ = try $0.withdraw("digest-8", now: Samples.now) }
        #expect(try await shown() == first)
        for person in 10..<12 { try await answer(warehouse, person, mood("tired")) }
        #expect(try await shown() == first)
        try await answer(warehouse, 12, mood("tired"))
        let second = try await shown()
        #expect(second == (try await warehouse.read { try $0.questions(of: Self.name) }))
        #expect(second != first)
        #expect(try await shown() == second)
    }

    @Test(
        "numbers of people and of states change when five of them have changed",
        arguments: TestStore.allCases
    )
    func differencesOfPeople(store: TestStore) async throws {
        let warehouse = try await warehouse(store)
        func join(_ people: Range<Int>) async throws {
            try await warehouse.transaction { db in
                for person in people {
                    try db.keepConsent(
                        of: "p\(person)",
                        message: "\(person)",
                        signed: Samples.now,
                        version: nil,
                        shares: true
                    )
                    var set = FactSet(StudyVisit(id: "Patient", start: Samples.now))
                    var details = PatientDetails()
                    details.state = "MA"
                    set.patient = details
                    let participant = try db.participant("p\(person)", now: Samples.now)
                    try db.store([set], of: participant, label: "m", written: Samples.now, now: Samples.now)
                }
            }
        }
        func look() async throws -> (StudyOverview, [String: Int]) {
            try await warehouse.transaction {
                (try $0.overview(since: "2026-01-01"), try $0.publishedStates())
            }
        }
        try await join(0..<9)
        let (overview, states) = try await look()
        #expect(overview.consents == .atLeast(5) && states == ["MA": 9])
        try await join(9..<13)
        var later = try await look()
        #expect(
            later.0.consents == .atLeast(5) && later.0.participants == .atLeast(5) && later.1 == ["MA": 9]
        )
        try await warehouse.transaction { _ = try $0.withdraw("p0", now: Samples.now) }
        later = try await look()
        // Four joined, one left.
        #expect(later.0.consents == .atLeast(10) && later.1 == ["MA": 12])
    }
}
