import Dispatch
import IndivoBase
import WebServing

/// Compares passwords with hashes, a limited number at once: a hash is meant to cost processor time and
/// memory.
final class PasswordChecks: Sendable {
    /// A caller of ``matches(_:_:)`` has one.
    let slots = Slots(2)
    /// Of a password that nobody has: what is compared where there is no such person takes as long.
    private let nobodys: PasswordHash

    /// - Throws: When the system cannot hash.
    init() throws { nobodys = try PasswordHash(of: RandomToken.make()) }

    /// Whether a password is that of a hash; of none, it takes as long to say no.
    func matches(_ password: String, _ hash: PasswordHash?) async -> Bool {
        let compared = hash ?? nobodys
        // Away from the threads that answer other requests.
        let matches = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: compared.matches(password)) }
        }
        return matches && hash != nil
    }
}
