import Foundation
import OAuth1

extension IndivoServer {
    /// Lets a person log in, choose a record and authorise the app.
    ///
    /// Opens the UI server's page for the app, waits for the browser to come back with the chosen record, has the app
    /// authorised for it, and exchanges the tokens (RFC 5849, section 2). Cancel the task to give up.
    ///
    /// - Parameters:
    ///   - callback: The way back; by default a listener on 127.0.0.1, port 8002, for which the app's start URL is
    ///     registered as `http://127.0.0.1:8002/start?record_id={record_id}&carenet_id={carenet_id}`.
    ///   - open: Shows a page to the person, in a browser. Called once, and a second time where the way back cannot
    ///     send the browser on itself.
    /// - Throws: ``LoginError``, ``IndivoError``, or what `open` throws.
    public func selectRecord(
        callback: some CallbackReceiver = LoopbackListener(), open: (URL) async throws -> Void
    ) async throws -> IndivoRecord {
        let session = try callback.listen()
        defer { session.close() }
        var visits = session.visits.makeAsyncIterator()

        try await open(ui.appending(path: "apps").appending(path: app.id, directoryHint: .notDirectory))
        let choice = try await next(&visits)
        guard let recordID = choice.url.callbackParameters["record_id"], !recordID.isEmpty else {
            choice.finish("No record was chosen.")
            throw LoginError.noRecordChosen
        }

        let requestToken = try await requestToken(forRecord: recordID, callback: session.callback)
        let authorize = ui.appending(path: "oauth/authorize", directoryHint: .notDirectory)
            .appending(queryItems: [URLQueryItem(name: "oauth_token", value: requestToken.value)])
        if let redirect = choice.redirect { redirect(authorize) } else { try await open(authorize) }

        let answer = try await next(&visits)
        do {
            let verifier = try verifier(in: answer.url.callbackParameters, for: requestToken)
            let record = try await exchange(requestToken, verifier: verifier, forRecord: recordID)
            answer.finish("You are logged in. You may close this page.")
            return record
        } catch {
            answer.finish("The login failed. You may close this page and go back to the app.")
            throw error
        }
    }

    private func next(_ visits: inout AsyncStream<CallbackVisit>.Iterator) async throws -> CallbackVisit {
        if let visit = await visits.next(isolation: #isolation) { return visit }
        try Task.checkCancellation()
        throw LoginError.cancelled
    }

    /// Asks for a request token bound to a record (RFC 5849, section 2.1). Unbound ones cannot be approved.
    private func requestToken(forRecord id: String, callback: URL) async throws -> OAuthToken {
        let answer = try await calls.send(
            .requestToken, as: twoLegged, body: .form(["indivo_record_id": id]),
            signing: OAuthSigner.Options(callback: callback.absoluteString))
        return try tokenResponse(answer).token
    }

    private func verifier(in parameters: FormParameters, for token: OAuthToken) throws -> String {
        guard parameters["oauth_token"] == token.value else { throw LoginError.callbackForAnotherToken }
        guard let verifier = parameters["oauth_verifier"], !verifier.isEmpty else { throw LoginError.noVerifier }
        return verifier
    }

    /// Exchanges the request token for an access token (RFC 5849, section 2.3).
    private func exchange(
        _ token: OAuthToken, verifier: String, forRecord id: String
    ) async throws -> IndivoRecord {
        let answer = try await calls.send(
            .exchangeToken, as: OAuthCredentials(consumer: app.consumer, token: token),
            signing: OAuthSigner.Options(verifier: verifier))
        let response = try tokenResponse(answer)
        guard response["xoauth_indivo_record_id"] == id else { throw LoginError.tokenForAnotherRecord }
        return record(id: id, token: response.token)
    }

    private func tokenResponse(_ answer: Answer) throws -> OAuthTokenResponse {
        do {
            return try OAuthTokenResponse(parsing: answer.body)
        } catch {
            throw IndivoError(.unexpectedAnswer("\(error)."), call: answer.call)
        }
    }
}

extension URL {
    /// The parameters a callback came with. An Indivo server appends `?` and its own even where there is a query already.
    var callbackParameters: FormParameters {
        var all = FormParameters()
        for part in absoluteString.split(separator: "?", omittingEmptySubsequences: false).dropFirst() {
            all = FormParameters(Array(all) + Array(FormParameters(decoding: String(part.prefix { $0 != "#" }))))
        }
        return all
    }
}
