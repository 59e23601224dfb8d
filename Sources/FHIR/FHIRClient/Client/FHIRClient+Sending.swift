import FHIR
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase

extension FHIRClient {
    /// Sends a request, and retries it as far as its kind and the policy allow.
    func send(_ request: FHIRRequest) async throws(FHIRClientError) -> FHIRReply {
        try await engine.call { (now) throws(FHIRClientError) in
            var reply = try await attempt(request, until: now.end)
            reply.attempts = now.number
            return reply
        } after: { error, mayBeDoneBefore in
            logger.debug("\(request.interaction) \(request.shape): \(error.reason.name)")
            return error.next(after: request, mayBeDoneBefore: mayBeDoneBefore)
        }
    }

    /// Sends a request that only reads, or whose response is not a resource.
    /// - Parameter isAccepted: Whether a status is not a failure.
    func sendRaw(_ request: FHIRRequest, isAccepted: (Int) -> Bool) async throws(FHIRClientError)
        -> HTTPAnswer
    {
        try await engine.call { (now) throws(FHIRClientError) in
            let answer = try await answer(to: request, until: now.end)
            guard isAccepted(answer.status) else {
                // The reply explains the refusal, as with every other request.
                let reply = try FHIRReply(answer, to: request, options: options)
                throw reply.malformed("its status is \(reply.status)")
            }
            return answer
        } after: { error, _ in
            let isUnsent = error.status == nil && error.transportError?.mayHaveReachedServer == false
            return error.isTransient && (request.retry == .freely || isUnsent) ? .retry : .fail
        }
    }

    /// Sends a request once; a second time only with another token.
    private func attempt(_ request: FHIRRequest, until end: Duration) async throws(FHIRClientError)
        -> FHIRReply
    {
        let reply = try FHIRReply(try await answer(to: request, until: end), to: request, options: options)
        logger.debug("\(request.interaction) \(request.shape): \(reply.status)")
        return reply
    }

    private func answer(to request: FHIRRequest, until end: Duration) async throws(FHIRClientError)
        -> HTTPAnswer
    {
        var token = try await token(for: request, until: end) { try await authorization.token() }
        do {
            return try await engine.transfer(.data(request.body?.bytes), until: end) {
                try self.request(request, token)
            } unlessCorrected: { answer in
                guard answer.status == 401 else { return false }
                let refused = token
                let other = try await self.token(for: request, until: end) {
                    try await authorization.token(after: refused)
                }
                guard let other, other != refused else { return false }
                logger.debug("\(request.interaction) \(request.shape): 401, again with another token")
                token = other
                return true
            }
        } catch {
            throw FHIRClientError(thrown: error, by: request, server: address.authority)
        }
    }

    /// A token, from a source that may throw anything. Waiting for it is a part of the call.
    private func token(
        for request: FHIRRequest,
        until end: Duration,
        _ fetch: () async throws -> Secret?
    ) async throws(FHIRClientError) -> Secret? {
        let remaining = max(.milliseconds(1), end - options.timing.elapsed())
        do {
            return try await HTTPLimits.$remaining.withValue(remaining) { try await fetch() }
        } catch is CancellationError {
            throw FHIRClientError(.cancelled, request)
        } catch let error as HTTPTransportError {
            var failure = FHIRClientError(.authorization("the token endpoint: \(error.message)"), request)
            failure.transportError = error
            throw failure
        } catch let error as FHIRAuthorizationError {
            throw FHIRClientError(.authorization(error.description), request)
        } catch {
            // Its text may hold anything.
            throw FHIRClientError(.authorization("\(type(of: error))"), request)
        }
    }

    /// A request with its address, always on the base's origin, and credentials.
    private func request(_ request: FHIRRequest, _ token: Secret?) throws(FHIRClientError) -> HTTPRequest {
        var outgoing = HTTPRequest(
            method: request.method,
            scheme: address.scheme,
            authority: address.authority,
            path: request.link ?? address.path
                + (request.target.isEmpty && address.path.isEmpty ? "/" : request.target),
            headerFields: request.fields
        )
        outgoing.headerFields[.accept] = request.fields[.accept] ?? "application/fhir+json"
        outgoing.headerFields[.contentType] = request.body?.contentType
        if let token {
            let text = token.reveal()
            guard TokenEndpoint.isToken(text) else {
                throw FHIRClientError(
                    .authorization("the token has characters that no header can carry"),
                    request
                )
            }
            var field = HTTPField(name: .authorization, value: "Bearer " + text)
            field.indexingStrategy = .disallow
            outgoing.headerFields[fields: .authorization] = [field]
        }
        return outgoing
    }
}

extension FHIRReply {
    /// A placeholder for the response of an earlier attempt, which was lost.
    fileprivate init(doneEarlier request: FHIRRequest) {
        self.request = request
        status = 204
        fields = HTTPFields()
        resource = nil
    }
}

extension FHIRClientError.Reason: CallFailureReason {}

extension FHIRClientError: CallFailure {
    /// Converts what an attempt threw.
    fileprivate init(thrown error: any Error, by request: FHIRRequest, server: String) {
        switch error {
        case let error as FHIRClientError: self = error
        case let failure as HTTPTransportError: self.init(failure, request)
        case is CancellationError: self.init(.cancelled, request)
        default: self.init(HTTPTransportError(foreign: error, server: server), request)
        }
    }

    /// Converts a transport's failure.
    private init(_ failure: HTTPTransportError, _ request: FHIRRequest) {
        self.init(Reason(failure), request, mayHaveBeenDone: failure.mayHaveReachedServer)
        transportError = failure
    }

    /// What a failed attempt leads to.
    fileprivate func next(after request: FHIRRequest, mayBeDoneBefore: Bool) -> NextStep<FHIRReply> {
        // What a second attempt does not find any more, an earlier one deleted.
        if mayBeDoneBefore, request.method == .delete, reason == .notFound || reason == .deleted {
            return .done(FHIRReply(doneEarlier: request))
        }
        // Nothing of the request went out, so that any request may be sent again.
        let isUnsent = !mayBeDoneBefore && status == nil && transportError?.mayHaveReachedServer == false
        return isTransient && (request.retry == .freely || isUnsent) ? .retry : .fail
    }

    /// Whether the failure is transient: the network's failures, and a server or proxy that is busy or
    /// failed.
    fileprivate var isTransient: Bool {
        switch reason {
        case .cancelled: false
        case .busy: true
        case .serverFailed(let status): [500, 502, 504].contains(status)
        default: transportError?.isTransient ?? false
        }
    }

    package var isBeforeSending: Bool { if case .badArgument = reason { true } else { false } }

    package func cancelled() -> FHIRClientError {
        var error = self
        error.reason = .cancelled
        return error
    }
}

extension FHIRClientError.Reason {
    /// The kind alone, for logs.
    fileprivate var name: String {
        let text = String(describing: self)
        return String(text.prefix { $0 != "(" })
    }
}
