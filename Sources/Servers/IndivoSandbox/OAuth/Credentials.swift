import GRDB
import OAuth1

/// What an Authorization header claims: who speaks if its signature is good, and the secrets to check it
/// with.
struct Credentials: Sendable, OAuthSecretSource {
    private(set) var principal = Principal.nobody
    private var consumerSecret: String?
    private var tokenSecret: String?

    init() {}

    init(_ authorization: OAuthAuthorization, at now: Timestamp, in db: Database) throws {
        guard let key = authorization.consumerKey else { return }
        if let app = try AppRow.first("WHERE consumerKey = ?", [key], in: db) {
            consumerSecret = app.consumerSecret
            try findUserApp(app, token: authorization.token, in: db)
        } else if let app = try MachineAppRow.first("WHERE consumerKey = ?", [key], in: db) {
            consumerSecret = app.consumerSecret
            try findMachineApp(app, token: authorization.token, at: now, in: db)
        }
    }

    private mutating func findUserApp(_ app: AppRow, token: String?, in db: Database) throws {
        guard let token else { return principal = .app(app) }
        if let row = try AccessTokenRow.find(token, in: db), row.app == app.id {
            principal = .accessToken(row, app: app, account: try AccountRow.find(row.account, in: db))
            tokenSecret = row.secret(for: token)
        } else if let row = try RequestTokenRow.find(token, in: db), row.app == app.id {
            principal = .requestToken(row, app: app)
            tokenSecret = row.secret(for: token)
        }
    }

    private mutating func findMachineApp(
        _ app: MachineAppRow,
        token: String?,
        at now: Timestamp,
        in db: Database
    ) throws {
        guard let token else { return principal = .machineApp(app) }
        guard app.isChrome else { return }
        if let row = try SessionTokenRow.find(token, in: db), row.expiresAt > now,
            let account = try AccountRow.find(row.account, in: db)
        {
            principal = .account(account)
            tokenSecret = row.secret(for: token)
        } else if let row = try ConnectTokenRow.find(token, in: db),
            let access = try AccessTokenRow.first("WHERE fingerprint = ?", [row.accessToken], in: db),
            let userApp = try AppRow.find(access.app, in: db)
        {
            principal = .accessToken(
                access,
                app: userApp,
                account: try AccountRow.find(access.account, in: db)
            )
            tokenSecret = row.secret(for: token)
        }
    }

    func consumerSecret(forKey key: String) -> Secret? { consumerSecret.map { Secret($0) } }

    func tokenSecret(forToken token: String, consumerKey: String) -> Secret? {
        tokenSecret.map { Secret($0) }
    }
}
