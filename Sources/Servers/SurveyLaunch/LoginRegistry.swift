import Foundation
import Synchronization

/// Logins under way by their `state`, and visitors by what their cookie has: so many at most of each, and
/// none beyond its time. The oldest go.
final class LoginRegistry: Sendable {
    private struct Contents {
        var logins: [String: PendingLogin] = [:]
        var visitors: [String: SurveyVisitor] = [:]
    }

    private let contents = Mutex(Contents())
    private let maximumLogins: Int
    private let maximumVisitors: Int

    init(maximumLogins: Int = 500, maximumVisitors: Int = 200) {
        self.maximumLogins = maximumLogins
        self.maximumVisitors = maximumVisitors
    }

    /// Adds a login under way. Those that are over end.
    func add(_ login: PendingLogin, state: String, now: Date) {
        let gone = contents.withLock { contents in
            var gone: [PendingLogin] = []
            for (state, login) in contents.logins where login.end <= now {
                gone.append(login)
                contents.logins[state] = nil
            }
            if contents.logins.count >= maximumLogins,
                let oldest = contents.logins.min(by: { $0.value.end < $1.value.end })
            {
                gone.append(oldest.value)
                contents.logins[oldest.key] = nil
            }
            contents.logins[state] = login
            return gone
        }
        for login in gone { login.cancel() }
    }

    /// Takes a login that a browser comes back to; nil for another browser's, and for one that is over.
    func take(state: String, browser: String, now: Date) -> PendingLogin? {
        contents.withLock { contents in
            guard let login = contents.logins[state], login.browser == browser, login.end > now else {
                return nil
            }
            contents.logins[state] = nil
            return login
        }
    }

    /// Adds a visitor, and gives those that go for it: their tokens are to be revoked.
    func add(_ visitor: SurveyVisitor, token: String, now: Date) -> [SurveyVisitor] {
        contents.withLock { contents in
            var gone: [SurveyVisitor] = []
            for (token, visitor) in contents.visitors where visitor.end <= now {
                gone.append(visitor)
                contents.visitors[token] = nil
            }
            if contents.visitors.count >= maximumVisitors,
                let oldest = contents.visitors.min(by: { $0.value.end < $1.value.end })
            {
                gone.append(oldest.value)
                contents.visitors[oldest.key] = nil
            }
            contents.visitors[token] = visitor
            return gone
        }
    }

    func visitor(_ token: String, now: Date) -> SurveyVisitor? {
        contents.withLock { $0.visitors[token] }.flatMap { $0.end > now ? $0 : nil }
    }

    /// Forgets a visitor.
    func remove(_ token: String) -> SurveyVisitor? {
        contents.withLock { $0.visitors.removeValue(forKey: token) }
    }

    /// Forgets everything.
    func removeAll() -> [SurveyVisitor] {
        let (logins, visitors) = contents.withLock { contents in
            defer { contents = Contents() }
            return (Array(contents.logins.values), Array(contents.visitors.values))
        }
        for login in logins { login.cancel() }
        return visitors
    }
}
