import GRDB

/// Who is logged in in a browser.
struct BrowserSession: Sendable {
    var account: AccountRow
    /// The token that a form must bring back: a page elsewhere cannot know it.
    var csrf: String

    var field: Markup { "<input type=\"hidden\" name=\"csrf\" value=\"\(csrf)\">" }

    static let cookie = "indivo_session"
    /// The seconds a session lasts.
    static let lifetime: Int64 = 8 * 3600

    static func find(_ request: Request, at now: Timestamp, in db: Database) throws -> BrowserSession? {
        guard let token = request.cookie(cookie) else { return nil }
        let statement = try db.cachedStatement(
            sql: "SELECT account, csrf FROM browserSession WHERE fingerprint = ? AND expiresAt > ?"
        )
        guard let row = try Row.fetchOne(statement, arguments: [Secrets.fingerprint(token), now]) else {
            return nil
        }
        return try AccountRow.find(row["account"], in: db).map {
            BrowserSession(account: $0, csrf: row["csrf"])
        }
    }

    /// Begins a session; the value of its cookie comes back.
    static func begin(_ account: AccountRow, at now: Timestamp, in db: Database) throws -> String {
        let token = Secrets.token() + Secrets.token()
        try db.execute(sql: "DELETE FROM browserSession WHERE expiresAt <= ?", arguments: [now])
        try db.execute(
            sql: "INSERT INTO browserSession (fingerprint, account, csrf, expiresAt) VALUES (?, ?, ?, ?)",
            arguments: [
                Secrets.fingerprint(token), account.id, Secrets.token(), now.advanced(bySeconds: lifetime),
            ]
        )
        return token
    }

    static func end(_ request: Request, in db: Database) throws {
        guard let token = request.cookie(cookie) else { return }
        try db.execute(
            sql: "DELETE FROM browserSession WHERE fingerprint = ?",
            arguments: [Secrets.fingerprint(token)]
        )
    }

    /// The Set-Cookie header. Lax and not Strict: the browser comes here from the app, already logged in
    /// perhaps.
    static func setCookie(_ token: String?) -> String {
        "\(cookie)=\(token ?? ""); Path=/; HttpOnly; SameSite=Lax" + (token == nil ? "; Max-Age=0" : "")
    }
}
