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
    var function, principal, proxiedBy, record, carenet, app, document, externalId, message, path, method, address: String
    var status: Int

    init(_ call: Call, status: Int) {
        (at, function, self.status) = (call.now, call.route.name, status)
        (principal, proxiedBy) = (call.principal.effective.id, call.principal.proxy)
        (record, carenet) = (call.target.record?.id ?? "", call.target.carenet?.id ?? "")
        app = call.target.app?.internalId ?? ""
        (document, externalId, message) = (call["document"], call["external"], call["message"])
        path = call.request.path ?? call.request.rawPath
        (method, address) = (call.request.method, call.request.peer)
    }
}
