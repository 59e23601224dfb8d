import GRDB

/// A record as an account sees it in its list: its own, one shared with it, or one of a carenet that it is
/// in.
struct ReachableRecord: Codable, Sendable, FetchableRecord {
    var id, label: String
    var isShared: Bool
    var role, carenet, carenetName: String?

    /// The label, saying how the record came into the list.
    var title: String {
        if carenet != nil { return label + " (carenet)" }
        return isShared ? label + " (shared)" : label
    }

    var markup: Markup {
        var markup: Markup = "<Record id=\"\(id)\" label=\"\(title)\""
        if isShared { markup += " shared=\"true\"" }
        if let role, !role.isEmpty { markup += " role_label=\"\(role)\"" }
        if let carenet { markup += " carenet_id=\"\(carenet)\" carenet_name=\"\(carenetName ?? "")\"" }
        return markup + " />"
    }

    static func all(of account: String, in db: Database) throws -> [ReachableRecord] {
        try fetchAll(
            db,
            sql: """
                SELECT id, label, 0 AS isShared, NULL AS role, NULL AS carenet, NULL AS carenetName
                FROM (SELECT * FROM record WHERE owner = :account ORDER BY serial)
                UNION ALL
                SELECT id, label, 1, role, NULL, NULL
                FROM (
                    SELECT record.*, share.role
                    FROM share
                    JOIN record ON record.id = share.record
                    WHERE share.account = :account AND record.owner IS NOT :account
                    ORDER BY share.serial
                )
                UNION ALL
                SELECT id, label, 1, NULL, carenet, carenetName
                FROM (
                    SELECT record.*, carenet.id AS carenet, carenet.name AS carenetName
                    FROM carenetAccount
                    JOIN carenet ON carenet.id = carenetAccount.carenet
                    JOIN record ON record.id = carenet.record
                    WHERE carenetAccount.account = :account
                    ORDER BY carenet.serial
                )
                """,
            arguments: ["account": account]
        )
    }
}
