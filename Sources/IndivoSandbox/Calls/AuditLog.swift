import GRDB
import Synchronization

/// One call that was made, as audit queries report it.
struct AuditRow: Codable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "audit"

    var serial: Int64?
    var at: Timestamp
    /// The server's name of the call.
    var function: String
    var principal: String
    var proxiedBy: String
    var record: String
    var carenet: String
    var app: String
    var document: String
    var externalId: String
    var message: String
    var path: String
    var method: String
    var address: String
    var status: Int

    init(_ call: Call, status: Int) {
        at = call.now
        function = call.route.name
        principal = call.principal.effective.id
        proxiedBy = call.principal.proxy
        record = call.target.record?.id ?? ""
        carenet = call.target.carenet?.id ?? ""
        app = call.target.app?.internalId ?? ""
        document = call["document"]
        externalId = call["external"]
        message = call["message"]
        path = call.request.path ?? call.request.rawPath
        method = call.request.method
        address = call.request.peer
        self.status = status
    }
}

/// Audit entries on their way to the database.
///
/// A call that writes stores its entry with what it writes, or not at all. Entries of calls that only read are gathered
/// and stored with the next write, so that reading costs no write.
final class AuditLog: Sendable {
    /// So many entries are kept; older ones go.
    static let capacity = 20_000

    private static let batch = 256
    private let pending = Mutex<[AuditRow]>([])

    /// Adds an entry; true when it is time to store what has gathered.
    func append(_ row: AuditRow) -> Bool {
        pending.withLock { pending in
            pending.append(row)
            return pending.count >= AuditLog.batch
        }
    }

    /// Stores what has gathered, for as long as `body` and the transaction around it succeed.
    func storing<Result>(in db: Database, _ body: () throws -> Result) throws -> Result {
        let rows = pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
        do {
            for row in rows { try row.insert(db) }
            if !rows.isEmpty {
                try db.cachedStatement(sql: "DELETE FROM audit WHERE serial <= (SELECT max(serial) FROM audit) - ?")
                    .execute(arguments: [AuditLog.capacity])
            }
            return try body()
        } catch {
            pending.withLock { $0 = rows + $0 }
            throw error
        }
    }
}
