import FHIR
import Foundation
import HealthSamples
import OrderedJSON
import StudyServer
import Testing

@testable import StudyWarehouse

/// Numbers of phones and watches as rows of a table.
@Suite struct SampleTableTests {
    // MARK: Samples

    static func sample(
        _ value: FHIRDecimal,
        _ type: String = "HeartRate",
        _ unit: String = "count/min",
        uuid: UUID = UUID(),
        from start: FHIRDateTime = "2026-03-01T10:00:00+01:00",
        to end: FHIRDateTime? = nil
    ) -> Sample {
        Sample(
            type: "HKQuantityTypeIdentifier" + type,
            uuid: uuid.uuidString,
            start: start,
            end: end ?? start,
            value: .quantity(SampleQuantity(value: value, unit: .healthKit(unit)))
        )
    }

    /// The Observations that HealthSamples writes, and what a test changes of them.
    static func observations(
        _ samples: [Sample],
        of participant: UUID,
        _ change: (inout JSONValue) -> Void = { _ in }
    ) throws -> [JSONValue] {
        let converter = SampleConverter(subject: "Patient/\(participant.uuidString)")
        return try samples.map { sample in
            let device = converter.device(of: sample).map {
                Reference<AnyResource>("Device/\($0.id ?? "")")
            }
            var json = try converter.resource(of: sample, device: device).tree
            change(&json)
            return json
        }
    }

    static func bundle(_ resources: [JSONValue]) -> String {
        let json: JSONValue = [
            "resourceType": "Bundle", "type": "collection",
            "entry": JSONValue(
                resources.map { JSONValue(members: [JSONMember(name: "resource", value: $0)]) }
            ),
        ]
        return json.text()
    }

    // MARK: Back end

    struct BackEnd {
        let queue: SQLiteMessageQueue
        let warehouse: Warehouse
        let consumer: Consumer
        let participant: UUID

        init(
            _ store: StoreKind,
            _ storage: SampleStorage = .table,
            identities: Disclosure.Identities = .removed,
            participant: UUID = UUID()
        ) async throws {
            self.participant = participant
            queue = try SQLiteMessageQueue(nil)
            warehouse = try await store.warehouse()
            if storage == .table { try await warehouse.store(samplesAs: storage) }
            consumer = Consumer(
                queue: queue,
                warehouse: warehouse,
                keys: KeyRing([StudyKeys.id: StudyKeys.key]),
                identities: identities
            )
        }

        @discardableResult
        func deliver(
            _ resources: [String],
            received: String = "2026-03-02T00:00:00Z",
            client: String? = Given.client
        ) async throws -> Consumer.Report {
            for resource in resources {
                try await queue.send(Given.message(resource, received: received, client: client))
            }
            return try await consumer.drain()
        }

        func agree() async throws { try await deliver([Given.contract(participant)]) }

        @discardableResult
        func send(
            _ samples: [Sample],
            received: String = "2026-03-02T00:00:00Z",
            client: String? = Given.client,
            _ change: (inout JSONValue) -> Void = { _ in }
        ) async throws -> Consumer.Report {
            let resources = try observations(samples, of: participant, change)
            return try await deliver([bundle(resources)], received: received, client: client)
        }

        func count(_ sql: String) async throws -> Int {
            try await warehouse.read { try $0.db.number(sql) }
        }

        func rows(_ sql: String) async throws -> [[String?]] {
            try await warehouse.read { try $0.db.rows(sql).map { row in row.values.map(\.text) } }
        }

        /// The values in the table, in the order of their starts.
        var values: [Double] {
            get async throws {
                try await warehouse.read { warehouse in
                    try warehouse.db.rows("SELECT value FROM study_sample ORDER BY start_us, id")
                        .compactMap { $0.double(0) }
                }
            }
        }

        /// The facts of days: date, modifier, number.
        var days: [String] {
            get async throws {
                try await rows(
                    """
                    SELECT start_date, modifier_cd, nval_num FROM observation_fact f
                    JOIN encounter_mapping e USING (encounter_num)
                    WHERE e.encounter_ide LIKE 'Samples/%'
                    ORDER BY start_date, concept_cd, modifier_cd
                    """
                ).map { row in
                    let number = SQLValue.text(row[2] ?? "").decimal ?? ""
                    return "\(row[0]?.prefix(10) ?? "") \(row[1] ?? "") \(number)"
                }
            }
        }
    }

    private static func day(_ day: String, _ base: String, _ values: [String]) -> [String] {
        let names = ["COUNT", "LAST", "MAXIMUM", "MEAN", "MINIMUM", "SUM"]
        return ["\(day) @ \(base)"] + zip(names, values).map { "\(day) SAMPLE:\($0) \($1)" }
    }

    // MARK: What comes out

    /// Without what a digest stands for, and with members in one order.
    private static func comparable(_ json: JSONValue) -> String {
        if let elements = json.elements { return "[\(elements.map(comparable).joined(separator: ","))]" }
        if let number = json.number { return "\(Double(number) ?? .nan)" }
        guard let members = json.members else { return json.text() }
        let shown = members.filter { !["id", "identifier", "subject"].contains($0.name) }
            .map { "\($0.name):\(comparable($0.value))" }
        return "{\(shown.sorted().joined(separator: ","))}"
    }

    private static func random(_ count: Int, _ chance: inout some RandomNumberGenerator) -> [Sample] {
        let types = [
            ("HeartRate", "count/min"), ("StepCount", "count"), ("BodyMass", "kg"), ("OxygenSaturation", "%"),
            ("ActiveEnergyBurned", "kcal"), ("BodyTemperature", "degC"), ("DistanceWalkingRunning", "m"),
        ]
        return (0..<count).compactMap { _ in
            let (type, unit) = types.randomElement(using: &chance) ?? types[0]
            let moment = Int.random(in: 946_684_800_000_000..<1_772_000_000_000_000, using: &chance)
            let isFine = Bool.random(using: &chance)
            let start = isFine ? moment : moment / 1_000_000 * 1_000_000
            let offset = [-570, -300, 0, 60, 330, 840].randomElement(using: &chance) ?? 0
            let length = Bool.random(using: &chance) ? 0 : Int.random(in: 1...90_000_000_000, using: &chance)
            guard let from = FHIRDateTime(microseconds: start, offset: offset),
                let to = FHIRDateTime(microseconds: start + length, offset: offset),
                let value = FHIRDecimal(
                    Bool.random(using: &chance)
                        ? Double(Int.random(in: 0...200, using: &chance))
                        : Double.random(in: 0..<250, using: &chance)
                )
            else { return nil }
            var sample = sample(value, type, unit, from: from, to: to)
            if Bool.random(using: &chance) {
                sample.metadata["HKWasUserEntered"] = .boolean(Bool.random(using: &chance))
            }
            if Bool.random(using: &chance) {
                var device = SampleDevice()
                device.name = ["Watch", "Ring"].randomElement(using: &chance)
                sample.device = device
            }
            return sample
        }
    }

    @Test(
        "what goes into the table comes out as facts have it",
        arguments: StoreKind.allCases,
        [Disclosure.Identities.removed, .kept]
    )
    func roundTrip(store: StoreKind, identities: Disclosure.Identities) async throws {
        var chance = SystemRandomNumberGenerator()
        let samples = Self.random(300, &chance)
        let facts = try await BackEnd(store, .facts, identities: identities)
        let table = try await BackEnd(
            store,
            .table,
            identities: identities,
            participant: facts.participant
        )
        for study in [facts, table] {
            try await study.agree()
            #expect(try await study.send(samples).loaded == 1)
        }
        let kept = try await facts.warehouse.read { warehouse in
            try warehouse.db.rows("SELECT json FROM study_resource").map {
                try Self.comparable(JSONValue(parsing: StoredResource.json($0.values[0]) ?? ""))
            }
        }
        let rebuilt = try await table.warehouse.read { warehouse in
            var found: [String] = []
            try warehouse.eachSample { sample, pseudonym in
                found.append(Self.comparable(sample.observation(of: pseudonym)))
            }
            return found
        }
        let left = try await table.warehouse.read { warehouse in
            try warehouse.db.rows("SELECT json FROM study_resource").map {
                try Self.comparable(JSONValue(parsing: StoredResource.json($0.values[0]) ?? ""))
            }
        }
        #expect(kept.count == 300)
        #expect((rebuilt + left).sorted() == kept.sorted())
        // Few have more digits than a number of the table.
        #expect(rebuilt.count > 250)
    }

    private static func line(
        _ concept: String,
        _ start: String,
        _ end: String?,
        _ value: Double?,
        _ unit: String
    ) -> String {
        "\(concept) \(start) \(end ?? "") \(value ?? .nan) \(unit)"
    }

    @Test("values, units and times are those of the facts", arguments: StoreKind.allCases)
    func values(store: StoreKind) async throws {
        var chance = SystemRandomNumberGenerator()
        let samples = Self.random(200, &chance)
        let facts = try await BackEnd(store, .facts)
        let table = try await BackEnd(store, .table)
        for study in [facts, table] {
            try await study.agree()
            try await study.send(samples)
        }
        let fromFacts =
            """
            SELECT concept_cd, start_date, end_date, coalesce(observation_blob, tval_char), nval_num, units_cd
            FROM observation_fact f JOIN encounter_mapping e USING (encounter_num)
            WHERE modifier_cd = '@' AND e.encounter_ide LIKE 'Observation/%'
            """
        func lines(_ study: BackEnd) async throws -> [String] {
            try await study.rows(fromFacts).map { row in
                let number = row[3].flatMap { Double($0) } ?? row[4].flatMap { Double($0) }
                return Self.line(row[0] ?? "", row[1] ?? "", row[2], number, row[5] ?? "")
            }
        }
        let rebuilt = try await table.warehouse.read { warehouse in
            var found: [String] = []
            try warehouse.eachSample { sample, _ in
                let start = FHIRDateTime(microseconds: sample.start, offset: 0).map { WarehouseTime($0) }
                let end = sample.end.flatMap { FHIRDateTime(microseconds: $0, offset: 0) }.map {
                    WarehouseTime($0)
                }
                found.append(
                    Self.line(
                        sample.kind.concept,
                        start?.description ?? "",
                        end?.description,
                        sample.value,
                        sample.kind.unit
                    )
                )
            }
            return found
        }
        let expected = try await lines(facts).sorted()
        #expect(try await (rebuilt + lines(table)).sorted() == expected)
        #expect(expected.count == 200)
    }

    @Test("a thousand heart rates are one visit", arguments: StoreKind.allCases)
    func oneVisit(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        try await study.agree()
        let visits = try await study.count("SELECT count(*) FROM visit_dimension")
        let samples = (0..<1000).compactMap { number -> Sample? in
            let start = FHIRDateTime(
                microseconds: 1_772_348_400_000_000 + number * 30_000_000,
                offset: 60
            )
            return start.map { Self.sample(FHIRDecimal(60 + number % 10), from: $0) }
        }
        #expect(try await study.send(samples).loaded == 1)
        #expect(try await study.count("SELECT count(*) FROM study_sample") == 1000)
        #expect(try await study.count("SELECT count(*) FROM visit_dimension") == visits + 1)
        #expect(try await study.count("SELECT count(*) FROM study_sample_set") == 1)
        #expect(try await study.count("SELECT count(*) FROM study_resource WHERE type = 'Observation'") == 0)
        #expect(
            try await study.days
                == Self.day("2026-03-01", "64.5", ["1000", "69", "69", "64.5", "60", "64500"])
        )
        guard store == .postgreSQL else { return }
        let bytes = ["start_us", "id", "value", "end_us", "patient_num", "set_num"]
            .map { "coalesce(pg_column_size(\($0)), 0)" }
        #expect(
            try await study.count("SELECT max(\(bytes.joined(separator: " + "))) FROM study_sample") <= 40
        )
        #expect(try await study.count("SELECT count(*) FROM study_sample_2026_03") == 1000)
        #expect(try await study.count("SELECT count(*) FROM study_sample_other") == 0)
    }

    // MARK: Identity

    @Test("a sample that comes twice is there once", arguments: StoreKind.allCases)
    func twice(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        try await study.agree()
        let samples = [Self.sample(60), Self.sample(70, from: "2026-03-01T11:00:00+01:00")]
        try await study.send(samples)
        let days = try await study.days
        try await study.send(samples + [samples[0]], received: "2026-03-03T00:00:00Z")
        #expect(try await study.values == [60, 70])
        #expect(try await study.days == days)
    }

    @Test("a correction replaces a row, also with another start", arguments: StoreKind.allCases)
    func correction(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        try await study.agree()
        let uuid = UUID()
        let old = Self.sample(60, uuid: uuid)
        try await study.send([old, Self.sample(80, from: "2026-03-01T12:00:00+01:00")])
        try await study.send(
            [Self.sample(65, uuid: uuid, from: "2026-02-01T09:00:00+01:00")],
            received: "2026-03-03T00:00:00Z"
        ) { $0["status"] = "amended" }
        #expect(try await study.values == [80])
        #expect(try await study.count(Self.single) == 1)
        #expect(try await study.days == Self.day("2026-03-01", "80", ["1", "80", "80", "80", "80", "80"]))
        // It comes again, late.
        try await study.send([old], received: "2026-03-02T12:00:00Z")
        #expect(try await study.values == [80])
        #expect(try await study.count(Self.single) == 1)
    }

    /// Facts that are no days.
    private static let single = """
        SELECT count(*) FROM observation_fact JOIN encounter_mapping e USING (encounter_num)
        WHERE modifier_cd = '@' AND e.encounter_ide LIKE 'Observation/%'
        """

    @Test("a deletion takes a row away, and it stays away", arguments: StoreKind.allCases)
    func deletion(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        try await study.agree()
        let sample = Self.sample(60)
        try await study.send([sample])
        try await study.send([sample], received: "2026-03-03T00:00:00Z") { $0["status"] = "entered-in-error" }
        #expect(try await study.values == [])
        #expect(try await study.days == [])
        try await study.send([sample], received: "2026-03-02T01:00:00Z")
        #expect(try await study.values == [])
        #expect(try await study.count(Self.single) == 0)
    }

    @Test("a deletion that comes first counts", arguments: StoreKind.allCases)
    func deletionFirst(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        try await study.agree()
        let sample = Self.sample(60)
        try await study.send([sample], received: "2026-03-03T00:00:00Z") { $0["status"] = "entered-in-error" }
        try await study.send([sample], received: "2026-03-02T01:00:00Z")
        #expect(try await study.values == [])
        #expect(try await study.days == [])
    }

    @Test("of two samples of one UUID the one received later counts", arguments: StoreKind.allCases)
    func laterReceived(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        try await study.agree()
        let uuid = UUID()
        try await study.send([Self.sample(60, uuid: uuid)])
        try await study.send([Self.sample(61, uuid: uuid)], received: "2026-03-04T00:00:00Z")
        try await study.send([Self.sample(62, uuid: uuid)], received: "2026-03-03T00:00:00Z")
        #expect(try await study.values == [61])
        #expect(try await study.days == Self.day("2026-03-01", "61", ["1", "61", "61", "61", "61", "61"]))
        // Two in one message are equally new, and both stay, as facts.
        try await study.send(
            [Self.sample(63, uuid: uuid), Self.sample(64, uuid: uuid)],
            received: "2026-03-05T00:00:00Z"
        )
        #expect(try await study.values == [])
        #expect(try await study.count(Self.single) == 2)
    }

    @Test("a moved sample is another one, and a deletion takes both away", arguments: StoreKind.allCases)
    func moved(
        store: StoreKind
    ) async throws {
        let study = try await BackEnd(store)
        try await study.agree()
        let uuid = UUID()
        let later: FHIRDateTime = "2026-03-01T12:00:00+01:00"
        func text(_ value: FHIRDecimal, _ start: FHIRDateTime) throws -> String {
            Self.bundle(
                try Self.observations([Self.sample(value, uuid: uuid, from: start)], of: study.participant)
            )
        }
        // In one transaction, with one of them in the table before, and each for itself.
        let both = [try text(60, "2026-03-01T10:00:00+01:00"), try text(61, later)]
        #expect(try await study.deliver(both).loaded == 2)
        #expect(try await study.values == [60, 61])
        let again = [try text(62, "2026-03-01T09:00:00+01:00"), try text(63, later)]
        #expect(try await study.deliver(again, received: "2026-03-03T00:00:00Z").loaded == 2)
        #expect(try await study.values == [62, 60, 63])
        #expect(
            try await study.days
                == Self.day("2026-03-01", "61.66667", ["3", "63", "63", "61.66667", "60", "185"])
        )
        let deleted = Self.sample(60, uuid: uuid, from: later)
        try await study.send([deleted], received: "2026-03-04T00:00:00Z") {
            $0["status"] = "entered-in-error"
        }
        #expect(try await study.values == [])
        #expect(try await study.days == [])
    }

    @Test("an unproven replacement waits for the team", arguments: StoreKind.allCases)
    func unproven(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        try await study.agree()
        let uuid = UUID()
        try await study.send([Self.sample(60, uuid: uuid)])
        let report = try await study.send(
            [Self.sample(99, uuid: uuid)],
            received: "2026-03-03T00:00:00Z",
            client: "another app"
        )
        #expect(report.pending == 1)
        #expect(try await study.values == [60])
        let same = [Self.sample(60, uuid: uuid), Self.sample(70)]
        #expect(try await study.send(same, client: "another app").loaded == 1)
        #expect(try await study.values.sorted() == [60, 70])
    }

    @Test("samples wait for the consent", arguments: StoreKind.allCases)
    func waiting(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        #expect(try await study.send([Self.sample(60)]).waiting == 1)
        #expect(try await study.values == [])
        try await study.agree()
        #expect(try await study.values == [60])
        #expect(try await !study.days.isEmpty)
    }

    // MARK: Days

    @Test("a day is that of the place, and is made anew for late samples", arguments: StoreKind.allCases)
    func localDays(
        store: StoreKind
    )
        async throws
    {
        let study = try await BackEnd(store)
        try await study.agree()
        // 23:30 and 00:30 in the same night in New York.
        try await study.send(
            [
                Self.sample(60, from: "2026-03-01T23:30:00-05:00"),
                Self.sample(50, from: "2026-03-02T00:30:00-05:00"),
                Self.sample(
                    120,
                    "StepCount",
                    "count",
                    from: "2026-03-01T08:00:00-05:00",
                    to: "2026-03-01T08:10:00-05:00"
                ),
            ],
            received: "2026-03-04T00:00:00Z"
        )
        let steps = Self.day("2026-03-01", "120", ["1", "120", "120", "120", "120", "120"])
        let heart = Self.day("2026-03-01", "60", ["1", "60", "60", "60", "60", "60"])
        let second = Self.day("2026-03-02", "50", ["1", "50", "50", "50", "50", "50"])
        #expect(try await study.days.sorted() == (steps + heart + second).sorted())
        try await study.send(
            [
                Self.sample(
                    30,
                    "StepCount",
                    "count",
                    from: "2026-03-01T07:00:00-05:00",
                    to: "2026-03-01T07:10:00-05:00"
                )
            ],
            received: "2026-03-05T00:00:00Z"
        )
        // The sum of steps, the mean of heart rates.
        let more = Self.day("2026-03-01", "150", ["2", "120", "120", "75", "30", "150"])
        #expect(try await study.days.sorted() == (more + heart + second).sorted())
        #expect(
            try await study.count("SELECT count(*) FROM visit_dimension WHERE start_date >= '2026-03-03'")
                == 0
        )
    }

    // MARK: What stays facts

    @Test("what columns cannot hold stays facts", arguments: StoreKind.allCases)
    func restInFacts(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        try await study.agree()
        let changes: [(inout JSONValue) -> Void] = [
            { $0["note"] = [["text": "after a run"]] }, { $0["meta"] = ["versionId": "2"] },
            { $0["valueQuantity"]?["comparator"] = "<" },
            { $0["interpretation"] = [["coding": [["code": "H"]]]] },
            { $0["effectiveDateTime"] = "2026-03-01" },
            { $0["issued"] = "2026-03-01T11:00:00+01:00" },
            { $0["valueQuantity"]?["value"] = JSONValue(number: "0.12345678901234567890") ?? .null },
            { $0["identifier"] = [["system": "http://example.org", "value": "7"]] },
            {
                $0["extension"] = [
                    ["url": "http://example.org/x", "valueString": JSONValue("\($0["subject"] ?? "")")]
                ]
            },
        ]
        for change in changes {
            #expect(try await study.send([Self.sample(60)], change).loaded == 1)
            #expect(try await study.values == [])
        }
        #expect(try await study.count(Self.single) == changes.count)
        let sleep = Sample(
            type: "HKCategoryTypeIdentifierSleepAnalysis",
            uuid: UUID().uuidString,
            start: "2026-03-01T01:00:00+01:00",
            end: "2026-03-01T02:00:00+01:00",
            value: .category(1)
        )
        #expect(try await study.send([sleep]).loaded == 1)
        #expect(try await study.values == [])
    }

    @Test("a fact that comes again as a sample stays one", arguments: StoreKind.allCases)
    func asSample(store: StoreKind) async throws {
        let study = try await BackEnd(store, .facts)
        try await study.agree()
        let sample = Self.sample(60)
        try await study.send([sample])
        try await study.warehouse.store(samplesAs: .table)
        try await study.send([sample, Self.sample(70)], received: "2026-03-03T00:00:00Z")
        #expect(try await study.values == [70])
        #expect(try await study.count(Self.single) == 1)
        await #expect(throws: WarehouseError.self) { try await study.warehouse.store(samplesAs: .facts) }
        #expect(try await study.warehouse.sampleStorage() == .table)
    }

    /// A visit has a pseudonym where the id was, so that a row would not be found again.
    @Test("a sample with the participant's id stays facts and is deleted", arguments: StoreKind.allCases)
    func participantsID(
        store: StoreKind
    ) async throws {
        let study = try await BackEnd(store)
        try await study.agree()
        let sample = Self.sample(60, uuid: study.participant)
        try await study.send([sample])
        #expect(try await study.values == [])
        #expect(try await study.count(Self.single) == 1)
        try await study.send([sample], received: "2026-03-03T00:00:00Z") { $0["status"] = "entered-in-error" }
        #expect(try await study.values == [])
        #expect(try await study.count(Self.single) == 0)
    }

    // MARK: Leaving

    @Test("a withdrawal takes all samples away", arguments: StoreKind.allCases)
    func withdrawal(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        try await study.agree()
        try await study.send([Self.sample(60), Self.sample(70, "BodyMass", "kg")])
        #expect(try await study.consumer.withdraw(study.participant) >= 2)
        for table in ["study_sample", "study_sample_set", "study_sample_source", "study_sample_visit"] {
            #expect(try await study.count("SELECT count(*) FROM \(table)") == 0)
        }
        #expect(try await study.days == [])
        #expect(try await study.send([Self.sample(60)]).refused == 1)
    }

    @Test("one person's withdrawal in a batch leaves others their samples", arguments: StoreKind.allCases)
    func withdrawalInBatch(
        store: StoreKind
    ) async throws {
        let study = try await BackEnd(store)
        try await study.agree()
        let other = UUID()
        let own = Self.bundle(try Self.observations([Self.sample(60)], of: study.participant))
        let others = Self.bundle(try Self.observations([Self.sample(70)], of: other))
        let more = Self.bundle(try Self.observations([Self.sample(80)], of: other))
        try await study.deliver([
            Given.contract(other), own, others, Given.contract(study.participant, status: "terminated"), more,
        ])
        #expect(try await study.values.sorted() == [70, 80])
    }

    @Test("who stops keeps the samples of before", arguments: StoreKind.allCases)
    func stopping(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        try await study.agree()
        try await study.send([Self.sample(60)])
        try await study.consumer.stop(study.participant)
        #expect(try await study.values == [60])
        #expect(try await study.send([Self.sample(70)], received: "2036-03-02T00:00:00Z").refused == 1)
        #expect(try await study.values == [60])
    }

    // MARK: Several consumers

    @Test("simultaneous consumers store each sample once", arguments: StoreKind.allCases)
    func atOnce(store: StoreKind) async throws {
        let folder = try Folder()
        let queue = try SQLiteMessageQueue(folder.file("queue.sqlite"))
        let warehouse = try await store.warehouse(folder.file("study.sqlite"))
        try await warehouse.store(samplesAs: .table)
        let people = (0..<4).map { _ in UUID() }
        for person in people { try await queue.send(Given.message(Given.contract(person))) }
        var expected = 0
        for person in people {
            // Each message has half of what the one before had.
            let samples = (0..<60).compactMap { number in
                FHIRDateTime(microseconds: 1_772_348_400_000_000 + number * 60_000_000, offset: 60).map {
                    Self.sample(FHIRDecimal(60 + number), from: $0)
                }
            }
            expected += samples.count
            for first in stride(from: 0, through: 40, by: 10) {
                let part = Array(samples[first..<first + 20])
                let text = Self.bundle(try Self.observations(part, of: person))
                try await queue.send(Given.message(text, received: "2026-03-02T00:00:0\(first / 10)Z"))
            }
        }
        let consumers = (0..<3).map { _ in
            Consumer(
                queue: queue,
                warehouse: warehouse,
                keys: KeyRing([StudyKeys.id: StudyKeys.key])
            )
        }
        #expect(try await consumers.drainTogether().map(\.loaded).reduce(0, +) == 4 + 4 * 5)
        let counts = try await warehouse.read { warehouse in
            let days = """
                SELECT CAST(sum(nval_num) AS bigint) FROM observation_fact
                WHERE modifier_cd = 'SAMPLE:COUNT'
                """
            return try ["SELECT count(*) FROM study_sample", days].map { try warehouse.db.number($0) }
        }
        #expect(counts == [expected, expected])
    }

    // MARK: Reading by keys

    /// The plan is made before anybody has counted what the table has.
    @Test("a table without statistics is read by its keys")
    func uncounted() async throws {
        let count = 2000
        let study = try await BackEnd(.postgreSQL)
        try await study.agree()
        try await study.send([Self.sample(60)])
        let read = try await study.warehouse.transaction { warehouse in
            var batch = try WarehouseBatch(warehouse, messages: ["m"], participants: [])
            let now = WarehouseTime("2026-03-02T00:00:00Z" as FHIRDateTime)
            let people = ["a", "b"]
            let samples = (0..<count).map { number in
                StudySample(
                    id: number,
                    kind: StudySample.Kind(concept: "LOINC:8867-4", key: "LOINC:8867-4", unit: "/min"),
                    start: 1_772_355_600_000_000,
                    end: nil,
                    value: 60,
                    offset: 60,
                    source: "{}"
                )
            }
            for person in people {
                _ = try batch.pseudonym(of: person, now: now)
                for sample in samples {
                    batch.store(sample, of: person, message: "m", received: now, now: now)
                }
            }
            try batch.write()
            func reads() throws -> Int {
                try warehouse.db.number(
                    """
                    SELECT CAST(sum(coalesce(idx_tup_fetch, 0) + seq_tup_read) AS bigint)
                    FROM pg_stat_xact_user_tables
                    WHERE schemaname = current_schema() AND relname LIKE 'study_sample_2%'
                    """
                )
            }
            let patients = try people.map { person in
                try warehouse.db.number(
                    "SELECT patient_num FROM study_participant WHERE participant = ?",
                    [person]
                )
            }
            let before = try reads()
            try warehouse.db.withIndexes {
                let places = samples.flatMap { sample in
                    patients.map { [$0, sample.start, sample.id + count / 2] }
                }
                let found = try warehouse.samples(at: places)
                let days = try warehouse.sampleDays([(patients[0], 20_513)])
                #expect(found.count == count)
                #expect(days.map { $0.2.count } == [count])
            }
            return try reads() - before
        }
        #expect(read <= 2 * count)
    }

    // MARK: Partitions

    @Test("the first samples of somebody have their month's partition")
    func partitions() async throws {
        let study = try await BackEnd(.postgreSQL)
        let samples = Self.bundle(try Self.observations([Self.sample(60)], of: study.participant))
        #expect(try await study.deliver([Given.contract(study.participant), samples]).loaded == 2)
        #expect(try await study.count("SELECT count(*) FROM study_sample_2026_03") == 1)
    }

    /// Each would wait for two seconds.
    @Test("a long read delays samples of many months only once")
    func longRead() async throws {
        let study = try await BackEnd(.postgreSQL)
        try await study.agree()
        let samples = (0..<30).compactMap { number in
            FHIRDateTime(microseconds: 1_690_000_000_000_000 + number * 2_600_000_000_000, offset: 0).map {
                Self.sample(60, from: $0)
            }
        }
        let begun = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        async let isRead: Void = study.warehouse.read { warehouse in
            _ = try warehouse.hasSamples()
            begun.signal()
            mayEnd.wait()
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: .success(begun.wait())) }
        }
        let start = ContinuousClock.now
        let report = try await study.send(samples, received: "2026-11-02T00:00:00Z")
        let time = start.duration(to: .now)
        mayEnd.signal()
        try await isRead
        #expect(report.loaded == 1)
        #expect(try await study.values.count == samples.count)
        #expect(try await study.count("SELECT count(*) FROM study_sample_other") == samples.count)
        #expect(time < .seconds(30))
    }

    @Test("strange dates make no partitions")
    func strangeDates() async throws {
        let study = try await BackEnd(.postgreSQL)
        try await study.agree()
        let partitions = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'study_sample'::regclass"
        // That of the next month, too.
        try await study.send([Self.sample(60)])
        let before = try await study.count(partitions)
        let starts: [FHIRDateTime] = [
            "1950-01-01T00:00:00Z", "1999-12-31T23:59:59Z", "2090-01-01T00:00:00Z", "2199-01-01T00:00:00Z",
        ]
        for start in starts {
            #expect(
                try await study.send([Self.sample(60, from: start)], received: "2199-12-31T00:00:00Z").loaded
                    == 1
            )
        }
        #expect(try await study.count(partitions) == before)
        #expect(try await study.count("SELECT count(*) FROM study_sample_other") == 4)
        try await study.send([Self.sample(60, from: "2000-01-01T00:00:00Z")])
        #expect(try await study.count("SELECT count(*) FROM study_sample_2000_01") == 1)
        #expect(try await study.days.count == 6 * 7)
    }
}
