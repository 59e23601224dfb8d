import GRDB
import Synchronization

/// Rows that wait in memory for the next transaction that writes, so that reading costs no write.
final class PendingRows<Row: Sendable>: Sendable {
    private let rows = Mutex<[Row]>([])

    /// - Returns: How many wait now.
    @discardableResult
    func append(_ row: Row) -> Int {
        rows.withLock { rows in
            rows.append(row)
            return rows.count
        }
    }

    fileprivate func take() -> [Row] {
        rows.withLock { rows in
            defer { rows = [] }
            return rows
        }
    }

    fileprivate func putBack(_ taken: [Row]) { rows.withLock { $0 = taken + $0 } }
}

extension ServerContext {
    /// Stores what has gathered, nonces and audit entries of calls that only read, for as long as `body` and the
    /// transaction around it succeed.
    func storingPending<Result>(in db: Database, _ body: () throws -> Result) throws -> Result {
        let (used, calls) = (nonces.pending?.take() ?? [], audits.take())
        do {
            for nonce in used {
                try db.cachedStatement(sql: "INSERT OR REPLACE INTO nonce (nonce, expiresAt) VALUES (?, ?)")
                    .execute(arguments: [nonce.nonce, nonce.expiry])
            }
            if !used.isEmpty {
                try db.cachedStatement(sql: "DELETE FROM nonce WHERE expiresAt < ?").execute(arguments: [now.seconds])
            }
            for call in calls { try call.insert(db) }
            if !calls.isEmpty {
                try db.cachedStatement(sql: "DELETE FROM audit WHERE serial <= (SELECT max(serial) FROM audit) - ?")
                    .execute(arguments: [AuditRow.capacity])
            }
            return try body()
        } catch {
            nonces.pending?.putBack(used)
            audits.putBack(calls)
            throw error
        }
    }

    /// Stores what has gathered, in a transaction of its own.
    func storePending() async throws { try await database.write { db in try self.storingPending(in: db) {} } }

    /// Takes up the nonces of requests that got a response shortly before a restart.
    func restoreNonces() async throws {
        let now = self.now.seconds
        let rows = try await database.read { db in
            try Row.fetchAll(db, sql: "SELECT nonce, expiresAt FROM nonce WHERE expiresAt >= ?", arguments: [now])
                .map { NonceMemory.Used(nonce: $0["nonce"], expiry: $0["expiresAt"]) }
        }
        nonces.restore(rows)
    }
}
