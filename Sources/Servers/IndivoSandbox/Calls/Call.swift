import GRDB
import OAuth1

/// A call being made, in the transaction in which it runs: when the handler throws, whatever it wrote is
/// undone.
struct Call {
    let request: Request
    let route: Route
    /// What the braces of the route's path hold, decoded.
    let captures: [String: String]
    let authorization: OAuthAuthorization?
    let target: Target
    let db: Database
    let server: ServerContext
    let now: Timestamp
    /// The account that the route's preparation found.
    var prepared: AccountRow?

    var principal: Principal { target.credentials?.principal ?? .nobody }

    /// What a capture of the URL holds, "" when the path has none of that name.
    subscript(name: String) -> String { captures[name] ?? "" }

    // What the URL names was looked up before the call began; a route that asks for what its path does not
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
        try require(db.changesCount > 0, .notFound)
        return .ok
    }

    /// The rows that the ids in a URL name, and who its Authorization header claims to be.
    struct Target: Sendable {
        var record: RecordRow?
        var app: AppRow?
        var account: AccountRow?
        var carenet: CarenetRow?
        var requestToken: RequestTokenRow?
        var credentials: Credentials?

        /// Finds every id that the captures hold; an unknown one is refused as not found, whoever asks.
        init(
            _ captures: [String: String],
            _ authorization: OAuthAuthorization?,
            at now: Timestamp,
            in db: Database
        ) throws {
            if let id = captures["record"] { record = try RecordRow.find(id, in: db).orNotFound() }
            if let id = captures["app"] { app = try AppRow.find(id, in: db).orNotFound() }
            if let id = captures["account"] { account = try AccountRow.find(id, in: db).orNotFound() }
            if let id = captures["carenet"] {
                let carenet = try CarenetRow.find(id, in: db).orNotFound()
                let owner = try RecordRow.find(carenet.record, in: db).orNotFound()
                try require(record == nil || record?.id == owner.id, .notFound)
                self.carenet = carenet
                record = owner
            }
            if let token = captures["requestToken"] {
                requestToken = try RequestTokenRow.find(token, in: db).orNotFound()
            }
            credentials = try authorization.map { try Credentials($0, at: now, in: db) }
        }
    }
}
