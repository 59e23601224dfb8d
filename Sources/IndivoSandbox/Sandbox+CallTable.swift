extension Sandbox {
    /// One call of the API, as the sandbox knows it.
    package struct CallDescription: Sendable {
        /// The server's name of the call.
        package var name: String
        /// The methods it serves; empty for any.
        package var methods: [String]
        /// Its path, with what the URL names in braces.
        package var path: String
    }

    /// Every call that the sandbox serves.
    package static var callTable: [CallDescription] {
        APIServer.allRoutes.map { CallDescription(name: $0.name, methods: $0.methods, path: $0.path.description) }
    }
}
