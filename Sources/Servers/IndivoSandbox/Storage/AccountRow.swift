import GRDB
import WebServing

struct AccountRow: Codable, IdentifiedRow, PersistableRecord {
    static let databaseTableName = "account"
    var id: String
    var fullName, contactEmail: String
    /// `uninitialized`, `active`, `disabled` or `retired`.
    var state: String
    var createdAt: Timestamp
    var lastLoginAt: Timestamp?
    var loginCount = 0
    var failedLoginCount = 0
    /// Logging in is refused until then, after three failures in a row.
    var disabledUntil: Timestamp?
    var stateChangedAt: Timestamp
    var primarySecret, secondarySecret: String?

    func markup(logins: [String] = []) -> Markup {
        """
        <Account id="\(id)"><fullName>\(fullName)</fullName><contactEmail>\(contactEmail)</contactEmail>\
        <lastLoginAt>\(lastLoginAt?.text ?? "")</lastLoginAt><totalLoginCount>\(loginCount)</totalLoginCount>\
        <failedLoginCount>\(failedLoginCount)</failedLoginCount><state>\(state)</state>\
        <lastStateChange>\(stateChangedAt.text)</lastStateChange>\
        \(logins.map { "<authSystem name=\"password\" username=\"\($0)\" />" as Markup })</Account>
        """
    }

    func setPassword(_ password: String, in db: Database) throws {
        let hash = try PasswordHash(of: password).text
        try db.execute(sql: "UPDATE login SET password = ? WHERE account = ?", arguments: [hash, id])
        if db.changesCount == 0 { try LoginRow(username: id, account: id, password: hash).insert(db) }
    }

    func setState(_ state: String, at now: Timestamp, in db: Database) throws {
        try db.execute(
            sql: "UPDATE account SET state = ?, stateChangedAt = ? WHERE id = ?",
            arguments: [state, now, id]
        )
    }

    /// Whether the account may log in: it is active, and not closed for a while after failures.
    fileprivate func isOpen(at now: Timestamp) -> Bool {
        state == "active" && (disabledUntil.map { $0 <= now } ?? true)
    }

    /// Notes how an attempt to log in went. Three failures in a row close the account for a minute.
    fileprivate mutating func note(success: Bool, at now: Timestamp) {
        if success {
            lastLoginAt = now
            failedLoginCount = 0
            disabledUntil = nil
            loginCount += 1
        } else {
            failedLoginCount += 1
            if failedLoginCount >= 3 { disabledUntil = now.advanced(bySeconds: 60) }
        }
    }
}

/// A way to log in: a user name with a password.
struct LoginRow: Codable, TableRow, PersistableRecord {
    static let databaseTableName = "login"
    var username, account: String
    /// The hash; nil while no password is set.
    var password: String?

    static func find(_ username: String, in db: Database) throws -> LoginRow? {
        try first("WHERE username = ?", [username], in: db)
    }
}

extension ServerContext {
    /// The account of a user name and a password; nil when they do not fit, or the account may not log in.
    /// The password is hashed outside of any transaction, for an unknown name too, so that neither the time
    /// nor a locked database tells the cases apart.
    func logIn(_ username: String, _ password: String) async throws -> AccountRow? {
        let now = self.now
        let (login, account) = try await database.read { db in
            let login = try LoginRow.find(username, in: db)
            return (login, try AccountRow.find(login?.account, in: db))
        }
        let matches = PasswordHash(text: login?.password ?? ServerContext.nobodysPassword).matches(password)
        guard let account, account.isOpen(at: now) else { return nil }
        let success = matches && login?.password != nil
        return try await database.write { db in
            // Looked at again where attempts come one after the other: others may have been counted
            // meanwhile.
            guard var account = try AccountRow.find(account.id, in: db), account.isOpen(at: self.now) else {
                return nil
            }
            account.note(success: success, at: now)
            try account.update(db)
            return success ? account : nil
        }
    }

    /// The hash that an unknown user's password is compared with: of a random password nobody has.
    private static let nobodysPassword = (try? PasswordHash(of: Secrets.token()).text) ?? ""
}
