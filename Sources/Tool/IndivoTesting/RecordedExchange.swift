import Foundation
import HTTPTypes
import Indivo
import OAuth1

/// A request and what came of it: one entry of a ``Recording``.
public struct RecordedExchange: Sendable, Hashable, CustomStringConvertible {
    /// A name of its own within the recording.
    public var name: String
    /// The position in the order of time.
    public var seq: Int
    /// The server's name for the call.
    public var call: String?
    /// Why this exchange is here.
    public var note: String?
    /// `GET`, `POST`, …
    public var method: String
    /// `http` or `https`, where it is known.
    public var scheme: String?
    /// The `Host` header.
    public var host: String
    /// The request's target as it was sent: path and query.
    public var path: String
    /// The request's header fields.
    public var requestHeaders: [HTTPField]
    /// The request's body; nil for none.
    public var requestBody: Data?
    /// What came of the request.
    public var outcome: Outcome
    /// When the request was sent.
    public var startedAt: Date?
    /// How long the response took, in milliseconds.
    public var milliseconds: Double?

    /// What came of a request.
    public enum Outcome: Sendable, Hashable {
        /// The server responded.
        case answer(HTTPAnswer)
        /// No response came.
        case failure(HTTPTransportError)

        func get() throws -> HTTPAnswer {
            switch self {
            case .answer(let answer): answer
            case .failure(let error): throw error
            }
        }
    }

    /// An exchange as it happened.
    public init(
        name: String,
        seq: Int,
        request: HTTPRequest,
        requestBody: Data?,
        outcome: Outcome,
        call: String? = nil,
        note: String? = nil
    ) {
        self.name = name
        self.seq = seq
        self.call = call
        self.note = note
        self.requestBody = requestBody
        self.outcome = outcome
        method = request.method.rawValue
        scheme = request.scheme
        host = request.authority ?? ""
        path = request.path ?? ""
        requestHeaders = Array(request.headerFields)
    }

    /// The position, the request's method and target, and what came of it.
    public var description: String {
        switch outcome {
        case .answer(let answer): "\(seq) \(requestLine) → \(answer.status)"
        case .failure(let error): "\(seq) \(requestLine) → \(error.kind.rawValue)"
        }
    }

    /// Method and target, as an error names it.
    var requestLine: String { "\(method) \(path)" }

    /// The parameters of the query, decoded.
    var query: FormParameters {
        path.firstIndex(of: "?").map { FormParameters(decoding: String(path[path.index(after: $0)...])) }
            ?? [:]
    }

    /// The type of the request's body.
    var contentType: String? { requestHeaders.first { $0.name == .contentType }?.value }
}
