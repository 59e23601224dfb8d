import FHIR
import Foundation
import IndivoBase
import Testing

@testable import StudyWarehouse

/// i2b2's patient data object, written and read back.
struct PatientDataTests {
    private static func rows(_ xml: String) async throws -> [PatientDataRow] {
        let bytes = Array(xml.utf8)
        let chunks = AsyncStream<[UInt8]> { stream in
            for start in stride(from: 0, to: bytes.count, by: 1_000) {
                stream.yield(Array(bytes[start..<min(start + 1_000, bytes.count)]))
            }
            stream.finish()
        }
        var rows: [PatientDataRow] = []
        for try await row in PatientDataReader(chunks: chunks) { rows.append(row) }
        return rows
    }

    private static func export(_ warehouse: Warehouse) async throws -> String {
        try await warehouse.read { db in
            var xml = ""
            try db.writePDO { xml += $0 }
            return xml
        }
    }

    private static func random(_ generator: inout SeededGenerator, _ index: Int) throws -> Fact {
        func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: 0..<values.count, using: &generator)]
        }
        let texts = ["", "a < b & \"c\"", " spaces \n and lines ", "Müdigkeit", "日本 😀", "]]>", "E", "'=1+1"]
        let long = String(repeating: "Größe & ", count: Int.random(in: 40...400, using: &generator))
        let digits = ["0", "-5.5", "1234567890123.12345", "2.123456", "0.00001", "9999999999999", "74.8"]
        let day = Int.random(in: 1...28, using: &generator)
        let start = WarehouseTime(
            try #require(FHIRDateTime(text: "2026-03-\(day < 10 ? "0" : "")\(day)T09:00:00.25Z"))
        )
        let decimal = try #require(FHIRDecimal(pick(digits)))
        let number = try #require(WarehouseNumber(decimal))
        let kinds: [FactValue] = [
            .none, .text(pick(texts)), .text(long), .longText(pick(texts)), .longText(long),
            .number(
                number,
                comparison: pick(["E", "L", "LE", "G", "GE"])
            ),
        ]
        // A concept has one unit.
        let kind = Int.random(in: 0..<kinds.count, using: &generator)
        var fact = Fact("TEST:\(index % 7)-\(kind)", start: start, value: kinds[kind])
        fact.instance = index + 1
        if kind == 5, index % 7 < 4 { fact.unit = "mg" }
        if Bool.random(using: &generator) { fact.end = WarehouseTime(FHIRDateTime("2026-04-01T10:00:00Z")) }
        fact.flag = pick([nil, "H", "L", "A"])
        return fact
    }

    @Test(
        "what the warehouse has is what the object says, with each fact as it was",
        arguments: TestStore.allCases,
        0..<5
    )
    func roundTrip(store: TestStore, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let warehouse = try await store.warehouse()
        var expected: Set<Fact> = []
        var concepts: Set<String> = []
        for visit in 0..<4 {
            var set = FactSet(StudyVisit(id: "v\(visit)", start: Samples.now))
            for number in 0..<40 { set.facts.append(try Self.random(&generator, number)) }
            set.concepts = Set(set.facts.map(\.concept)).sorted().map {
                Concept(path: "\\Study\\Test\\\($0)\\", code: $0, name: "Name of <\($0)>", key: $0)
            }
            concepts.formUnion(set.facts.map(\.concept))
            expected.formUnion(set.facts)
            let stored = set
            try await warehouse.transaction { db in
                let person = try db.participant("digest \(visit % 2)", now: Samples.now)
                try db.store([stored], of: person, label: "m\(visit)", written: Samples.now, now: Samples.now)
            }
        }
        let rows = try await Self.rows(Self.export(warehouse))
        var read: [Fact] = []
        var patients: Set<String> = []
        var events: Set<String> = []
        var codes: Set<String> = []
        var observed: Set<String> = []
        for row in rows {
            switch row {
            case .observation(let observation):
                read.append(observation.fact)
                observed.insert("\(observation.patient.id) \(observation.event.id)")
            case .patient(let patient): patients.insert(patient.id.id)
            case .event(let event): events.insert("\(event.patient.id) \(event.id.id)")
            case .concept(let concept):
                codes.insert(concept.code)
                #expect(concept.name == "Name of <\(concept.code)>" || !concept.code.hasPrefix("TEST"))
            default: break
            }
        }
        #expect(read.count == 160 && Set(read) == expected)
        #expect(patients.count == 2 && events.count == 4 && observed == events)
        #expect(codes.isSuperset(of: concepts))
    }

    @Test(
        "a row that i2b2 would not take is refused with its number and what is wrong",
        arguments: [
            ("<observation/>", "row 1 of the patient data object, <observation>: <start_date> is missing"),
            (
                "<pid><patient_id source=\"S\">1</patient_id></pid><pid/>",
                "row 2 of the patient data object, <pid>"
            ),
            ("<observation><start_date>yesterday</start_date></observation>", "<start_date> is no time"),
            (
                """
                <observation><start_date>2026-03-01T00:00:00Z</start_date><concept_cd>c</concept_cd>\
                <valuetype_cd>N</valuetype_cd><nval_num>many</nval_num></observation>
                """,
                "<nval_num> is no number"
            ),
        ]
    )
    func malformed(content: String, reason: String) async throws {
        let error = await #expect(throws: WarehouseError.self) {
            try await Self.rows("<patient_data>\(content)</patient_data>")
        }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }

    @Test("an object as i2b2's cell writes it, without blobs and zones, is read")
    func fromI2B2() async throws {
        let rows = try await Self.rows(
            """
            <ns3:patient_data xmlns:ns3="http://www.i2b2.org/xsd/hive/pdo/1.1/"><ns3:observation_set>
            <observation><event_id source="HIVE">475315</event_id><patient_id source="HIVE">7</patient_id>
            <concept_cd name="Weight">LOINC:29463-7</concept_cd><observer_cd>@</observer_cd>
            <start_date>2006-03-01T09:00:00.000</start_date><modifier_cd>@</modifier_cd>
            <instance_num>1</instance_num><valuetype_cd>N</valuetype_cd><tval_char>E</tval_char>
            <nval_num units="kg">74.80000</nval_num><units_cd>kg</units_cd></observation>
            </ns3:observation_set></ns3:patient_data>
            """
        )
        guard case .observation(let observation)? = rows.first else {
            Issue.record("no observation")
            return
        }
        #expect(observation.patient == .init(id: "7", source: "HIVE"))
        #expect(observation.fact.start.description == "2006-03-01 09:00:00")
        #expect(observation.fact.unit == "kg" && observation.fact.end == nil)
        #expect("\(observation.fact.value)".contains("74.8"))
    }
}
