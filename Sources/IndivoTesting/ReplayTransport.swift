import Foundation
import HTTPTypes
import Indivo
import Synchronization

/// Answers requests from a recording, without a network.
///
/// ```swift
/// let transport = ReplayTransport(try Recording(contentsOf: file), order: .asRecorded)
/// let server = IndivoServer(api: api, ui: ui, app: app, transport: transport)
/// // … what is to be tested …
/// #expect(transport.remaining.isEmpty)
/// ```
///
/// A request is found by its method and its path with the query; host, headers and body may differ.
public final class ReplayTransport: HTTPTransport {
    /// Which requests may come when.
    public enum Order: Sendable {
        /// Each request must be the next of the recording, and comes once.
        case asRecorded
        /// Requests come in any order. The same request gets its recorded answers one after the other, and when there
        /// are no more, the last one again.
        case any
    }

    private let exchanges: [RecordedExchange]
    private let order: Order
    private let used: Mutex<Set<Int>>

    public init(_ recording: Recording, order: Order = .any) {
        exchanges = recording.exchanges
        self.order = order
        used = Mutex([])
    }

    /// The exchanges that nobody asked for yet.
    public var remaining: [RecordedExchange] {
        let used = used.withLock { $0 }
        return exchanges.indices.filter { !used.contains($0) }.map { exchanges[$0] }
    }

    /// Gives the recorded answer, or throws the recorded failure.
    ///
    /// - Throws: ``UnrecordedRequestError`` when the recording has no answer to this request.
    public func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        try Task.checkCancellation()
        let requestLine = "\(request.method.rawValue) \(request.path ?? "")"
        switch try exchange(for: requestLine).outcome {
        case .answer(let answer): return answer
        case .failure(let error): throw error
        }
    }

    private func exchange(for requestLine: String) throws -> RecordedExchange {
        let index = used.withLock { used -> Int? in
            let found: Int?
            switch order {
            case .asRecorded:
                let next = exchanges.indices.first { !used.contains($0) }
                found = next.flatMap { exchanges[$0].requestLine == requestLine ? $0 : nil }
            case .any:
                let matching = exchanges.indices.filter { exchanges[$0].requestLine == requestLine }
                found = matching.first { !used.contains($0) } ?? matching.last
            }
            if let found { used.insert(found) }
            return found
        }
        if let index { return exchanges[index] }
        let expected: UnrecordedRequestError.Expected =
            switch order {
            case .any: .anyRecorded
            case .asRecorded: remaining.first.map { .next($0.requestLine) } ?? .none
            }
        throw UnrecordedRequestError(
            request: requestLine, expected: expected, among: exchanges.map(\.requestLine))
    }
}
