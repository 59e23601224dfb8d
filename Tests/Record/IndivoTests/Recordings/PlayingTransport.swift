import Foundation
import HTTPTypes
import Indivo
import IndivoBase
import IndivoModel
import Synchronization
import TestSupport

/// Answers one recorded request as it was answered, and notes what else is asked.
final class PlayingTransport: HTTPTransport {
    private struct State {
        var sent: [(request: HTTPRequest, body: Data?)] = []
        var strange: [String] = []
    }

    private let exchange: ServerExchange
    /// Calls that may follow the recorded one, and the status of their answers.
    private let following: [String: Int]
    private let state = Mutex(State())

    init(_ exchange: ServerExchange, following: [String: Int] = [:]) {
        self.exchange = exchange
        self.following = following
    }

    /// The recorded request, as it was sent this time.
    var sent: [(request: HTTPRequest, body: Data?)] { state.withLock { $0.sent } }
    /// Requests that the recording does not have here.
    var strange: [String] { state.withLock { $0.strange } }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        let path = String((request.path ?? "").prefix { $0 != "?" })
        let recorded = String(exchange.path.prefix { $0 != "?" })
        if request.method.rawValue == exchange.method,
            path == recorded || path.removingPercentEncoding == recorded.removingPercentEncoding
        {
            state.withLock { $0.sent.append((request, body)) }
            return answer(to: body)
        }
        if let call = IndivoCall.matching(request.method, path), let status = following[call.name] {
            return HTTPAnswer(response: HTTPResponse(status: .init(code: status)), body: Data("<ok/>".utf8))
        }
        state.withLock { $0.strange.append("\(request.method) \(request.path ?? "")") }
        return HTTPAnswer(response: HTTPResponse(status: .notFound))
    }

    private func answer(to body: Data?) -> HTTPAnswer {
        var response = HTTPResponse(status: .init(code: exchange.status))
        response.headerFields[.contentType] = exchange.contentType
        let answered = answered(body)
        // Recorded bodies are whole.
        response.headerFields[.contentLength] = String(answered.count)
        return HTTPAnswer(response: response, body: answered)
    }

    /// What was answered. Where other bytes are sent than were recorded, as when a document is written anew,
    /// the server would tell their digest and size.
    private func answered(_ body: Data?) -> Data {
        guard let body, let call = exchange.indivoCall, call.call.response == .metadata,
            exchange.status == 200, body != exchange.requestBody,
            let element = try? FileContent(exchange.responseBody, contentType: "application/xml").xml()
        else { return exchange.responseBody }
        if let digest = element.attr("digest"), let hash = DocumentDigest(matchingFormOf: digest) {
            element.attr("digest", hash.hex(of: body))
        }
        element.attr("size", String(body.count))
        return (try? element.data()) ?? exchange.responseBody
    }
}
