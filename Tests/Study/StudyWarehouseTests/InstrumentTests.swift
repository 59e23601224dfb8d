import FHIR
import Foundation
import IndivoXML
import OrderedJSON
import Testing

@testable import StudyWarehouse

/// Responses as tables, and their files for statistics programs.
@Suite struct InstrumentTests {
    private static let now = WarehouseTime(Samples.received)

    /// A warehouse with responses, each of a participant.
    private func warehouse(_ store: TestStore, _ responses: [(of: String, items: String)])
        async throws
        -> Warehouse
    {
        let warehouse = try await store.warehouse()
        for (number, response) in responses.enumerated() {
            let resource = try Samples.response(response.items, identifier: "r-\(number)")
            let facts = try Samples.mapper.map(resource, visit: "v", received: Samples.received)
            try await warehouse.transaction { db in
                let person = try db.participant(response.of, now: Self.now)
                try db.store(
                    [facts],
                    (json: resource.tree, type: "QuestionnaireResponse"),
                    of: person,
                    label: "m\(number)",
                    written: Self.now,
                    now: Self.now
                )
            }
        }
        return warehouse
    }

    private func table(_ warehouse: Warehouse, _ questionnaires: [Questionnaire]? = nil) async throws
        -> (instrument: Instrument, rows: [InstrumentRow])
    {
        let questionnaires = try questionnaires ?? [Questionnaire(parsing: Samples.questionnaire)]
        return try await warehouse.read { db in
            let instruments = try db.instruments(of: questionnaires)
            var rows: [InstrumentRow] = []
            try db.eachRow(of: instruments) { _, row in rows.append(row) }
            return (try #require(instruments.first), rows)
        }
    }

    private func cells(_ table: (instrument: Instrument, rows: [InstrumentRow]), _ row: Int = 0) -> [String:
        String]
    {
        let names = table.instrument.columns.map(\.name)
        return Dictionary(
            zip(names, table.rows[row].cells).compactMap { name, cell in cell.map { (name, $0) } },
            uniquingKeysWith: { first, _ in first }
        )
    }

    @Test("an option's score stands beside its number")
    func score() async throws {
        let questionnaire = try Questionnaire(
            parsing: Data(
                """
                {"resourceType": "Questionnaire", "status": "active", "url": "https://example.org/week",
                 "name": "week", "item": [{"linkId": "tired", "type": "choice", "answerOption": [
                   {"valueCoding": {"code": "none", "display": "Never", "extension": [
                     {"url": "http://hl7.org/fhir/StructureDefinition/ordinalValue", "valueDecimal": 0}]}},
                   {"valueCoding": {"code": "some", "display": "Often"}, "extension": [
                     {"url": "http://hl7.org/fhir/StructureDefinition/itemWeight", "valueDecimal": 1.5}]},
                   {"valueCoding": {"code": "other", "display": "Other"}}]}]}
                """.utf8
            )
        )
        let warehouse = try await TestStore.sqlite.warehouse()
        let instruments = try await warehouse.read { try $0.instruments(of: [questionnaire]) }
        let labels = InstrumentCodebook.labels(of: instruments)
        let expected = [["none", "1", "0"], ["some", "2", "1.5"], ["other", "3", ""]]
        #expect(labels.map { [$0[3], $0[5], $0[7]] } == expected)
        let codes = REDCapProject(instruments).codes
        #expect(codes.map { [$0[3], $0[5]] } == [["none", "0"], ["some", "1.5"], ["other", ""]])
    }

    private func provenance(_ participants: Int, _ responses: Int) -> ExportProvenance {
        ExportProvenance(
            version: "1.2.3",
            commit: "c0ffee",
            study: "STUDY",
            exported: Date(timeIntervalSince1970: 1_772_000_000),
            options: [("format", "tables")],
            questionnaires: [],
            participants: participants,
            responses: responses
        )
    }

    @Test("a response is a row with a column for each linkId", arguments: TestStore.allCases)
    func columns(store: TestStore) async throws {
        let found = try await table(warehouse(store, [("a", Samples.items)]))
        #expect(found.instrument.name == "diary" && found.instrument.title == "Diary")
        #expect(
            found.instrument.columns.map(\.name) == [
                "mood=good", "mood=tired", "pain", "well", "drug", "dose", "dose:unit", "meds[2]/dose",
                "meds[2]/dose:unit", "meds[2]/dose:comparator", "note",
            ]
        )
        #expect(
            cells(found) == [
                "mood=good": "true", "mood=tired": "true", "pain": "LA6568-5", "well": "true", "drug": "1191",
                "dose": "100.50", "dose:unit": "mg", "meds[2]/dose": "20", "meds[2]/dose:unit": "mg",
                "meds[2]/dose:comparator": "<", "note": "a < b & \"c\"",
            ]
        )
        let row = try #require(found.rows.first)
        #expect(
            row.authored == "2026-03-01T10:00:00+01:00" && row.version == "1" && row.status == "completed"
        )
    }

    @Test("an option not chosen is false, and a question without an answer is missing")
    func missing() async throws {
        let good = #"{"linkId": "mood", "answer": [{"valueCoding": {"code": "good"}}]}"#
        let well = #"{"linkId": "well", "answer": [{"valueBoolean": false}]}"#
        let found = try await table(warehouse(.sqlite, [("a", good), ("a", well)]))
        let rows = [cells(found), cells(found, 1)]
        #expect(rows.contains(["mood=good": "true", "mood=tired": "false"]))
        #expect(rows.contains(["well": "false"]))
    }

    @Test("without a questionnaire the columns are those of the responses")
    func withoutQuestionnaire() async throws {
        let found = try await table(warehouse(.sqlite, [("a", Samples.items)]), [])
        #expect(found.instrument.columns.first { $0.name == "mood=good" }?.kind == .boolean)
        #expect(found.instrument.columns.first { $0.name == "dose" }?.kind == .decimal)
        #expect(found.instrument.columns.first { $0.name == "pain" }?.options.map(\.code) == ["LA6568-5"])
        #expect(cells(found)["meds[2]/dose"] == "20")
    }

    @Test("an answer of another type makes the column a text and loses nothing")
    func otherType() async throws {
        let text = #"{"linkId": "well", "answer": [{"valueString": "rather"}]}"#
        let flag = #"{"linkId": "well", "answer": [{"valueBoolean": true}]}"#
        let found = try await table(warehouse(.sqlite, [("a", text), ("b", flag)]))
        #expect(found.instrument.columns.first { $0.name == "well" }?.kind == .text)
        #expect(Set([cells(found)["well"], cells(found, 1)["well"]]) == ["rather", "true"])
    }

    @Test("responses of people who do not share are in no shared table")
    func sharing() async throws {
        let warehouse = try await warehouse(.sqlite, [("a", Samples.items)])
        let counts = try await warehouse.read { db in
            let shared = try db.instruments(of: [], for: .sharing)
            return (
                shared.count, try db.instruments(of: []).count, try db.exportCounts(of: .sharing).responses
            )
        }
        #expect(counts == (0, 1, 0))
    }

    @Test("the codebook has each column and guards texts from spreadsheets")
    func codebook() async throws {
        let items = #"{"linkId": "=cmd", "answer": [{"valueString": "=HYPERLINK(1)"}]}"#
        let found = try await table(warehouse(.sqlite, [("a", items)]), [])
        let rows = InstrumentCodebook.rows(of: [found.instrument])
        #expect(rows.allSatisfy { $0.count == InstrumentCodebook.columns.count })
        #expect(rows.map { $0[1] } == ["participant", "response", "authored", "status", "version", "'=cmd"])
        #expect(InstrumentCodebook.header(of: found.instrument).last == "'=cmd")
        let cells = InstrumentCodebook.cells(of: try #require(found.rows.first), found.instrument)
        #expect(cells.last == "'=HYPERLINK(1)")
    }

    @Test("names for programs are short, unique and no keywords")
    func variableNames() {
        var names = UniqueNames(maximumLength: 26, reserved: ExportNames.reserved)
        let long = String(repeating: "very-long.", count: 9)
        let made = ["a.b", "a b", "1", "if", "str5", "Ä", long + "1", long + "2", "complete"].map {
            names.unique(ExportNames.variable($0))
        }
        #expect(made.prefix(6) == ["a_b", "a_b_2", "v_1", "if_2", "v_str5", "v"])
        #expect(Set(made).count == made.count)
        for name in made {
            #expect(name.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil && name.count <= 26, "\(name)")
        }
    }

    // MARK: REDCap

    @Test("REDCap's forms repeat, and its columns follow the dictionary")
    func redcap() async throws {
        let found = try await table(warehouse(.sqlite, [("a", Samples.items)]))
        let project = REDCapProject([found.instrument])
        let dictionary = project.dictionary
        #expect(dictionary.allSatisfy { $0.count == 18 })
        #expect(dictionary.first?.prefix(2) == ["record_id", "participant"])
        let mood = try #require(dictionary.first { $0[0] == "diary_mood" })
        #expect(mood[3] == "checkbox" && mood[5] == "good, Good | tired, Tired")
        let pain = try #require(dictionary.first { $0[0] == "diary_pain" })
        #expect(pain[3] == "radio" && pain[5] == "la6568_5, Not at all")
        let header = project.header(of: 0)
        let row = try #require(found.rows.first)
        let cells = project.cells(of: row, 0, instance: 1)
        let values = Dictionary(uniqueKeysWithValues: zip(header, cells))
        #expect(header.count == cells.count)
        #expect(values["redcap_repeat_instrument"] == "diary" && values["diary_complete"] == "2")
        #expect(values["diary_mood___good"] == "1" && values["diary_pain"] == "la6568_5")
        #expect(values["diary_authored"] == "2026-03-01 09:00:00" && values["diary_well"] == "1")
        #expect(project.codes.contains(["diary_pain", "la6568_5", "pain", "LA6568-5", "Not at all", ""]))
    }

    // MARK: ODM

    @Test("the ODM document has each answer under its item")
    func odm() async throws {
        let found = try await table(warehouse(.sqlite, [("a", Samples.items)]))
        let document = ODMDocument([found.instrument], provenance(1, 1))
        var xml = ""
        try document.start { xml += $0 }
        let row = try #require(found.rows.first)
        xml += document.start(of: row.participant) + document.data(of: row, 0)
        xml += document.endOfParticipant + document.end
        let root = try XMLNode(parsing: Data(xml.utf8))
        #expect(root.attributes["SourceSystemVersion"] == "1.2.3 (c0ffee)")
        let items = Set(root.find("ItemDef").map { $0.attributes["OID"] ?? "" })
        let data = root.find("ItemData")
        #expect(data.count == 4 + 11)
        #expect(data.allSatisfy { items.contains($0.attributes["ItemOID"] ?? "?") })
        #expect(root.find("ItemRef").allSatisfy { items.contains($0.attributes["ItemOID"] ?? "?") })
        let note = data.first { $0.attributes["ItemOID"] == "I.diary.note" }
        #expect(note?.attributes["Value"] == "a < b & \"c\"")
        #expect(root.find("CodeListItem").map { $0.attributes["CodedValue"] } == ["LA6568-5", "1191"])
    }

    // MARK: Stata

    @Test("the sections of a Stata file are where its map says")
    func stata() async throws {
        let long = String(repeating: "ä", count: 1500)
        let items = Samples.items.replacing(#"a < b & \"c\""#, with: long)
        let found = try await table(warehouse(.sqlite, [("a", items), ("b", Samples.items)]))
        let file = StataFile(found.instrument, provenance(2, 2))
        var data = file.head
        for (number, row) in found.rows.enumerated() { data += file.row(row, observation: number + 1) }
        data += file.middle
        #expect(file.hasLongTexts)
        for (number, row) in found.rows.enumerated() { data += file.longTexts(row, observation: number + 1) }
        data += file.end
        let map = try #require(data.range(of: Data("<map>".utf8)))
        let offsets = (0..<14).map { (index: Int) -> Int in
            let bytes = data.dropFirst(map.upperBound + index * 8).prefix(8)
            return bytes.reversed().reduce(0) { sum, byte in sum << 8 | Int(byte) }
        }
        let tags = [
            "<stata_dta>", "<map>", "<variable_types>", "<varnames>", "<sortlist>", "<formats>",
            "<value_label_names>", "<variable_labels>", "<characteristics>", "<data>", "<strls>",
            "<value_labels>", "</stata_dta>",
        ]
        for (tag, offset) in zip(tags, offsets) {
            #expect(data.dropFirst(offset).prefix(tag.utf8.count) == Data(tag.utf8), "\(tag)")
        }
        #expect(offsets.last == data.count)
    }

    @Test("provenance names program, commit, questionnaires and files")
    func programAndFiles() throws {
        let questionnaire = try Questionnaire(parsing: Samples.questionnaire)
        var file = ExportedFile("a.csv")
        file.add(Data("abc".utf8), rows: 2)
        var provenance = ExportProvenance(
            version: "1.2.3",
            commit: nil,
            study: "STUDY",
            exported: Date(timeIntervalSince1970: 1_772_000_000),
            options: [],
            questionnaires: [questionnaire],
            participants: 3,
            responses: 4
        )
        provenance.files = [file]
        let json = provenance.json
        #expect(json["exported"]?.string == "2026-02-25T06:13:20Z" && json["commit"] == .null)
        #expect(json["questionnaires"]?.elements?.first?["sha256"]?.string?.count == 64)
        let written = json["files"]?.elements?.first
        #expect(written?["rows"]?.integer == 2 && written?["bytes"]?.integer == 3)
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(written?["sha256"]?.string == digest)
    }
}
