import Foundation
import HTTPTypes
import Indivo
import Synchronization

/// Sends requests on and remembers them.
final class WatchingTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let seen = Mutex<[HTTPRequest]>([])

    init(_ inner: any HTTPTransport = .system) { self.inner = inner }

    /// The requests so far.
    var requests: [HTTPRequest] { seen.withLock { $0 } }

    /// The calls they made, by name.
    var calls: [String] { requests.compactMap { IndivoCall.matching($0.method, $0.path ?? "")?.name } }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        seen.withLock { $0.append(request) }
        return try await inner.send(request, body: body)
    }
}
