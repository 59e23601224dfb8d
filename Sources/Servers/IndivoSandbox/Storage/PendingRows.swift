import GRDB
import Synchronization

/// Rows that wait in memory for the next transaction that writes, so that reading costs no write.
final class PendingRows<Row: Sendable>: Sendable {
    private let rows = Mutex<[Row]>([])

    /// How many wait now.
    @discardableResult
    func append(_ row: Row) -> Int {
        rows.withLock {
            $0.append(row)
            return $0.count
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
    /// Stores what has gathered of calls that only read, for as long as `body` and the transaction around it
    /// succeed.
    func storingPending<Result>(in db: Database, _ body: () throws -> Result) throws -> Result {
        let used = nonces.pending?.take() ?? []
        let calls = audits.take()
        do {
            for nonce in used { try nonce.insert(db) }
            if !used.isEmpty {
                try db.cachedStatement(sql: "DELETE FROM nonce WHERE expiresAt < ?").execute(arguments: [
                    now.seconds
                ])
            }
            for call in calls { try call.insert(db) }
            if !calls.isEmpty {
                try db.cachedStatement(
                    sql: "DELETE FROM audit WHERE serial <= (SELECT max(serial) FROM audit) - ?"
                )
                .execute(arguments: [AuditRow.capacity])
            }
            return try body()
        } catch {
            nonces.pending?.putBack(used)
            audits.putBack(calls)
            throw error
        }
    }

    func storePending() async throws { try await database.write { db in try self.storingPending(in: db) {} } }

    /// Takes up the nonces of requests that got a response shortly before a restart.
    func restoreNonces() async throws {
        let now = self.now.seconds
        nonces.restore(
            try await database.read { db in try NonceRow.all("WHERE expiresAt >= ?", [now], in: db) }
        )
    }
}
