import Foundation
import HTTPTypes
import Indivo
import Synchronization

/// Answers at once: 200 and the request line as the body, unless told otherwise.
final class EchoTransport: HTTPTransport {
    private let answer: @Sendable (HTTPRequest) throws -> HTTPAnswer
    private let requests = Mutex<[HTTPRequest]>([])

    init(_ answer: @escaping @Sendable (HTTPRequest) throws -> HTTPAnswer = EchoTransport.echo) {
        self.answer = answer
    }

    /// All requests that arrived.
    var received: [HTTPRequest] { requests.withLock { $0 } }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        requests.withLock { $0.append(request) }
        return try answer(request)
    }

    static func echo(_ request: HTTPRequest) -> HTTPAnswer {
        var response = HTTPResponse(status: .ok)
        response.headerFields[.contentType] = "text/plain"
        return HTTPAnswer(
            response: response,
            body: Data("\(request.method.rawValue) \(request.path ?? "")".utf8)
        )
    }
}

extension HTTPRequest {
    /// A request to a server that nobody contacts.
    static func example(_ path: String, method: Method = .get) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "indivo.example.org", path: path)
    }
}

extension HTTPAnswer {
    var text: String { String(decoding: body, as: UTF8.self) }
}
