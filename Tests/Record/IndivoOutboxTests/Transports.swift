import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import Synchronization

/// Sends every request twice, and gives one of the answers back.
struct DoublingTransport: HTTPTransport {
    /// Which answer: 0 or 1.
    let answer: Int

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        let inner: any HTTPTransport = .system
        let first = try await inner.send(request, body: body)
        let second = try await inner.send(request, body: body)
        return answer == 0 ? first : second
    }
}

/// Holds the first sending of each request of a call back, as a network may that delivers it long after
/// everybody gave it up, and lets the further ones through.
final class LateTransport: HTTPTransport {
    private let call: String
    private let requests = Mutex<[(request: HTTPRequest, body: Data?)]>([])

    init(call: String) { self.call = call }

    var held: Int { requests.withLock { $0.count } }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        let holds = requests.withLock { requests in
            guard request.path?.hasSuffix(call) == true,
                !requests.contains(where: { $0.request.headerFields == request.headerFields })
            else { return false }
            requests.append((request, body))
            return true
        }
        if holds {
            throw HTTPTransportError(
                kind: .timedOut,
                server: "",
                mayHaveReachedServer: true,
                detail: "held back"
            )
        }
        return try await HTTPTransportOfSystem.send(request, body)
    }

    /// Delivers what was held back.
    /// - Returns: The statuses of the answers.
    func release() async throws -> [Int] {
        var statuses: [Int] = []
        for (request, body) in requests.withLock({ $0 }) {
            statuses.append(try await HTTPTransportOfSystem.send(request, body).response.status.code)
        }
        return statuses
    }
}

private enum HTTPTransportOfSystem {
    static func send(_ request: HTTPRequest, _ body: Data?) async throws -> HTTPAnswer {
        let transport: any HTTPTransport = .system
        return try await transport.send(request, body: body)
    }
}

/// A server that fails on every document, or on other requests, before it does anything, and is well
/// otherwise.
struct FailingTransport: HTTPTransport {
    var fails: @Sendable (HTTPRequest) -> Bool = { $0.method == .put }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        guard !fails(request) else { return HTTPAnswer(response: HTTPResponse(status: .internalServerError)) }
        return try await HTTPTransportOfSystem.send(request, body)
    }
}

/// Answers everything itself, as the network of a hotel does.
struct PortalTransport: HTTPTransport {
    let status: Int

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        var response = HTTPResponse(status: HTTPResponse.Status(code: status))
        response.headerFields[.contentType] = "text/html"
        return HTTPAnswer(
            response: response,
            body: Data("<html><body>Welcome to our hotel</body></html>".utf8)
        )
    }
}

/// Something that happened, for closures that are called at once.
final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
}
