import GRDB

// Rows by their ids are looked up in every call: their statements are prepared once.

extension AccountRow {
    static func find(_ id: String, in db: Database) throws -> AccountRow? {
        try fetchOne(db.cachedStatement(sql: "SELECT * FROM account WHERE id = ?"), arguments: [id])
    }
}

extension AppRow {
    static func find(_ id: String, in db: Database) throws -> AppRow? {
        try fetchOne(db.cachedStatement(sql: "SELECT * FROM app WHERE id = ?"), arguments: [id])
    }
}

extension RecordRow {
    static func find(_ id: String, in db: Database) throws -> RecordRow? {
        try fetchOne(db.cachedStatement(sql: "SELECT * FROM record WHERE id = ?"), arguments: [id])
    }

    /// Whether an account has full control: it owns the record, or the record is shared with it as a whole.
    func isOwnedOrShared(by account: String, in db: Database) throws -> Bool {
        if owner == account { return true }
        return try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM share WHERE record = ? AND account = ?)"),
            arguments: [id, account]) ?? false
    }

    /// Whether an app is enabled on the record.
    func hasApp(_ app: String, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM share WHERE record = ? AND app = ?)"),
            arguments: [id, app]) ?? false
    }

    /// Enables an app on the record, unless it is.
    func enable(_ app: String, in db: Database) throws {
        guard try !hasApp(app, in: db) else { return }
        try ShareRow(id: Secrets.id(), record: id, app: app).insert(db)
    }

    /// Takes an app from the record. What it stored there stays; its tokens die at once.
    func disable(_ app: String, in db: Database) throws {
        for table in ["share", "accessToken", "requestToken"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE record = ? AND app = ?", arguments: [id, app])
        }
        try db.execute(
            sql: "DELETE FROM carenetApp WHERE app = ? AND carenet IN (SELECT id FROM carenet WHERE record = ?)",
            arguments: [app, id])
    }

    var carenets: SQLRequest<CarenetRow> {
        SQLRequest(sql: "SELECT * FROM carenet WHERE record = ? ORDER BY serial", arguments: [id])
    }

    /// The accounts to which messages about the record go: its owner, and those with a full share.
    func recipients(in db: Database) throws -> [String] {
        let shared = try String.fetchAll(
            db, sql: "SELECT account FROM share WHERE record = ? AND account IS NOT NULL ORDER BY serial",
            arguments: [id])
        return (owner.map { [$0] } ?? []) + shared.filter { $0 != owner }
    }
}

extension CarenetRow {
    static func find(_ id: String, in db: Database) throws -> CarenetRow? {
        try fetchOne(db.cachedStatement(sql: "SELECT * FROM carenet WHERE id = ?"), arguments: [id])
    }

    func hasAccount(_ account: String, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM carenetAccount WHERE carenet = ? AND account = ?)",
            arguments: [id, account]) ?? false
    }

    func hasApp(_ app: String, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM carenetApp WHERE carenet = ? AND app = ?)", arguments: [id, app])
            ?? false
    }
}
