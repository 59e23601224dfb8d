import GRDB

struct AccountRow: Codable, IdentifiedRow, PersistableRecord {
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
}

/// A way to log in: a user name with a password.
struct LoginRow: Codable, TableRow, PersistableRecord {
    var username, account: String
    /// The hash; nil while no password is set.
    var password: String?

    static func find(_ username: String, in db: Database) throws -> LoginRow? {
        try first("WHERE username = ?", [username], in: db)
    }
}

struct BrowserSessionRow: Codable, TableRow, PersistableRecord {
    var fingerprint, account, csrf: String
    var expiresAt: Timestamp
}
