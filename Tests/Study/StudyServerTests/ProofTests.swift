import Foundation
import OrderedJSON
import StudyDelivery
import StudyServer
import Testing

@testable import StudyWarehouse

/// Who may remove or replace what a participant gave.
@Suite struct ProofTests {
    private let participant = UUID()
    static let phone = Given.client
    static let stranger = StudyMessage.clientDigest("another app")

    struct Study {
        let queue: SQLiteMessageQueue
        let warehouse: Warehouse
        let consumer: Consumer

        init(
            _ kind: StoreKind = .sqlite,
            _ change: (inout StudyRules) -> Void = { _ in }
        ) async throws {
            var rules = StudyRules()
            change(&rules)
            queue = try SQLiteMessageQueue(nil)
            warehouse = try await kind.warehouse()
            consumer = Consumer(
                queue: queue,
                warehouse: warehouse,
                keys: KeyRing([StudyKeys.id: StudyKeys.key]),
                rules: rules
            )
        }

        func deliver(
            _ resource: String,
            client: String? = ProofTests.phone,
            received: String = "2026-03-02T00:00:00Z"
        )
            async throws -> Consumer.Report
        {
            try await queue.send(Given.message(resource, received: received, client: client))
            return try await consumer.drain()
        }

        var facts: Int { get async throws { try await count("observation_fact WHERE modifier_cd = '@'") } }
        var texts: [String] {
            get async throws {
                try await warehouse.read {
                    try $0.db.rows(
                        "SELECT tval_char FROM observation_fact WHERE concept_cd LIKE '%:note'"
                    )
                    .compactMap { $0.text(0) }
                }
            }
        }
        var pending: [StoredMessage] {
            get async throws { try await warehouse.read { try $0.pendingMessages() } }
        }
        func count(_ what: String) async throws -> Int {
            try await warehouse.read { try $0.db.number("SELECT count(*) FROM \(what)") }
        }
    }

    private func enrolled(_ kind: StoreKind = .sqlite, by client: String? = phone) async throws -> Study {
        let study = try await Study(kind)
        _ = try await study.deliver(Given.contract(participant), client: client)
        _ = try await study.deliver(Given.response(participant), client: client)
        return study
    }

    private func correction(_ text: String) -> String {
        Given.response(participant, text: text, authored: "2026-03-01T12:00:00Z")
    }

    @Test(
        "a withdrawal by a stranger erases nothing, and waits for the team",
        arguments: StoreKind.allCases,
        [stranger, nil]
    )
    func withdrawal(kind: StoreKind, client: String?) async throws {
        let study = try await enrolled(kind)
        let facts = try await study.facts
        let revoked = Given.contract(participant, status: "revoked")
        #expect(try await study.deliver(revoked, client: client).pending == 1)
        #expect(try await study.facts == facts)
        #expect(try await study.pending.map { $0.state.reason?.hasPrefix("it is a withdrawal") } == [true])
        // The participant's own data come in as before.
        #expect(try await study.deliver(Given.response(participant, 2)).loaded == 1)
        // Their own withdrawal counts at once, and takes the other with it.
        #expect(try await study.deliver(revoked, received: "2026-03-03T00:00:00Z").refused == 1)
        #expect(try await study.facts == 0)
        #expect(try await study.pending.isEmpty)
        #expect(try await study.count("study_message WHERE body IS NOT NULL") == 0)
        #expect(
            try await study.count("study_client")
                + study.count("study_message WHERE client = '\(Self.phone)'") == 0
        )
    }

    @Test("what the team approves is done, what it refuses is deleted", arguments: StoreKind.allCases)
    func decisions(kind: StoreKind) async throws {
        let study = try await enrolled(kind)
        _ = try await study.deliver(correction("overwritten by somebody"), client: Self.stranger)
        #expect(try await study.texts == ["a private thought"])
        let first = try #require(try await study.pending.first?.id)
        #expect(try await study.warehouse.transaction { try $0.dismiss(first) })
        #expect(try await !study.warehouse.transaction { try $0.approve(first) })
        #expect(try await study.count("study_message WHERE state = 'dismissed' AND body IS NULL") == 1)
        _ = try await study.deliver(Given.contract(participant, status: "revoked"), client: Self.stranger)
        let second = try #require(try await study.pending.first?.id)
        #expect(try await study.warehouse.transaction { try $0.approve(second) })
        #expect(try await study.consumer.drain().refused == 1)
        #expect(try await study.facts == 0)
        #expect(try await study.count("study_withdrawal") == 1)
    }

    @Test("a reinstalled app waits once: approving one message approves the app")
    func reinstalled() async throws {
        let study = try await enrolled()
        for text in ["second", "third"] {
            #expect(try await study.deliver(correction(text), client: Self.stranger).pending == 1)
        }
        let id = try #require(try await study.pending.first?.id)
        #expect(try await study.warehouse.transaction { try $0.approve(id) })
        #expect(try await study.consumer.drain().loaded == 2)
        #expect(try await study.pending.isEmpty)
        #expect(
            try await study.deliver(
                correction("fourth"),
                client: Self.stranger,
                received: "2026-03-04T00:00:00Z"
            ).loaded == 1
        )
        #expect(try await study.texts == ["fourth"])
        // The first phone is the participant's, too.
        #expect(try await study.deliver(correction("fifth"), received: "2026-03-05T00:00:00Z").loaded == 1)
    }

    @Test("packages add data, and repeat it; they change nothing by themselves")
    func packages() async throws {
        let study = try await enrolled(by: nil)
        #expect(try await study.deliver(Given.response(participant, 2), client: nil).loaded == 1)
        // The same once more, in another envelope: nothing is replaced.
        #expect(try await study.deliver(Given.response(participant, 2), client: nil).loaded == 1)
        #expect(try await study.deliver(Given.contract(participant), client: nil).loaded == 1)
        #expect(try await study.deliver(correction("changed"), client: nil).pending == 1)
        #expect(
            try await study.deliver(Given.contract(participant, signed: "2026-02-09T09:00:00Z"), client: nil)
                .pending == 1
        )
        #expect(
            try await study.deliver(Given.contract(participant, status: "revoked"), client: nil).pending == 1
        )
        #expect(try await study.texts == ["a private thought", "a private thought"])
        #expect(try await study.count("study_consent") == 1)
    }

    @Test("a withdrawal of somebody who never took part keeps nobody out")
    func unknownParticipant() async throws {
        let study = try await Study()
        #expect(
            try await study.deliver(Given.contract(participant, status: "revoked"), client: nil).pending == 1
        )
        #expect(try await study.deliver(Given.contract(participant)).loaded == 1)
        #expect(try await study.deliver(Given.response(participant)).loaded == 1)
    }

    @Test("a withdrawal that comes before its consent, by the same app, counts later")
    func withdrawalFirst() async throws {
        let study = try await Study()
        #expect(try await study.deliver(Given.contract(participant, status: "revoked")).pending == 1)
        _ = try await study.deliver(Given.contract(participant))
        _ = try await study.consumer.drain()
        #expect(try await study.count("study_withdrawal") == 1)
        #expect(try await study.pending.isEmpty)
    }

    @Test("a documented switch gives whoever knows an id its powers, as the protocols do")
    func accepted() async throws {
        let study = try await Study { $0.unproven = .accepted }
        _ = try await study.deliver(Given.contract(participant))
        _ = try await study.deliver(Given.response(participant))
        #expect(
            try await study.deliver(Given.contract(participant, status: "revoked"), client: nil).refused == 1
        )
        #expect(try await study.facts == 0)
    }
}
