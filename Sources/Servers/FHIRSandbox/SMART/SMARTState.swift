import FHIRClient
import Foundation
import IndivoBase
import OrderedJSON
import Synchronization
import WebServing

/// The state of the authorization server: apps, people in browsers, logins under way, and grants.
///
/// The number of each kind is limited: the oldest are removed.
final class SMARTState: Sendable {
    typealias App = SMARTSandboxConfiguration.App
    typealias User = SMARTSandboxConfiguration.User

    /// A login under way.
    struct Login: Sendable {
        var app: App
        var redirectURI: String
        var scopes: [SMARTScope]
        var state: String
        var challenge: String
        var nonce: String?
        /// The base of the FHIR server as the app knows it.
        var base: String
        var patient: String?
        var encounter: String?
        /// Whether a health record launched the app.
        var isLaunched = false
        let end: Date
    }

    /// What a person, or the configuration, lets an app do.
    struct Grant: Sendable {
        var client: String
        var user: User?
        var scopes: [SMARTScope]
        var base: String
        var patient: String?
        var encounter: String?
        var isLaunched = false
        /// The current refresh token, and the one before it. The earlier one stays valid until the current
        /// one is used: a client may have lost the response with the current one.
        var refreshToken: String?
        var earlierRefreshToken: String?
        /// The browser session whose end ends the grant (`online_access`); `nil` for other grants.
        var session: String?
        var isRefreshTokenUsed = false
        /// The access tokens. They end with the grant.
        var accessTokens: [String] = []
        let end: Date
    }

    private struct Code: Sendable {
        var login: Login
        var user: User
        /// The browser session in which the person allowed it.
        var session: String?
        var end: Date
        /// The grant that was made for it. A second use of the code ends the grant.
        var grant: String?
    }

    struct BrowserSession: Sendable {
        let user: User
        /// A token that each form sends back: a page elsewhere cannot know it.
        let csrf = RandomToken.make(length: 32)
        let end: Date
    }

    private struct AccessToken: Sendable {
        let grant: String
        let end: Date
    }

    private struct Contents: Sendable {
        var apps: [String: App] = [:]
        var logins = BoundedMap<Login>(limit: 1_000)
        var codes = BoundedMap<Code>(limit: 1_000)
        var grants = BoundedMap<Grant>(limit: 10_000)
        var accessTokens = BoundedMap<AccessToken>(limit: 50_000)
        var refreshTokens = BoundedMap<String>(limit: 50_000)
        var sessions = BoundedMap<BrowserSession>(limit: 1_000)
        var launches = BoundedMap<(patient: String, encounter: String?, end: Date)>(limit: 1_000)
        var assertions = BoundedMap<Date>(limit: 10_000)
        var failures = BoundedMap<(count: Int, end: Date)>(limit: 1_000)

        /// Whether a grant is valid: it has not ended, and if it depends on a session, the person is still
        /// logged in.
        func isGood(_ grant: Grant, at time: Date) -> Bool {
            grant.end > time && (grant.session.map { isLoggedIn($0, at: time) } ?? true)
        }

        func isLoggedIn(_ session: String, at time: Date) -> Bool {
            sessions[session].map { $0.end > time } ?? false
        }
    }

    let configuration: SMARTSandboxConfiguration
    let key = SigningKey(id: RandomToken.make(length: 8))
    private let now: @Sendable () -> Date
    private let contents: Mutex<Contents>

    static let sessionLifetime = 8.0 * 3600
    private static let registrationLimit = 1_000

    init(_ configuration: SMARTSandboxConfiguration, now: @escaping @Sendable () -> Date) {
        self.configuration = configuration
        self.now = now
        var contents = Contents()
        for app in configuration.apps { contents.apps[app.id] = app }
        self.contents = Mutex(contents)
    }

    var time: Date { now() }

    // MARK: Apps

    func app(_ id: String) -> App? { contents.withLock { $0.apps[id] } }

    var launchableApps: [App] {
        contents.withLock { $0.apps.values.filter { $0.launchURL != nil } }.sorted { $0.id < $1.id }
    }

    /// - Returns: Whether there was room for it.
    func register(_ app: App) -> Bool {
        contents.withLock { contents in
            guard contents.apps.count < Self.registrationLimit + configuration.apps.count else {
                return false
            }
            contents.apps[app.id] = app
            return true
        }
    }

    /// Accepts an assertion once; false if it was seen before.
    func accept(assertion id: String, of client: String, until end: Date) -> Bool {
        contents.withLock { contents in
            let name = client + "\n" + id
            guard contents.assertions[name].map({ $0 < now() }) ?? true else { return false }
            contents.assertions[name] = end
            return true
        }
    }

    // MARK: People

    /// The user of a name and a password. After five failures a name waits for a minute.
    func user(_ name: String, _ password: Secret) -> User? {
        let time = now()
        // Failures of unknown names would displace those that count.
        guard configuration.users.contains(where: { $0.name == name }) else { return nil }
        return contents.withLock { contents in
            var failures = contents.failures[name] ?? (0, time)
            if failures.end <= time { failures = (0, time.addingTimeInterval(60)) }
            guard failures.count < 5 else { return nil }
            if let user = configuration.users.first(where: { $0.name == name }), user.password == password {
                contents.failures[name] = nil
                return user
            }
            failures.count += 1
            contents.failures[name] = failures
            return nil
        }
    }

    /// Begins a session in a browser, and returns the value of its cookie.
    func beginSession(_ user: User) -> String {
        let token = RandomToken.make(length: 40)
        let session = BrowserSession(user: user, end: now().addingTimeInterval(Self.sessionLifetime))
        contents.withLock { $0.sessions[token] = session }
        return token
    }

    func session(_ token: String?) -> BrowserSession? {
        guard let token else { return nil }
        return contents.withLock { $0.sessions[token] }.flatMap { $0.end > now() ? $0 : nil }
    }

    func endSession(_ token: String?) {
        guard let token else { return }
        contents.withLock { $0.sessions[token] = nil }
    }

    // MARK: Logins

    func begin(_ login: Login) -> String {
        let id = RandomToken.make(length: 32)
        contents.withLock { $0.logins[id] = login }
        return id
    }

    func login(_ id: String) -> Login? {
        contents.withLock { $0.logins[id] }.flatMap { $0.end > now() ? $0 : nil }
    }

    func change(_ id: String, _ change: (inout Login) -> Void) {
        contents.withLock { contents in
            guard var login = contents.logins[id] else { return }
            change(&login)
            contents.logins[id] = login
        }
    }

    /// Ends a login, so that it cannot be used twice.
    func end(_ id: String) -> Login? {
        contents.withLock { contents in
            let login = contents.logins[id]
            contents.logins[id] = nil
            return login.flatMap { $0.end > now() ? $0 : nil }
        }
    }

    /// A launch as from a health record, good for five minutes and one login.
    func launch(patient: String, encounter: String?) -> String {
        let id = RandomToken.make(length: 32)
        let end = now().addingTimeInterval(300)
        contents.withLock { $0.launches[id] = (patient, encounter, end) }
        return id
    }

    func takeLaunch(_ id: String) -> (patient: String, encounter: String?)? {
        contents.withLock { contents in
            guard let launch = contents.launches[id], launch.end > now() else { return nil }
            contents.launches[id] = nil
            return (launch.patient, launch.encounter)
        }
    }

    /// A code for a login that a person allowed. It is valid for a minute.
    /// - Parameter session: The session in the browser, for `online_access`.
    func code(for login: Login, by user: User, in session: String? = nil) -> String {
        let code = RandomToken.make(length: 40)
        let end = now().addingTimeInterval(60)
        contents.withLock { $0.codes[code] = Code(login: login, user: user, session: session, end: end) }
        return code
    }

    // MARK: Tokens

    /// The tokens that a client gets.
    struct Tokens: Sendable {
        var accessToken: String
        var refreshToken: String?
        var grant: Grant
        var nonce: String?
    }

    /// Exchanges a code for tokens, once, for the client that began the login.
    func tokens(forCode code: String, client: String, redirectURI: String?, verifier: String) -> Tokens? {
        let challenge = Base64URL.encode(Data(SHA256Sum.hash(Data(verifier.utf8))))
        return contents.withLock { contents in
            guard var entry = contents.codes[code], entry.login.app.id == client else { return nil }
            if let grant = entry.grant {
                // The code or the verifier was stolen: nobody keeps the tokens.
                Self.end(grant, in: &contents)
                return nil
            }
            guard entry.end > now(), entry.login.redirectURI == redirectURI,
                constantTimeEqual(Array(challenge.utf8), Array(entry.login.challenge.utf8))
            else { return nil }
            let login = entry.login
            let isOffline = login.scopes.contains(.offlineAccess)
            let isOnline = !isOffline && login.scopes.contains(.onlineAccess)
            // The person may have logged out since.
            guard !isOnline || contents.isLoggedIn(entry.session ?? "", at: now()) else { return nil }
            let lifetime = isOffline ? 30 * 86_400.0 : Self.sessionLifetime
            let id = RandomToken.make()
            var grant = Grant(
                client: client,
                user: entry.user,
                scopes: login.scopes,
                base: login.base,
                patient: login.patient,
                encounter: login.encounter,
                isLaunched: login.isLaunched,
                end: now().addingTimeInterval(lifetime)
            )
            if isOnline { grant.session = entry.session }
            if isOffline || isOnline {
                grant.refreshToken = RandomToken.make(length: 40)
                contents.refreshTokens[grant.refreshToken ?? ""] = id
            }
            let token = issue(of: id, &grant, &contents)
            entry.grant = id
            contents.codes[code] = entry
            return Tokens(
                accessToken: token,
                refreshToken: grant.refreshToken,
                grant: grant,
                nonce: login.nonce
            )
        }
    }

    /// Tokens for a backend service.
    func tokens(forService client: String, scopes: [SMARTScope], base: String) -> Tokens {
        contents.withLock { contents in
            let end = now().addingTimeInterval(Double(configuration.accessTokenLifetime))
            var grant = Grant(client: client, scopes: scopes, base: base, end: end)
            let token = issue(of: RandomToken.make(), &grant, &contents)
            return Tokens(accessToken: token, grant: grant)
        }
    }

    /// New tokens for a refresh token.
    ///
    /// Each refresh replaces the refresh token. The old one stays valid until the new one, or an access token
    /// that came with it, is used: a client that lost the response can ask again. If the old one is presented
    /// after that, it was stolen, and the grant ends (RFC 9700, section 4.14.2).
    func tokens(forRefreshToken token: String, client: String, scopes: [SMARTScope]?) -> Tokens? {
        contents.withLock { contents in
            guard let id = contents.refreshTokens[token], var grant = contents.grants[id],
                grant.client == client, contents.isGood(grant, at: now())
            else { return nil }
            if let scopes, !scopes.allSatisfy(grant.scopes.contains) { return nil }
            if token == grant.refreshToken {
                grant.earlierRefreshToken = token
            } else if token != grant.earlierRefreshToken || grant.isRefreshTokenUsed {
                Self.end(id, in: &contents)
                return nil
            } else {
                contents.refreshTokens[grant.refreshToken ?? ""] = nil
            }
            let next = RandomToken.make(length: 40)
            grant.refreshToken = next
            grant.isRefreshTokenUsed = false
            contents.refreshTokens[next] = id
            let token = issue(of: id, &grant, &contents)
            return Tokens(accessToken: token, refreshToken: next, grant: grant)
        }
    }

    private func issue(of id: String, _ grant: inout Grant, _ contents: inout Contents) -> String {
        let token = RandomToken.make(length: 40)
        let end = now().addingTimeInterval(Double(configuration.accessTokenLifetime))
        contents.accessTokens[token] = AccessToken(grant: id, end: end)
        grant.accessTokens = grant.accessTokens.suffix(99) + [token]
        contents.grants[id] = grant
        return token
    }

    private static func end(_ id: String, in contents: inout Contents) {
        guard let grant = contents.grants[id] else { return }
        for token in grant.accessTokens { contents.accessTokens[token] = nil }
        for token in [grant.refreshToken, grant.earlierRefreshToken] {
            if let token { contents.refreshTokens[token] = nil }
        }
        contents.grants[id] = nil
    }

    /// Revokes a token (RFC 7009): an access token alone, or with a refresh token the whole grant.
    func revoke(_ token: String, client: String) {
        contents.withLock { contents in
            if let id = contents.refreshTokens[token], contents.grants[id]?.client == client {
                Self.end(id, in: &contents)
            } else if let access = contents.accessTokens[token],
                contents.grants[access.grant]?.client == client
            {
                contents.accessTokens[token] = nil
            }
        }
    }

    /// The grant of an access token, and when the token ends.
    func grant(ofAccessToken token: String) -> (grant: Grant, end: Date)? {
        contents.withLock { contents in
            guard let access = contents.accessTokens[token], access.end > now(),
                let grant = contents.grants[access.grant], contents.isGood(grant, at: now())
            else { return nil }
            return (grant, access.end)
        }
    }

    /// What an access token gives access to. From now on, the refresh token before the one that came with it
    /// is invalid.
    func access(by token: String) -> SMARTAccess? {
        guard let grant = grant(ofAccessToken: token)?.grant else { return nil }
        if !grant.isRefreshTokenUsed, grant.accessTokens.last == token {
            contents.withLock { contents in
                guard let id = contents.accessTokens[token]?.grant,
                    contents.grants[id]?.accessTokens.last == token
                else { return }
                contents.grants[id]?.isRefreshTokenUsed = true
            }
        }
        return SMARTAccess(
            scopes: grant.scopes.compactMap { if case .resources(let scope) = $0 { scope } else { nil } },
            patient: grant.patient,
            userPatient: grant.user?.patient
        )
    }
}

/// Values by name, up to a limit: the oldest are removed.
struct BoundedMap<Value> {
    private var values: [String: (number: Int, value: Value)] = [:]
    private var order: [(name: String, number: Int)] = []
    private var first = 0
    private var count = 0
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    subscript(name: String) -> Value? {
        get { values[name]?.value }
        set {
            guard let newValue else {
                values[name] = nil
                return
            }
            if let known = values[name] {
                values[name] = (known.number, newValue)
                return
            }
            count += 1
            values[name] = (count, newValue)
            order.append((name, count))
            while values.count > limit || order.count - first > 4 * limit {
                let oldest = order[first]
                first += 1
                // The name may have been removed, and added again since.
                if values[oldest.name]?.number == oldest.number { values[oldest.name] = nil }
            }
            if first > limit {
                order.removeFirst(first)
                first = 0
            }
        }
    }
}

extension BoundedMap: Sendable where Value: Sendable {}
