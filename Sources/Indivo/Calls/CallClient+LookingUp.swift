import Foundation

extension CallClient {
    /// The response to a call if the server has done it, which only what is stored there shows; `nil` if it has not.
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
            default:
                error.details.append("looking whether it was done failed: \(failure)")
                throw error
            }
        }
    }

    /// Whether what was found shows that a call was done.
    private func isDone(_ outgoing: Outgoing, by found: CallResponse, _ error: IndivoError, since start: Duration) throws -> Bool {
        switch (outgoing.call.body, outgoing.body) {
        case (.text, .text(let label)?): return XMLText.areSame(try found.metadata().label ?? "", label)
        case (.form, .form(let form)?):
            guard let reason = form["reason"] else { return false }
            return try found.value(DocumentStatusHistory.self).changes.contains { change in
                change.status?.rawValue == form["status"] && XMLText.areSame(change.reason ?? "", reason)
                    && change.at.map { isSince(start, $0.date, found) } ?? false
            }
        case (.text, _), (.form, _): return false
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
        let now = found.answer.response.serverTime.map { $0 - 1 } ?? serverTime - Self.clockTolerance
        return date.timeIntervalSince1970 >= TimeInterval(now) - taken
    }
}
