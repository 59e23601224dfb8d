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
    enum End { case cancelled, timedOut, tooLarge }

    private struct Transfer {
        let server: String
        let limits: HTTPLimits
        var continuation: Continuation?
        var body = Data()
        var end: End?
    }

    private let transfers = Mutex<[Int: Transfer]>([:])

    /// A task that is about to start: from now on it can be ended.
    func expect(_ task: URLSessionTask, server: String, limits: HTTPLimits) {
        transfers.withLock { $0[task.taskIdentifier] = Transfer(server: server, limits: limits) }
    }

    func start(_ task: URLSessionTask, _ continuation: Continuation) {
        transfers.withLock { $0[task.taskIdentifier]?.continuation = continuation }
        task.resume()
        if transfers.withLock({ $0[task.taskIdentifier]?.end }) != nil { task.cancel() }
    }

    /// Ends a task, or has ``start(_:_:)`` end it.
    func end(_ task: URLSessionTask, as end: End) {
        let isStarted = transfers.withLock { transfers in
            if transfers[task.taskIdentifier]?.end == nil { transfers[task.taskIdentifier]?.end = end }
            return transfers[task.taskIdentifier]?.continuation != nil
        }
        if isStarted { task.cancel() }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = transfers.withLock { transfers in
            // No copy of the transfer may be alive where its body grows: all of the body would be copied
            // each time.
            let room = transfers[dataTask.taskIdentifier].map {
                $0.limits.maximumResponseBytes - $0.body.count
            }
            guard let room else { return false }
            guard data.count <= room else { return true }
            transfers[dataTask.taskIdentifier]?.body.append(data)
            return false
        }
        if isTooLarge { end(dataTask, as: .tooLarge) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let transfer = transfers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else {
            return
        }
        transfer.continuation?.resume(with: Self.result(transfer, response: task.response, error: error))
    }

    private static func result(_ transfer: Transfer, response: URLResponse?, error: (any Error)?)
        -> Result<HTTPAnswer, any Error>
    {
        func failure(_ kind: HTTPTransportError.Kind, sent: Bool = true, _ detail: String? = nil)
            -> Result<HTTPAnswer, any Error>
        {
            .failure(
                HTTPTransportError(
                    kind: kind,
                    server: transfer.server,
                    mayHaveReachedServer: sent,
                    detail: detail
                )
            )
        }
        switch transfer.end {
        case .cancelled: return .failure(CancellationError())
        case .timedOut: return failure(.timedOut)
        case .tooLarge:
            return failure(.responseTooLarge, "more than \(transfer.limits.maximumResponseBytes) bytes")
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
