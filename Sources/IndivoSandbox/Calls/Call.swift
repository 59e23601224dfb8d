import GRDB

/// A call being made: the request, who makes it, what its URL names, and the transaction in which it runs.
///
/// When the handler throws, whatever it wrote is undone.
struct Call {
    let request: Request
    let route: Route
    /// What the braces of the route's path hold, decoded.
    let captures: [String: String]
    let target: Target
    let principal: Principal
    let db: Database
    let server: ServerContext
    let now: Timestamp
    /// The OAuth parameters of the Authorization header, "" for none.
    let callback: String?
    let verifier: String?
    /// The account that the route's preparation found.
    var prepared: AccountRow?

    /// What a capture of the URL holds, "" when the path has none of that name.
    subscript(name: String) -> String { captures[name] ?? "" }

    // The rows that the URL names were looked up before the call began; a route that asks for one its path does not
    // have is answered 404.
    var record: RecordRow { get throws { try target.record.orNotFound() } }
    var app: AppRow { get throws { try target.app.orNotFound() } }
    var account: AccountRow { get throws { try target.account.orNotFound() } }
    var carenet: CarenetRow { get throws { try target.carenet.orNotFound() } }
    var requestToken: RequestTokenRow { get throws { try target.requestToken.orNotFound() } }

    /// Runs a statement and acknowledges the call.
    func execute(_ sql: String, _ arguments: StatementArguments) throws -> Response {
        try db.execute(sql: sql, arguments: arguments)
        return .ok
    }

    /// The same, where nothing that fits is not found.
    func delete(_ condition: String, _ arguments: StatementArguments) throws -> Response {
        try db.execute(sql: "DELETE FROM \(condition)", arguments: arguments)
        guard db.changesCount > 0 else { throw Refusal.notFound }
        return .ok
    }

    /// The rows that the ids in a URL name.
    struct Target: Sendable {
        var record: RecordRow?
        var app: AppRow?
        var account: AccountRow?
        var carenet: CarenetRow?
        var requestToken: RequestTokenRow?

        /// Finds every id that the captures hold.
        /// - Throws: ``Refusal/notFound`` for an unknown one, whoever asks.
        init(_ captures: [String: String], in db: Database) throws {
            if let id = captures["record"] { record = try RecordRow.find(id, in: db).orNotFound() }
            if let id = captures["app"] { app = try AppRow.find(id, in: db).orNotFound() }
            if let id = captures["account"] { account = try AccountRow.find(id, in: db).orNotFound() }
            if let id = captures["carenet"] {
                let carenet = try CarenetRow.find(id, in: db).orNotFound()
                let owner = try RecordRow.find(carenet.record, in: db).orNotFound()
                if let record, record.id != owner.id { throw Refusal.notFound }
                self.carenet = carenet
                record = owner
            }
            if let token = captures["requestToken"] {
                requestToken = try RequestTokenRow.find(token, in: db).orNotFound()
            }
        }
    }
}

extension Optional {
    func orNotFound() throws -> Wrapped {
        guard let self else { throw Refusal.notFound }
        return self
    }
}
