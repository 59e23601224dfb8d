#if !canImport(CLibCurl)
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import HTTPTypes
import Synchronization

/// Takes what URLSession brings in, and resumes each waiting call once.
final class URLSessionReceiver: NSObject, URLSessionDataDelegate {
    typealias Continuation = CheckedContinuation<HTTPAnswer, any Error>

    /// Why a task is ended before its response is complete.
    enum End {
        case cancelled
        case timedOut
        case tooLarge
    }

    private struct Transfer {
        var server: String
        var limits: HTTPLimits
        var continuation: Continuation
        var body = Data()
        var end: End?
    }

    private struct State {
        var transfers: [Int: Transfer] = [:]
        /// Ends that came before their start.
        var early: [Int: End] = [:]
    }

    private let state = Mutex(State())

    func start(_ task: URLSessionTask, server: String, limits: HTTPLimits, _ continuation: Continuation) {
        state.withLock { state in
            state.transfers[task.taskIdentifier] = Transfer(
                server: server, limits: limits, continuation: continuation,
                end: state.early.removeValue(forKey: task.taskIdentifier))
        }
        task.resume()
        if state.withLock({ $0.transfers[task.taskIdentifier]?.end }) != nil { task.cancel() }
    }

    func end(_ task: URLSessionTask, as end: End) {
        state.withLock { state in
            if state.transfers[task.taskIdentifier] == nil {
                if task.state == .suspended { state.early[task.taskIdentifier] = end }
            } else if state.transfers[task.taskIdentifier]?.end == nil {
                state.transfers[task.taskIdentifier]?.end = end
            }
        }
        task.cancel()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = state.withLock { state in
            guard var transfer = state.transfers.removeValue(forKey: dataTask.taskIdentifier) else { return false }
            let fits = transfer.body.count + data.count <= transfer.limits.maximumResponseBytes
            if fits { transfer.body.append(data) }
            state.transfers[dataTask.taskIdentifier] = transfer
            return !fits
        }
        if isTooLarge { end(dataTask, as: .tooLarge) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let transfer = state.withLock { $0.transfers.removeValue(forKey: task.taskIdentifier) }
        guard let transfer else { return }
        transfer.continuation.resume(with: Self.result(transfer, response: task.response, error: error))
    }

    private static func result(_ transfer: Transfer, response: URLResponse?, error: (any Error)?) -> Result<HTTPAnswer, any Error> {
        func failure(_ kind: HTTPTransportError.Kind, sent: Bool = true, _ detail: String? = nil) -> Result<HTTPAnswer, any Error> {
            .failure(HTTPTransportError(kind: kind, server: transfer.server, mayHaveReachedServer: sent, detail: detail))
        }
        switch transfer.end {
        case .cancelled: return .failure(CancellationError())
        case .timedOut: return failure(.timedOut)
        case .tooLarge: return failure(.responseTooLarge, "more than \(transfer.limits.maximumResponseBytes) bytes")
        case nil: break
        }
        guard let error else {
            guard let response = response as? HTTPURLResponse else { return failure(.malformedResponse) }
            return .success(HTTPAnswer(response: head(of: response), body: transfer.body))
        }
        guard let error = error as? URLError else { return failure(.other, "\(type(of: error))") }
        let said = "URLError \(error.code.rawValue)"
        return switch error.code {
        case .cannotFindHost, .dnsLookupFailed: failure(.hostNotFound, sent: false, said)
        case .cannotConnectToHost, .notConnectedToInternet: failure(.cannotConnect, sent: false, said)
        case .timedOut: failure(.timedOut, said)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            failure(.tls, sent: false, said)
        case .networkConnectionLost: failure(.responseLost, said)
        case .badServerResponse, .cannotParseResponse: failure(.malformedResponse, said)
        default: failure(.other, said)
        }
    }

    private static func head(of response: HTTPURLResponse) -> HTTPResponse {
        var head = HTTPResponse(status: HTTPResponse.Status(code: response.statusCode))
        for (name, value) in response.allHeaderFields {
            if let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String {
                head.headerFields.append(HTTPField(name: name, value: value))
            }
        }
        return head
    }
}
#endif
