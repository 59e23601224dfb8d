import Synchronization

/// The steps of the codes that were used last, by name: a code counts once. In memory alone; after a restart
/// one of the last minute could count again.
final class UsedCodes: Sendable {
    private let steps = Mutex<[String: Int]>([:])
    /// Names are those of the file.
    private static let maximumNames = 10_000

    /// Takes a code of a person.
    ///
    /// - Returns: Whether it counts.
    func take(_ code: String, of name: String, _ totp: TOTP, at seconds: Int) -> Bool {
        steps.withLock { steps in
            guard let step = totp.step(of: code, at: seconds, after: steps[name]) else { return false }
            if steps.count >= Self.maximumNames { steps = [:] }
            steps[name] = step
            return true
        }
    }
}
