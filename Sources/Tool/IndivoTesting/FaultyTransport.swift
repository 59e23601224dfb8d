import Foundation
import HTTPTypes
import Indivo
import Synchronization

/// Sends requests with another transport and applies faults of a network to them.
///
/// ```swift
/// // The first request goes well, the answer of the second is lost, all further ones go well.
/// let transport = FaultyTransport(.system, faults: [nil, .loseResponse])
/// ```
public final class FaultyTransport: HTTPTransport {
    /// A thing that goes wrong.
    public enum Fault: Sendable {
        /// The request never leaves: the server has not seen it, and the error says so.
        case loseRequest
        /// The request reaches the server, its answer gets lost.
        case loseResponse
        /// The request waits until the hook returns, or fails as the hook throws. No clock is involved.
        case delay(until: @Sendable () async throws -> Void)
        /// The request reaches the server, the response's body ends after so many bytes. A server that ends
        /// its response by closing the connection leaves no way to notice.
        case cutBody(afterBytes: Int)
        /// The request reaches the server, but the response has this status (100 to 999) and an empty body.
        case status(Int)
        /// The connection is reset while the request goes out: the server has not acted, but nobody can know
        /// that.
        case reset
        /// The request reaches the server, the response's body comes under another content type.
        case contentType(String)
    }

    private let inner: any HTTPTransport
    private let fault: @Sendable (HTTPRequest, Int) -> Fault?
    private let count = Atomic(0)

    /// Faults by the order of the requests: the first for the first, nil for none; none when they are used
    /// up.
    public convenience init(_ inner: any HTTPTransport, faults: [Fault?]) {
        self.init(inner) { _, index in faults.indices.contains(index) ? faults[index] : nil }
    }

    /// Faults as `fault` decides, from the request and the number of requests before it.
    public init(_ inner: any HTTPTransport, fault: @escaping @Sendable (HTTPRequest, Int) -> Fault?) {
        self.inner = inner
        self.fault = fault
    }

    /// How many requests were made, lost ones included.
    public var requestCount: Int { count.load(ordering: .relaxed) }

    public func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        let index = count.wrappingAdd(1, ordering: .relaxed).oldValue
        func lost(_ kind: HTTPTransportError.Kind, sent: Bool) -> HTTPTransportError {
            HTTPTransportError(
                kind: kind,
                server: request.authority ?? "",
                mayHaveReachedServer: sent,
                detail: "injected fault"
            )
        }
        let fault = fault(request, index)
        switch fault {
        case .loseRequest: throw lost(.cannotConnect, sent: false)
        case .reset: throw lost(.responseLost, sent: true)
        case .delay(let hook): try await hook()
        default: break
        }
        var answer = try await inner.send(request, body: body)
        switch fault {
        case .loseResponse: throw lost(.responseLost, sent: true)
        case .cutBody(let length): answer.body = Data(answer.body.prefix(max(0, length)))
        case .status(let code):
            answer = HTTPAnswer(response: HTTPResponse(status: HTTPResponse.Status(code: code)))
        case .contentType(let type): answer.response.headerFields[.contentType] = type
        default: break
        }
        return answer
    }
}
