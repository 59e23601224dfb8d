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
    var writes = true
    /// What must be done before, and cannot be inside a transaction: a check of who logs in.
    var prepare: Preparation?
    let handler: Handler

    static func get(
        _ name: String, _ path: PathTemplate, _ rule: AccessRule, writes: Bool = false, _ handler: @escaping Handler
    ) -> Route {
        Route(name: name, methods: ["GET"], path: path, rule: rule, writes: writes, handler: handler)
    }

    static func put(_ name: String, _ path: PathTemplate, _ rule: AccessRule, _ handler: @escaping Handler) -> Route {
        Route(name: name, methods: ["PUT"], path: path, rule: rule, handler: handler)
    }

    static func post(
        _ name: String, _ path: PathTemplate, _ rule: AccessRule, prepare: Preparation? = nil, _ handler: @escaping Handler
    ) -> Route {
        Route(name: name, methods: ["POST"], path: path, rule: rule, prepare: prepare, handler: handler)
    }

    static func delete(_ name: String, _ path: PathTemplate, _ rule: AccessRule, _ handler: @escaping Handler) -> Route {
        Route(name: name, methods: ["DELETE"], path: path, rule: rule, handler: handler)
    }

    /// A call that handles PUT and POST alike.
    static func putOrPost(_ name: String, _ path: PathTemplate, _ rule: AccessRule, _ handler: @escaping Handler) -> Route {
        Route(name: name, methods: ["PUT", "POST"], path: path, rule: rule, handler: handler)
    }
}
