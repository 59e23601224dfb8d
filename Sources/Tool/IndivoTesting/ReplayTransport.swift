import Foundation
import HTTPTypes
import Indivo
import Synchronization

/// Responds to requests from a recording, without a network.
///
/// ```swift
/// let transport = ReplayTransport(try Recording(contentsOf: file), order: .asRecorded)
/// let server = IndivoServer(api: api, ui: ui, app: app, transport: transport)
/// // … what is to be tested …
/// #expect(transport.remaining.isEmpty)
/// ```
///
/// A request is found by method, path, query and body, unless less is asked for (``ReplayMatching``).
public final class ReplayTransport: HTTPTransport {
    /// Which requests may come when.
    public enum Order: Sendable {
        /// Strictly: each request must be the next of the recording, and comes once.
        case asRecorded
        /// Requests come in any order. The same request gets its recorded responses one after the other, and
        /// when there are no more, the last one again.
        case any
        /// The first request gets the first response, the second the second, whatever they ask.
        case inTurn
    }

    private let exchanges: [RecordedExchange]
    private let keys: [RequestKey]
    private let order: Order
    private let matching: ReplayMatching
    private let used: Mutex<Set<Int>>

    /// Plays a recording.
    public init(_ recording: Recording, order: Order = .any, matching: ReplayMatching = .all) {
        exchanges = recording.exchanges
        keys = recording.exchanges.map(RequestKey.init)
        self.order = order
        self.matching = matching
        used = Mutex([])
    }

    /// The exchanges that nobody asked for yet.
    public var remaining: [RecordedExchange] {
        used.withLock { used in exchanges.indices.filter { !used.contains($0) }.map { exchanges[$0] } }
    }

    /// Gives the recorded response, or throws the recorded failure.
    /// - Throws: ``UnrecordedRequestError`` when the recording has no response to this request.
    public func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        try Task.checkCancellation()
        let asked = RecordedExchange(
            name: "",
            seq: 0,
            request: request,
            requestBody: body,
            outcome: .answer(HTTPAnswer(response: HTTPResponse(status: .ok)))
        )
        let key = RequestKey(asked)
        let index = used.withLock { used -> Int? in
            let next = exchanges.indices.first { !used.contains($0) }
            let found: Int?
            switch order {
            case .inTurn: found = next
            case .asRecorded: found = next.flatMap { matching.matches(key, keys[$0]) ? $0 : nil }
            case .any:
                let fitting = exchanges.indices.filter { matching.matches(key, keys[$0]) }
                found = fitting.first { !used.contains($0) } ?? fitting.last
            }
            if let found { used.insert(found) }
            return found
        }
        if let index { return try exchanges[index].outcome.get() }
        let next: UnrecordedRequestError.Expected = remaining.first.map { .next($0.requestLine) } ?? .none
        throw UnrecordedRequestError(
            request: asked.requestLine,
            expected: order == .any ? .anyRecorded : next,
            isBodyOther: keys.contains { matching.subtracting(.body).matches(key, $0) },
            among: exchanges.map(\.requestLine)
        )
    }
}
