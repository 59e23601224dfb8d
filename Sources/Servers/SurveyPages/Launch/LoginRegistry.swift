import Foundation
import Synchronization

/// Logins under way by their `state`, and visitors by what their cookie has.
final class LoginRegistry: Sendable {
    private let logins: Mutex<ExpiringCache<PendingLogin>>
    private let visitors: Mutex<ExpiringCache<SurveyVisitor>>

    init(maximumLogins: Int = 500, maximumVisitors: Int = 200) {
        // Beginning a login costs nothing, so the logins of one client do not end those of others.
        logins = Mutex(
            ExpiringCache(
                maximum: maximumLogins,
                maximumOfClient: maximumLogins / 10,
                client: \.address,
                end: \.end
            )
        )
        // Behind one address may be a whole clinic.
        visitors = Mutex(
            ExpiringCache(
                maximum: maximumVisitors,
                maximumOfClient: maximumVisitors,
                client: { _ in "" },
                end: \.end
            )
        )
    }

    /// Adds a login under way. Logins that it pushes out end.
    func add(_ login: PendingLogin, state: String, now: Date) {
        let gone = logins.withLock { $0.add(login, named: state, now: now) }
        for login in gone { login.cancel() }
    }

    /// Takes a login that a browser comes back to; nil for another browser's, and for one that is over.
    func take(state: String, browser: String, now: Date) -> PendingLogin? {
        logins.withLock { logins in
            guard let login = logins.value(named: state, now: now), login.browser == browser else {
                return nil
            }
            return logins.remove(state)
        }
    }

    /// Adds a visitor, and returns those that it pushes out: their tokens have to be revoked.
    func add(_ visitor: SurveyVisitor, token: String, now: Date) -> [SurveyVisitor] {
        visitors.withLock { $0.add(visitor, named: token, now: now) }
    }

    func visitor(_ token: String, now: Date) -> SurveyVisitor? {
        visitors.withLock { $0.value(named: token, now: now) }
    }

    /// Forgets a visitor.
    func remove(_ token: String) -> SurveyVisitor? { visitors.withLock { $0.remove(token) } }

    /// Forgets everything.
    ///
    /// - Returns: The visitors, whose tokens are to be revoked.
    func removeAll() -> [SurveyVisitor] {
        for login in logins.withLock({ $0.removeAll() }) { login.cancel() }
        return visitors.withLock { $0.removeAll() }
    }
}
