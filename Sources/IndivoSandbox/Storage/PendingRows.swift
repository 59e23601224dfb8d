import GRDB

/// What gathers in memory between writes: audit entries of calls that only read, and nonces.
extension ServerContext {
    /// Stores what has gathered, for as long as `body` and the transaction around it succeed.
    func storingPending<Result>(in db: Database, _ body: () throws -> Result) throws -> Result {
        let nonces = self.nonces.takeFresh()
        do {
            for (nonce, expiry) in nonces {
                try db.cachedStatement(sql: "INSERT OR REPLACE INTO nonce (nonce, expiresAt) VALUES (?, ?)")
                    .execute(arguments: [nonce, expiry])
            }
            if !nonces.isEmpty {
                try db.cachedStatement(sql: "DELETE FROM nonce WHERE expiresAt < ?").execute(arguments: [now.seconds])
            }
            return try audits.storing(in: db, body)
        } catch {
            self.nonces.putBack(nonces)
            throw error
        }
    }

    /// Stores what has gathered, in a transaction of its own.
    func storePending() async throws {
        try await database.writer.write { db in try self.storingPending(in: db) {} }
    }

    /// Takes up the nonces of requests that got a response shortly before a restart.
    func restoreNonces() async throws {
        let now = self.now.seconds
        let rows = try await database.writer.read { db in
            try Row.fetchAll(db, sql: "SELECT nonce, expiresAt FROM nonce WHERE expiresAt >= ?", arguments: [now])
                .map { (nonce: $0["nonce"] as String, expiry: $0["expiresAt"] as Int) }
        }
        nonces.restore(rows)
    }
}
