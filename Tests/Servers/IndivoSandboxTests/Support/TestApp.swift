import Foundation
import IndivoSandbox
import OAuth1
import Testing

/// Signs requests to a sandbox, as an app (or an admin, or a UI server) with or without a token.
struct TestApp: Sendable {
    var apiPort: Int
    var consumer: OAuthConsumer
    var token: OAuthToken?

    init(_ sandbox: Sandbox, key: String = "demo@apps.example.org", secret: String = "demo-secret") {
        self.init(port: sandbox.apiURL.port ?? 0, key: key, secret: secret)
    }

    init(port: Int, key: String = "demo@apps.example.org", secret: String = "demo-secret") {
        apiPort = port
        consumer = OAuthConsumer(key: key, secret: Secret(secret))
    }

    func with(_ token: OAuthToken?) -> TestApp {
        var copy = self
        copy.token = token
        return copy
    }

    func send(
        _ method: String,
        _ target: String,
        type: String? = nil,
        body: String = "",
        callback: String? = nil,
        verifier: String? = nil
    ) async throws -> RawHTTP.Answer {
        try await send(
            method,
            target,
            type: type,
            data: Data(body.utf8),
            callback: callback,
            verifier: verifier
        )
    }

    func send(
        _ method: String,
        _ target: String,
        type: String?,
        data: Data,
        callback: String? = nil,
        verifier: String? = nil
    ) async throws -> RawHTTP.Answer {
        let request = OAuthRequest(
            method: method,
            scheme: "http",
            authority: "127.0.0.1:\(apiPort)",
            target: target,
            contentType: type,
            body: Array(data)
        )
        let signer = OAuthSigner(
            credentials: OAuthCredentials(consumer: consumer, token: token),
            rule: .indivo
        )
        let authorization = try signer.authorization(
            for: request,
            options: OAuthSigner.Options(callback: callback, verifier: verifier)
        )
        var headers = [("Authorization", authorization.headerValue)]
        if let type { headers.append(("Content-Type", type)) }
        return try await RawHTTP.request(method, port: apiPort, target: target, headers: headers, body: data)
    }

    func get(_ target: String) async throws -> RawHTTP.Answer { try await send("GET", target) }

    func post(_ target: String, xml: String) async throws -> RawHTTP.Answer {
        try await send("POST", target, type: "application/xml", body: xml)
    }

    func put(_ target: String, xml: String) async throws -> RawHTTP.Answer {
        try await send("PUT", target, type: "application/xml", body: xml)
    }

    func post(_ target: String, form: FormParameters) async throws -> RawHTTP.Answer {
        try await send("POST", target, type: FormParameters.contentType, body: form.encoded)
    }

    /// A request token for a record.
    func requestToken(record: String?, callback: String = "http://app.example.org/authorized") async throws
        -> OAuthToken
    {
        var form = FormParameters()
        if let record { form.append(name: "indivo_record_id", value: record) }
        let answer = try await send(
            "POST",
            "/oauth/request_token",
            type: FormParameters.contentType,
            body: form.encoded,
            callback: callback
        )
        #expect(answer.status == 200)
        return try OAuthTokenResponse(parsing: answer.body).token
    }

    /// Takes the whole way to an access token, a person with a browser included.
    func authorized(_ sandbox: Sandbox, record: String, username: String = "demo", password: String = "demo")
        async throws -> TestApp
    {
        let request = try await requestToken(record: record)
        var browser = TestBrowser(sandbox)
        try await browser.logIn(username, password)
        let location = try await browser.authorize(request.value)
        let fields = FormParameters(decoding: location.split(separator: "?").last.map(String.init) ?? "")
        let answer = try await with(request).send(
            "POST",
            "/oauth/access_token",
            verifier: fields["oauth_verifier"]
        )
        #expect(answer.status == 200)
        return with(try OAuthTokenResponse(parsing: answer.body).token)
    }
}
