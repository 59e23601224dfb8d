#if SMART
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON

extension SMARTServer {
    /// Lets a person log in, choose a patient where ``SMARTScope/launchPatient`` asks for one,
    /// and allow what the app asks for: a standalone launch. Cancel the task to give up.
    /// - Parameters:
    ///   - callback: The way back from the browser; by default a ``LoopbackRedirect``, for which the app's
    ///     redirect URI is an address of this machine.
    ///   - open: Shows a page in a browser.
    /// - Throws: ``SMARTError``, or what `open` throws.
    public func launch(
        callback: (any CallbackReceiver)? = nil,
        open: (URL) async throws -> Void
    ) async throws -> SMARTLaunch {
        try await launch(audience: base.absoluteString, launch: nil, callback, open)
    }

    /// Logs in to the session that a health record launched the app from.
    /// - Parameters:
    ///   - ehr: The parameters with which the app was opened.
    ///   - callback: The way back from the browser, as in ``launch(callback:open:)``.
    ///   - open: Shows a page in a browser.
    /// - Throws: ``SMARTError``, or what `open` throws.
    public func launch(
        from ehr: EHRLaunch,
        callback: (any CallbackReceiver)? = nil,
        open: (URL) async throws -> Void
    ) async throws -> SMARTLaunch {
        guard ServerAddress(ehr.server)?.isSame(as: ServerAddress(base)) == true else {
            throw failure(.launchedByAnotherServer, .authorization)
        }
        return try await launch(audience: ehr.server.absoluteString, launch: ehr.launch, callback, open)
    }

    /// However a login is cancelled, it throws the same error.
    private func launch(
        audience: String,
        launch: String?,
        _ callback: (any CallbackReceiver)?,
        _ open: (URL) async throws -> Void
    ) async throws -> SMARTLaunch {
        do {
            let configuration = try await configuration()
            try check(configuration)
            let request = AuthorizationRequest(configuration, app: app, audience: audience, launch: launch)
            guard let page = request.url else {
                throw failure(.malformedResponse("the authorization endpoint is no URL"), .discovery)
            }
            let receiver = try callback ?? LoopbackRedirect(app.redirectURI)
            let session = try receiver.listen()
            defer { session.close() }
            if let callback = session.callback, callback.absoluteString != app.redirectURI.absoluteString {
                throw CallbackError(
                    """
                    the receiver listens at another address than the app's redirect URI; \
                    make it with that, as in URLSchemeReceiver(redirectURI: app.redirectURI)
                    """
                )
            }
            try await open(page)
            return try await finish(request, session)
        } catch is CancellationError {
            throw failure(.cancelled, .authorization)
        } catch let error as CallbackError {
            throw failure(.badArgument(error.description), .authorization)
        }
    }

    /// Refuses a server that offers less than a login needs, before a page is opened.
    private func check(_ configuration: SMARTConfiguration) throws(SMARTError) {
        if let methods = configuration.codeChallengeMethods, !methods.contains("S256") {
            throw failure(.notSupported("PKCE by S256, without which a login is not safe"), .discovery)
        }
        for endpoint in [configuration.authorizationEndpoint, configuration.tokenEndpoint] {
            do { _ = try ServerAddress(endpoint, plainHTTPHosts: options.plainHTTPHosts) } catch {
                throw failure(.malformedResponse("an endpoint cannot be used: \(error)"), .discovery)
            }
        }
    }

    /// How many arrivals that are not this login's are turned away.
    private static let maximumForeignVisits = 100

    private func finish(_ request: AuthorizationRequest, _ session: CallbackSession) async throws
        -> SMARTLaunch
    {
        for _ in 0..<Self.maximumForeignVisits {
            guard let arrival = try await session.next(.authorization) else {
                throw failure(.cancelled, .authorization)
            }
            do {
                let code = try request.code(in: arrival.url, isPasted: session.callback == nil)
                let launch = try await exchange(code, of: request)
                arrival.finish("You are logged in. You may close this page.")
                return launch
            } catch AuthorizationRequest.Refusal.foreign {
                arrival.finish("This page belongs to another login. Go back to the app.")
                // Somebody who pasted the address gets the error; a browser's arrival may be anybody's.
                if session.callback == nil { break }
            } catch AuthorizationRequest.Refusal.final(let reason) {
                arrival.finish("The login did not succeed. You may close this page and go back to the app.")
                throw failure(reason, .authorization)
            } catch {
                arrival.finish("The login failed. You may close this page and go back to the app.")
                throw error
            }
        }
        throw failure(.wrongState, .authorization)
    }

    // MARK: Tokens

    func endpoint(_ url: URL, _ step: SMARTError.Step) throws(SMARTError) -> TokenEndpoint {
        do {
            return try TokenEndpoint(
                url,
                plainHTTPHosts: options.plainHTTPHosts,
                transport: transport,
                timing: options.timing
            )
        } catch { throw failure(.badArgument(error.description), step) }
    }

    /// Sends a form until there is a response.
    /// - Parameter isSafeToRetry: Whether it may be sent again when it may have arrived.
    func send(
        _ form: FormParameters,
        to url: URL,
        _ step: SMARTError.Step,
        isSafeToRetry: Bool,
        authentication: TokenEndpoint.Authentication? = nil
    ) async throws(SMARTError) -> TokenEndpoint.Response {
        let endpoint = try endpoint(url, step)
        let server = url.host() ?? authority
        return try await engine.call { (now) async throws(SMARTError) -> TokenEndpoint.Response in
            do {
                let remaining = max(.milliseconds(1), now.end - options.timing.elapsed())
                let response = try await HTTPLimits.$remaining.withValue(remaining) {
                    try await endpoint.send(form, authentication ?? app.proof)
                }
                guard response.status != 429, !(502...504).contains(response.status) else {
                    var error = SMARTError(.busy, step, server: server)
                    error.status = response.status
                    throw error
                }
                return response
            } catch {
                throw SMARTError(thrown: error, step, server: server)
            }
        } after: { error, _ in
            error.isUnsent || (isSafeToRetry && error.isTransient) ? .retry : .fail
        }
    }

    /// The error for a refusal by an endpoint.
    func refusal(_ response: TokenEndpoint.Response, _ step: SMARTError.Step) -> SMARTError {
        var error = failure(
            (300..<400).contains(response.status)
                ? .unexpectedStatus(response.status) : .refused(code: response.errorCode),
            step
        )
        error.status = response.status
        return error
    }

    /// A code is good for one use: it is sent once.
    private func exchange(_ code: String, of request: AuthorizationRequest) async throws -> SMARTLaunch {
        let configuration = request.configuration
        let response = try await send(
            request.exchange(of: code),
            to: configuration.tokenEndpoint,
            .token,
            isSafeToRetry: false
        )
        let (token, lifetime, json) = try tokens(in: response, .token)
        var session = SMARTSession(
            base: base,
            clientID: app.id,
            configuration: configuration,
            scopes: json["scope"]?.string.map { [SMARTScope](parsing: $0) } ?? app.scopes,
            context: try context(in: json),
            accessToken: token,
            keptAt: options.timing.now()
        )
        session.expiresAt = lifetime.map { session.keptAt + TokenEndpoint.use(of: $0).inSeconds }
        session.refreshToken = json["refresh_token"]?.string.map { Secret($0) }
        if app.scopes.contains(.openID), let token = json["id_token"]?.string {
            session.user = try await user(in: token, request)
        }
        return SMARTLaunch(session, self)
    }

    /// The tokens in a successful response.
    func tokens(in response: TokenEndpoint.Response, _ step: SMARTError.Step) throws(SMARTError) -> (
        token: Secret, lifetime: Duration?, json: JSONValue
    ) {
        guard response.isSuccess else { throw refusal(response, step) }
        do {
            let (token, lifetime) = try TokenEndpoint.accessToken(in: response)
            return (token, lifetime, response.json ?? .null)
        } catch {
            throw failure(.malformedResponse(error.description), step)
        }
    }

    private func context(in json: JSONValue) throws(SMARTError) -> SMARTContext {
        do { return try SMARTContext(json) } catch {
            throw failure(.malformedResponse(error.description), .token)
        }
    }

    // MARK: Identity

    private func user(in token: String, _ request: AuthorizationRequest) async throws(SMARTError) -> SMARTUser
    {
        let configuration = request.configuration
        guard let issuer = configuration.issuer else {
            throw failure(.badIDToken("the SMART configuration names no issuer"), .identity)
        }
        let url = try await keySetURL(configuration, issuer)
        let published = try await json(at: url, .identity, maximumBytes: PublicKeySet.maximumBytes)
        let keys: PublicKeySet
        do throws(JSONWebTokenError) { keys = try PublicKeySet(published) } catch {
            throw failure(.badIDToken(error.description), .identity)
        }
        let rule = IDTokenRule(
            issuer: issuer,
            clientID: app.id,
            nonce: request.nonce,
            now: options.timing.now()
        )
        do throws(IDTokenRefusal) { return try rule.user(in: token, keys: keys) } catch {
            throw failure(.badIDToken(error.reason), .identity)
        }
    }

    /// Where the issuer's keys are: in the SMART configuration, or in OpenID's.
    private func keySetURL(_ configuration: SMARTConfiguration, _ issuer: String) async throws(SMARTError)
        -> URL
    {
        if let url = configuration.keySetURL { return url }
        guard let url = URL(string: issuer)?.appending(path: ".well-known/openid-configuration") else {
            throw failure(.badIDToken("its issuer is no URL"), .identity)
        }
        let json = try await json(at: url, .identity, maximumBytes: 256 << 10)
        guard json["issuer"]?.string == issuer,
            let keys = json["jwks_uri"]?.string.flatMap({ URL(string: $0) })
        else { throw failure(.badIDToken("its issuer does not say where its keys are"), .identity) }
        return keys
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
#endif
