import Foundation
import IndivoModel
import IndivoXML

extension CallClient {
    /// Checks whether a server has done what an attempt asked. It may have, although it reports 500, or that an id is used;
    /// only what is stored there decides.
    /// - Parameters:
    ///   - start: When the first attempt began, by `CallTiming.elapsed`.
    ///   - end: When the call is over; the check does not prolong it.
    /// - Returns: The response to the call; `nil` when it was not done.
    /// - Throws: A conflict when the external id belongs to another document; `error` when it cannot be found out.
    func look(
        _ lookUp: IndivoCall, for outgoing: Outgoing, after error: IndivoError, since start: Duration, until end: Duration
    ) async throws -> CallResponse? {
        var error = error
        guard options.timing.elapsed() < end else {
            error.details.append("no time was left to look whether it was done")
            throw error
        }
        do {
            var found = try await send(Outgoing(call: lookUp, credentials: outgoing.credentials, path: outgoing.path), until: end)
            guard try isDone(outgoing, by: found, error, since: start) else { return nil }
            if outgoing.call.response == .ok { return CallResponse(ok: outgoing.call) }
            found.call = outgoing.call
            return found
        } catch let failure as IndivoError {
            switch failure.reason {
            case .notFound: return nil
            case .conflict: throw failure
            case .cancelled: throw error.cancelled()
            default: break
            }
            error.details.append("looking whether it was done failed: \(failure)")
            throw error
        }
    }

    /// Whether what was found shows that a call was done.
    private func isDone(_ outgoing: Outgoing, by found: CallResponse, _ error: IndivoError, since start: Duration) throws -> Bool {
        switch outgoing.call.body {
        case .text:
            guard case .text(let label)? = outgoing.body else { return false }
            return XMLText.areSame(try found.metadata().label ?? "", label)
        case .form:
            guard case .form(let form)? = outgoing.body, let reason = form["reason"] else { return false }
            return try found.value(DocumentStatusHistory.self).changes.contains { change in
                change.status?.rawValue == form["status"] && XMLText.areSame(change.reason ?? "", reason)
                    && change.at.map { isSince(start, $0.date, found) } ?? false
            }
        default:
            let metadata = try found.metadata()
            let isSame = outgoing.body.map { metadata.mismatch(with: $0.data) == nil } ?? true
            // What is stored under an external id once is another's otherwise.
            if outgoing.call.repetition != .afterLookingUp || isSame && isOurs(metadata, outgoing, found, error, since: start) {
                return isSame
            }
            var conflict = IndivoError(
                .conflict(.externalIDUsed), call: outgoing.call, status: error.status, details: error.details)
            conflict.attempts = error.attempts
            throw conflict
        }
    }

    /// Whether a stored document of the same content is the one that was sent.
    private func isOurs(
        _ metadata: DocumentMetadata, _ outgoing: Outgoing, _ found: CallResponse, _ error: IndivoError, since start: Duration
    ) -> Bool {
        if outgoing.hasOwnID { return true }
        // Without a date: what was refused was there before, what got no response may be either.
        guard let created = metadata.createdAt?.date else { return error.status == nil }
        return isSince(start, created, found)
    }

    /// Whether something happened on the server since the first attempt of a call began.
    private func isSince(_ start: Duration, _ date: Date, _ found: CallResponse) -> Bool {
        let taken = (options.timing.elapsed() - start) / .seconds(1)
        // The server's time is known by the second; the device's may be wrong.
        if let now = found.serverTime { return date.timeIntervalSince1970 >= TimeInterval(now) - taken - 1 }
        return date.timeIntervalSince1970 >= TimeInterval(serverTime - Self.clockTolerance) - taken
    }
}

extension IndivoError {
    /// Whether the call may have been done all the same. A server says 404 or 500 where an external id is used already, 500
    /// also where it has done what was asked and failed afterwards, and 400 where an attempt arrived after the check.
    func isReason(toLookUp repetition: Repetition) -> Bool {
        // What may be sent again by itself says so by its next response.
        if repetition == .freely, mayPass { return false }
        switch reason {
        case .serverFailed: return true
        case .timedOut, .responseLost, .responseTooLarge, .malformedResponse: return repetition != .freely
        case .notFound, .conflict(.externalIDUsed), .conflict(.alreadyReplaced): return repetition == .afterLookingUp
        case .invalid: return repetition == .afterLookingUp && status == 404
        default: return false
        }
    }
}
