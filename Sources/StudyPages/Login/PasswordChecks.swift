import Dispatch
import PasswordHashing
import SecretText
import Synchronization

/// Compares passwords with hashes, so many at once: a hash is meant to take processor and memory.
final class PasswordChecks: Sendable {
    private static let most = 2

    private let running = Mutex(0)
    /// Of a password that nobody has: what is compared where there is no such person takes as long.
    private let nobodys: PasswordHash

    /// - Throws: When the system cannot hash.
    init() throws { nobodys = try PasswordHash(of: RandomToken.make()) }

    /// Whether a password is that of a hash; `nil` when too many are being compared.
    func matches(_ password: String, _ hash: PasswordHash?) async -> Bool? {
        let isAdmitted = running.withLock { running in
            guard running < Self.most else { return false }
            running += 1
            return true
        }
        guard isAdmitted else { return nil }
        defer { running.withLock { $0 -= 1 } }
        let compared = hash ?? nobodys
        // Away from the threads that answer other requests.
        let matches = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: compared.matches(password)) }
        }
        return matches && hash != nil
    }
}
