/// The endpoints of a server by path and method. Whether a slash at a path's end counts is decided by who
/// splits the path.
package struct RouteTable<Endpoint: Sendable>: Sendable {
    /// An endpoint with its address.
    package struct Route: Sendable {
        package let method: String
        /// Literal segments, and captures in braces: `/patients/{id}`.
        package let path: String
        package let endpoint: Endpoint

        package static func get(_ path: String, _ endpoint: Endpoint) -> Route {
            Route(method: "GET", path: path, endpoint: endpoint)
        }

        package static func post(_ path: String, _ endpoint: Endpoint) -> Route {
            Route(method: "POST", path: path, endpoint: endpoint)
        }

        package static func put(_ path: String, _ endpoint: Endpoint) -> Route {
            Route(method: "PUT", path: path, endpoint: endpoint)
        }

        package static func patch(_ path: String, _ endpoint: Endpoint) -> Route {
            Route(method: "PATCH", path: path, endpoint: endpoint)
        }

        package static func delete(_ path: String, _ endpoint: Endpoint) -> Route {
            Route(method: "DELETE", path: path, endpoint: endpoint)
        }
    }

    /// What is at an address.
    package enum Match: Sendable {
        case found(Endpoint, captures: [String: String])
        /// The path has other methods: the value of `Allow`.
        case otherMethod(allowed: String, captures: [String: String])
        case nothing
    }

    private let tree: RouteTree<Route>

    package init(_ routes: [Route]) {
        tree = routes.reduce(into: RouteTree()) { $0.insert($1, at: $1.path) }
    }

    /// Finds the endpoint of a request. HEAD is GET: the listener leaves the body out.
    package func match(_ method: String, _ segments: [String]) -> Match {
        guard let (routes, captures) = tree.match(segments) else { return .nothing }
        let method = method == "HEAD" ? "GET" : method
        if let route = routes.first(where: { $0.method == method }) {
            return .found(route.endpoint, captures: captures)
        }
        let methods = routes.flatMap { $0.method == "GET" ? ["GET", "HEAD"] : [$0.method] }
        return .otherMethod(allowed: methods.joined(separator: ", "), captures: captures)
    }
}
