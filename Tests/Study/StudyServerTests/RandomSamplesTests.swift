import FHIR
import Foundation
import OrderedJSON
import Testing

@testable import StudyServer
@testable import StudyWarehouse

/// Random deliveries into the table of samples: however they are grouped, the same is in the warehouse, and
/// the days are those of the samples.
@Suite struct RandomSamplesTests {
    /// Numbers that a test can have again.
    struct Chance: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    private struct Deliveries {
        private var chance: Chance
        let people: [UUID]
        private var sent: [[(uuid: UUID, type: (String, String), start: Int, offset: Int)]]
        private(set) var messages: [StudyMessage] = []

        init(seed: UInt64, people count: Int, messages number: Int) throws {
            var chance = Chance(state: seed)
            people = (0..<count).map { _ in UUID() }
            sent = people.map { _ in [] }
            self.chance = chance
            for person in people { messages.append(try Given.message(Given.contract(person))) }
            for index in 0..<number {
                let person = Int.random(in: 0..<count, using: &chance)
                self.chance = chance
                let text = try content(person)
                chance = self.chance
                // Some are late.
                let isLate = Bool.random(using: &chance)
                let minute = isLate ? Int.random(in: 0...index, using: &chance) : index
                let message = try Given.message(text, received: Self.time(minute))
                messages.append(message)
                // Some leave, and some of them come back.
                let signed = Self.time(index)
                let contracts = [
                    Given.contract(people[person], status: "terminated"),
                    Given.contract(people[person], signed: signed),
                ]
                for contract in contracts where Int.random(in: 0..<30, using: &chance) == 0 {
                    messages.append(try Given.message(contract, received: signed))
                }
                if Int.random(in: 0..<10, using: &chance) == 0 { messages.append(message) }
            }
            self.chance = chance
        }

        private static func time(_ minute: Int) -> String {
            let time = 1_772_409_600_000_000 + minute * 60_000_000
            return FHIRDateTime(microseconds: time, offset: 0)?.description ?? ""
        }

        private static let types = [
            ("HeartRate", "count/min"), ("StepCount", "count"), ("BodyMass", "kg"), ("OxygenSaturation", "%"),
            ("ActiveEnergyBurned", "kcal"), ("BodyTemperature", "degC"), ("DistanceWalkingRunning", "m"),
        ]
        private static let values = [
            "0", "-0", "-0.0", "1E-300", "5e-324", "1e-320", "9999999999999.99999", "1e9", "-1e9", "0.1",
            "0.000001", "1e400", "1.7e308", "123456789012345678",
        ]
        private static let offsets = [-720, -570, -300, 0, 60, 120, 330, 345, 840]
        private static let starts: [FHIRDateTime] = [
            "1900-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z",
            "1999-12-31T23:59:59.999999Z", "2000-01-01T00:00:00Z", "2000-02-29T00:00:00Z",
            "2024-02-29T23:59:59.999999Z", "2024-12-31T23:59:59Z", "2025-10-26T01:30:00Z",
            "2026-02-01T00:00:00Z", "2026-02-28T23:59:59.999999Z", "2026-03-01T00:00:00Z",
            "2026-03-01T23:00:00Z",
        ]

        private mutating func start() -> Int {
            switch Int.random(in: 0..<4, using: &chance) {
            case 0: Self.starts.randomElement(using: &chance)?.microseconds ?? 0
            case 1: 1_772_348_400_000_000 + Int.random(in: 0..<2000, using: &chance) * 30_000_000
            default:
                Int.random(in: 1_740_000_000_000_000..<1_772_000_000_000_000, using: &chance) / 1000 * 1000
            }
        }

        private mutating func value() -> String {
            switch Int.random(in: 0..<8, using: &chance) {
            case 0: Self.values.randomElement(using: &chance) ?? "1"
            case 1:
                // Sums of few decimals are the same in any order.
                FHIRDecimal(Double(Int.random(in: 0..<2_500_000, using: &chance)) / 10_000)?.description
                    ?? "1"
            default: String(Int.random(in: 0...200, using: &chance))
            }
        }

        private mutating func content(_ person: Int) throws -> String {
            var resources: [JSONValue] = []
            for _ in 0..<Int.random(in: 1...12, using: &chance) {
                resources += try item(person)
            }
            return SampleTableTests.bundle(resources)
        }

        private mutating func item(_ person: Int) throws -> [JSONValue] {
            // A new one, the same again, a correction, one of them at another start, and that without a
            // correction.
            var what = Int.random(in: 0..<100, using: &chance)
            var offset = Self.offsets.randomElement(using: &chance) ?? 0
            var start = start()
            var uuid = UUID()
            var type = Self.types.randomElement(using: &chance) ?? ("", "")
            var status: String?
            if let old = sent[person].randomElement(using: &chance) {
                switch what {
                case 0..<55: break
                default:
                    uuid = old.uuid
                    type = old.type
                    start = old.start
                    offset = old.offset
                    let others = ["amended", "corrected", "entered-in-error"]
                    if what >= 75 { status = others.randomElement(using: &chance) }
                    if what >= 92 { start = self.start() }
                    if what >= 97 { status = nil }
                }
            } else {
                what = 0
            }
            if what < 55 { sent[person].append((uuid, type, start, offset)) }
            guard let from = FHIRDateTime(microseconds: start, offset: offset) else { return [] }
            let length = Bool.random(using: &chance) ? 0 : Int.random(in: 1..<90_000_000_000, using: &chance)
            var sample = SampleTableTests.sample(
                1,
                type.0,
                type.1,
                uuid: uuid,
                from: from,
                to: FHIRDateTime(microseconds: start + length, offset: offset)
            )
            if Bool.random(using: &chance) {
                sample.metadata["HKWasUserEntered"] = .boolean(Bool.random(using: &chance))
            }
            let value = JSONValue(number: value())
            return try SampleTableTests.observations([sample], of: people[person]) { json in
                json["valueQuantity"]?["value"] = value
                if let status { json["status"] = JSONValue(status) }
            }
        }
    }

    /// What is in a warehouse, without what is random in it.
    private func content(of warehouse: Warehouse) async throws -> [String] {
        var lines: [String] = []
        for sql in [
            """
            SELECT 'sample', p.participant, s.start_us, s.id, s.value, s.end_us, t.concept, t.unit,
                c.utc_offset, o.json, c.received
            FROM study_sample s
            JOIN study_participant p ON p.patient_num = s.patient_num
            LEFT JOIN study_sample_set c ON c.patient_num = s.patient_num AND c.set_num = s.set_num
            LEFT JOIN study_sample_type t ON t.type_num = c.type_num
            LEFT JOIN study_sample_source o
                ON o.patient_num = c.patient_num AND o.source_num = c.source_num
            """,
            """
            SELECT 'fact', p.participant, e.encounter_ide, f.concept_cd, modifier_cd, instance_num,
                f.start_date, round(nval_num, 5), tval_char, units_cd, observation_blob
            FROM observation_fact f
            JOIN encounter_mapping e
                ON e.encounter_num = f.encounter_num AND e.encounter_ide_source <> 'HIVE'
            JOIN study_participant p ON p.patient_num = f.patient_num
            """,
            """
            SELECT 'visit', p.participant, v.id FROM study_sample_visit v
            JOIN study_participant p ON p.patient_num = v.patient_num
            """,
            """
            SELECT 'resource', p.participant, r.type, r.visit FROM study_resource r
            JOIN study_participant p ON p.patient_num = r.patient_num
            """,
        ] {
            lines += try await rows(sql, warehouse).map { $0.map { $0 ?? "-" }.joined(separator: " ") }
        }
        return lines.sorted()
    }

    /// The days that the samples of a warehouse come to.
    private func days(of warehouse: Warehouse) async throws -> [String] {
        try await warehouse.read { warehouse in
            var groups: [[String]: [StudySample]] = [:]
            try warehouse.eachSample { sample, pseudonym in
                groups[[pseudonym, String(sample.day), sample.kind.concept], default: []].append(sample)
            }
            return groups.map { key, samples in
                let values = samples.map(\.value)
                let last = samples.max { ($0.start, $0.id) < ($1.start, $1.id) }?.value ?? .nan
                let numbers = [
                    Double(values.count), last, values.max() ?? 0, values.min() ?? 0, values.reduce(0, +),
                ]
                return key.joined(separator: " ") + " "
                    + numbers.map { String(format: "%.4f", abs($0) < 0.00004 ? 0 : $0) }.joined(
                        separator: " "
                    )
            }.sorted()
        }
    }

    /// The facts of days.
    private func storedDays(of warehouse: Warehouse) async throws -> [String] {
        var groups: [[String]: [String: Double]] = [:]
        for row in try await rows(
            """
            SELECT p.pseudonym, e.encounter_ide, f.concept_cd, f.modifier_cd, f.nval_num, f.observation_blob,
                f.tval_char
            FROM observation_fact f
            JOIN encounter_mapping e
                ON e.encounter_num = f.encounter_num AND e.encounter_ide_source <> 'HIVE'
            JOIN study_participant p ON p.patient_num = f.patient_num
            WHERE e.encounter_ide LIKE 'Samples/%'
            """,
            warehouse
        ) {
            let texts = row.map { $0 ?? "" }
            let date = FHIRDateTime(text: texts[1].dropFirst(8) + "T00:00:00Z")?.microseconds ?? 0
            let day = date / StudySample.microsecondsOfDay
            let number = Double(texts[4]) ?? Double(texts[6]) ?? .nan
            groups[[texts[0], String(day), texts[2]], default: [:]][texts[3]] = number
        }
        return groups.map { key, values in
            let numbers = ["COUNT", "LAST", "MAXIMUM", "MINIMUM", "SUM"].map {
                values["SAMPLE:\($0)"] ?? .nan
            }
            return key.joined(separator: " ") + " "
                + numbers.map { String(format: "%.4f", abs($0) < 0.00004 ? 0 : $0) }.joined(separator: " ")
        }.sorted()
    }

    /// Whether the months have all samples, each in its own.
    private static func isExported(_ warehouse: WarehouseTransaction) throws -> Bool {
        var lines: [String] = []
        for month in try warehouse.sampleMonths() {
            try warehouse.eachSample(inMonth: month) { cells in
                guard cells[2].hasPrefix(month) else { return }
                lines.append([cells[0], cells[1], cells[2], cells[4], cells[5]].joined(separator: " "))
            }
        }
        var expected: [String] = []
        try warehouse.eachSample { sample, pseudonym in
            let start = FHIRDateTime(microseconds: sample.start, offset: 0).map { WarehouseTime($0) }
            let value = FHIRDecimal(sample.value)?.description ?? ""
            expected.append(
                "\(pseudonym) \(sample.kind.concept) \(start?.description ?? "") \(sample.offset) \(value)"
            )
        }
        return lines.sorted() == expected.sorted()
    }

    private func checkDays(
        of warehouse: Warehouse,
        _ seed: UInt64,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        same(try await days(of: warehouse), try await storedDays(of: warehouse), seed, location)
    }

    private func same(
        _ a: [String],
        _ b: [String],
        _ seed: UInt64,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(a.count == b.count, "seed \(seed)", sourceLocation: location)
        #expect(Set(a).subtracting(b).sorted().suffix(3) == [], "seed \(seed)", sourceLocation: location)
        #expect(Set(b).subtracting(a).sorted().suffix(3) == [], "seed \(seed)", sourceLocation: location)
    }

    private func rows(_ sql: String, _ warehouse: Warehouse) async throws -> [[String?]] {
        try await warehouse.read { try $0.db.rows(sql).map { row in row.values.map(\.text) } }
    }

    @Test("it does not matter how messages are grouped", arguments: StoreKind.allCases)
    func grouping(store: StoreKind) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        let given = try Deliveries(seed: seed, people: 3, messages: 40)
        let alone = try await SampleTableTests.BackEnd(store)
        for message in given.messages {
            try await alone.queue.send(message)
            #expect(try await alone.consumer.drain().failed == 0)
        }
        let together = try await SampleTableTests.BackEnd(store)
        for message in given.messages { try await together.queue.send(message) }
        let report = try await together.consumer.drain()
        #expect(report.failed == 0)
        #expect(report.released == 0)
        same(try await content(of: alone.warehouse), try await content(of: together.warehouse), seed)
        for study in [alone, together] { try await checkDays(of: study.warehouse, seed) }
        // Nothing is done twice, all is exported, and who leaves takes nothing of others away.
        let before = try await content(of: together.warehouse)
        for message in given.messages { try await together.queue.send(message) }
        #expect(try await together.consumer.drain().loaded == 0, "seed \(seed)")
        same(before, try await content(of: together.warehouse), seed)
        #expect(try await together.warehouse.read { try Self.isExported($0) }, "seed \(seed)")
        let leaver = given.people[0]
        #expect(try await together.consumer.withdraw(leaver) >= 0)
        let digest = Intake.digest(leaver.uuidString)
        same(
            before.filter { !$0.contains(digest) },
            try await content(of: together.warehouse),
            seed
        )
    }

    @Test(
        "several consumers leave the totals of days that the samples come to",
        arguments: StoreKind.allCases
    )
    func severalConsumers(store: StoreKind) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        let given = try Deliveries(seed: seed, people: 3, messages: 60)
        let folder = try Folder()
        let queue = try SQLiteMessageQueue(folder.file("queue.sqlite"))
        let warehouse = try await store.warehouse(folder.file("study.sqlite"))
        try await warehouse.store(samplesAs: .table)
        for message in given.messages { try await queue.send(message) }
        let consumers = (0..<3).map { _ in
            Consumer(
                queue: queue,
                warehouse: warehouse,
                keys: KeyRing([StudyKeys.id: StudyKeys.key])
            )
        }
        for report in try await consumers.drainTogether() { #expect(report.failed == 0, "seed \(seed)") }
        try await checkDays(of: warehouse, seed)
    }
}
