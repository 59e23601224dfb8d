import Foundation
import GRDB

/// A token as it is stored: found by its fingerprint, its secret readable only with the token itself (see
/// ``Secrets``).
protocol StoredToken: Codable, TableRow, PersistableRecord {
    var fingerprint: String { get }
    var secret: Data { get }
}

extension StoredToken {
    static func find(_ token: String, in db: Database) throws -> Self? {
        try first("WHERE fingerprint = ?", [Secrets.fingerprint(token)], in: db)
    }

    /// The token's secret, given the token.
    func secret(for token: String) -> String {
        String(decoding: Secrets.conceal(secret, under: token), as: UTF8.self)
    }
}

/// A token and its secret, as they go to the client.
struct TokenPair: Sendable {
    let token, secret: String

    var fingerprint: String { Secrets.fingerprint(token) }
    var concealedSecret: Data { Secrets.conceal(Data(secret.utf8), under: token) }
}

struct RequestTokenRow: StoredToken {
    static let databaseTableName = "requestToken"
    var fingerprint: String
    var secret: Data
    var app: String
    /// The URL to return to, or `oob` for the one the app registered.
    var callback: String
    var record, carenet: String?
    var account: String?
    /// The fingerprint of the verifier; nil until approved.
    var verifier: String?
    var createdAt: Timestamp
}

struct AccessTokenRow: StoredToken {
    static let databaseTableName = "accessToken"
    var fingerprint: String
    var secret: Data
    var app, record: String
    var carenet: String?
    /// The account for which the app acts; nil for an autonomous app.
    var account: String?
    var createdAt: Timestamp
    var expiresAt: Timestamp?
}

/// Stands for an access token in calls that a UI server signs with its own key.
struct ConnectTokenRow: StoredToken {
    static let databaseTableName = "connectToken"
    var fingerprint: String
    var secret: Data
    var accessToken: String
}

/// A UI server's token for the account that is logged in there.
struct SessionTokenRow: StoredToken {
    static let databaseTableName = "sessionToken"
    var fingerprint: String
    var secret: Data
    var account: String
    var expiresAt: Timestamp
}
