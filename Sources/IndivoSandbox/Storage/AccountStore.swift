import GRDB
import PasswordHashing

struct AccountStore {
    let db: Database

    /// After so many failures in a row logging in is refused for a while.
    static let maximumFailures = 3
    /// The seconds for which it is.
    static let lockout: Int64 = 60

    func login(_ username: String) throws -> LoginRow? {
        try LoginRow.fetchOne(db, sql: "SELECT * FROM login WHERE username = ?", arguments: [username])
    }

    func addLogin(_ username: String, password: String?, to account: String) throws {
        let hash = try password.map { try PasswordHash(of: $0).text }
        try LoginRow(username: username, account: account, password: hash).insert(db)
    }

    func setPassword(_ password: String, of account: String) throws {
        let hash = try PasswordHash(of: password).text
        try db.execute(sql: "UPDATE login SET password = ? WHERE account = ?", arguments: [hash, account])
        if db.changesCount == 0 { try LoginRow(username: account, account: account, password: hash).insert(db) }
    }

    func checks(password: String, of account: String) throws -> Bool {
        let hashes = try String.fetchAll(
            db, sql: "SELECT password FROM login WHERE account = ? AND password IS NOT NULL", arguments: [account])
        return hashes.contains { PasswordHash(text: $0).matches(password) }
    }

    func setState(_ state: String, of account: String, at now: Timestamp) throws {
        try db.execute(sql: "UPDATE account SET state = ?, stateChangedAt = ? WHERE id = ?", arguments: [state, now, account])
    }

    /// Notes how an attempt to log in went. Three failures in a row close the account for a minute.
    func note(success: Bool, of account: String, at now: Timestamp) throws {
        if success {
            try db.execute(
                sql: """
                    UPDATE account SET lastLoginAt = ?, loginCount = loginCount + 1, failedLoginCount = 0,
                    disabledUntil = NULL WHERE id = ?
                    """,
                arguments: [now, account])
        } else {
            try db.execute(sql: "UPDATE account SET failedLoginCount = failedLoginCount + 1 WHERE id = ?", arguments: [account])
            try db.execute(
                sql: "UPDATE account SET disabledUntil = ? WHERE id = ? AND failedLoginCount >= ?",
                arguments: [now.advanced(bySeconds: AccountStore.lockout), account, AccountStore.maximumFailures])
        }
    }
}

extension AccountRow {
    /// Whether the account may log in: it is active, and not closed for a while after failures.
    fileprivate func isOpen(at now: Timestamp) -> Bool { state == "active" && (disabledUntil.map { $0 <= now } ?? true) }
}

extension ServerContext {
    /// The account of a user name and a password; nil when they do not fit, or the account may not log in.
    ///
    /// The password is hashed outside of any transaction, for an unknown name too, so that neither the time it takes
    /// nor a locked database distinguishes one case from the other.
    func logIn(_ username: String, _ password: String) async throws -> AccountRow? {
        let now = self.now
        let (login, account) = try await database.read { db in
            let login = try AccountStore(db: db).login(username)
            return (login, try login.flatMap { try AccountRow.find($0.account, in: db) })
        }
        let matches = PasswordHash(text: login?.password ?? ServerContext.nobodysPassword).matches(password)
        guard let account, account.isOpen(at: now) else { return nil }
        let success = matches && login?.password != nil
        return try await database.write { db in
            // Looked at again where attempts come one after the other: others may have been counted meanwhile.
            guard let account = try AccountRow.find(account.id, in: db), account.isOpen(at: self.now) else { return nil }
            try AccountStore(db: db).note(success: success, of: account.id, at: now)
            return success ? try AccountRow.find(account.id, in: db) : nil
        }
    }

    /// The hash that an unknown user's password is compared with: of a random password nobody has.
    private static let nobodysPassword = (try? PasswordHash(of: Secrets.token()).text) ?? ""
}
