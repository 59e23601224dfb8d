import FHIR
import Foundation
import HTTPCalls
import StudyFormats
import StudyServer
import StudyWarehouse
import Synchronization
import Testing

@testable import StudyDelivery

/// Participants who stop, and leave what they gave.
@Suite struct StoppingTests {
    private typealias Study = ProofTests.Study
    private let participant = UUID()
    private static let stop = "2026-03-05T00:00:00Z"

    private func enrolled(
        _ kind: StoreKind = .sqlite,
        _ change: (inout StudyRules) -> Void = { _ in }
    ) async throws -> Study {
        let study = try await Study(kind, change)
        _ = try await study.deliver(Given.contract(participant))
        _ = try await study.deliver(Given.response(participant))
        return study
    }

    private func withdrawal(_ data: WithdrawnData?) throws -> String {
        let date = try #require(FHIRInstant(text: Self.stop))
        return Withdrawal(study: "s", participant: participant, date: date, data: data).contract.text()
    }

    private func isStopped(_ study: Study) async throws -> Bool {
        try await study.count("study_withdrawal WHERE erased = 0") == 1
    }

    @Test(
        "what somebody gave who stops stays, and what comes later is refused",
        arguments: StoreKind.allCases
    )
    func stopping(kind: StoreKind) async throws {
        let study = try await enrolled(kind)
        let facts = try await study.facts
        #expect(try await study.deliver(try withdrawal(.kept), received: Self.stop).refused == 1)
        #expect(try await isStopped(study))
        #expect(try await study.facts == facts)
        let late = Given.response(participant, 2)
        #expect(try await study.deliver(late, received: "2026-03-05T00:00:01Z").refused == 1)
        // It was given before, and comes out of its order.
        let early = Given.response(participant, 3)
        #expect(try await study.deliver(early, received: "2026-03-04T00:00:00Z").loaded == 1)
        #expect(try await study.facts == 2 * facts)
        let consent = try #require(try await study.warehouse.read { try $0.consents() }.first)
        #expect(consent.stopped == "2026-03-05 00:00:00")
        #expect(consent.resource["status"]?.string == "inactive")
        let overview = try await study.warehouse.read { try $0.overview(since: "2026-01-01") }
        #expect(overview.consents == ShownCount(0))
    }

    @Test(
        "who stopped may want it erased; after that nothing stops them",
        arguments: StoreKind.allCases
    )
    func erasedLater(kind: StoreKind) async throws {
        let study = try await enrolled(kind)
        _ = try await study.deliver(try withdrawal(.kept), received: Self.stop)
        let erasing = try withdrawal(.erased)
        let later = "2026-03-06T00:00:00Z"
        #expect(try await study.deliver(erasing, client: ProofTests.stranger, received: later).pending == 1)
        #expect(try await study.facts > 0)
        #expect(try await study.deliver(erasing, received: later).refused == 1)
        #expect(try await study.facts == 0)
        #expect(try await study.count("study_consent") == 0)
        #expect(try await study.count("study_withdrawal WHERE erased = 1") == 1)
        #expect(try await study.deliver(try withdrawal(.kept), received: later).refused == 1)
        #expect(try await study.count("study_withdrawal WHERE erased = 1") == 1)
    }

    @Test(
        "a study says what becomes of data of which a withdrawal does not",
        arguments: WithdrawnData.allCases
    )
    func rule(data: WithdrawnData) async throws {
        let study = try await enrolled { $0.withdrawnData = data }
        #expect(try await study.deliver(try withdrawal(nil), received: Self.stop).refused == 1)
        #expect(try await isStopped(study) == (data == .kept))
        #expect((try await study.facts > 0) == (data == .kept))
        // What the participant says counts more.
        let other = try await enrolled { $0.withdrawnData = data }
        let opposite: WithdrawnData = data == .kept ? .erased : .kept
        _ = try await other.deliver(try withdrawal(opposite), received: Self.stop)
        #expect(try await isStopped(other) == (opposite == .kept))
    }

    @Test("who stopped and agrees again goes on under the same pseudonym", arguments: StoreKind.allCases)
    func again(kind: StoreKind) async throws {
        let study = try await enrolled(kind)
        _ = try await study.deliver(try withdrawal(.kept), received: Self.stop)
        let signed = "2026-03-07T09:00:00Z"
        let received = "2026-03-07T10:00:00Z"
        let anew = Given.contract(participant, signed: signed)
        // Nobody else lets them take part again, and an old consent does not.
        let stranger = ProofTests.stranger
        #expect(try await study.deliver(anew, client: stranger, received: received).pending == 1)
        #expect(try await study.deliver(Given.contract(participant), received: received).refused == 1)
        #expect(try await isStopped(study))
        #expect(try await study.deliver(anew, received: received).loaded == 1)
        #expect(try await study.count("study_withdrawal") == 0)
        #expect(try await study.deliver(Given.response(participant, 2), received: received).loaded == 1)
        #expect(try await study.count("study_participant") == 1)
        // What they gave before they stopped is of the same participation.
        #expect(try await study.deliver(Given.response(participant, 3)).loaded == 1)
        #expect(try await study.warehouse.read { try $0.consents() }.first?.earlierWithdrawals == 1)
    }

    @Test("what waits for a consent when somebody stops was never agreed to, and goes")
    func waiting() async throws {
        let study = try await enrolled { rules in
            let from = WarehouseTime(FHIRDateTime(text: "2026-03-03T00:00:00Z") ?? FHIRDateTime(Date()))
            rules.consents = RequiredConsents([.init("2", from: from)])
        }
        let held = "2026-03-04T00:00:00Z"
        #expect(try await study.deliver(Given.response(participant, 2), received: held).waiting == 1)
        _ = try await study.deliver(try withdrawal(.kept), received: Self.stop)
        #expect(try await study.count("study_message WHERE state = 'waiting'") == 0)
        #expect(try await study.deliver(Given.response(participant, 3), received: held).refused == 1)
        #expect(try await study.count("study_message WHERE state <> 'loaded' AND body IS NOT NULL") == 0)
    }

    @Test(
        "what came after somebody stopped is taken out, where it was loaded first",
        arguments: StoreKind.allCases
    )
    func processedLate(kind: StoreKind) async throws {
        let study = try await enrolled(kind)
        let facts = try await study.facts
        let early = Given.response(participant, 2)
        _ = try await study.deliver(early, received: "2026-03-03T00:00:00Z")
        let late = Given.response(participant, 3)
        #expect(try await study.deliver(late, received: "2026-03-06T00:00:00Z").loaded == 1)
        _ = try await study.deliver(try withdrawal(.kept), received: Self.stop)
        _ = try await study.consumer.drain()
        #expect(try await study.facts == 2 * facts)
        #expect(try await isStopped(study))
        #expect(try await study.count("study_message WHERE state = 'refused' AND body IS NULL") == 2)
        #expect(try await study.count("study_participant") == 1)
        #expect(try await study.count("study_consent") == 1)
    }

    @Test("a consent given after somebody stopped counts, whichever is processed first")
    func agreedBeforeStop() async throws {
        let study = try await enrolled()
        let facts = try await study.facts
        let stranger = ProofTests.stranger
        let stop = try withdrawal(.kept)
        #expect(try await study.deliver(stop, client: stranger, received: Self.stop).pending == 1)
        let between = Given.response(participant, 2)
        _ = try await study.deliver(between, received: "2026-03-06T00:00:00Z")
        let anew = Given.contract(participant, signed: "2026-03-07T00:00:00Z")
        _ = try await study.deliver(anew, received: "2026-03-07T00:00:00Z")
        _ = try await study.deliver(Given.response(participant, 3), received: "2026-03-08T00:00:00Z")
        let id = try #require(try await study.pending.first?.id)
        #expect(try await study.warehouse.transaction { try $0.approve(id) })
        _ = try await study.consumer.drain()
        // The app that told it is known now.
        #expect(try await study.count("study_client WHERE client = '\(stranger)'") == 1)
        // The first answers and the last: what came between is refused.
        #expect(try await study.facts == 2 * facts)
        #expect(try await study.count("study_withdrawal") == 0)
        #expect(try await study.warehouse.read { try $0.consents() }.first?.earlierWithdrawals == 1)
        _ = try await study.deliver(Given.response(participant, 4), received: "2026-03-09T00:00:00Z")
        #expect(try await study.facts == 3 * facts)
    }

    @Test(
        "a stop stays for who agreed after an erasure that is processed late",
        arguments: StoreKind.allCases
    )
    func erasedBeforeTheStop(kind: StoreKind) async throws {
        for agreesAnew in [true, false] {
            let study = try await enrolled(kind)
            let facts = try await study.facts
            let stranger = ProofTests.stranger
            let erasing = try withdrawal(.erased)
            let early = "2026-03-03T00:00:00Z"
            #expect(try await study.deliver(erasing, client: stranger, received: early).pending == 1)
            if agreesAnew {
                let anew = Given.contract(participant, signed: "2026-03-04T00:00:00Z")
                #expect(try await study.deliver(anew, received: "2026-03-04T00:00:00Z").loaded == 1)
            }
            let between = Given.response(participant, 2)
            #expect(try await study.deliver(between, received: "2026-03-04T12:00:00Z").loaded == 1)
            _ = try await study.deliver(try withdrawal(.kept), received: Self.stop)
            let id = try #require(try await study.pending.first?.id)
            #expect(try await study.warehouse.transaction { try $0.approve(id) })
            _ = try await study.consumer.drain()
            #expect(try await study.facts == (agreesAnew ? facts : 0))
            #expect(try await isStopped(study) == agreesAnew)
            #expect(try await study.count("study_withdrawal") == 1)
            // What comes now is neither of the participation that was erased nor of the one that ended.
            let late = Given.response(participant, 3)
            #expect(try await study.deliver(late, received: "2026-03-06T00:00:00Z").refused == 1)
            let old = Given.response(participant, 4)
            #expect(try await study.deliver(old, received: "2026-03-02T00:00:00Z").refused == 1)
            #expect(try await study.facts == (agreesAnew ? facts : 0))
        }
    }

    @Test("the warehouse knows who gave something or left, and nobody else", arguments: StoreKind.allCases)
    func known(kind: StoreKind) async throws {
        let study = try await enrolled(kind)
        #expect(try await study.consumer.knows(participant))
        #expect(try await study.consumer.knows(UUID()) == false)
        _ = try await study.consumer.withdraw(participant)
        #expect(try await study.consumer.knows(participant))
    }

    @Test("what is given together with the word to stop still counts")
    func lastAnswers() async throws {
        let study = try await enrolled()
        let facts = try await study.facts
        let both = """
            {"resourceType": "Bundle", "type": "collection", "entry": [
            {"resource": \(Given.response(participant, 2))}, {"resource": \(try withdrawal(.kept))}]}
            """
        #expect(try await study.deliver(both, received: Self.stop).loaded == 1)
        #expect(try await study.facts == 2 * facts)
        #expect(try await isStopped(study))
    }

    @Test("the report of a withdrawal has one id, and every other withdrawal has another")
    func reportIDs() async throws {
        let times = [Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2)].map { FHIRInstant($0) }
        let endpoint = Endpoint()
        let reports: [(FHIRInstant, WithdrawnData?)] = [
            (times[0], .kept), (times[0], .kept), (times[1], .kept), (times[0], .erased), (times[0], nil),
        ]
        for (enrolledAt, data) in reports {
            let withdrawal = Withdrawal(
                study: "s",
                participant: participant,
                date: FHIRInstant(Date()),
                data: data,
                enrolledAt: enrolledAt
            )
            let stored = try #require(Withdrawal(json: withdrawal.json))
            _ = try await stored.report(to: endpoint, as: .resource, protection: .none)
        }
        let ids = endpoint.ids.withLock { $0 }
        #expect(ids[0] == ids[1] && Set(ids).count == 4)
    }

    /// Takes everything, and notes the ids.
    private final class Endpoint: StudyEndpoint {
        let ids = Mutex<[UUID]>([])

        func objection(to submission: StudySubmission) -> String? { nil }

        func send(_ submission: StudySubmission, _ body: BodySource) async throws -> StudyResponse {
            ids.withLock { $0.append(submission.id) }
            return .accepted
        }
    }

    @Test("a withdrawal that says something else of its data is told, and does nothing")
    func unknownWord() async throws {
        let study = try await enrolled()
        let odd = try withdrawal(.kept).replacing(#""kept""#, with: #""keptish""#)
        #expect(try await study.deliver(odd, received: Self.stop).failed == 1)
        let reasons = try await study.warehouse.read { try $0.failedMessages().map(\.state.reason) }
        #expect(reasons.first??.contains("erased or kept") == true)
        #expect(try await study.facts > 0)
    }

    @Test("a phone remembers what is to become of the data until the server knows")
    func remembered() throws {
        let date = FHIRInstant(Date())
        for data in [nil, WithdrawnData.kept, .erased] {
            let withdrawal = Withdrawal(study: "s", participant: participant, date: date, data: data)
            #expect(Withdrawal(json: withdrawal.json)?.data == data)
            #expect(try WithdrawnData(of: withdrawal.contract) == data)
        }
    }
}
