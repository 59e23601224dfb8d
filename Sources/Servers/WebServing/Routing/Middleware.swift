/// A step between a listener and the routes of a server.
package struct Middleware: Sendable {
    package typealias Handler = HTTPListener.Handler

    private let respond: @Sendable (Request, Handler) async -> Response

    /// - Parameter respond: Responds itself, or lets a request through to the next step.
    package init(_ respond: @escaping @Sendable (_ request: Request, _ next: Handler) async -> Response) {
        self.respond = respond
    }

    /// Lets a request through unless the check returns a refusal.
    package static func checking(_ refusal: @escaping @Sendable (Request) -> Response?) -> Middleware {
        Middleware { request, next in
            if let refusal = refusal(request) { return refusal }
            return await next(request)
        }
    }

    /// Lets requests for a host through, or, where it is nil, for an address or `localhost`: a page elsewhere
    /// whose name was made to lead here (DNS rebinding) sends its own name.
    package static func host(_ name: String?, refusal: Response) -> Middleware {
        .checking { $0.isFor(host: name) ? nil : refusal }
    }

    /// The handler behind these steps, of which the first is the outermost.
    package static func handler(_ steps: [Middleware], _ last: @escaping Handler) -> Handler {
        steps.reversed().reduce(last) { next, step in { await step.respond($0, next) } }
    }
}
