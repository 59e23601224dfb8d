import DurableQueue
import FHIR
import Foundation
import IndivoBase
import Synchronization
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// Identities and withdrawals on a disk.
struct ParticipantStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "participants-\(UUID().uuidString)"
    )
    private var keys: FileKeyStore { FileKeyStore(folder.appending(path: "key")) }
    private func store(_ fault: @escaping @Sendable (DiskStep) -> Int32 = { _ in 0 }) -> ParticipantStore {
        ParticipantStore(in: folder.appending(path: "store"), keys: keys, diskFault: fault)
    }
    private func removing<Value>(_ body: () async throws -> Value) async throws -> Value {
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body()
    }

    @Test(
        "each study has its own identity, always the same and not readable on the disk"
    )
    func identity() async throws {
        try await removing {
            let one = try store().enrol(in: "org.example.sleep")
            let other = try store().enrol(in: "org.example.walk")
            #expect(try store().enrol(in: "org.example.sleep") == one)
            #expect(try store().enrolment(in: "org.example.walk") == other)
            #expect(one.participant != other.participant)
            let data = try store().folder(of: one)
            #expect(try store().folder(of: other) != data)
            let all = try #require(
                FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String]
            )
            for name in all {
                #expect(!name.lowercased().contains(one.participant.uuidString.lowercased()))
                let path = folder.appending(path: name).path
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
                #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
                guard !isFolder, let bytes = FileManager.default.contents(atPath: path) else { continue }
                for secret in [one.participant.uuidString, "sleep"] {
                    #expect(bytes.range(of: Data(secret.utf8)) == nil)
                }
            }
        }
    }

    @Test("a withdrawal erases the participant's folder, and its report arrives once")
    func withdrawal() async throws {
        try await removing {
            let store = store()
            let enrolment = try store.enrol(in: "s")
            let data = try store.folder(of: enrolment)
            try Data("secret".utf8).write(to: data.appending(path: "queue"))
            let withdrawal = try #require(try store.withdraw(from: "s"))
            #expect(withdrawal.state == .reporting && withdrawal.participant == enrolment.participant)
            #expect(!FileManager.default.fileExists(atPath: data.path))
            #expect(try store.enrolment(in: "s") == nil && store.withdraw(from: "s") == nil)
            #expect(throws: StudyError.notEnrolled) { try store.folder(of: enrolment) }
            struct Offline: Error {}
            var emptied: [UUID] = []
            let first = try await store.finishWithdrawals(
                emptying: { emptied.append($0.participant) },
                reporting: { _ in throw Offline() }
            )
            #expect(first.map(\.result) == [.pending(reason: "Offline()")])
            let second = try await store.finishWithdrawals(
                emptying: { emptied.append($0.participant) },
                reporting: { _ in .finished }
            )
            #expect(
                second.map(\.result) == [.finished]
                    && emptied == [enrolment.participant, enrolment.participant]
            )
            #expect(
                try await store.finishWithdrawals(emptying: { _ in }, reporting: { _ in .finished }).isEmpty
            )
        }
    }

    @Test("a withdrawal replaces no other one, and an unreported one spares new enrolments")
    func severalWithdrawals() async throws {
        try await removing {
            let store = store()
            let one = try store.enrol(in: "s")
            try store.withdraw(from: "s")
            let two = try store.enrol(in: "s")
            #expect(two.participant != one.participant)
            try store.withdraw(from: "s")
            let three = try store.enrol(in: "s")
            let data = try store.folder(of: three)
            #expect(Set(try store.withdrawals().map(\.participant)) == [one.participant, two.participant])
            let reported = Mutex<Set<UUID>>([])
            try await store.finishWithdrawals(emptying: { _ in }) { withdrawal in
                reported.withLock { _ = $0.insert(withdrawal.participant) }
                return .finished
            }
            #expect(reported.withLock { $0 } == [one.participant, two.participant])
            #expect(
                try store.enrolment(in: "s") == three && FileManager.default.fileExists(atPath: data.path)
            )
        }
    }

    @Test("a final refusal is kept until somebody is informed; local data is gone anyway")
    func refusal() async throws {
        try await removing {
            let store = store()
            let enrolment = try store.enrol(in: "s")
            let data = try store.folder(of: enrolment)
            try store.withdraw(from: "s")
            let results = try await store.finishWithdrawals(
                emptying: { _ in },
                reporting: { _ in .refused(reason: "410") }
            )
            #expect(results.map(\.result) == [.refused(reason: "410")])
            #expect(!FileManager.default.fileExists(atPath: data.path))
            let left = try #require(try self.store().withdrawals().first)
            #expect(left.state == .refused(reason: "410"))
            #expect(
                try await store.finishWithdrawals(emptying: { _ in }, reporting: { _ in .finished }).isEmpty
            )
            try store.acknowledge(left)
            #expect(try store.withdrawals().isEmpty)
        }
    }

    @Test(
        "a withdrawal cut at any disk step goes on, and is durable before it erases"
    )
    func faults() async throws {
        try await removing {
            for step in 0..<40 {
                let place = folder.appending(path: "\(step)")
                let keys = FileKeyStore(place.appending(path: "key"))
                func store(_ fault: @escaping @Sendable (DiskStep) -> Int32 = { _ in 0 }) -> ParticipantStore
                {
                    ParticipantStore(in: place.appending(path: "store"), keys: keys, diskFault: fault)
                }
                let enrolment = try store().enrol(in: "s")
                let data = try store().folder(of: enrolment)
                try Data("secret".utf8).write(to: data.appending(path: "queue"))
                let count = Mutex(0)
                // From the step on nothing succeeds, as after a kill.
                let dying = store { _ in
                    count.withLock {
                        $0 += 1
                        return $0 > step ? EIO : 0
                    }
                }
                let failed = (try? dying.withdraw(from: "s")) == nil
                let pending = try store().withdrawals()
                if pending.isEmpty {
                    #expect(failed)
                    #expect(
                        try store().enrolment(in: "s") == enrolment
                            && FileManager.default.fileExists(atPath: data.path)
                    )
                } else {
                    #expect(
                        pending.map(\.state) == [.reporting]
                            && pending.map(\.participant) == [enrolment.participant]
                    )
                    #expect(
                        try store().enrolment(in: "s") == nil
                            && !FileManager.default.fileExists(atPath: data.path)
                    )
                }
            }
        }
    }

    @Test("a signed version is stored, and another version of the document asks again")
    func consentVersion() async throws {
        try await removing {
            let enrolment = try store().enrol(in: "org.example.sleep")
            var document = ConsentDocument(id: "c", version: "1", title: "t", study: "s", organization: "o")
            #expect(document.needsSignature(of: enrolment))
            try store().setConsentVersion("1", of: enrolment)
            let signed = try #require(try store().enrolment(in: "org.example.sleep"))
            #expect(!document.needsSignature(of: signed))
            document.version = "2"
            #expect(document.needsSignature(of: signed))
        }
    }
}
