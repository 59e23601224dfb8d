import GRDB

struct RecordRow: Codable, IdentifiedRow, PersistableRecord {
    static let databaseTableName = "record"
    var serial: Int64?
    var id, label: String
    var owner: String?
    var createdAt: Timestamp
    /// The principal that made it; nil when none is known.
    var creator: String?
    var externalId: String?
    var demographics: String?

    var markup: Markup {
        let by: Markup? = creator.map { " by=\"\($0)\"" }
        return """
            <Record id="\(id)" label="\(label)"><demographics document_id="\(demographics ?? "")" />\
            <created at="\(createdAt.text)"\(by) /></Record>
            """
    }

    /// Whether an account has full control: it owns the record, or the record is shared with it as a whole.
    func isOwnedOrShared(by account: String, in db: Database) throws -> Bool {
        try owner == account || db.exists("share WHERE record = ? AND account = ?", [id, account])
    }

    func hasApp(_ app: String, in db: Database) throws -> Bool {
        try db.exists("share WHERE record = ? AND app = ?", [id, app])
    }

    /// Enables an app on the record, unless it is.
    func enable(_ app: String, in db: Database) throws {
        if try !hasApp(app, in: db) { try ShareRow(id: Secrets.id(), record: id, app: app).insert(db) }
    }

    /// Takes an app from the record. What it stored there stays; its tokens die at once.
    func disable(_ app: String, in db: Database) throws {
        for table in ["share", "accessToken", "requestToken"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE record = ? AND app = ?", arguments: [id, app])
        }
        try db.execute(
            sql:
                """
                DELETE FROM carenetApp
                WHERE app = ? AND carenet IN (SELECT id FROM carenet WHERE record = ?)
                """,
            arguments: [app, id]
        )
    }

    func carenets(in db: Database) throws -> [CarenetRow] {
        try CarenetRow.all("WHERE record = ? ORDER BY serial", [id], in: db)
    }

    /// The accounts to which messages about the record go: its owner, and those with a full share.
    func recipients(in db: Database) throws -> [String] {
        let shared = try ShareRow.all("WHERE record = ? ORDER BY serial", [id], in: db).compactMap(\.account)
        return (owner.map { [$0] } ?? []) + shared.filter { $0 != owner }
    }
}

/// An account or an app with access to a whole record.
struct ShareRow: Codable, TableRow, PersistableRecord {
    static let databaseTableName = "share"
    var serial: Int64?
    var id, record: String
    var account, app, role: String?
}

/// A group of people with whom a part of a record is shared.
struct CarenetRow: Codable, IdentifiedRow, PersistableRecord {
    static let databaseTableName = "carenet"
    var serial: Int64?
    var id, record, name: String

    var markup: Markup { "<Carenet id=\"\(id)\" name=\"\(name)\" mode=\"explicit\" />" }

    /// The condition that a carenet shows a document, by the SQL expressions of their ids: what was placed
    /// there, and what is shared by its type unless it was taken out; never what is marked so.
    static func shows(_ document: String, in carenet: String) -> String {
        """
        EXISTS (
            SELECT 1
            FROM document AS shown
            JOIN carenet AS net ON net.id = \(carenet)
            LEFT JOIN carenetDocument AS placed ON placed.carenet = net.id AND placed.document = shown.id
            LEFT JOIN autoshare ON autoshare.carenet = net.id AND autoshare.type = shown.type
            WHERE shown.id = \(document)
                AND ifnull(placed.isShared, autoshare.type IS NOT NULL)
                AND NOT shown.neverShare
        )
        """
    }

    func hasAccount(_ account: String, in db: Database) throws -> Bool {
        try db.exists("carenetAccount WHERE carenet = ? AND account = ?", [id, account])
    }

    func hasApp(_ app: String, in db: Database) throws -> Bool {
        try db.exists("carenetApp WHERE carenet = ? AND app = ?", [id, app])
    }
}
