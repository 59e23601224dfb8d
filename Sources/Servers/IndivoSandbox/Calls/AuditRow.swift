import GRDB

/// One call that was made, as audit queries report it.
struct AuditRow: Codable, TableRow, PersistableRecord {
    static let databaseTableName = "audit"
    /// So many entries are kept; older ones go.
    static let capacity = 20_000
    /// When so many wait they are stored.
    static let batch = 256

    var serial: Int64?
    var at: Timestamp
    var function, principal, proxiedBy, record, carenet, app, document, externalId, message, path, method,
        address: String
    var status: Int

    init(_ call: Call, status: Int) {
        at = call.now
        function = call.route.name
        self.status = status
        principal = call.principal.effective.id
        proxiedBy = call.principal.proxy
        // Of a call on a carenet the real server does not note the record.
        record = call.captures["record"] == nil ? "" : call.target.record?.id ?? ""
        carenet = call.target.carenet?.id ?? ""
        app = call.target.app?.internalId ?? ""
        // Of two documents that are related the real server notes neither.
        document = call.route.name == "document_rels" ? "" : call["document"]
        externalId = call["external"]
        message = call["message"]
        path = call.request.path ?? call.request.rawPath
        method = call.request.method
        address = call.request.peer
    }
}
