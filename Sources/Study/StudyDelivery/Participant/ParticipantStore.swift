import DurableQueue
import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats

/// The participants of this device: one anonymous identity for each study, and the withdrawals under way.
///
/// ```swift
/// let store = ParticipantStore(in: folder, keys: keychain)
/// let enrolment = try store.enrol(in: "org.example.sleep")
/// let data = try store.folder(of: enrolment)                 // for what is erased on withdrawal
///
/// try store.withdraw(from: "org.example.sleep")              // erased here, and remembered for the server
/// try await store.finishWithdrawals(
///     emptying: { _ in _ = try await queue.discardAll() },
///     reporting: { try await $0.report(to: endpoint, as: .package, protection: .cms(encryption)) })
/// ```
/// A withdrawal survives the end of the process at every step: it is durable before the first thing is
/// erased, continues at the next call of any method, and touches nothing but the participant's own data.
/// Somebody who enrols again gets a new id, which an older withdrawal does not concern.
public final class ParticipantStore: Sendable {
    private let files: SealedFolder

    /// A store in a folder of its own.
    ///
    /// - Parameters:
    ///   - folder: Made with mode 0700 when it is missing.
    ///   - keys: Keeps the key under which identities are sealed.
    public convenience init(in folder: URL, keys: any KeyStore) {
        self.init(in: folder, keys: keys, diskFault: { _ in 0 })
    }

    /// A store on a disk that fails as `diskFault` says.
    package init(in folder: URL, keys: any KeyStore, diskFault: @escaping @Sendable (DiskStep) -> Int32) {
        files = SealedFolder(folder, identity: "participants", keys: keys, diskFault: diskFault)
    }

    // MARK: Enrolling

    /// The enrolment in a study; `nil` before, and from the moment of a withdrawal on.
    public func enrolment(in study: String) throws -> Enrolment? {
        try files.withLock {
            try eraseWithdrawn()
            return try read(study)
        }
    }

    /// Enrols in a study under a new random id; gives the existing enrolment where there is one.
    ///
    /// - Parameter participant: The random id, where it was given out before: to a device that this one
    ///   replaces, say.
    public func enrol(
        in study: String,
        as participant: UUID = UUID(),
        at date: FHIRInstant = FHIRInstant(Date())
    ) throws -> Enrolment {
        try files.withLock {
            try eraseWithdrawn()
            if let enrolment = try read(study) { return enrolment }
            let enrolment = Enrolment(study: study, participant: participant, enrolledAt: date)
            try files.write(Data(enrolment.json.utf8()), to: Self.name(study))
            return enrolment
        }
    }

    /// Stores which version of the consent document was signed.
    ///
    /// - Throws: ``/StudyFormats/StudyError/notEnrolled`` when the participant left in the meantime.
    public func setConsentVersion(_ version: String, of enrolment: Enrolment) throws {
        try files.withLock {
            try eraseWithdrawn()
            guard var stored = try read(enrolment.study), stored.participant == enrolment.participant else {
                throw StudyError.notEnrolled
            }
            stored.consentVersion = version
            try files.write(Data(stored.json.utf8()), to: Self.name(enrolment.study))
        }
    }

    /// The participant's own folder, of mode 0700: queue, consents, motion data. A withdrawal erases it.
    ///
    /// - Throws: ``/StudyFormats/StudyError/notEnrolled`` when the participant left in the meantime.
    public func folder(of enrolment: Enrolment) throws -> URL {
        try files.withLock {
            try eraseWithdrawn()
            guard try read(enrolment.study)?.participant == enrolment.participant else {
                throw StudyError.notEnrolled
            }
            return try files.folder(for: Self.folderName(enrolment.participant))
        }
    }

    // MARK: Leaving

    /// Leaves a study: makes the decision durable, then erases the enrolment and the participant's folder.
    ///
    /// When this throws after the decision was stored, the next call of any method continues.
    ///
    /// - Parameter data: What becomes of the data that the study has; `nil` leaves that to the study. What is
    ///   on the phone is erased in any case.
    /// - Returns: The withdrawal, for the server to know; `nil` when nobody is enrolled.
    @discardableResult
    public func withdraw(
        from study: String,
        at date: FHIRInstant = FHIRInstant(Date()),
        data: WithdrawnData? = nil
    ) throws -> Withdrawal? {
        try files.withLock {
            try eraseWithdrawn()
            guard let enrolment = try read(study) else { return nil }
            let withdrawal = Withdrawal(
                study: study,
                participant: enrolment.participant,
                date: date,
                data: data,
                enrolledAt: enrolment.enrolledAt
            )
            try store(withdrawal)
            return try erase(withdrawal)
        }
    }

    /// The withdrawals that are not finished, or that the server refused.
    public func withdrawals() throws -> [Withdrawal] {
        try files.withLock {
            try eraseWithdrawn()
            return try storedWithdrawals()
        }
    }

    /// Empties the queue of those who left, and reports them to the server; each by itself, so that a failure
    /// of one does not hold up the others. Does nothing while another task or process does this.
    ///
    /// - Parameters:
    ///   - emptying: Discards what is queued for a participant outside the participant's folder. Called again
    ///     after a kill.
    ///   - reporting: Reports to the server; throws for what may succeed later, or gives
    ///     ``Withdrawal/Result/pending(reason:)``. Called again when the response was lost.
    /// - Returns: The result of each.
    @discardableResult
    public func finishWithdrawals(
        emptying: (Withdrawal) async throws -> Void,
        reporting: (Withdrawal) async throws -> Withdrawal.Result
    ) async throws -> [(withdrawal: Withdrawal, result: Withdrawal.Result)] {
        guard let lock = try files.lockIfFree("reporting") else { return [] }
        defer { withExtendedLifetime(lock) {} }
        var results: [(Withdrawal, Withdrawal.Result)] = []
        for var withdrawal in try withdrawals() where withdrawal.state == .reporting {
            do {
                try await emptying(withdrawal)
                let result = try await reporting(withdrawal)
                switch result {
                case .finished: try files.remove(withdrawal.name)
                case .refused(let reason):
                    withdrawal.state = .refused(reason: reason)
                    try store(withdrawal)
                case .pending: break
                }
                results.append((withdrawal, result))
            } catch let error as CancellationError {
                throw error
            } catch {
                results.append((withdrawal, .pending(reason: "\(error)")))
            }
        }
        return results
    }

    /// Has ``finishWithdrawals(emptying:reporting:)`` report a withdrawal once more that the server refused:
    /// to another address, say.
    public func retry(_ withdrawal: Withdrawal) throws {
        try files.withLock {
            guard let data = try files.read(withdrawal.name), case .refused = try Self.withdrawal(data).state
            else { return }
            var again = try Self.withdrawal(data)
            again.state = .reporting
            try store(again)
        }
    }

    /// Forgets a withdrawal that the server refused, after somebody was informed.
    public func acknowledge(_ withdrawal: Withdrawal) throws {
        try files.withLock {
            guard let data = try files.read(withdrawal.name), case .refused = try Self.withdrawal(data).state
            else { return }
            try files.remove(withdrawal.name)
        }
    }

    // MARK: Steps

    /// Continues withdrawals whose erasure was interrupted. Under the lock.
    private func eraseWithdrawn() throws {
        for withdrawal in try storedWithdrawals() where withdrawal.state == .erasing {
            _ = try erase(withdrawal)
        }
    }

    /// Erases what belongs to the participant of a withdrawal and nothing else. Doing it again does no harm.
    private func erase(_ withdrawal: Withdrawal) throws -> Withdrawal {
        var withdrawal = withdrawal
        if try read(withdrawal.study)?.participant == withdrawal.participant {
            try files.remove(Self.name(withdrawal.study))
        }
        try files.removeFolder(for: Self.folderName(withdrawal.participant))
        withdrawal.state = .reporting
        try store(withdrawal)
        return withdrawal
    }

    private func storedWithdrawals() throws -> [Withdrawal] {
        try files.names().filter { $0.hasPrefix("withdrawal ") }.compactMap { name in
            try files.read(name).map(Self.withdrawal)
        }
    }

    private func store(_ withdrawal: Withdrawal) throws {
        try files.write(Data(withdrawal.json.utf8()), to: withdrawal.name)
    }

    private func read(_ study: String) throws -> Enrolment? {
        guard let data = try files.read(Self.name(study)) else { return nil }
        guard let enrolment = (try? JSONValue(parsing: data)).flatMap(Enrolment.init(json:)) else {
            throw StudyError.otherVersion
        }
        return enrolment
    }

    private static func withdrawal(_ data: Data) throws -> Withdrawal {
        guard let withdrawal = (try? JSONValue(parsing: data)).flatMap(Withdrawal.init(json:)) else {
            throw StudyError.otherVersion
        }
        return withdrawal
    }

    private static func name(_ study: String) -> String { "enrolment \(study)" }
    private static func folderName(_ participant: UUID) -> String { "data \(participant.uuidString)" }
}
