#if SMART
import Crypto
import Foundation
import IndivoBase

/// One login: what the browser is sent to the authorization server with, and what it must come back with
/// (RFC 6749, section 4.1; RFC 7636; RFC 9207).
struct AuthorizationRequest: Sendable {
    let configuration: SMARTConfiguration
    let app: SMARTApp
    /// The FHIR server, for which the tokens are.
    let audience: String
    /// What an EHR launched the app with.
    var launch: String?

    // 64 letters and digits of the system's generator each: 380 bits.
    private let state = RandomToken.make(length: 64)
    private let verifier = RandomToken.make(length: 64)
    let nonce = RandomToken.make(length: 64)

    init(_ configuration: SMARTConfiguration, app: SMARTApp, audience: String, launch: String?) {
        self.configuration = configuration
        self.app = app
        self.audience = audience
        self.launch = launch
    }

    private var wantsIdentity: Bool { app.scopes.contains(.openID) }

    /// The page at which the person logs in.
    var url: URL? {
        var scopes = app.scopes
        if launch != nil, !scopes.contains(.launch) { scopes.append(.launch) }
        var query: FormParameters = [
            "response_type": "code", "client_id": app.id, "redirect_uri": app.redirectURI.absoluteString,
            "scope": scopes.text, "state": state, "aud": audience,
            "code_challenge": Base64URL.encode(Data(SHA256.hash(data: Data(verifier.utf8)))),
            "code_challenge_method": "S256",
        ]
        if let launch { query.append(name: "launch", value: launch) }
        if wantsIdentity { query.append(name: "nonce", value: nonce) }
        let address = configuration.authorizationEndpoint.absoluteString
        let page = address.prefix { $0 != "#" }
        return URL(string: page + (page.contains("?") ? "&" : "?") + query.encoded)
    }

    /// Why an arrival does not end the login.
    enum Refusal: Error {
        /// It belongs to another login, or to none: this one goes on.
        case foreign
        /// It is this login's, and ends it.
        case final(SMARTError.Reason)
    }

    /// The code that the browser came back with.
    /// - Parameter isPasted: Whether a person copied the address, so that it may be any spelling of it.
    func code(in url: URL, isPasted: Bool) throws(Refusal) -> String {
        let parameters = url.callbackParameters
        guard isPasted || url.isSamePlace(as: app.redirectURI) else { throw .foreign }
        // One value each: of two, server and app might take another.
        for name in ["state", "code", "error", "iss"] where parameters.values(of: name).count > 1 {
            throw .foreign
        }
        guard let returned = parameters["state"],
            constantTimeEqual(Array(returned.utf8), Array(state.utf8))
        else { throw .foreign }
        if let issuer = parameters["iss"] {
            guard issuer == configuration.issuer else { throw .final(.wrongIssuer) }
        } else if configuration.namesIssuerInResponse {
            throw .final(.wrongIssuer)
        }
        if let error = parameters["error"] {
            let isCode =
                (1...40).contains(error.utf8.count)
                && error.utf8.allSatisfy { $0 == 0x5F || (0x61...0x7A).contains($0) }
            throw .final(.denied(code: isCode ? error : nil))
        }
        guard let code = parameters["code"], !code.isEmpty else {
            throw .final(.malformedResponse("the browser came back without a code; log in again"))
        }
        return code
    }

    /// What the token endpoint gets for a code.
    func exchange(of code: String) -> FormParameters {
        [
            "grant_type": "authorization_code", "code": code,
            "redirect_uri": app.redirectURI.absoluteString, "code_verifier": verifier,
        ]
    }
}
#endif
