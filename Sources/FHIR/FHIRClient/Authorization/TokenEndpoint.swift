import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import OrderedJSON

/// An endpoint of an authorization server that takes forms: for tokens, for revoking and inspecting them.
package struct TokenEndpoint: Sendable {
    /// How the client proves who it is (RFC 6749, section 2.3).
    package enum Authentication: Sendable {
        /// Its id alone, in the form: a public client.
        case id(String)
        /// Id and secret in the `Authorization` header.
        case basic(id: String, secret: Secret)
        /// Id and secret in the form, for endpoints that do not take the header.
        case form(id: String, secret: Secret)
        /// A signed assertion (RFC 7523).
        case assertion(ClientAssertion)
        /// An access token, as some servers ask for before they say anything of another.
        case bearer(Secret)
    }

    /// What it answered: a status, and JSON where there is some.
    package struct Response: Sendable {
        package let status: Int
        package let json: JSONValue?

        package var isSuccess: Bool { (200..<300).contains(status) }

        /// The error's code, if it is one of letters and underscores (RFC 6749, section 5.2).
        package var errorCode: String? {
            guard let code = json?["error"]?.string, (1...40).contains(code.utf8.count),
                code.utf8.allSatisfy({
                    $0 == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                })
            else { return nil }
            return code
        }
    }

    package let url: URL
    private let address: ServerAddress
    private let transport: any HTTPTransport
    private let timing: CallTiming

    /// - Throws: ``FHIRAuthorizationError`` for an address that cannot be used.
    package init(
        _ url: URL,
        plainHTTPHosts: Set<String>,
        transport: any HTTPTransport,
        timing: CallTiming
    ) throws(FHIRAuthorizationError) {
        do {
            address = try ServerAddress(url, plainHTTPHosts: plainHTTPHosts)
        } catch {
            throw FHIRAuthorizationError("the token endpoint's address cannot be used: \(error)")
        }
        self.url = url
        self.transport = transport
        self.timing = timing
    }

    /// Sends a form once. Redirections are not followed.
    /// - Throws: `HTTPTransportError`, `CancellationError`; what signs an assertion.
    package func send(_ form: FormParameters, _ authentication: Authentication) async throws -> Response {
        var form = form
        var request = HTTPRequest(
            method: .post,
            scheme: address.scheme,
            authority: address.authority,
            path: url.requestTarget
        )
        request.headerFields[.contentType] = FormParameters.contentType
        request.headerFields[.accept] = "application/json"
        switch authentication {
        case .id(let id): form.append(name: "client_id", value: id)
        case .basic(let id, let secret):
            let pair = PercentEncoding.encode(id) + ":" + PercentEncoding.encode(secret.reveal())
            request.headerFields[.authorization] = "Basic " + Data(pair.utf8).base64EncodedString()
        case .form(let id, let secret):
            form.append(name: "client_id", value: id)
            form.append(name: "client_secret", value: secret.reveal())
        case .assertion(let assertion):
            form.append(
                name: "client_assertion_type",
                value: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            )
            form.append(
                name: "client_assertion",
                value: try await assertion.signed(audience: url.absoluteString, at: timing.now())
            )
        case .bearer(let token): request.headerFields[.authorization] = "Bearer " + token.reveal()
        }
        let http = try await transport.send(request, body: Data(form.encoded.utf8))
        var limits = JSONLimits()
        limits.bytes = 256 << 10
        return Response(
            status: http.status,
            json: try? JSONValue(parsing: http.body, limits: limits)
        )
    }

    /// The access token in a response (RFC 6749, section 5), and how long it lives.
    /// - Throws: ``FHIRAuthorizationError``; nothing of the response is in it but an error's code.
    package static func accessToken(in response: Response) throws(FHIRAuthorizationError) -> (
        token: Secret, lifetime: Duration?
    ) {
        guard let json = response.json else {
            throw FHIRAuthorizationError(
                "the token endpoint's response (\(response.status)) is not JSON; check its address"
            )
        }
        guard response.isSuccess else {
            throw FHIRAuthorizationError(
                "the token endpoint refuses (\(response.status)): \(response.errorCode ?? "no reason given")"
            )
        }
        guard let value = json["access_token"]?.string, isToken(value) else {
            throw FHIRAuthorizationError("the token endpoint's response has no access token")
        }
        guard json["token_type"]?.string?.lowercased() == "bearer" else {
            throw FHIRAuthorizationError("the token endpoint gives tokens of another type than Bearer")
        }
        // Some servers write a text. For a year at most.
        let expires = json["expires_in"]
        let seconds = expires?.double ?? expires?.string.flatMap(Double.init)
        return (Secret(value), seconds.flatMap { $0.isFinite ? .seconds(min(max(0, $0), 31_536_000)) : nil })
    }

    /// How long a token is used that lives so long: a tenth less, at most half a minute.
    package static func use(of lifetime: Duration) -> Duration { lifetime - min(.seconds(30), lifetime / 10) }

    /// Whether a text can stand in a header (RFC 6750, section 2.1).
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
