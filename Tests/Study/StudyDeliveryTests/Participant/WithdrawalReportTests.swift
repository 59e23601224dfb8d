import DurableQueue
import FHIR
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON
import Synchronization
import Testing

@testable import StudyDelivery
@testable import StudyFormats

@Suite("Withdrawals, from the decision to the server")
struct WithdrawalReportTests {
    private static let study = "org.example.sleep"

    /// A device: participants, and a queue outside the participant's folder.
    private struct Device {
        let folder: URL

        func disk(_ fault: Fault?) -> @Sendable (DiskStep) -> Int32 { { _ in fault?.next() ?? 0 } }

        func store(_ fault: Fault? = nil) -> ParticipantStore {
            ParticipantStore(
                in: folder.appending(path: "participants"),
                keys: FileKeyStore(folder.appending(path: "key")),
                diskFault: disk(fault)
            )
        }

        func queue(of participant: UUID, _ fault: Fault? = nil) throws -> StudyQueue {
            var policy = StudyQueue.standardPolicy
            policy.diskFault = disk(fault)
            return try StudyQueue(
                in: folder.appending(path: "queues"),
                study: WithdrawalReportTests.study,
                subject: participant,
                keys: FileKeyStore(folder.appending(path: "key")),
                policy: policy
            )
        }

        /// What the app does at each start.
        func finish(to endpoint: any StudyEndpoint, _ fault: Fault? = nil) async throws -> [Withdrawal.Result]
        {
            let encryption = try CMSEncryption(for: [TestKeys.first.certificate])
            return try await store(fault).finishWithdrawals(
                emptying: { _ = try await queue(of: $0.participant, fault).discardAll() },
                reporting: { try await $0.report(to: endpoint, as: .package, protection: .cms(encryption)) }
            ).map(\.result)
        }
    }

    /// From a step on nothing succeeds, as after a kill.
    private final class Fault: Sendable {
        private let rest: Mutex<Int>
        init(after steps: Int) { rest = Mutex(steps) }
        func next() -> Int32 {
            rest.withLock { rest in
                rest -= 1
                return rest < 0 ? EIO : 0
            }
        }
    }

    private func archive(_ text: String) throws -> StudyArchive {
        var archive = try StudyArchive(ArchiveInfo(study: Self.study, item: "diary"))
        try archive.add("answers.txt", Data(text.utf8))
        return archive
    }

    @Test("a withdrawal cut short at any step is completed and reported under one id")
    func deaths() async throws {
        for step in 0..<60 {
            let scratch = try Scratch()
            let device = Device(folder: scratch.folder)
            let enrolment = try device.store().enrol(in: Self.study)
            let own = try device.store().folder(of: enrolment)
            try Data("consent".utf8).write(to: own.appending(path: "consent.pdf"))
            let endpoint = StudyQueueTests.Endpoint()
            let queue = try device.queue(of: enrolment.participant)
            try await queue.submit(archive("delivered"), protection: .none)
            try await queue.deliver(to: endpoint)
            for text in ["one", "two"] { try await queue.submit(archive(text), protection: .none) }

            let fault = Fault(after: step)
            _ = try? device.store(fault).withdraw(from: Self.study)
            _ = try? await device.finish(to: endpoint, fault)
            // The app starts again. A decision that was not durable is made again.
            try device.store().withdraw(from: Self.study)
            _ = try await device.finish(to: endpoint)

            #expect(
                try device.store().withdrawals().isEmpty && device.store().enrolment(in: Self.study) == nil
            )
            #expect(!FileManager.default.fileExists(atPath: own.path))
            #expect(try await device.queue(of: enrolment.participant).items().isEmpty)
            let left = scratch.names.filter {
                $0.hasSuffix(".item") || $0.hasSuffix(".receipt") || $0.hasSuffix(".progress")
            }
            #expect(left.isEmpty, "\(left)")
            let reports = endpoint.received.dropFirst()
            #expect(Set(reports.map(\.0)).count == 1 && endpoint.received.count <= 3)
        }
    }

    @Test("without a fault the server is told once, and only of the participant’s random id")
    func report() async throws {
        let scratch = try Scratch()
        let device = Device(folder: scratch.folder)
        let enrolment = try device.store().enrol(in: Self.study)
        try device.store().withdraw(
            from: Self.study,
            at: FHIRInstant(Date(timeIntervalSince1970: 1_790_000_000))
        )
        let endpoint = StudyQueueTests.Endpoint()
        #expect(try await device.finish(to: endpoint) == [.finished])
        #expect(try await device.finish(to: endpoint).isEmpty)
        let body = try #require(endpoint.received.first?.1)
        #expect(endpoint.received.count == 1)
        let contents = try StudyPackage(contentsOf: scratch.file("p.cms", body)).open(with: [
            StudyPackage.Key(TestKeys.first.key)
        ])
        #expect(contents.info.item == "withdrawal" && contents.files.map(\.info.name) == ["withdrawal.json"])
        var data = Data()
        try contents.files[0].read { data.append($0) }
        let contract = try JSONValue(parsing: data)
        #expect(contract["status"]?.string == "revoked")
        #expect(
            contract["subject"]?.elements?.first?["reference"]?.string
                == "Patient/\(enrolment.participant.uuidString)"
        )
        #expect(contract["applies"]?["end"]?.string?.hasPrefix("2026-09-21T") == true)
    }

    @Test("a failing server is asked again under the same id, a refusing one is not")
    func responses() async throws {
        let scratch = try Scratch()
        let device = Device(folder: scratch.folder)
        let id = UUID()
        #expect(try device.store().enrol(in: Self.study, as: id).participant == id)
        let withdrawal = try #require(try device.store().withdraw(from: Self.study))
        let endpoint = StudyQueueTests.Endpoint([
            .success(.failed(reason: "500")), .success(.closed(reason: "401")), .success(.accepted),
            .success(.accepted),
            .success(.refused(reason: "410")),
        ])
        for _ in 0..<2 {
            await #expect(throws: StudyServerProblem.self) {
                try await withdrawal.report(
                    to: endpoint,
                    as: .package,
                    protection: .none
                )
            }
        }
        let sealed = StudyProtection.c3ProEnvelope(for: TestKeys.first.certificate, keyID: nil)
        #expect(try await withdrawal.report(to: endpoint, as: .package, protection: .none) == .finished)
        #expect(try await withdrawal.report(to: endpoint, as: .resource, protection: sealed) == .finished)
        #expect(Set(endpoint.received.map(\.0)).count == 1)
        let envelope = try C3ProEnvelope(parsing: endpoint.received[1].1)
        #expect(try JSONValue(parsing: envelope.open(with: TestKeys.first.key)) == withdrawal.contract)
        #expect(envelope.keyID == nil)
        #expect(
            try await withdrawal.report(to: endpoint, as: .package, protection: .none)
                == .refused(reason: "410")
        )
    }

    @Test("a report that the server refused is sent again when that is asked for")
    func retry() async throws {
        let scratch = try Scratch()
        let device = Device(folder: scratch.folder)
        _ = try device.store().enrol(in: Self.study)
        let withdrawal = try #require(try device.store().withdraw(from: Self.study))
        let endpoint = StudyQueueTests.Endpoint([.success(.refused(reason: "400")), .success(.accepted)])
        #expect(try await device.finish(to: endpoint) == [.refused(reason: "400")])
        #expect(try await device.finish(to: endpoint).isEmpty)
        try device.store().retry(withdrawal)
        #expect(try await device.finish(to: endpoint) == [.finished])
        // Nothing is left that could be sent again.
        try device.store().retry(withdrawal)
        #expect(try device.store().withdrawals().isEmpty)
    }
}
