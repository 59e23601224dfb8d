/// One call of the API: its name, how it is addressed, who may make it, and what it does.
struct Route: Sendable {
    typealias Handler = @Sendable (Call) throws -> Response
    typealias Preparation = @Sendable (Request, ServerContext) async throws -> AccountRow?

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

    init(
        _ name: String, _ methods: [String], _ path: PathTemplate, _ rule: AccessRule, writes: Bool = true,
        _ handler: @escaping Handler
    ) {
        (self.name, self.methods, self.path, self.rule) = (name, methods, path, rule)
        (self.writes, self.handler) = (writes, handler)
    }

    static func get(
        _ name: String, _ path: PathTemplate, _ rule: AccessRule, writes: Bool = false, _ handler: @escaping Handler
    ) -> Route {
        Route(name, ["GET"], path, rule, writes: writes, handler)
    }

    static func put(_ name: String, _ path: PathTemplate, _ rule: AccessRule, _ handler: @escaping Handler) -> Route {
        Route(name, ["PUT"], path, rule, handler)
    }

    static func post(_ name: String, _ path: PathTemplate, _ rule: AccessRule, _ handler: @escaping Handler) -> Route {
        Route(name, ["POST"], path, rule, handler)
    }

    static func delete(_ name: String, _ path: PathTemplate, _ rule: AccessRule, _ handler: @escaping Handler) -> Route {
        Route(name, ["DELETE"], path, rule, handler)
    }

    /// A call that handles PUT and POST alike.
    static func putOrPost(_ name: String, _ path: PathTemplate, _ rule: AccessRule, _ handler: @escaping Handler) -> Route {
        Route(name, ["PUT", "POST"], path, rule, handler)
    }
}
