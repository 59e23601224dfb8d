/// One call of the API: its name, how it is addressed, who may make it, and what it does.
struct Route: Sendable {
    typealias Handler = @Sendable (Call) throws -> Response

    /// The server's name of the call.
    let name: String
    /// The methods it serves; empty for any.
    let methods: [String]
    let path: PathTemplate
    let rule: AccessRule
    /// Whether it changes anything, and so runs in a transaction that writes.
    let writes: Bool
    let handler: Handler
    /// What must be done before, and cannot be inside a transaction: a check of who logs in.
    var prepare: Preparation?

    typealias Preparation = @Sendable (Request, ServerContext) async throws -> AccountRow?

    init(
        _ name: String, _ methods: [String], _ path: PathTemplate, _ rule: AccessRule, writes: Bool,
        _ handler: @escaping Handler
    ) {
        self.name = name
        self.methods = methods
        self.path = path
        self.rule = rule
        self.writes = writes
        self.handler = handler
    }

    static func get(
        _ name: String, _ path: PathTemplate, _ rule: AccessRule, writes: Bool = false, _ handler: @escaping Handler
    ) -> Route {
        Route(name, ["GET"], path, rule, writes: writes, handler)
    }

    static func put(
        _ name: String, _ path: PathTemplate, _ rule: AccessRule, _ handler: @escaping Handler
    ) -> Route {
        Route(name, ["PUT"], path, rule, writes: true, handler)
    }

    static func post(
        _ name: String, _ path: PathTemplate, _ rule: AccessRule, _ handler: @escaping Handler
    ) -> Route {
        Route(name, ["POST"], path, rule, writes: true, handler)
    }

    static func delete(
        _ name: String, _ path: PathTemplate, _ rule: AccessRule, _ handler: @escaping Handler
    ) -> Route {
        Route(name, ["DELETE"], path, rule, writes: true, handler)
    }

    /// A call that handles PUT and POST alike.
    static func putOrPost(
        _ name: String, _ path: PathTemplate, _ rule: AccessRule, _ handler: @escaping Handler
    ) -> Route {
        Route(name, ["PUT", "POST"], path, rule, writes: true, handler)
    }
}
