import Foundation
import HTTPTypes
import Indivo

/// A request and what came of it: one line of a recording.
///
/// A recording is a file of JSON objects, one a line, with these keys; those of a line that say nothing are left out:
///
/// | key | meaning |
/// |---|---|
/// | `name`, `seq` | unique name; place in the order of time |
/// | `call`, `note` | the server's name for the call; why this exchange is here |
/// | `method`, `path`, `host`, `scheme` | the request as sent, `path` with the query |
/// | `request_headers`, `response_headers` | lists of `[name, value]` |
/// | `request_body`, `response_body` | text, or in base64 with `_b64` added to the key |
/// | `status`, `reason` | the answer's status line |
/// | `failure`, `failure_detail`, `may_have_reached_server` | when there was no answer: ``Indivo/HTTPTransportError`` |
public struct RecordedExchange: Sendable, Hashable {
    public var name: String
    public var seq: Int
    public var call: String?
    public var note: String?
    public var method: String
    public var scheme: String?
    public var host: String
    public var path: String
    public var requestHeaders: [HTTPField]
    public var requestBody: Data?
    /// What came of the request.
    public var outcome: Outcome

    /// What came of a request.
    public enum Outcome: Sendable, Hashable {
        case answer(HTTPAnswer)
        case failure(HTTPTransportError)
    }

    /// An exchange as it happened.
    public init(
        name: String, seq: Int, request: HTTPRequest, requestBody: Data?, outcome: Outcome, call: String? = nil,
        note: String? = nil
    ) {
        self.name = name
        self.seq = seq
        self.call = call
        self.note = note
        method = request.method.rawValue
        scheme = request.scheme
        host = request.authority ?? ""
        path = request.path ?? ""
        requestHeaders = Array(request.headerFields)
        self.requestBody = requestBody
        self.outcome = outcome
    }

    /// What a request is found by: its method and its path with the query.
    var requestLine: String { "\(method) \(path)" }
}
