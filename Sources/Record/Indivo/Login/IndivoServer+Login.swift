import Foundation
import OAuth1

extension IndivoServer {
    /// Lets a person log in, choose a record and authorise the app.
    ///
    /// Opens the UI server's page for the app, waits for the browser to come back with the chosen record, has
    /// the app authorised for it, and exchanges the tokens (RFC 5849, section 2). Cancel the task to give up.
    /// - Parameters:
    ///   - callback: How the browser comes back; by default a listener on 127.0.0.1, port 8002, for which the
    ///     app's start URL is registered as
    ///     `http://127.0.0.1:8002/start?record_id={record_id}&carenet_id={carenet_id}`.
    ///   - open: Shows a page in a browser. It is called a second time if the callback cannot redirect the
    ///     browser.
    /// - Throws: ``IndivoError``, for the login itself with ``IndivoError/Reason/login(_:)``; or what `open`
    ///   throws.
    public func selectRecord(
        callback: some CallbackReceiver = LoopbackListener(),
        open: (URL) async throws -> Void
    ) async throws -> IndivoRecord {
        try await login(callback) { session in
            try await open(appPage)
            let choice = try await arrival(session, .record)
            let record: String
            do throws(IndivoError.LoginError) { record = try choice.url.chosenRecord() } catch {
                let what =
                    error == .carenetChosen
                    ? "Only a part of a record was chosen, a carenet." : "No record was chosen."
                choice.finish("\(what) You may close this page and go back to the app.")
                throw IndivoError(error)
            }
            do {
                return try await authorize(record, session) { url in
                    if let redirect = choice.redirect { redirect(url) } else { try await open(url) }
                }
            } catch {
                // The browser may still be waiting for a response.
                choice.finish(Self.failurePage)
                throw error
            }
        }
    }

    /// Lets a person authorise the app for a record that is known already, as when the token of an earlier
    /// login is gone.
    ///
    /// If the app is still on the record, and the person still logged in in the browser, no page is shown.
    /// - Throws: As ``selectRecord(callback:open:)``.
    public func authorize(
        record id: String,
        callback: some CallbackReceiver = LoopbackListener(),
        open: (URL) async throws -> Void
    ) async throws -> IndivoRecord { try await login(callback) { try await authorize(id, $0, open: open) } }

    /// However a login is cancelled, it throws the same error.
    private func login(
        _ callback: some CallbackReceiver,
        _ body: (CallbackSession) async throws -> IndivoRecord
    ) async throws -> IndivoRecord {
        do {
            try await checkPages()
            let session = try callback.listen()
            defer { session.close() }
            return try await body(session)
        } catch let error where error is CancellationError || (error as? IndivoError)?.reason == .cancelled {
            throw IndivoError(.cancelled)
        } catch let error as CallbackError {
            throw IndivoError(.badCallback(error.description))
        }
    }

    private func authorize(
        _ record: String,
        _ session: CallbackSession,
        open: (URL) async throws -> Void
    ) async throws -> IndivoRecord {
        // A request token bound to the record (RFC 5849, section 2.1): unbound ones cannot be approved.
        let requestToken = try await token(
            CallClient.OutgoingCall(
                call: .requestToken,
                credentials: twoLegged,
                body: .form(["indivo_record_id": record]),
                signing: OAuthSigner.Options(callback: session.callback?.absoluteString ?? "oob")
            )
        ).token
        let page = ui.appending(path: "oauth/authorize", directoryHint: .notDirectory)
        try await open(
            page.appending(queryItems: [URLQueryItem(name: "oauth_token", value: requestToken.value)])
        )
        let answer = try await arrival(session, .authorization)
        do {
            let verifier = try verifier(in: answer.url, for: requestToken, of: session)
            let record = try await exchange(requestToken, verifier: verifier, forRecord: record)
            answer.finish("You are logged in. You may close this page.")
            return record
        } catch {
            answer.finish(Self.failurePage)
            throw error
        }
    }

    private static let failurePage = "The login failed. You may close this page and go back to the app."

    private func arrival(_ session: CallbackSession, _ step: CallbackSession.Step) async throws
        -> CallbackSession.Arrival
    {
        if let arrival = try await session.next(step) { return arrival }
        throw IndivoError(.cancelled)
    }

    private func verifier(in url: URL, for token: OAuthToken, of session: CallbackSession) throws(IndivoError)
        -> String
    {
        let parameters = url.callbackParameters
        let named = parameters["oauth_token"]
        if let named, usedCallbacks.withLock({ $0.contains(named) }) { throw IndivoError(.callbackReplayed) }
        if let callback = session.callback, !url.isSamePlace(as: callback) { throw IndivoError(.wrongState) }
        // A code that a person pasted comes without a token; then the server checks that it fits.
        guard named == token.value || (named == nil && session.callback == nil) else {
            throw IndivoError(.callbackForAnotherToken)
        }
        guard let verifier = parameters["oauth_verifier"], !verifier.isEmpty else {
            throw IndivoError(.noVerifier)
        }
        // In one step, since a server may give the same token to two logins.
        try usedCallbacks.withLock { used throws(IndivoError) in
            if used.contains(token.value) { throw IndivoError(.callbackReplayed) }
            used = used.suffix(511) + [token.value]
        }
        return verifier
    }

    /// Exchanges the request token for an access token (RFC 5849, section 2.3).
    private func exchange(_ token: OAuthToken, verifier: String, forRecord id: String) async throws
        -> IndivoRecord
    {
        let credentials = OAuthCredentials(consumer: app.consumer, token: token)
        let response = try await self.token(
            CallClient.OutgoingCall(
                call: .exchangeToken,
                credentials: credentials,
                signing: OAuthSigner.Options(verifier: verifier)
            )
        )
        guard response["xoauth_indivo_record_id"] == id else { throw IndivoError(.tokenForAnotherRecord) }
        return record(id: id, token: response.token)
    }

    /// Asks for a token; nothing of the response goes into an error, since it holds a secret.
    func token(_ outgoing: CallClient.OutgoingCall) async throws -> OAuthTokenResponse {
        let response = try await calls.send(outgoing)
        do { return try OAuthTokenResponse(parsing: response.body) } catch {
            throw IndivoError(.malformedResponse("\(error)"), call: outgoing.call, status: 200)
        }
    }
}

extension URL {
    /// The id of the record that a person chose, if the callback brings it.
    func chosenRecord() throws(IndivoError.LoginError) -> String {
        let parameters = callbackParameters
        if let id = parameters["record_id"], !id.isEmpty { return id }
        throw parameters["carenet_id"]?.isEmpty == false ? .carenetChosen : .noRecordChosen
    }
}
