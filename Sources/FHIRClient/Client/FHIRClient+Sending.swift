import FHIR
import Foundation
import HTTPTransport
import HTTPTypes
import SecretText

extension FHIRClient {
    /// Sends a request as often as its nature and the policy allow.
    func send(_ request: FHIRRequest) async throws -> FHIRReply {
        let end = options.timing.elapsed() + options.retry.deadline
        var attempts = 0
        var mayHaveBeenDone = false
        while true {
            attempts += 1
            do {
                return try await attempt(request, until: end)
            } catch var error as FHIRClientError {
                error.attempts = attempts
                // What a second attempt does not find any more, an earlier one deleted.
                if mayHaveBeenDone, request.method == .delete, error.reason == .notFound || error.reason == .deleted {
                    return FHIRReply(doneEarlier: request)
                }
                mayHaveBeenDone = mayHaveBeenDone || error.mayHaveBeenDone
                error.mayHaveBeenDone = mayHaveBeenDone
                logger.debug("\(request.interaction) \(request.shape): \(error.reason.name)")
                guard error.mayPass, attempts < options.retry.maximumAttempts, request.retry == .freely || isUnsent(error)
                else { throw error }
                try await wait(after: attempts, of: error, until: end)
            }
        }
    }

    /// Whether nothing of the request went out, so that any request may be sent again.
    private func isUnsent(_ error: FHIRClientError) -> Bool {
        !error.mayHaveBeenDone && error.status == nil && error.transportError?.mayHaveReachedServer == false
    }

    /// Waits before the next attempt.
    /// - Throws: `error` when the deadline would be over by then.
    private func wait(after attempts: Int, of error: FHIRClientError, until end: Duration) async throws {
        let delay = max(
            options.retry.delay(after: attempts, random: options.timing.random()), error.retryAfter ?? .zero)
        guard options.timing.elapsed() + delay < end else { throw error }
        do {
            try await options.timing.sleep(delay)
        } catch is CancellationError {
            var error = error
            error.reason = .cancelled
            throw error
        }
    }

    /// Sends a request once; a second time only with another token.
    private func attempt(_ request: FHIRRequest, until end: Duration) async throws -> FHIRReply {
        do {
            // Waiting for a token is a part of the call.
            let remaining = max(.milliseconds(1), end - options.timing.elapsed())
            let token = try await HTTPLimits.$remaining.withValue(remaining) { try await authorization.token() }
            var http = try await transfer(request, token, until: end)
            if http.response.status.code == 401, let other = try await authorization.token(after: token), other != token {
                logger.debug("\(request.interaction) \(request.shape): 401, again with another token")
                http = try await transfer(request, other, until: end)
            }
            let reply = try FHIRReply(http, to: request, options: options)
            logger.debug("\(request.interaction) \(request.shape): \(reply.status)")
            return reply
        } catch let error as FHIRClientError {
            throw error
        } catch let error as FHIRTransferFailure {
            throw FHIRClientError(error.failure, request)
        } catch is CancellationError {
            throw FHIRClientError(.cancelled, request)
        } catch let error as HTTPTransportError {
            var failure = FHIRClientError(.authorization("the token endpoint: \(error)"), request)
            failure.transportError = error
            throw failure
        } catch let error as FHIRAuthorizationError {
            throw FHIRClientError(.authorization(error.description), request)
        } catch {
            // What a source of tokens throws may hold anything.
            throw FHIRClientError(.authorization("\(type(of: error))"), request)
        }
    }

    private func transfer(_ request: FHIRRequest, _ token: Secret?, until end: Duration) async throws -> HTTPAnswer {
        let outgoing = try self.request(request, token)
        return try await limiter.run {
            let remaining = end - options.timing.elapsed()
            do {
                guard remaining > .zero else {
                    throw HTTPTransportError(
                        kind: .timedOut, server: address.authority, mayHaveReachedServer: false,
                        detail: "other requests were under way until the deadline")
                }
                return try await HTTPLimits.$remaining.withValue(remaining) {
                    try await transport.send(outgoing, body: request.body?.bytes)
                }
            } catch let failure as HTTPTransportError {
                throw FHIRTransferFailure(failure: failure)
            } catch  where !(error is CancellationError) {
                // What a transport of one's own throws may hold anything.
                throw FHIRTransferFailure(
                    failure: HTTPTransportError(
                        kind: .other, server: address.authority, mayHaveReachedServer: true, detail: "\(type(of: error))"))
            }
        }
    }

    /// A request with its address, always on the base's origin, and credentials.
    private func request(_ request: FHIRRequest, _ token: Secret?) throws(FHIRClientError) -> HTTPRequest {
        var outgoing = HTTPRequest(
            method: request.method, scheme: address.scheme, authority: address.authority,
            path: request.link ?? address.path + (request.target.isEmpty && address.path.isEmpty ? "/" : request.target),
            headerFields: request.fields)
        outgoing.headerFields[.accept] = "application/fhir+json"
        outgoing.headerFields[.contentType] = request.body?.contentType
        if let token {
            let text = token.reveal()
            guard ClientCredentials.isToken(text) else {
                throw FHIRClientError(.authorization("the token has characters that no header can carry"), request)
            }
            var field = HTTPField(name: .authorization, value: "Bearer " + text)
            field.indexingStrategy = .disallow
            outgoing.headerFields[fields: .authorization] = [field]
        }
        return outgoing
    }
}

/// A failure of the transport to the FHIR server, and not to a token endpoint.
private struct FHIRTransferFailure: Error {
    let failure: HTTPTransportError
}

extension FHIRReply {
    /// What stands for the response that an earlier attempt lost.
    fileprivate init(doneEarlier request: FHIRRequest) {
        self.request = request
        status = 204
        fields = HTTPFields()
        resource = nil
    }
}

extension FHIRClientError.Reason {
    /// The kind alone, for logs.
    var name: String {
        let text = String(describing: self)
        return String(text.prefix { $0 != "(" })
    }
}
