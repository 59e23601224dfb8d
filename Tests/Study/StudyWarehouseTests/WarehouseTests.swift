import FHIR
import Foundation
import IndivoXML
import OrderedJSON
import StudyTesting
import StudyWarehouse
import Testing

@testable import StudyWarehouse

@Suite struct WarehouseTests {
    private func loaded(_ store: TestStore, _ sets: [FactSet]? = nil) async throws -> Warehouse {
        let warehouse = try await store.warehouse()
        let sets = try sets ?? [Samples.facts()]
        try await warehouse.transaction { db in
            let person = try db.participant("digest", now: Samples.now)
            try db.store(
                sets,
                of: person,
                label: "m1",
                written: WarehouseTime("2026-03-01T09:00:00Z" as FHIRDateTime),
                now: Samples.now
            )
        }
        return warehouse
    }

    private func rows(_ warehouse: Warehouse, _ sql: String, _ arguments: [String] = []) async throws
        -> [SQLRow]
    {
        try await warehouse.read { try $0.db.rows(sql, arguments) }
    }

    private func count(_ warehouse: Warehouse, _ sql: String, _ arguments: [String] = []) async throws -> Int
    {
        try await rows(warehouse, sql, arguments).first?.integer(0) ?? -1
    }

    /// Every table's content, but for the bookkeeping of loads.
    private func facts(_ warehouse: Warehouse) async throws -> [SQLRow] {
        try await rows(
            warehouse,
            """
            SELECT encounter_num, patient_num, concept_cd, modifier_cd, instance_num, start_date, tval_char, \
            nval_num
            FROM observation_fact ORDER BY 1, 3, 4, 5
            """
        )
    }

    @Test("storing again changes nothing", arguments: TestStore.allCases)
    func storedAgain(store: TestStore) async throws {
        let warehouse = try await loaded(store)
        let before = try await facts(warehouse)
        try await warehouse.transaction { db in
            let person = try db.participant("digest", now: Samples.now)
            try db.store(
                [Samples.facts()],
                of: person,
                label: "m1",
                written: WarehouseTime("2026-03-01T09:00:00Z" as FHIRDateTime),
                now: Samples.now
            )
        }
        #expect(try await facts(warehouse) == before)
        #expect(before.count == (try Samples.facts().facts.count))
        #expect(try await count(warehouse, "SELECT count(*) FROM visit_dimension") == 1)
        #expect(try await count(warehouse, "SELECT count(*) FROM patient_dimension") == 1)
    }

    @Test("a correction replaces, and an older response does not", arguments: TestStore.allCases)
    func corrections(store: TestStore) async throws {
        let warehouse = try await loaded(store)
        let one = #"{"linkId": "mood", "answer": [{"valueCoding": {"code": "good"}}]}"#
        let corrected = try Samples.mapper.map(
            Samples.response(one, status: "amended"),
            visit: "v",
            received: Samples.received
        )
        try await warehouse.transaction { db in
            let person = try db.participant("digest", now: Samples.now)
            try db.store(
                [corrected],
                of: person,
                label: "m2",
                written: WarehouseTime("2026-03-02T09:00:00Z" as FHIRDateTime),
                now: Samples.now
            )
        }
        #expect(try await facts(warehouse).count == corrected.facts.count)
        // It comes late, and again.
        try await warehouse.transaction { db in
            let person = try db.participant("digest", now: Samples.now)
            try db.store(
                [Samples.facts()],
                of: person,
                label: "m1",
                written: WarehouseTime("2026-03-01T09:00:00Z" as FHIRDateTime),
                now: Samples.now
            )
        }
        #expect(try await facts(warehouse).count == corrected.facts.count)
    }

    @Test("of two written at the same time the one received later counts", arguments: TestStore.allCases)
    func laterReceived(store: TestStore) async throws {
        let warehouse = try await store.warehouse()
        let one = #"{"linkId": "mood", "answer": [{"valueCoding": {"code": "good"}}]}"#
        let corrected = try Samples.mapper.map(
            Samples.response(one, status: "amended"),
            visit: "v",
            received: Samples.received
        )
        // The correction first: the original could not be processed before.
        let order: [(FactSet, FHIRDateTime)] = [
            (corrected, "2026-03-01T12:00:00Z"), (try Samples.facts(), "2026-03-01T11:00:00Z"),
        ]
        for (set, received) in order {
            try await warehouse.transaction { db in
                let person = try db.participant("digest", now: Samples.now)
                let written = WarehouseTime("2026-03-01T09:00:00Z" as FHIRDateTime)
                try db.store(
                    [set],
                    (["facts": JSONValue("\(set.facts.count)")], "QuestionnaireResponse"),
                    of: person,
                    label: "m",
                    written: written,
                    received: WarehouseTime(received),
                    now: Samples.now
                )
            }
        }
        #expect(try await facts(warehouse).count == corrected.facts.count)
        let json = try await rows(warehouse, "SELECT json FROM study_resource").map {
            try StoredResource.json($0.values[0])
        }
        #expect(json == [#"{"facts":"\#(corrected.facts.count)"}"#])
    }

    /// The query that i2b2 makes of a node that was dragged.
    @Test("every fact is found through the ontology", arguments: TestStore.allCases)
    func ontology(store: TestStore) async throws {
        let warehouse = try await loaded(store)
        let ontology = Ontology([try Questionnaire(parsing: Samples.questionnaire)])
        #expect(ontology.problems == [])
        try await warehouse.transaction { try $0.store(ontology, now: Samples.now) }
        let nodes = ontology.nodes.filter { $0.code != nil }
        let sql = """
            SELECT count(DISTINCT patient_num) FROM observation_fact WHERE concept_cd IN
            (SELECT concept_cd FROM concept_dimension WHERE concept_path LIKE ? || '%' ESCAPE '!')
            """
        for concept in Set(try Samples.facts().facts.map(\.concept)) {
            let node = try #require(nodes.first { $0.code == concept }, "\(concept)")
            #expect(try await count(warehouse, sql, [node.path]) == 1, "\(concept)")
        }
        let root = #"\Study\Surveys\"#
        #expect(try await count(warehouse, sql, [root]) == 1)
        // What nobody answered is there to be asked for, and finds nobody.
        let never = try #require(nodes.first { $0.code?.hasSuffix("well=false") == true })
        #expect(try await count(warehouse, sql, [never.path]) == 0)
        #expect(
            try await count(warehouse, "SELECT count(*) FROM study_metadata")
                == ontology.rows(source: "STUDY", now: Samples.now).count
        )
        let label = try await rows(
            warehouse,
            "SELECT name_char FROM concept_dimension WHERE concept_cd LIKE '%:mood=good'"
        )
        #expect(label.first?.text(0) == "Good")
    }

    @Test("many facts and their concepts are all there", arguments: TestStore.allCases)
    func manyFacts(store: TestStore) async throws {
        struct Stop: Error {}
        let warehouse = try await store.warehouse()
        var set = FactSet(StudyVisit(id: "v", start: Samples.now))
        for number in 1...77 {
            let code = "TEST:\(number)"
            set.facts.append(Fact(code, start: Samples.now, value: .text("\(number)")))
            set.concepts.append(Concept(path: #"\Study\Test\\#(number)\"#, code: code, name: code, key: code))
        }
        let filled = set
        func load(failing: Bool) async throws {
            try await warehouse.transaction { db in
                let participant = try db.participant("digest", now: Samples.now)
                try db.store([filled], of: participant, label: "m", written: Samples.now, now: Samples.now)
                if failing { throw Stop() }
            }
        }
        // What is undone is not taken for known.
        await #expect(throws: Stop.self) { try await load(failing: true) }
        for _ in 1...2 {
            try await load(failing: false)
            #expect(
                try await count(warehouse, "SELECT count(DISTINCT tval_char) FROM observation_fact") == 77
            )
            let concepts = "SELECT count(*) FROM concept_dimension WHERE concept_cd LIKE 'TEST:%'"
            #expect(try await count(warehouse, concepts) == 77)
        }
    }

    @Test("numbers are found by their value", arguments: TestStore.allCases)
    func numbers(store: TestStore) async throws {
        let warehouse = try await loaded(store)
        let sql =
            """
            SELECT count(*) FROM observation_fact WHERE valtype_cd = 'N' AND modifier_cd = '@' AND tval_char \
            = ?
            """
        #expect(try await count(warehouse, sql + " AND nval_num = 100.5", ["E"]) == 1)
        #expect(try await count(warehouse, sql + " AND nval_num = 20", ["L"]) == 1)
    }

    @Test("a withdrawal leaves nothing but the fact of itself", arguments: TestStore.allCases)
    func withdrawal(store: TestStore) async throws {
        let warehouse = try await loaded(store)
        let (pseudonym, number) = try await warehouse.transaction { db in
            let person = try db.participant("digest", now: Samples.now)
            try db.keepConsent(of: "digest", message: "c", signed: Samples.now, version: "1", shares: nil)
            try db.keep(
                StoredMessage(
                    id: "m1",
                    kind: "envelope",
                    body: Data("x".utf8),
                    received: "2026",
                    state: .loaded,
                    participant: "digest"
                )
            )
            return (person.pseudonym, person.number)
        }
        let facts = try Samples.facts().facts.count
        #expect(try await warehouse.transaction { try $0.withdraw("digest", now: Samples.now) } == facts)
        let tables = try await rows(warehouse, store.tables).compactMap { $0.text(0) }
        #expect(tables.contains("observation_fact"))
        for table in tables {
            let rows = try await rows(warehouse, "SELECT * FROM \"\(table)\"").map { "\($0.values)" }
            #expect(!rows.contains { $0.contains(pseudonym) }, "\(table)")
            if [
                "observation_fact", "visit_dimension", "patient_dimension", "patient_mapping",
                "encounter_mapping", "study_consent",
            ].contains(table) {
                #expect(rows.isEmpty, "\(table)")
            }
        }
        #expect(try await warehouse.read { try $0.hasWithdrawn("digest") })
        #expect(try await warehouse.read { try $0.message("m1")?.body } == nil)
        // A number is not given to somebody else.
        #expect(
            try await warehouse.transaction { try $0.participant("other", now: Samples.now).number } != number
        )
    }

    @Test("no visit gets the number of one that is gone", arguments: TestStore.allCases)
    func visitNumbers(store: TestStore) async throws {
        let warehouse = try await loaded(store)
        let newest = "SELECT max(encounter_num) FROM encounter_mapping"
        let before = try await count(warehouse, newest)
        try await warehouse.transaction { db in
            try db.withdraw("digest", now: Samples.now)
            let person = try db.participant("other", now: Samples.now)
            try db.store([Samples.facts()], of: person, label: "m2", written: Samples.now, now: Samples.now)
        }
        #expect(try await count(warehouse, newest) > before)
    }

    /// Else somebody could leave while another consumer writes what they gave.
    @Test("transactions of one participant wait for each other", arguments: TestStore.allCases)
    func waitingTransactions(store: TestStore) async throws {
        let warehouse = try await store.warehouse()
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await warehouse.transaction { db in
                try db.lock("digest")
                continuation.finish()
                Thread.sleep(forTimeInterval: 0.5)
                try db.withdraw("digest", now: Samples.now)
            }
        }
        for await _ in begun {}
        let hasWithdrawn = try await warehouse.transaction { db in
            try db.lock("digest")
            return try db.hasWithdrawn("digest")
        }
        #expect(hasWithdrawn)
        _ = try await first.value
    }

    @Test("two concepts of one code are refused", arguments: TestStore.allCases)
    func sameCode(store: TestStore) async throws {
        var a = FactSet(StudyVisit(id: "1", start: Samples.now))
        var b = FactSet(StudyVisit(id: "2", start: Samples.now))
        a.concepts = [Concept(path: #"\a\"#, code: "X:1", name: "a", key: "a")]
        b.concepts = [Concept(path: #"\b\"#, code: "X:1", name: "b", key: "b")]
        let warehouse = try await loaded(store, [a])
        await #expect(throws: WarehouseError.collision(code: "X:1")) {
            try await warehouse.transaction { [b] db in
                let person = try db.participant("digest", now: Samples.now)
                try db.store([b], of: person, label: "m2", written: Samples.now, now: Samples.now)
            }
        }
    }

    @Test("a row that the tables refuse changes nothing", arguments: TestStore.allCases)
    func refusedRow(store: TestStore) async throws {
        let warehouse = try await loaded(store)
        let before = try await facts(warehouse)
        var set = FactSet(StudyVisit(id: "long", start: Samples.now))
        set.facts = [Fact(String(repeating: "c", count: 51), start: Samples.now)]
        await #expect(throws: WarehouseError.self) {
            try await warehouse.transaction { [set] db in
                let person = try db.participant("digest", now: Samples.now)
                try db.store([set], of: person, label: "m", written: Samples.now, now: Samples.now)
            }
        }
        #expect(try await facts(warehouse) == before)
        #expect(try await count(warehouse, "SELECT count(*) FROM upload_status") == 1)
    }

    /// PostgreSQL's keys have at most some 2,700 bytes.
    @Test("a resource with a long id is kept", arguments: TestStore.allCases)
    func longID(store: TestStore) async throws {
        let warehouse = try await loaded(store)
        var state: UInt64 = 1
        // Letters that do not compress.
        let id = String(
            (0..<8000).map { _ -> Character in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Character(UnicodeScalar(UInt8(97 + (state >> 33) % 26)))
            }
        )
        let set = FactSet(StudyVisit(id: id, start: Samples.now))
        try await warehouse.transaction { db in
            let person = try db.participant("digest", now: Samples.now)
            try db.store(
                [set],
                (["resourceType": "Observation"], "Observation"),
                of: person,
                label: "m",
                written: Samples.now,
                now: Samples.now
            )
        }
        #expect(
            try await count(warehouse, "SELECT count(*) FROM study_resource WHERE length(visit) <= 200") == 1
        )
    }

    @Test("without a source the database's own is taken")
    func ownSource() async throws {
        guard let url = try await TestDatabase.emptySchema() else { try Test.cancel("\(TestDatabase.hint)") }
        _ = try await Warehouse(postgreSQL: url, source: "A")
        for makes in [true, false] {
            #expect(try await Warehouse(postgreSQL: url, makes: makes).source == "A")
        }
        await #expect(throws: WarehouseError.self) { try await Warehouse(postgreSQL: url, source: "B") }
    }

    @Test("a warehouse belongs to one study")
    func oneStudy() throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "warehouse-\(UUID().uuidString).sqlite"
        )
        defer {
            for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) }
        }
        _ = try Warehouse(file, source: "A")
        let error = #expect(throws: WarehouseError.self) { try Warehouse(file, source: "B") }
        #expect(error?.description.contains("of the study A, not of B; name A as the source") == true)
        #expect(try Warehouse(file).source == "A")
        #expect(try Warehouse(nil).source == "STUDY")
        #expect(throws: WarehouseError.self) { try Warehouse(nil, source: "a'b") }
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("the patient data object has the schema's order and its texts whole", arguments: TestStore.allCases)
    func objectOrder(
        store: TestStore
    ) async throws {
        let warehouse = try await loaded(store)
        let xml = try await warehouse.read { db in
            var text = ""
            try db.writePDO { text += $0 }
            return text
        }
        let root = try XMLNode(parsing: xml)
        #expect(
            root.children().map { $0.name } == [
                "event_set", "concept_set", "modifier_set", "observer_set", "pid_set", "eid_set",
                "patient_set", "observation_set",
            ]
        )
        let observations = root.children().last?.children().map { $0 } ?? []
        #expect(observations.count == (try Samples.facts().facts.count))
        let order = [
            "event_id", "patient_id", "concept_cd", "observer_cd", "start_date", "modifier_cd",
            "instance_num", "valuetype_cd",
            "tval_char", "nval_num", "valueflag_cd", "quantity_num", "units_cd", "end_date", "location_cd",
            "confidence_num",
        ]
        for observation in observations {
            let names = observation.children().map { $0.name }
            #expect(names.filter { $0 != "observation_blob" } == order)
        }
        let texts = observations.map { $0.find("observation_blob").text() }
        #expect(texts.contains(#"a < b & "c""#))
        let numbers = observations.map { $0.find("nval_num").text() }
        #expect(numbers.contains("100.5"))
    }

    @Test("the patient data object is valid by its schema", arguments: TestStore.allCases)
    func validObject(store: TestStore) async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/pdo.xsd")
        let schema = try XMLSchema(parsing: Data(contentsOf: file))
        let xml = try await loaded(store).read { db in
            var text = ""
            try db.writePDO { text += $0 }
            return text
        }
        #expect(try schema.validate(XMLNode(parsing: xml)) == [])
        let changed = xml.replacing("</p:eid_set>", with: "<eid/></p:eid_set>")
        #expect(try !schema.validate(XMLNode(parsing: changed)).isEmpty)
        for empty in [try await loaded(store, []), try await store.warehouse()] {
            await #expect(throws: WarehouseError.self) { try await empty.read { try $0.writePDO { _ in } } }
        }
    }

    @Test("exported facts are those of the warehouse", arguments: TestStore.allCases)
    func exported(store: TestStore) async throws {
        let warehouse = try await loaded(store)
        let rows = try await warehouse.read { db in
            var rows: [[String]] = []
            try db.eachFact { rows.append($0) }
            return rows
        }
        #expect(rows.count == (try Samples.facts().facts.count))
        #expect(rows.allSatisfy { $0.count == WarehouseTransaction.factColumns.count })
        #expect(rows.contains { $0[2].hasSuffix(":dose") && $0[10] == "100.5" && $0[11] == "mg" })
        let concepts = Set(rows.map { $0[2] })
        #expect(concepts.isSubset(of: Set(try await warehouse.read { try $0.dictionary().map { $0[0] } })))
    }

    @Test("no text of an export is a formula, and numbers stay numbers")
    func exportedTexts() async throws {
        let hidden = [
            " =1", "\u{A0}=1", "\u{FEFF}+1", "\u{200B}\u{2060}-x", "| =1", "\u{2028}@x", "\u{3000}＝1",
            "\u{AD}=1",
        ]
        let plain = [" a=1", "|", " ", "a |=1", "\u{200B}b"]
        let texts = ["=1+1", "+1", "-x", "@SUM(1)", "\\tx", "＝1", "'quoted", "a=1"] + hidden + plain
        let items = texts.enumerated().map {
            #"{"linkId": "t\#($0.offset)", "answer": [{"valueString": "\#($0.element)"}]}"#
        }
        let number = #"{"linkId": "n", "answer": [{"valueQuantity": {"value": -5.5, "code": "=x"}}]}"#
        let response = try Samples.response((items + [number]).joined(separator: ", "))
        let warehouse = try Warehouse(nil)
        try await warehouse.transaction { db in
            let facts = try ResponseMapper().map(response, visit: "v", received: Samples.received)
            let participant = try db.participant("p", now: Samples.now)
            try db.store([facts], of: participant, label: "m", written: Samples.now, now: Samples.now)
        }
        let rows = try await warehouse.read { db in
            var rows: [[String]] = []
            try db.eachFact { rows.append($0) }
            return rows.filter { $0[4] == "@" }
        }
        let cells = rows.filter { $0[8] == "T" }.map { $0[9] }
        for text in hidden {
            #expect(cells.contains { $0.utf8.elementsEqual("'\(text)".utf8) }, "\(text.unicodeScalars)")
        }
        for text in plain {
            #expect(cells.contains { $0.utf8.elementsEqual(text.utf8) }, "\(text.unicodeScalars)")
        }
        #expect(
            Set(cells).isSuperset(of: ["'=1+1", "'+1", "'-x", "'@SUM(1)", "'\tx", "'＝1", "''quoted", "a=1"])
        )
        #expect(rows.filter { $0[8] == "N" }.map { $0[10...11] } == [["-5.5", "'=x"]])
    }
}
