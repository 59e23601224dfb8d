import Foundation

extension CallClient {
    // MARK: Whether it was done

    /// Looks up whether the server has carried out a call, and returns the response that the call should have
    /// had; `nil` if the server has not.
    /// - Throws: A conflict if the external id belongs to another document, or if somebody else replaced the
    ///   version; `error` if the lookup fails.
    func look(
        for outgoing: OutgoingCall,
        after error: IndivoError,
        in attempt: CallEngine.Attempt
    ) async throws(IndivoError) -> CallResponse? {
        guard let lookUp = outgoing.call.lookUp else { return nil }
        var first = error
        guard options.timing.elapsed() < attempt.end else {
            first.details.append("no time was left to look whether it was done")
            throw first
        }
        do throws(IndivoError) {
            let found = try await ask(lookUp, of: outgoing, until: attempt.end)
            if var found, try isDone(outgoing, by: found, first, since: attempt.start) {
                if outgoing.call.response == .ok { return CallResponse(ok: outgoing.call) }
                found.call = outgoing.call
                return found
            }
            guard case .serverFailed = first.reason, try await isReplaced(outgoing, until: attempt.end) else {
                return nil
            }
            // Of two that replace a version at the same moment, a server fails on the second.
            throw first.resolved(
                as: .conflict(.alreadyReplaced),
                because: "the version has a newer one, which is another's"
            )
        } catch {
            switch error.reason {
            case .conflict: throw error
            case .cancelled: throw first.cancelled()
            default:
                first.details.append("looking whether it was done failed: \(error)")
                throw first
            }
        }
    }

    /// Sends a lookup for a call, and returns its response; `nil` if the server responds with 404.
    private func ask(
        _ call: IndivoCall,
        of outgoing: OutgoingCall,
        _ path: [String: String] = [:],
        query: FormParameters = [:],
        until end: Duration
    ) async throws(IndivoError) -> CallResponse? {
        let path = outgoing.path.merging(path) { $1 }
        let question = OutgoingCall(call: call, credentials: outgoing.credentials, path: path, query: query)
        do {
            return try await send(question, until: end)
        } catch {
            guard error.reason == .notFound else { throw error }
            return nil
        }
    }

    /// Whether what was found shows that a call was done.
    private func isDone(
        _ outgoing: OutgoingCall,
        by found: CallResponse,
        _ error: IndivoError,
        since start: Duration
    ) throws(IndivoError) -> Bool {
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
            // Otherwise the content under this external id came from another request.
            if outgoing.call.repetition != .afterLookingUp
                || isSame && isOurs(metadata, outgoing, found, error, since: start)
            {
                return isSame
            }
            throw error.resolved(as: .conflict(.externalIDUsed))
        }
    }

    /// Whether a stored document of the same content is the one that was sent.
    private func isOurs(
        _ metadata: DocumentMetadata,
        _ outgoing: OutgoingCall,
        _ found: CallResponse,
        _ error: IndivoError,
        since start: Duration
    ) -> Bool {
        if outgoing.hasOwnID { return true }
        // Without a date, the error decides: after a refusal the document was there before; without a
        // response it counts as ours.
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

    /// Whether the version that a call was to replace has a newer one.
    private func isReplaced(_ outgoing: OutgoingCall, until end: Duration) async throws(IndivoError) -> Bool {
        guard outgoing.call.replacesVersion, let id = outgoing.path["document"],
            let metadata = try await ask(.recordDocumentMeta, of: outgoing, until: end)?.metadata()
        else { return false }
        let newer = [metadata.replacedBy?.id, metadata.latest?.id].compactMap(\.self)
        return newer.contains { !$0.isEmpty && $0 != id }
    }

    // MARK: What a failure is about

    /// Replaces the reason of a failure whose status is ambiguous, if a lookup shows the real reason.
    func explained(_ failure: IndivoError, _ outgoing: OutgoingCall, until end: Duration) async -> IndivoError
    {
        do throws(IndivoError) {
            switch failure.reason {
            case .notFound where outgoing.call.replacesVersion:
                // A server responds with 404 also to a model that it does not know. A model that this library
                // does not know either is only a suspect.
                let unknown = SentContent(query: outgoing.query, body: outgoing.body).unknownModels
                guard !unknown.isEmpty else { return failure }
                let version = try await ask(.recordDocumentMeta, of: outgoing, until: end)
                guard version != nil else { return failure }
                return failure.resolved(
                    as: .invalid(serverMessage: "", problems: unknown),
                    because: "the version that was to be replaced is there"
                )
            case .serverFailed(500):
                guard let missing = try await missing(from: outgoing, until: end) else { return failure }
                var error = failure.resolved(
                    as: .notFound,
                    because: "the server failed, and has no such thing"
                )
                error.addressHint = missing
                return error
            default: return failure
            }
        } catch {
            // The lookup failed: the original failure stands.
            return failure
        }
    }

    /// A hint about the missing document or message on which the server failed (500); `nil` if it exists, or
    /// if the call names neither.
    private func missing(from outgoing: OutgoingCall, until end: Duration) async throws(IndivoError)
        -> String?
    {
        switch outgoing.call.name {
        case IndivoCall.recordNotify.name:
            guard case .form(let form)? = outgoing.body, let document = form["document_id"] else {
                return nil
            }
            let found = try await ask(.recordDocumentMeta, of: outgoing, ["document": document], until: end)
            let isThere = found != nil
            return isThere
                ? nil : "The document that the notification is about is not in the record; check its id."
        case IndivoCall.accountInboxMessage.name, IndivoCall.accountMessageArchive.name,
            IndivoCall.accountAttachmentAccept.name:
            guard let id = outgoing.path["message"]?.lowercased(),
                let inbox = try await ask(
                    .accountInbox,
                    of: outgoing,
                    query: ["include_archive": "1"],
                    until: end
                )
            else { return nil }
            let isThere = try inbox.value(Messages.self).messages.contains { $0.id.lowercased() == id }
            return isThere ? nil : "The account has no message with this id; ask for its inbox()."
        default: return nil
        }
    }
}
