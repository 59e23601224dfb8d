import GRDB

struct AccountMarkup {
    let db: Database

    func account(_ account: AccountRow, logins: Bool = false) throws -> Markup {
        var markup: Markup = """
            <Account id="\(account.id)"><fullName>\(account.fullName)</fullName>\
            <contactEmail>\(account.contactEmail)</contactEmail>\
            <lastLoginAt>\(account.lastLoginAt?.text ?? "")</lastLoginAt>\
            <totalLoginCount>\(account.loginCount)</totalLoginCount>\
            <failedLoginCount>\(account.failedLoginCount)</failedLoginCount><state>\(account.state)</state>\
            <lastStateChange>\(account.stateChangedAt.text)</lastStateChange>
            """
        if logins {
            let names = try String.fetchAll(
                db, sql: "SELECT username FROM login WHERE account = ? ORDER BY username", arguments: [account.id])
            for name in names { markup += "<authSystem name=\"password\" username=\"\(name)\" />" }
        }
        return markup + "</Account>"
    }

    /// The records an account can reach: its own, those shared with it, and those of carenets it is in.
    func records(of account: String) throws -> Markup {
        let items = try ReachableRecord.all(of: account, in: db).map { record -> Markup in
            var markup: Markup = "<Record id=\"\(record.id)\" label=\"\(record.title)\""
            if record.isShared { markup += " shared=\"true\"" }
            if let role = record.role, !role.isEmpty { markup += " role_label=\"\(role)\"" }
            if let id = record.carenet {
                markup += " carenet_id=\"\(id)\" carenet_name=\"\(record.carenetName ?? "")\""
            }
            return markup + " />"
        }
        return "<Records>\(items)</Records>"
    }
}

/// A record as an account sees it in its list.
struct ReachableRecord: Codable, Sendable, FetchableRecord {
    var id: String
    var label: String
    var isShared: Bool
    var role: String?
    var carenet: String?
    var carenetName: String?

    /// The label, saying how the record came into the list.
    var title: String {
        if carenet != nil { return label + " (carenet)" }
        return isShared ? label + " (shared)" : label
    }

    static func all(of account: String, in db: Database) throws -> [ReachableRecord] {
        try fetchAll(
            db,
            sql: """
                SELECT id, label, 0 AS isShared, NULL AS role, NULL AS carenet, NULL AS carenetName
                FROM (SELECT * FROM record WHERE owner = :account ORDER BY serial)
                UNION ALL
                SELECT id, label, 1, role, NULL, NULL
                FROM (SELECT record.*, share.role FROM share JOIN record ON record.id = share.record
                      WHERE share.account = :account AND record.owner IS NOT :account ORDER BY share.serial)
                UNION ALL
                SELECT id, label, 1, NULL, carenet, carenetName
                FROM (SELECT record.*, carenet.id AS carenet, carenet.name AS carenetName FROM carenetAccount
                      JOIN carenet ON carenet.id = carenetAccount.carenet JOIN record ON record.id = carenet.record
                      WHERE carenetAccount.account = :account ORDER BY carenet.serial)
                """,
            arguments: ["account": account])
    }
}
