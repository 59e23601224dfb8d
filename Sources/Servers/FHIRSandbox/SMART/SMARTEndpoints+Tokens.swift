import FHIRClient
import Foundation
import IndivoBase
import OrderedJSON
import WebServing

extension SMARTEndpoints {
    /// A client that proved who it is; a public one only says so.
    private struct Client {
        let app: SMARTState.App
        let isConfidential: Bool
    }

    private struct Refusal: Error {
        let response: Response

        init(_ code: String, _ description: String, status: Int = 400) {
            response = SMARTEndpoints.refusal(code, description, status: status)
        }
    }

    // MARK: Tokens

    func token(_ request: Request, base: String) -> Response {
        answer(request, base) { (form, client) throws(Refusal) in
            switch form["grant_type"] {
            case "authorization_code": return try exchange(form, client, base: base)
            case "refresh_token": return try refresh(form, client)
            case "client_credentials": return try serve(form, client, base: base)
            default:
                throw Refusal(
                    "unsupported_grant_type",
                    "authorization_code, refresh_token, client_credentials"
                )
            }
        }
    }

    private func answer(
        _ request: Request,
        _ base: String,
        _ body: (FormParameters, Client) throws(Refusal) -> Response
    ) -> Response {
        do throws(Refusal) {
            let form = try form(request)
            return try body(form, client(form, request, base: base))
        } catch {
            return error.response
        }
    }

    private func form(_ request: Request) throws(Refusal) -> FormParameters {
        let type = MediaType(request.header("Content-Type") ?? "")
        guard type.name == FormParameters.contentType else {
            throw Refusal("invalid_request", "the body is application/x-www-form-urlencoded")
        }
        guard request.body.count <= 64 << 10 else { throw Refusal("invalid_request", "the form is too long") }
        let form = FormParameters(decoding: request.body)
        guard Set(form.map(\.name)).count == form.count else {
            throw Refusal("invalid_request", "a parameter stands twice")
        }
        return form
    }

    private func exchange(_ form: FormParameters, _ client: Client, base: String) throws(Refusal) -> Response
    {
        guard let code = form["code"], let verifier = form["code_verifier"] else {
            throw Refusal("invalid_request", "code and code_verifier are needed")
        }
        let tokens = state.tokens(
            forCode: code,
            client: client.app.id,
            redirectURI: form["redirect_uri"],
            verifier: verifier
        )
        guard let tokens else {
            throw Refusal(
                "invalid_grant",
                "the code is unknown, used or expired, or redirect_uri or code_verifier are not its own"
            )
        }
        return response(tokens, isLogin: true)
    }

    private func refresh(_ form: FormParameters, _ client: Client) throws(Refusal) -> Response {
        guard let token = form["refresh_token"] else {
            throw Refusal("invalid_request", "refresh_token is needed")
        }
        let tokens = state.tokens(
            forRefreshToken: token,
            client: client.app.id,
            scopes: form["scope"].map { [SMARTScope](parsing: $0) }
        )
        guard let tokens else {
            throw Refusal(
                "invalid_grant",
                "the refresh token is not good, or the scopes are more than granted"
            )
        }
        return response(tokens, isLogin: false)
    }

    /// SMART Backend Services: the scopes that the app is registered with, as far as it asks for them.
    private func serve(_ form: FormParameters, _ client: Client, base: String) throws(Refusal) -> Response {
        guard client.isConfidential, !client.app.backendScopes.isEmpty else {
            throw Refusal("unauthorized_client", "the client is not registered as a backend service")
        }
        let allowed = client.app.backendScopes.compactMap(\.resourceScope)
        let granted = [SMARTScope](parsing: form["scope"] ?? "").filter { scope in
            scope.resourceScope.map { asked in
                asked.level == .system && allowed.contains { $0.covers(asked) }
            } ?? false
        }
        guard !granted.isEmpty else {
            throw Refusal(
                "invalid_scope",
                "none of the scopes is among those that the client is registered with"
            )
        }
        return response(
            state.tokens(forService: client.app.id, scopes: granted, base: base),
            isLogin: false
        )
    }

    private func response(_ tokens: SMARTState.Tokens, isLogin: Bool) -> Response {
        let grant = tokens.grant
        var json: JSONValue = [
            "access_token": JSONValue(tokens.accessToken), "token_type": "Bearer",
            "expires_in": JSONValue(state.configuration.accessTokenLifetime),
            "scope": JSONValue(grant.scopes.text),
        ]
        if let token = tokens.refreshToken { json["refresh_token"] = JSONValue(token) }
        if let patient = grant.patient {
            json["patient"] = JSONValue(patient)
            // An app that a health record launched stands within it, which shows the patient.
            json["need_patient_banner"] = JSONValue(!grant.isLaunched)
        }
        if let encounter = grant.encounter { json["encounter"] = JSONValue(encounter) }
        if isLogin, grant.scopes.contains(.openID), let user = grant.user,
            let token = try? idToken(for: user, grant, nonce: tokens.nonce)
        {
            json["id_token"] = JSONValue(token)
        }
        return Self.json(json)
    }

    private func idToken(for user: SMARTState.User, _ grant: SMARTState.Grant, nonce: String?) throws
        -> String
    {
        let time = Int(state.time.timeIntervalSince1970)
        var claims: JSONValue = [
            "iss": JSONValue(grant.base), "sub": JSONValue(user.name), "aud": JSONValue(grant.client),
            "iat": JSONValue(time), "exp": JSONValue(time + state.configuration.accessTokenLifetime),
        ]
        if let nonce { claims["nonce"] = JSONValue(nonce) }
        if grant.scopes.contains(.fhirUser) {
            let url = JSONValue("\(grant.base)/\(user.fhirUser)")
            claims["fhirUser"] = url
            claims["profile"] = url
        }
        return try state.key.token(claims)
    }

    // MARK: Clients

    /// Who sends a form (RFC 6749, section 2.3), in one of the ways that the client is registered for.
    private func client(_ form: FormParameters, _ request: Request, base: String) throws(Refusal) -> Client {
        let wrong = Refusal(
            "invalid_client",
            "the client is unknown, or its credentials are wrong",
            status: 401
        )
        let id: String
        var secret: Secret?
        if let authorization = request.header("Authorization") {
            let parts = authorization.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2, parts[0].lowercased() == "basic",
                let bytes = Data(base64Encoded: parts[1]),
                let colon = bytes.firstIndex(of: UInt8(ascii: ":")), form["client_secret"] == nil
            else { throw wrong }
            func decoded(_ part: Data) -> String {
                String(decoding: PercentEncoding.decodedBytes(Array(part), plusIsSpace: true), as: UTF8.self)
            }
            id = decoded(bytes[..<colon])
            secret = Secret(decoded(bytes[(colon + 1)...]))
        } else if let assertion = form["client_assertion"] {
            return try client(assertion, form, base: base)
        } else {
            guard let named = form["client_id"] else { throw wrong }
            id = named
            secret = form["client_secret"].map { Secret($0) }
        }
        guard form["client_id"] ?? id == id, let app = state.app(id), app.keys == nil else { throw wrong }
        switch (app.secret, secret) {
        case (let own?, let given?) where own == given: return Client(app: app, isConfidential: true)
        case (nil, nil): return Client(app: app, isConfidential: false)
        // Some clients send an empty password.
        case (nil, let given?) where given == "": return Client(app: app, isConfidential: false)
        default: throw wrong
        }
    }

    /// A client that signs (RFC 7523; SMART App Launch 2.2, "Client Authentication: Asymmetric").
    private func client(_ assertion: String, _ form: FormParameters, base: String) throws(Refusal) -> Client {
        func wrong(_ why: String) -> Refusal {
            Refusal("invalid_client", "client_assertion: " + why, status: 401)
        }
        guard form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" else {
            throw wrong("its type is not jwt-bearer")
        }
        guard let jws = JWS(assertion), let unverified = try? JSONValue(parsing: jws.payload),
            let id = unverified["sub"]?.string, let app = state.app(id), let published = app.keys
        else { throw wrong("it is of no client that has keys") }
        let claims: JSONValue
        do throws(JSONWebTokenError) {
            claims = try PublicKeySet(published).claims(of: assertion, algorithms: [.rs384, .es384])
        } catch { throw wrong(error.description) }
        guard claims["iss"]?.string == id, form["client_id"] ?? id == id else {
            throw wrong("iss is not sub")
        }
        let audiences =
            claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.elements?.compactMap(\.string) ?? []
        guard isOwn(base) else { throw wrong("the sandbox does not know its base URL off this machine") }
        guard audiences.contains(Self.address("token", base)) else {
            throw wrong("aud is not the token endpoint, \(Self.address("token", base))")
        }
        let time = state.time.timeIntervalSince1970
        guard let end = claims["exp"]?.double, end > time, end <= time + 330 else {
            throw wrong("exp is over, or more than five minutes away")
        }
        guard let name = claims["jti"]?.string, (1...200).contains(name.utf8.count),
            state.accept(assertion: name, of: id, until: Date(timeIntervalSince1970: end))
        else { throw wrong("jti is missing, or was used before") }
        return Client(app: app, isConfidential: true)
    }

    // MARK: Revocation, introspection, registration

    func revoke(_ request: Request, base: String) -> Response {
        answer(request, base) { form, client in
            if let token = form["token"] { state.revoke(token, client: client.app.id) }
            return Self.json([:])
        }
    }

    /// A client learns of its own tokens alone.
    func introspect(_ request: Request, base: String) -> Response {
        answer(request, base) { form, client in
            guard let (grant, end) = state.grant(ofAccessToken: form["token"] ?? ""),
                grant.client == client.app.id
            else { return Self.json(["active": false]) }
            var json: JSONValue = [
                "active": true, "scope": JSONValue(grant.scopes.text), "client_id": JSONValue(grant.client),
                "exp": JSONValue(Int(end.timeIntervalSince1970)), "token_type": "Bearer",
                "iss": JSONValue(grant.base),
            ]
            if let patient = grant.patient { json["patient"] = JSONValue(patient) }
            if let encounter = grant.encounter { json["encounter"] = JSONValue(encounter) }
            if let user = grant.user {
                json["sub"] = JSONValue(user.name)
                json["fhirUser"] = JSONValue("\(grant.base)/\(user.fhirUser)")
            }
            return Self.json(json)
        }
    }

    /// Registers an app for logins of people (RFC 7591).
    func register(_ request: Request) -> Response {
        guard state.configuration.allowsRegistration else {
            return Self.refusal("access_denied", "apps are registered in the configuration only", status: 403)
        }
        guard request.body.count <= 64 << 10, let json = try? JSONValue(parsing: request.body),
            json.kind == .object
        else { return Self.refusal("invalid_client_metadata", "the body is a JSON object of at most 64 kB") }
        let uris = json["redirect_uris"]?.elements?.map { $0.string ?? "" } ?? []
        guard !uris.isEmpty, uris.count <= 20, uris.allSatisfy(RegisteredURI.isAllowed) else {
            return Self.refusal(
                "invalid_redirect_uri",
                "redirect_uris are one to twenty of https, of http on this machine, or of an app's own scheme"
            )
        }
        let launchURL = json["launch_url"]?.string ?? json["initiate_login_uri"]?.string
        guard launchURL.map(RegisteredURI.isAllowed) ?? true else {
            return Self.refusal("invalid_client_metadata", "launch_url is no address of an app")
        }
        let grants = json["grant_types"]?.elements?.compactMap(\.string) ?? ["authorization_code"]
        guard Set(grants).isSubset(of: ["authorization_code", "refresh_token"]) else {
            return Self.refusal(
                "invalid_client_metadata",
                "apps that register themselves have authorization_code and refresh_token"
            )
        }
        var app = SMARTState.App(
            id: RandomToken.make(),
            name: String((json["client_name"]?.string ?? "An app without a name").prefix(100)),
            redirectURIs: uris,
            launchURL: launchURL
        )
        let method = json["token_endpoint_auth_method"]?.string ?? "client_secret_basic"
        switch method {
        case "none": break
        case "client_secret_basic", "client_secret_post": app.secret = Secret(RandomToken.make(length: 40))
        case "private_key_jwt":
            guard let keys = json["jwks"], let set = try? PublicKeySet(keys), !set.keys.isEmpty else {
                return Self.refusal("invalid_client_metadata", "jwks has no key for RS384 or ES384")
            }
            app.keys = keys
        default:
            return Self.refusal("invalid_client_metadata", "token_endpoint_auth_method is not supported")
        }
        guard state.register(app) else {
            return Self.refusal("access_denied", "too many apps have registered themselves", status: 503)
        }
        var answer: JSONValue = [
            "client_id": JSONValue(app.id),
            "client_id_issued_at": JSONValue(Int(state.time.timeIntervalSince1970)),
            "client_name": JSONValue(app.name), "redirect_uris": JSONValue(uris.map { JSONValue($0) }),
            "grant_types": JSONValue(grants.map { JSONValue($0) }), "response_types": ["code"],
            "token_endpoint_auth_method": JSONValue(method),
        ]
        if let secret = app.secret {
            answer["client_secret"] = JSONValue(secret.reveal())
            answer["client_secret_expires_at"] = 0
        }
        if let scope = json["scope"] { answer["scope"] = scope }
        if let keys = app.keys { answer["jwks"] = keys }
        if let launchURL { answer["launch_url"] = JSONValue(launchURL) }
        return Self.json(answer, status: 201)
    }
}

extension SMARTScope {
    var resourceScope: ResourceScope? { if case .resources(let scope) = self { scope } else { nil } }
}
