struct Route: Sendable {
    typealias Handler = @Sendable (Call) throws -> Response
    typealias Preparation = @Sendable (Request, ServerContext) async throws -> AccountRow?

    let name: String
    /// The methods it serves; empty for any.
    let methods: [String]
    private(set) var path: String
    let rule: AccessRule
    /// Whether it changes anything, and so runs in a transaction that writes.
    let writes: Bool
    /// What must be done before, and cannot be inside a transaction: a check of who logs in.
    let prepare: Preparation?
    let handler: Handler

    init(
        _ methods: [String],
        _ name: String,
        _ path: String,
        _ rule: AccessRule,
        writes: Bool = true,
        prepare: Preparation? = nil,
        _ handler: @escaping Handler
    ) {
        self.name = name
        self.methods = methods
        self.path = path
        self.rule = rule
        self.writes = writes
        self.prepare = prepare
        self.handler = handler
    }

    static func get(_ name: String, _ path: String, _ rule: AccessRule, _ handler: @escaping Handler) -> Route
    {
        Route(["GET"], name, path, rule, writes: false, handler)
    }

    static func put(_ name: String, _ path: String, _ rule: AccessRule, _ handler: @escaping Handler) -> Route
    {
        Route(["PUT"], name, path, rule, handler)
    }

    static func post(_ name: String, _ path: String, _ rule: AccessRule, _ handler: @escaping Handler)
        -> Route
    {
        Route(["POST"], name, path, rule, handler)
    }

    static func delete(_ name: String, _ path: String, _ rule: AccessRule, _ handler: @escaping Handler)
        -> Route
    {
        Route(["DELETE"], name, path, rule, handler)
    }

    /// Calls with the path that they have in common before their own.
    static func below(_ base: String, _ routes: [Route]) -> [Route] {
        routes.map { route in
            var route = route
            route.path = base + route.path
            return route
        }
    }
}
